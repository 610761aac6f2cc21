package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/clmc/clmc/internal/guard"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/visible"
)

// progress shows how far a search has come. The search hands over its counters
// as often as it likes; they are printed when a ticker says so, so that
// showing them costs the search nothing.
type progress struct {
	latest  atomic.Pointer[explore.Stats]
	display display
	quit    chan struct{}
	done    guard.Group
}

// display is a way of showing progress.
type display interface {
	show(explore.Stats)
	clear()
	interval() time.Duration
}

// startProgress starts showing progress in the mode of --progress.
func (a *app) startProgress(mode, model string, maxStates int) *progress {
	p := &progress{quit: make(chan struct{})}
	switch {
	case mode == "json":
		p.display = &jsonProgress{json.NewEncoder(a.err), model}
	case mode == "lines":
		p.display = &lineProgress{a.err, model, 10 * time.Second}
	case mode == "auto" && a.onTerminal():
		p.display = newBar(a.tty, visible.Line(model), maxStates)
	case mode == "auto":
		p.display = &lineProgress{a.err, model, time.Minute}
	default:
		return p
	}
	p.done.Go("progress", p.run)
	return p
}

// onTerminal reports whether standard error is a terminal.
func (a *app) onTerminal() bool {
	f, isFile := a.tty.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd()))
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
// spinner, since how many there will be is a guess at best.
type bar struct {
	*progressbar.ProgressBar
	model string
}

func newBar(w io.Writer, model string, maxStates int) bar {
	limit := -1
	if maxStates > 0 {
		limit = maxStates
	}
	return bar{model: model, ProgressBar: progressbar.NewOptions(limit,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(model),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // else the library draws by itself, and after clear
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetRenderBlankState(false),
		progressbar.OptionClearOnFinish(),
	)}
}

// The width of the bar itself, of all but the description, and of a terminal
// whose width is not known.
const (
	barWidth       = 10
	barRoom        = barWidth + 22
	defaultColumns = 80
)

func (b bar) interval() time.Duration { return 200 * time.Millisecond }
func (b bar) clear()                  { b.Clear() }
func (b bar) show(s explore.Stats) {
	w, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil || w == 0 {
		w = defaultColumns // not a terminal, or one that does not tell
	}
	b.Describe(fitting(short(b.model, w/3)+": "+describe(s), w-barRoom))
	if limit := b.GetMax(); limit > 0 {
		b.Set(min(s.States, limit-1)) // finishing is left to clear
	}
}

// short is a name of which the end is left, in so many characters.
func short(name string, width int) string {
	r := []rune(name)
	if len(r) <= max(width, 8) {
		return name
	}
	return "…" + string(r[len(r)-max(width, 8)+1:])
}

// fitting leaves out what does not fit in of a list with commas.
func fitting(list string, width int) string {
	for len(list) > width && list != "" {
		list = list[:max(0, strings.LastIndex(list, ", "))]
	}
	return list
}

// lineProgress prints a line now and then, for logs.
type lineProgress struct {
	w     io.Writer
	model string
	every time.Duration
}

func (l *lineProgress) interval() time.Duration { return l.every }
func (l *lineProgress) clear()                  {}
func (l *lineProgress) show(s explore.Stats) {
	fmt.Fprintf(l.w, "clmc: %s: %s, %v\n", visible.Line(l.model), describe(s), s.Elapsed.Round(time.Second))
}

// describe puts counters into words, the most important first.
func describe(s explore.Stats) string {
	text := fmt.Sprintf("%s states, %s/s", thousands(s.States), thousands(int(rate(s))))
	if left := timeLeft(s.States, rate(s), newEstimate(s)); left != "" {
		text += ", " + left
	}
	if s.DiskBytes > 0 {
		text += ", disk " + size(uint64(s.DiskBytes))
	}
	return text + fmt.Sprintf(", memory %s, frontier %s, depth %s", size(memoryInUse()), thousands(s.Frontier), thousands(s.Path))
}

// timeLeft puts an estimate into words, if there is one.
func timeLeft(states int, rate float64, e *estimate) string {
	if e == nil || rate == 0 {
		return ""
	}
	in := func(total int) string { return roughly(float64(max(total-states, 0)) / rate) }
	if float64(max(e.States-states, 0))/rate > foreseeable {
		return "no estimate yet"
	}
	return fmt.Sprintf("roughly %.0f %% done, %s left (%s to %s)",
		100*float64(states)/float64(max(e.States, states, 1)), in(e.States), in(e.Low), in(e.High))
}

// foreseeable is for how many seconds ahead an estimate is told: beyond a year it says nothing
// but that a smaller model is needed.
const foreseeable = 365 * 86400

// roughly writes a number of seconds in one unit.
func roughly(seconds float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"y", 365 * 86400}, {"d", 86400}, {"h", 3600}, {"m", 60}} {
		if n := seconds / u.size; n >= 1000 {
			return ">1000" + u.name
		} else if n >= 2 {
			return fmt.Sprintf("%.0f%s", n, u.name)
		}
	}
	return fmt.Sprintf("%.0fs", seconds)
}

// size writes a number of bytes.
func size(bytes uint64) string {
	for _, u := range []struct {
		name string
		size uint64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}} {
		if bytes >= u.size {
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// memoryInUse is what this process has of the system's memory, in bytes.
func memoryInUse() uint64 {
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	return m[0].Value.Uint64() - m[1].Value.Uint64()
}

// jsonProgress prints a line of JSON a second, for machines.
type jsonProgress struct {
	enc   *json.Encoder
	model string
}

// progressLine is such a line; docs/json.md documents it.
type progressLine struct {
	Model    string    `json:"model"`
	States   int       `json:"states"`
	Steps    int       `json:"steps"`
	Depth    int       `json:"depth"`
	Path     int       `json:"path"`
	Frontier int       `json:"frontier"`
	Memory   uint64    `json:"memory_bytes"`
	Disk     int64     `json:"disk_bytes,omitempty"`
	Seconds  float64   `json:"seconds"`
	Rate     float64   `json:"states_per_second"`
	Estimate *estimate `json:"estimate,omitempty"`
}

// estimate is how many states there will be at the end.
type estimate struct {
	States int `json:"states"`
	Low    int `json:"low"`
	High   int `json:"high"`
}

// newEstimate returns the estimate of a search, nil as long as there is none.
func newEstimate(s explore.Stats) *estimate {
	e := s.Estimate
	if e.States == 0 {
		return nil
	}
	return &estimate{e.States, e.Low, e.High}
}

func (j *jsonProgress) interval() time.Duration { return time.Second }
func (j *jsonProgress) clear()                  {}
func (j *jsonProgress) show(s explore.Stats) {
	j.enc.Encode(progressLine{
		j.model, s.States, s.Steps, s.Depth, s.Path, s.Frontier, memoryInUse(), s.DiskBytes, s.Elapsed.Seconds(), rate(s), newEstimate(s),
	})
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
