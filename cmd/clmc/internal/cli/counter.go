package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// counter shows how many of a known number of tests are done.
type counter struct {
	bar   *progressbar.ProgressBar // nil unless drawing
	enc   *json.Encoder            // nil unless printing JSON
	lines io.Writer                // nil unless printing lines
	every time.Duration            // between lines of either kind
	done  int
	total int
	last  time.Time
}

// startCounter starts counting to total in the mode of --progress.
func (a *app) startCounter(mode string, total int) *counter {
	c := &counter{total: total, last: time.Now(), every: time.Second}
	switch {
	case mode == "json":
		c.enc = json.NewEncoder(a.err)
	case mode == "lines":
		c.lines, c.every = a.err, 10*time.Second
	case mode == "auto" && !a.onTerminal():
		c.lines, c.every = a.err, time.Minute
	case mode == "auto":
		c.draw(a.tty)
	}
	return c
}

// draw draws a bar from now on.
func (c *counter) draw(w io.Writer) {
	c.bar = progressbar.NewOptions(c.total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("tests"),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionSetRenderBlankState(false),
		progressbar.OptionClearOnFinish(),
	)
}

// add counts one more test.
func (c *counter) add() {
	c.done++
	if c.bar != nil {
		c.bar.Add(1)
	}
	due := time.Since(c.last) >= c.every
	switch {
	case c.enc != nil && (due || c.done == c.total):
		c.enc.Encode(struct {
			Done  int `json:"done"`
			Total int `json:"total"`
		}{c.done, c.total})
	case c.lines != nil && due:
		fmt.Fprintf(c.lines, "clmc: %s of %s tests\n", thousands(c.done), thousands(c.total))
	}
	if due {
		c.last = time.Now()
	}
}

// hide clears the line for a message.
func (c *counter) hide() {
	if c.bar != nil {
		c.bar.Clear()
	}
}

func (c *counter) stop() { c.hide() }
