package explore

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store"
)

// Options say how to explore. The zero Options explore under the default
// specification, with the default reduction, up to the first violation.
type Options struct {
	Spec memmodel.Spec // the zero Spec means memmodel.Specs[0]
	POR  por.Mode      // the reduction
	// Facts, if set, are what is known of the program under Spec.
	Facts *facts.Facts
	All   bool // go on after the first violation
	// Aside, with All, sets data races aside: it finds what executions without a data race show, though others have one: all outcomes, and all that goes wrong first. A
	// search up to the first violation may take an execution that has a race for one that has none.
	Aside bool
	// Beyond, with All, follows executions beyond their data races, too: with Aside all executions, else those of the races that are listed.
	Beyond bool
	// Depends, if set, tells whether a violation that comes after data races, or what has failed before the one that it is, comes of what was
	// read in one of them. Without it none is taken to.
	Depends func(*Violation) bool
	// NoSymmetry tells states apart that differ only in the names of units that
	// run the same code. With por.None that is always so.
	NoSymmetry bool
	// Without names analyses that the search does without, to check what they conclude.
	Without Analyses
	// MaxStates bounds the number of states, of each worker if there are several; 0 means no
	// bound. A search that meets the bound is not complete.
	MaxStates int
	// Promises bounds the writes that a work-item may owe at a time, having
	// promised them; 0 means DefaultPromises. With NoPromises none is made, and
	// executions with load buffering are left out. Where promises can make no
	// difference none is made anyway.
	Promises int
	// PromisesTime bounds the search with promises, where that without them has come to its end. The zero value is ten times as much work.
	PromisesTime PromisesTime
	// First, if set, is told what the search without promises has come to, if another one with them begins then: from the search's goroutine.
	First func(*Result)
	// needless makes them wherever the code alone does not tell that they make none.
	needless bool
	// everywhere makes them as if nothing were known of that.
	everywhere bool
	// pace, if set, is when what happens now and then does: tests set it.
	pace *pace
	// symmetricTurn, if it is set, is told what was known of a turn because of another one, and what it has come to: then
	// turns of symmetric units are taken. For tests.
	symmetricTurn func(known, own *por.Summary)
	// exchanged is called, where symmetricTurn is set, after units were exchanged that should leave a state as it is: with whether they do.
	exchanged func(stays bool)
	// NoCache forgets the states that were visited, to count executions: with
	// por.DPOR each execution graph of a program without loops is then completed once.
	NoCache bool
	// Workers is the number of goroutines that search; 0 means one. With NoCache or
	// Exact it is one.
	Workers int
	// Links, if set, are those of the workers of this process to the log of a job on which
	// others work, too, one for each: there are as many as links. Whoever works on the
	// job must have the same program and options, but for bounds. See Shareable.
	Links []share.Link
	// Witnesses is the number of outcomes for which to keep an execution that ends in them.
	Witnesses int
	// Wanted, if set, tells for which: it asks for values by the names that Names knows, as far as the
	// search has come. The search then stops when it has so many, and looks for shorter executions of
	// these, not of violations. It has one worker.
	Wanted func(value func(name string) (int64, bool)) bool
	// Liveness, if set, asks whether executions end, once nothing else goes wrong.
	Liveness *Liveness
	// Progress, if set, is called now and then from the search's goroutine.
	Progress func(Stats)
	// Keep leaves out reductions of the states' canonical form, to measure and to
	// test them.
	Keep memmodel.Keep
	// KeepSchedule leaves the schedules as the search found them, without
	// looking for shorter ones.
	KeepSchedule bool
	// NoAwaits leaves out of the result which waits hang on the scheduler, Awaits and Between: for whoever asks for the verdict alone.
	NoAwaits bool
	// Exact keeps whole states beside their fingerprints and compares them.
	Exact bool
	// Mem bounds the bytes of the visited states, 0 means no bound. A search
	// that meets the bound is not complete. With a Store, the store has a
	// bound of its own, and the search goes on; this one is that of further workers.
	Mem int
	// Store, if set, keeps the search in a directory: it goes on from the last
	// checkpoint there, writes others, and leaves one behind. The store must
	// belong to this program and to options that are the same but for bounds.
	Store           store.Store
	CheckpointEvery time.Duration // 0 means a minute
	DiskLimit       int64         // bytes of the store at which to stop; 0 means no bound
}

// workers returns the number of goroutines that can search.
func (o *Options) workers() int {
	switch {
	case o.NoCache || o.Exact || o.Wanted != nil:
		return 1
	case len(o.Links) > 0:
		return len(o.Links)
	}
	return min(max(o.Workers, 1), MaxWorkers)
}

