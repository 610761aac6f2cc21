package cli

import (
	"encoding/json"
	"time"

	"github.com/schollz/progressbar/v3"
)

// counter shows how many of a known number of tests are done.
type counter struct {
	bar   *progressbar.ProgressBar // nil unless drawing
	enc   *json.Encoder            // nil unless printing JSON
	done  int
	total int
	last  time.Time
}

// startCounter starts counting to total in the mode of --progress.
func (a *app) startCounter(mode string, total int) *counter {
	c := &counter{total: total, last: time.Now()}
	switch {
	case mode == "json":
		c.enc = json.NewEncoder(a.err)
	case a.wantsBar(mode):
		c.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(a.err),
			progressbar.OptionSetDescription("tests"),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(200*time.Millisecond),
			progressbar.OptionSetRenderBlankState(false),
			progressbar.OptionClearOnFinish(),
		)
	}
	return c
}

// add counts one more test.
func (c *counter) add() {
	c.done++
	if c.bar != nil {
		c.bar.Add(1)
	}
	if c.enc != nil && (time.Since(c.last) >= time.Second || c.done == c.total) {
		c.last = time.Now()
		c.enc.Encode(struct {
			Done  int `json:"done"`
			Total int `json:"total"`
		}{c.done, c.total})
	}
}

// hide clears the line for a message.
func (c *counter) hide() {
	if c.bar != nil {
		c.bar.Clear()
	}
}

func (c *counter) stop() { c.hide() }
