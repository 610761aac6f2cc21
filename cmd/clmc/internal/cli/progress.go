package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/clmc/clmc/explore"
)

// progress shows how far a search has come. The search hands over its counters
// as often as it likes; they are printed when a ticker says so, so that
// showing them costs the search nothing.
type progress struct {
	latest  atomic.Pointer[explore.Stats]
	display display
	quit    chan struct{}
	done    sync.WaitGroup
}

// display is a way of showing progress.
type display interface {
	show(explore.Stats)
	clear()
	interval() time.Duration
}

// startProgress starts showing progress, if the mode asks for it.
func (a *app) startProgress(mode, model string, maxStates int) *progress {
	p := &progress{quit: make(chan struct{})}
	switch {
	case mode == "json":
		p.display = &jsonProgress{json.NewEncoder(a.err), model}
	case a.wantsBar(mode):
		p.display = newBar(a.err, model, maxStates)
	default:
		return p
	}
	p.done.Go(p.run)
	return p
}

// wantsBar reports whether to draw on standard error. Files and pipes get
// nothing unless asked for.
func (a *app) wantsBar(mode string) bool {
	f, isFile := a.err.(*os.File)
	return mode == "always" || mode == "auto" && isFile && term.IsTerminal(int(f.Fd()))
}

// sample is called from the search.
func (p *progress) sample(s explore.Stats) { p.latest.Store(&s) }

// run shows the latest counters until it is told to quit.
func (p *progress) run() {
	tick := time.NewTicker(p.display.interval())
	defer tick.Stop()
	for {
		select {
		case <-p.quit:
			p.display.clear()
			return
		case <-tick.C:
			if s := p.latest.Load(); s != nil {
				p.display.show(*s)
			}
		}
	}
}

// stop ends the display and waits until the line is clear.
func (p *progress) stop() {
	close(p.quit)
	p.done.Wait()
}

// bar draws on a terminal: a bar if the number of states is bounded, else a
// spinner, since nobody knows how many there will be.
type bar struct{ *progressbar.ProgressBar }

func newBar(w io.Writer, model string, maxStates int) bar {
	limit := -1
	if maxStates > 0 {
		limit = maxStates
	}
	return bar{progressbar.NewOptions(limit,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(model),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // else the library draws by itself, and after clear
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetRenderBlankState(false),
		progressbar.OptionClearOnFinish(),
	)}
}

func (b bar) interval() time.Duration { return 200 * time.Millisecond }
func (b bar) clear()                  { b.Clear() }
func (b bar) show(s explore.Stats) {
	b.Describe(fmt.Sprintf("%s states, %s a second, depth %d",
		thousands(s.States), thousands(int(rate(s))), s.Depth))
	if limit := b.GetMax(); limit > 0 {
		b.Set(min(s.States, limit-1)) // finishing is left to clear
	}
}

// jsonProgress prints a line of JSON a second, for machines.
type jsonProgress struct {
	enc   *json.Encoder
	model string
}

func (j *jsonProgress) interval() time.Duration { return time.Second }
func (j *jsonProgress) clear()                  {}
func (j *jsonProgress) show(s explore.Stats) {
	j.enc.Encode(struct {
		Model   string  `json:"model"`
		States  int     `json:"states"`
		Steps   int     `json:"steps"`
		Depth   int     `json:"depth"`
		Seconds float64 `json:"seconds"`
		Rate    float64 `json:"states_per_second"`
	}{j.model, s.States, s.Steps, s.Depth, s.Elapsed.Seconds(), rate(s)})
}

// rate is the number of states a second so far.
func rate(s explore.Stats) float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.States) / s.Elapsed.Seconds()
}

// thousands writes a number with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