// Shareable returns an error, for users, if a search with these options cannot be one of
// several workers on a job: they tell each other fingerprints of states.
func (o *Options) Shareable() error {
	switch {
	case o.Exact:
		return errors.New("workers tell each other fingerprints of states, and not the whole states that an audit compares")
	case o.NoCache:
		return errors.New("workers tell each other which states they have visited, which a search without visited states forgets")
	}
	return nil
}

// MaxWorkers bounds Options.Workers.
const MaxWorkers = 1 << 10

// Verdict is what a search concludes. The zero Verdict concludes nothing.
type Verdict uint8

// The verdicts.
const (
	Inconclusive Verdict = iota // nothing found, but not everything was explored
	Violated                    // some execution goes wrong
	Verified                    // every execution was explored and none goes wrong
	ButForKnown                 // every execution was explored, and what goes wrong is known and set aside
)

var verdictNames = [...]string{Inconclusive: "inconclusive", Violated: "violated", Verified: "verified", ButForKnown: "verified but for known"}

// Verdicts lists the verdicts, the best first.
func Verdicts() []Verdict { return []Verdict{Verified, Violated, Inconclusive, ButForKnown} }

// String returns the verdict's name.
func (v Verdict) String() string { return verdictNames[v] }

// ParseVerdict is the inverse of String. What names no verdict concludes nothing.
func ParseVerdict(name string) Verdict { return Verdict(max(slices.Index(verdictNames[:], name), 0)) }

// Move is one step of a schedule: the unit, by its index among those that
// exist at the time, and the outcome of its operation.
type Move struct {
	Unit   memmodel.Unit // who steps
	Choice state.Choice  // with which outcome
}

// Violation is something that goes wrong in some execution, with a schedule
// from the initial state that shows it.
type Violation struct {
	state.Violation
	Schedule []Move // the moves that lead to it
	// Unit's name and the place in the program.
	UnitName string
	Line     string // "file:line:col"; "function+instruction" where that is not known
	Location string // of a data race or uninitialised read: the variable
	Object   string // of an access outside of an object: the object, if it has a name
	// FailedLine is the place of what went wrong before a data race.
	FailedLine string
	// After: it comes after a data race in the same execution, of which nothing is known then
	// (rule 9.3). Depends: it comes of what was read in one, as Options.Depends has told.
	After, Depends bool
	// Beside: every execution that goes on from it comes to a data race on which it does not depend. So no execution
	// without a race shows it.
	Beside bool
	// Untold: the search had to end before it was known by which schedule, so that there is none.
	Untold bool
	// Unsettled: whether a data race lies behind it was not found out.
	Unsettled bool
	Lasso     *Lasso // of an execution that goes on for ever
}

// Stats counts what a search has done.
type Stats struct {
	States    int           // canonical states stored
	Steps     int           // visible operations performed
	Ends      int           // executions completed
	Redundant int           // explorations that came to states in which all units sleep
	Blocked   int           // executions abandoned: failed assumptions, forbidden by the memory model
	Cuts      int           // executions cut at a visited state
	Probed    int           // states looked at once more, to find a way out
	Depth     int           // deepest path, in states
	Elapsed   time.Duration // of all runs
	PeakBytes int           // of the visited states, in memory
	First     int           // states that a search without promises stored, before this one
	FirstWork int           // what that took, as state.Effort.Done counts it, if it has come to its end; else 0
	FirstAll  bool          // it has explored every execution without promises, and none goes wrong
	Saved     Saved         // what reductions have left out
	Shared    Shared        // with other workers
	// Of a search under way, for Options.Progress.
	Path     int      // states on the path that it is on
	Frontier int      // states known and yet to be visited, those visited before among them
	Estimate Estimate // of states in the end
	// Of a search with a store.
	DiskBytes   int64 // of the store
	Checkpoints int   // written so far, in all runs
	// Standstill is how long, in all runs, the search has stood still for the
	// disk: to hand over to be written what does not stay in memory (Handing), to
	// wait for the last checkpoint of each run (Ending), and else for checkpoints.
	Standstill, Handing, Ending time.Duration
}

// Saved counts what the reductions left out.
type Saved struct {
	Eager     int // of the steps: performed at once, so that no state was stored and no other order tried
	Asleep    int // readers not tried, since what they read had been read before
	Turns     int // readers not tried, since nobody writes what the others read
	Symmetric int `msgpack:"Alike"` // readers not tried, since symmetric ones had been; stores know it by the name that it once had
	Waits     int // rounds of waiting not explored
	Dominated int // outcomes of loads not explored, since another one allows all that they allow
	Renamed   int // states looked up under the names of their like, by symmetry
}

// add adds what another worker has left out.
func (t *Saved) add(o *Saved) {
	t.Eager += o.Eager
	t.Asleep += o.Asleep
	t.Turns += o.Turns
	t.Symmetric += o.Symmetric
	t.Waits += o.Waits
	t.Dominated += o.Dominated
	t.Renamed += o.Renamed
}

