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
	first   chan *explore.Result // what a search without load buffering has come to, where one with it goes on
	display display
	quit    chan struct{}
	done    guard.Group
}

// display is a way of showing progress.
type display interface {
	show(explore.Stats)
	tell(*explore.Result)    // what the search without load buffering has come to
	patience() time.Duration // how long the one with it must take for that to be told
	clear()
	interval() time.Duration
}

// startProgress starts showing progress in the mode of --progress.
func (a *app) startProgress(mode, model string, maxStates int) *progress {
	p := &progress{quit: make(chan struct{}), first: make(chan *explore.Result, 1)}
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

// answered is called from the search when it has its first answer. One that begins again has it again.
func (p *progress) answered(r *explore.Result) {
	answer := *r
	select {
	case p.first <- &answer:
	default:
	}
}

// run shows the latest counters until it is told to quit.
func (p *progress) run() {
	tick := time.NewTicker(p.display.interval())
	defer tick.Stop()
	var answer *explore.Result
	var due <-chan time.Time
	for {
		select {
		case <-p.quit:
			p.display.clear()
			p.tellAtOnce(answer)
			return
		case answer = <-p.first:
			due = time.After(p.display.patience())
		case <-due:
			p.display.tell(answer)
			answer = nil
		case <-tick.C:
			if s := p.latest.Load(); s != nil {
				p.display.show(*s)
			}
		}
	}
}

// tellAtOnce tells an answer for which nobody waits, though the search is over.
func (p *progress) tellAtOnce(answer *explore.Result) {
	if answer == nil {
		select {
		case answer = <-p.first:
		default:
		}
	}
	if answer != nil && p.display.patience() == 0 {
		p.display.tell(answer)
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
	w     io.Writer
	model string
}

func newBar(w io.Writer, model string, maxStates int) bar {
	limit := -1
	if maxStates > 0 {
		limit = maxStates
	}
	return bar{w: w, model: model, ProgressBar: progressbar.NewOptions(limit,
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
func (b bar) patience() time.Duration { return time.Second }
func (b bar) clear()                  { b.Clear() }
func (b bar) tell(r *explore.Result) {
	b.Clear()
	fmt.Fprintf(b.w, "clmc: %s: %s\n", b.model, firstAnswer(r))
}
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
func (l *lineProgress) patience() time.Duration {
	if l.every < time.Minute { // it was asked for
		return 0
	}
	return time.Second
}

func (l *lineProgress) tell(r *explore.Result) {
	fmt.Fprintf(l.w, "clmc: %s: %s\n", visible.Line(l.model), firstAnswer(r))
}

// firstAnswer puts into words what a search without load buffering has come to.
func firstAnswer(r *explore.Result) string {
	states, took := thousands(r.Stats.States), r.Stats.Elapsed.Round(time.Millisecond)
	if r.Verdict == explore.Verified {
		return fmt.Sprintf("verified without load buffering (complete, %s states, %v); now with it", states, took)
	}
	what := "nothing found"
	if ids := foundKinds(r); len(ids) > 0 {
		what = "violated: " + strings.Join(ids, ", ")
	}
	return fmt.Sprintf("without load buffering: %s (%s states, %v); now with it", what, states, took)
}

// foundKinds lists the ids of the kinds of violation in a result, each once.
func foundKinds(r *explore.Result) (ids []string) {
	for _, k := range r.Kinds() {
		ids = append(ids, k.ID())
	}
	return ids
}

func (l *lineProgress) show(s explore.Stats) {
	fmt.Fprintf(l.w, "clmc: %s: %s, %v\n", visible.Line(l.model), describe(s), s.Elapsed.Round(time.Second))
}

// describe puts counters into words, the most important first.
func describe(s explore.Stats) string {
	text := fmt.Sprintf("%s states, %s/s", thousands(s.States), thousands(int(rate(s))))
	if left := timeLeft(s.States, rate(s), newEstimate(s)); left != "" {
		text += ", " + left
	}
	if s.First > 0 {
		text = "with load buffering " + text
	}
	if s.DiskBytes > 0 {
		text += ", disk " + size(uint64(s.DiskBytes))
	}
	return text + fmt.Sprintf(", memory %s, frontier %s, depth %s", size(memoryInUse()), thousands(s.Frontier), thousands(s.Path))
}

// timeLeft puts an estimate into words, if there is one.
func timeLeft(states int, rate float64, e *estimate) string {
	switch {
	case rate == 0 || e == nil && float64(states)/rate < awaited:
		return ""
	case e == nil:
		return "no estimate yet"
	}
	in := func(total int) string { return roughly(float64(max(total-states, 0)) / rate) }
	if float64(max(e.States-states, 0))/rate > foreseeable {
		return "no estimate yet"
	}
	part := func(total int) float64 { return 100 * float64(states) / float64(max(total, states, 1)) }
	return fmt.Sprintf("%.0f to %.0f %% done, %s to %s left (stable for %s)", part(e.High), part(e.Low), in(e.Low), in(e.High), roughly(float64(max(states-e.Since, 0))/rate))
}

// awaited is after how many seconds a reader wants to be told that there is no estimate.
const awaited = 10

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

// firstLine is the line that tells what a search without load buffering has come to; docs/json.md documents it.
type firstLine struct {
	Model      string   `json:"model"`
	Event      string   `json:"event"` // first_answer
	Verdict    string   `json:"verdict"`
	Violations []string `json:"violations"` // ids of their kinds
	States     int      `json:"states"`
	Seconds    float64  `json:"seconds"`
}

// estimate is how many states there will be at the end.
type estimate struct {
	States int `json:"states"`
	Low    int `json:"low"`
	High   int `json:"high"`
	Since  int `json:"since"`
}

// newEstimate returns the estimate of a search, nil as long as there is none.
func newEstimate(s explore.Stats) *estimate {
	e := s.Estimate
	if e.States == 0 {
		return nil
	}
	return &estimate{e.States, e.Low, e.High, e.Since}
}

func (j *jsonProgress) interval() time.Duration { return time.Second }
func (j *jsonProgress) patience() time.Duration { return 0 }
func (j *jsonProgress) clear()                  {}
func (j *jsonProgress) tell(r *explore.Result) {
	j.enc.Encode(firstLine{j.model, "first_answer", r.Verdict.String(), append([]string{}, foundKinds(r)...), r.Stats.States, r.Stats.Elapsed.Seconds()})
}
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
