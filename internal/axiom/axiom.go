package axiom

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Options bound and vary the enumeration.
type Options struct {
	// LoadBuffering admits executions with a cycle in program order, reads-from
	// and barrier order. Values may then come out of thin air: every constant of
	// the program is tried. Without it the executions are exactly those of a
	// machine that makes no promises.
	LoadBuffering bool
	// Independent admits of these only the executions in which each cycle goes
	// through a write that neither depends, by address, value or control, on the
	// reads of its unit that it overtakes, nor is kept behind them by a barrier or
	// a release: what a machine with promises must have at the least.
	Independent bool
	// Prefixes judges, beside the executions, all their beginnings: what goes wrong
	// when all threads have come as far as they have, whatever they would do next.
	// Of these only what goes wrong is recorded, and no outcome.
	Prefixes bool
	// MaxCandidates bounds the candidate executions examined, and the paths of one thread, which are listed before; 0 means 10 million.
	MaxCandidates int
}

// Result is what the consistent executions of a program show. When Race,
// Uninit, Divergence or Failed is set the program is undefined or wrong and
// Outcomes holds only those of the innocent executions.
type Result struct {
	Outcomes   map[string]bool
	Race       bool   // rule 9.3
	Uninit     bool   // some read finds no value (rule 1.4)
	Divergence bool   // a barrier is not met by all, in an execution without race (rule 11.1)
	Unfenced   bool   // a thread reads what it has written to an image, without a fence (rule 6.10)
	Mapping    bool   // memory is touched that is not mapped, or mapped for somebody else (rules 2.1, 2.2), or that has been freed
	Deadlock   bool   // a command never starts, or a host thread waits for ever (rules 12.2, 12.11)
	Abnormal   bool   // a kernel that the host enqueued terminates abnormally (rule 12.16)
	Failed     bool   // an assertion, check or address is violated
	Executions int    // consistent ones
	Example    string // the first race found
	// Where executions go wrong, whatever else is wrong with them: accesses that
	// race, reads that find no value, checks that fail. Of a race with an unmap command
	// nothing is said.
	Races    map[Clash]bool
	Blanks   map[Clash]bool // A is B
	Failures map[Site]bool
	// Unraced are the checks that fail in executions in which nothing races, and nobody reads what has no value.
	Unraced map[Site]bool
	// Beside are the races that are not set aside (ir.Program.Forgives) in executions in which no read takes part in one that is: what is
	// read in them comes of no race that is set aside.
	Beside map[Clash]bool
}

// Site is an instruction: where it is in the code of which function.
type Site struct{ Func, PC int }

// Clash is two accesses to a location, A before B in the program's text.
type Clash struct {
	Location string
	A, B     Site
}

// Undefined reports whether any execution goes wrong.
func (r Result) Undefined() bool {
	return r.Race || r.Uninit || r.Mapping || r.Unfenced || r.Divergence || r.Deadlock || r.Abnormal || r.Failed
}

// List returns the outcomes in order.
func (r Result) List() []string {
	var list []string
	for o := range r.Outcomes {
		list = append(list, o)
	}
	slices.Sort(list)
	return list
}

// OutcomeKey returns the canonical form of an outcome: "name=value" for each
// name in order, separated by spaces.
func OutcomeKey(values map[string]int64) string {
	parts := make([]string, 0, len(values))
	for name := range values {
		parts = append(parts, name)
	}
	slices.Sort(parts)
	for i, name := range parts {
		parts[i] = fmt.Sprintf("%s=%d", name, values[name])
	}
	return strings.Join(parts, " ")
}

// Run enumerates the executions of a program under one reading of the text. It
// fails if the program is not of the kind that the package covers, is too
// large, or uses an operation illegally.
func Run(p *ir.Program, spec memmodel.Spec, opt Options) (Result, error) {
	if opt.MaxCandidates == 0 {
		opt.MaxCandidates = 10_000_000
	}
	e := &enumerator{prog: p, spec: spec, opt: opt, seenCut: map[string]bool{}, outcomes: map[string][]shown{}}
	e.result.Outcomes = map[string]bool{}
	if err := e.setUp(); err != nil {
		return Result{}, err
	}
	if err := e.combine(); err != nil {
		return Result{}, err
	}
	e.nameOutcomes()
	return e.result, nil
}

// enumerator holds one enumeration.
type enumerator struct {
	prog *ir.Program
	spec memmodel.Spec
	opt  Options

	threads   []ir.Thread // those of the program, then the work-items of each instance
	instances []instance
	of        []int // instance of each thread, -1 for those of the program

	locs    []location
	domains [][]int64 // values that may be in each location
	paths   [][]path  // of each thread
	dropped []path    // of all threads: the beginnings up to assumptions that fail
	given   values    // what a thread may pass to a collective
	results values    // what it may return
	seenCut map[string]bool

	candidates int
	result     Result
	outcomes   map[string][]shown // of the innocent executions

	// onSC, if set, sees each candidate that only the rules of section 8 can
	// still forbid, and whether they do.
	onSC func(c *candidate, allowed bool)
	// why, if set, takes account of the candidates instead.
	why *inquiry
}

func (e *enumerator) setUp() error {
	if err := e.expand(); err != nil {
		return err
	}
	if err := e.locations(); err != nil {
		return err
	}
	if err := e.unfoldAll(); err != nil || !e.opt.Prefixes {
		return err
	}
	return e.addPrefixes()
}
