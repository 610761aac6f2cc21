package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state/ir"
)

// Report is the result of exploring a model, with a trace of each violation.
type Report struct {
	Model  string // as the user named it
	Result *explore.Result
	Traces []*trace.Trace // as Result.Violations
	// Witnesses are executions that end in the outcomes, as Result.Outcomes; nil where none is known.
	Witnesses []*trace.Trace
	Known     []*Known // findings that are known, and no more among the others
	// Condition judges the condition of a litmus test; nil for other models.
	Condition *Condition
	// Launch are the flags of clmc explore about a kernel file.
	Launch []string
	// Defines are the flags of clmc explore that define its macros and constants.
	Defines []string
	// Notes say what the front end took for granted.
	Notes []string
	// Unchecked are the assertions of the model's files that were not checked, and why.
	Unchecked []string
	// Assumed is what the user said to take for granted.
	Assumed []string
	// Scope is what the verdict covers if nothing goes wrong; nil if it is not known.
	Scope *Scope
	// Unmet are the requirements on the verdict that it does not meet, and why.
	Unmet []string
	// Awaits say of whom work-items wait whom nothing obliges to run.
	Awaits []string
	// Between says that whether executions end hangs on the scheduler, "" if it does not, or that was asked.
	Between string
	// Unexecuted are the lines of Result.Unexecuted.
	Unexecuted []trace.Pos
	// Unevaluated are the lines of Result.Unevaluated.
	Unevaluated []trace.Pos
	constants   []ir.Constant // of the model
	// Replayed says that one recorded execution was repeated, and nothing explored.
	Replayed bool
	// Proved says what is proved of the kernel besides, where its launch was guessed.
	Proved string
	// Outcomes bounds how many outcomes Text lists; negative means all.
	Outcomes int
	// Full: all steps are shown, not only those on which violations depend.
	Full bool
	// Terse leaves out of Text what tells about the search, and not about the model.
	Terse bool
	// Width is that of a line of text, in characters.
	Width int
}

// Condition is the condition of a litmus test and what became of it.
type Condition struct {
	Text    string `json:"text"`    // "exists (0:r0=1)"
	Verdict string `json:"verdict"` // as clmc litmus has it: Ok, No, Undefined or Unknown
}

// defaults of what a reader wants to see.
const (
	defaultOutcomes = 20
	defaultWidth    = 120
)

// grace is how long telling may take when the time that a search was given is over.
const grace = 400 * time.Millisecond

// New traces the violations of a result. An error means that a violation could
// not be reproduced, which is a defect of clmc.
func New(model string, p *ir.Program, r *explore.Result) (*Report, error) {
	out := &Report{Model: model, Result: r, Unexecuted: unmarked(p, lines(p, r.Unexecuted)), Unevaluated: slices.Compact(unmarked(p, lines(p, r.Unevaluated))), Awaits: awaits(p, r.Awaits), Between: between(p, r.Between), constants: p.Constants, Unchecked: p.Unchecked, Assumed: p.Assumed, Scope: ScopeOf(p), Outcomes: defaultOutcomes, Width: defaultWidth}
	until := out.tellBy()
	for _, v := range r.Violations {
		t, err := trace.BuildUntil(p, r.Spec, v, until)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", v.Kind.ID(), v.Kind, err)
		}
		out.Traces = append(out.Traces, t)
	}
	for _, o := range r.Outcomes {
		out.Witnesses = append(out.Witnesses, witness(p, r, o, until))
	}
	return out, nil
}

// maxTelling bounds, where nobody has set a limit, how long it may take to repeat the executions: so long, or a few times as long as the search.
const (
	maxTelling   = time.Minute
	tellingShare = 4
)

// tellBy is when there is no time left to repeat executions.
func (r *Report) tellBy() time.Time {
	until := r.Result.Until
	switch now := time.Now(); {
	case until.IsZero():
		return now.Add(max(maxTelling, tellingShare*r.Result.Stats.Elapsed))
	case until.Before(now):
		until = now
	}
	return until.Add(grace)
}

// Shown returns what is to be shown of a trace.
func (r *Report) Shown(t *trace.Trace) *trace.Trace {
	if !r.Full {
		return t
	}
	whole := *t
	whole.Slice = nil
	return &whole
}