// Result is what a search found.
type Result struct {
	Verdict    Verdict            // what the search comes to
	Violations []Violation        // each kind and place once
	Outcomes   []map[string]int64 // of the executions without violation, sorted
	Names      *Names             // of the values in Outcomes
	// Witnesses are schedules of executions that end in an outcome, by its OutcomeKey: of as many as
	// Options.Witnesses asks for, of those that this run came to.
	Witnesses  map[string][]Move
	Stats      Stats    // of the search
	Complete   bool     // nothing that the options ask for was left out
	Incomplete []string // why not, in words
	// Until is when the time is over in which what was found should be told, too; zero where there is no bound.
	Until time.Time
	// Interrupted: the context of the search was cancelled.
	Interrupted bool
	Spec        memmodel.Spec // the reading
	POR         por.Mode      // the reduction that was used
	// LoadBuffering: the program is one in which promises may make a difference.
	// Then Promises is the bound on them that was in force, and with 0 the
	// executions with load buffering were left out.
	LoadBuffering bool
	Promises      int // how many a unit could make
	// Undecided is how long the search with promises took that had spent what there was for it (Options.PromisesTime) before it came to an end; 0 of others.
	Undecided time.Duration
	// FirstCut: promises may matter, and the search without them that comes first was cut short, so that there was none with them.
	FirstCut bool
	// Unpromised: promises can matter, and the violation was found by the search without
	// them that comes first, and needs none.
	Unpromised bool
	// LegacyShared: several work-groups call atomic functions of OpenCL 1.x, which
	// were taken to have LegacyScope.
	LegacyShared bool
	LegacyScope  memmodel.Scope // the scope that they were taken to have
	// After: executions were followed beyond data races, for as long as that took no more steps than
	// the search. What is said of that may be incomplete.
	After bool
	// OneOrder: findings are set aside, and of accesses that race not all orders were tried, in which what comes before the race may go wrong.
	OneOrder bool
	Live     *Live // whether executions end, if that was asked
	// Awaits are waits of work-items for writes that nothing obliges others to make. No verdict hangs on them.
	Awaits  []Await
	Between []ir.Pos // where work-groups wait for each other, so that their end hangs on the scheduler; nothing if Options.Liveness is set
	Exact   bool     // whole states were compared
	NoCache bool     // of the visited states only those of the present execution were kept
	Store   string   // the store's directory, "" if there was none
	Shared  bool     // others may go on with it: its workers had Options.Links
	Told    bool     // those who read the log know that the search is over, and all that was found
	// Unexecuted are the lines with code that no execution comes to: known if all were
	// explored and none goes wrong, and of those that a simulation has drawn where none has gone wrong.
	Unexecuted []ir.Pos
	// Unevaluated are the places of assertions that no execution comes to; known when Unexecuted is.
	Unevaluated []ir.Pos
	// Simulated tells that random executions were performed, and which; nil if all were
	// to be explored.
	Simulated *Simulated
	// Paused tells that the search was stopped by an interrupt or a bound: with a
	// Store, another Run goes on with it.
	Paused bool
	// Err says why the store could not be relied on. The search is then not
	// complete; what it had found until the last checkpoint is in the store.
	Err error
}

// Values of Options.Promises: none, and the bound if nothing is said.
const (
	NoPromises      = -1
	DefaultPromises = 8

	maxPromises = 100 // that users may ask for
)

// Kinds returns the kinds of the violations, each once, in the order in which they were found.
func (r *Result) Kinds() (all []state.Kind) {
	for i := range r.Violations {
		if k := r.Violations[i].Kind; !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// Has reports whether a violation of that kind was found.
func (r *Result) Has(k state.Kind) bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Kind == k })
}

// OutcomeKey returns the canonical text of an outcome: "name=value" for each
// name in order, separated by spaces.
func OutcomeKey(o map[string]int64) string { return (*Names)(nil).Text(o) }

// conclude fills in the verdict.
func (r *Result) conclude() {
	r.Complete = len(r.Incomplete) == 0
	switch {
	case len(r.Violations) > 0:
		r.Verdict = Violated
	case r.Complete:
		r.Verdict = Verified
	default:
		r.Verdict = Inconclusive
	}
}

// ParsePromises reads an Options.Promises as users write it: a bound, where 0
// means none, or auto.
func ParsePromises(s string) (int, error) {
	if s == "auto" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxPromises {
		return 0, fmt.Errorf("%q: want auto, or a number from 0 to %d", s, maxPromises)
	}
	if n == 0 {
		return NoPromises, nil
	}
	return n, nil
}

// FormatPromises is the inverse of ParsePromises.
func FormatPromises(n int) string {
	switch n {
	case 0:
		return "auto"
	case NoPromises:
		return "0"
	}
	return strconv.Itoa(n)
}