// witness traces the execution that is known to end in an outcome, if one is and there is time.
func witness(p *ir.Program, r *explore.Result, o map[string]int64, until time.Time) *trace.Trace {
	schedule, ok := r.Witnesses[explore.OutcomeKey(o)]
	if !ok {
		return nil
	}
	t, values, err := trace.Repeat(p, r.Spec, schedule, until)
	if err != nil {
		return nil
	}
	if explore.OutcomeKey(r.Names.Listed(values)) != explore.OutcomeKey(o) {
		return nil
	}
	return t
}

// Verdict returns the verdict in one line. It says if it is not about all that the model's files assert.
func (r *Report) Verdict() string {
	return r.verdict() + r.Reservations() + r.neverRan()
}

// Reservations ends a verdict: what it takes for granted, and what it is not about.
func (r *Report) Reservations() string {
	return granted(r.Assumed) + notChecked(r.Unchecked) + r.notOrdered()
}

// granted ends a verdict that rests on what the user said to take for granted.
func granted(assumed []string) string {
	if len(assumed) == 0 {
		return ""
	}
	return "; taken for granted: " + strings.Join(assumed, "; ")
}

// notOrdered ends a verdict that sets data races aside of which not every order was tried.
func (r *Report) notOrdered() string {
	if r.Result.Verdict == explore.Violated || !r.Result.OneOrder {
		return ""
	}
	return "; not every order of the accesses that race was tried"
}

// notChecked ends a verdict that is not about all assertions of the model's files.
func notChecked(assertions []string) string {
	if len(assertions) == 0 {
		return ""
	}
	return fmt.Sprintf("; not checked: %s of the file", count(len(assertions), "assertion"))
}

func (r *Report) verdict() string {
	res := r.Result
	switch res.Verdict {
	case explore.Violated:
		return "verdict: violated (" + r.kinds() + ")"
	case explore.Verified:
		ends, how := r.lively()
		return fmt.Sprintf("verdict: verified: no violation in %s%s%s (%scomplete, %s)", r.explored(), r.scope().forData(), ends, how, count(res.Stats.States, "state"))
	}
	if res.Undecided > 0 && res.Stats.FirstAll {
		return fmt.Sprintf("verdict: inconclusive: verified without load buffering (complete, %s); with it not decided in %s", count(res.Stats.First, "state"), inSeconds(res.Undecided))
	}
	if s := res.Simulated; s != nil {
		return fmt.Sprintf("verdict: inconclusive: no violation in %s (--seed %d)", count(res.Stats.Ends, "random execution"), s.Seed)
	}
	if res.Verdict == explore.ButForKnown {
		n := r.found()
		without := "without it"
		if n > 1 {
			without = "without them"
		}
		return fmt.Sprintf("verdict: verified but for %d known: no other violation in %s %s (complete, %s)", n, r.explored(), without, count(res.Stats.States, "state"))
	}
	if l := res.Live; l != nil && l.Safe && !l.Unasked && !l.Certain {
		return fmt.Sprintf("verdict: inconclusive: no violation in %s%s (complete, %s); %s", r.explored(), r.scope().forData(), count(res.Stats.States, "state"), because(res.Incomplete))
	}
	return fmt.Sprintf("verdict: inconclusive: %s (%s explored)%s", because(res.Incomplete), count(res.Stats.States, "state"), r.firstAll())
}

// inSeconds writes how long something took, in seconds.
func inSeconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", max(d.Seconds(), 0.1))
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// firstAll says of a search with promises that is not complete what is known all the same.
func (r *Report) firstAll() string {
	if !r.Result.Stats.FirstAll {
		return ""
	}
	return fmt.Sprintf("; no violation in %s (complete, %s)", unbuffered, count(r.Result.Stats.First, "state"))
}

// unbuffered are the executions of a search without promises.
const unbuffered = "any execution without load buffering"

// explored says which executions were explored.
func (r *Report) explored() string {
	if r.WithoutBuffering() {
		return unbuffered
	}
	return "any execution"
}

// WithoutBuffering reports whether there may be executions with load buffering, and none was explored.
func (r *Report) WithoutBuffering() bool { return r.Result.LoadBuffering && r.Result.Promises == 0 }

// kinds lists the kinds of violation that were found, each once.
func (r *Report) kinds() string {
	var names []string
	for _, k := range r.Result.Kinds() {
		names = append(names, k.ID()+" "+k.String())
	}
	return strings.Join(names, ", ")
}
