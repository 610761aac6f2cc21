package report

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/foreign"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/seedset"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

var (
	seeds  = seedset.Flags(thorough.Of(3, 8))
	styles = flag.String("styles", "", "comma-separated styles of random programs; empty: all")
)

// toldStyles are the styles of whose programs every violation is told.
func toldStyles() []randprog.Style {
	if *styles != "" {
		var list []randprog.Style
		for s := range strings.SplitSeq(*styles, ",") {
			list = append(list, randprog.Style(s))
		}
		return list
	}
	return append(randprog.Styles(), randprog.Symmetric, randprog.Loops, randprog.Cycles, randprog.Spins, randprog.Launches, randprog.Careless, randprog.Values)
}

// ways are the ways to search in which violations are found.
func ways() []explore.Options {
	return []explore.Options{
		{POR: por.DPOR},
		{POR: por.DPOR, NoSymmetry: true},
		{POR: por.DPOR, Beyond: true},
		{POR: por.Sleep, Beyond: true},
		{POR: por.None, Beyond: true},
		{POR: por.DPOR, Workers: 2},
		{POR: por.DPOR, KeepSchedule: true},
		{POR: por.Sleep},
		{POR: por.Sleep, NoSymmetry: true, KeepSchedule: true},
		{POR: por.None},
		{POR: por.None, KeepSchedule: true},
	}
}

// Whatever goes wrong in a random program, found in whatever way, its schedule is
// repeated to the same violation on a machine that merges, drops and renames nothing;
// all that is to be said of it can be said; and where the axioms tell where executions
// go wrong, it is one of those places.
func TestEveryViolationIsTold(t *testing.T) {
	t.Parallel()
	told, placed := 0, 0
	for _, style := range toldStyles() {
		before := told
		for seed := range seeds.All() {
			p := placedIn(style.Program(uint64(seed)))
			spec := memmodel.Specs[seed%len(memmodel.Specs)]
			var want *wrongs
			if slices.Contains(randprog.Styles(), style) { // the others are too much for the axioms
				want = places(p, spec)
			}
			for _, opt := range ways() {
				opt.Spec, opt.All, opt.MaxStates = spec, true, 4000
				r := explore.Run(context.Background(), p, opt)
				one := map[string]bool{}
				for _, v := range r.Violations {
					told++
					if k := v.Kind.ID() + v.Line + v.Location; one[k] {
						t.Fatalf("%s %d: two violations are told as %v %s on %q", style, seed, v.Kind, v.Line, v.Location)
					} else {
						one[k] = true
					}
					want := want
					if v.After { // of which the axioms know nothing
						want = nil
					}
					if err := tell(p, r, v, want); err != nil {
						t.Fatalf("%s %d, spec %s, reduction %s, without symmetry %v, workers %d, as found %v: %v %s on %q: %v\n%s", style, seed, spec.Name,
							opt.POR, opt.NoSymmetry, opt.Workers, opt.KeepSchedule, v.Kind, v.Line, v.Location, err, p.Sources[0].Text)
					}
					if want != nil {
						placed++
					}
				}
			}
		}
		t.Logf("%s: %d", style, told-before)
	}
	t.Logf("%d violations told, %d of them of programs in which the axioms tell where", told, placed)
	if *styles == "" && (told < 60*seeds.N() || placed < 30*seeds.N()) {
		t.Errorf("only %d violations told, %d of programs in which the axioms tell where", told, placed)
	}
}

// Two launches of one kernel whose work-items race, again and again: the path to a race that lies behind
// others has states that were given other names where one of them had just come about, and that form has to be
// the one that the search gave them.
const raceAfterRace = `package main

import "github.com/clmc/clmc/models/cl"

var (
	a, b int32
	v    [1]int32
	x, y cl.AtomicInt
	u    cl.AtomicUint
	f    cl.AtomicFlag
)

func k0() {
	i := int32(cl.GetGlobalID(0))
	_ = i
	r1 := cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire, cl.MemoryScopeAllSVMDevices)
	_ = r1
	cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	e3 := int32(1)
	if cl.AtomicCompareExchangeStrong(&y, &e3, 1) {
		b = 1
	}
	e4 := int32(0)
	if cl.AtomicCompareExchangeStrong(&y, &e4, 1) {
		b = 1
	}
	e5 := int32(1)
	if cl.AtomicCompareExchangeStrong(&x, &e5, 1) {
		b = 1
	}
}
func main() {
	cl.EnqueueNDRangeKernel(k0, cl.NDRange1D(4, 4))
	cl.EnqueueNDRangeKernel(k0, cl.NDRange1D(2, 2))
	cl.Finish()
}
`

// What a search finds beyond races is repeated to where it found it, through states that have other names.
func TestRaceAfterRaceIsTold(t *testing.T) {
	t.Parallel()
	if after := toldBeyond(t, raceAfterRace, por.DPOR); len(after) < 4 {
		t.Errorf("%d violations after others, of which there are more", len(after))
	}
}

// Two work-groups race at each turn of a lock whose scope is too narrow, and nobody frees it: who has found it taken waits, and
// races whenever it looks again.
const raceAndWait = `package main

import "github.com/clmc/clmc/models/cl"

var lock cl.AtomicInt

func take() {
	for {
		free := int32(0)
		cl.AtomicCompareExchangeWeakExplicit(&lock, &free, 1, cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(take, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// That nobody gets on beyond a race is repeated, with the races that waiting goes on to have.
func TestWaitAfterRaceIsTold(t *testing.T) {
	var after []state.Kind
	for _, mode := range por.Modes() {
		after = append(after, toldBeyond(t, raceAndWait, mode)...)
	}
	if !slices.Contains(after, state.Deadlock) {
		t.Errorf("no deadlock was found beyond the race, but %v", after)
	}
}

// toldBeyond searches a model beyond its races and sees all that is found told. It returns the kinds of what lies beyond.
func toldBeyond(t *testing.T, source string, mode por.Mode) (after []state.Kind) {
	t.Helper()
	p, err := load.Source("model.go", []byte(source), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(context.Background(), p, explore.Options{POR: mode, All: true, Beyond: true, MaxStates: 500})
	for _, v := range r.Violations {
		if err := tell(p, r, v, nil); err != nil {
			t.Errorf("%v: %v on %s, %s: %v", mode, v.Kind, v.Location, v.Line, err)
		}
		if v.After {
			after = append(after, v.Kind)
		}
	}
	return after
}

// placedIn gives each instruction of a program a place: a line that lists it.
func placedIn(p *ir.Program) *ir.Program {
	var b strings.Builder
	for fn, f := range p.Funcs {
		for pc := range f.Code {
			p.Positions = append(p.Positions, ir.Pos{Line: int32(strings.Count(b.String(), "\n") + 1), Col: 1})
			f.Code[pc].Pos = int32(len(p.Positions) - 1)
			in := &f.Code[pc]
			fmt.Fprintf(&b, "%d.%d %+v\n", fn, pc, *in)
		}
	}
	p.Sources = []ir.Source{{Name: p.Name, Text: b.String()}}
	return p
}

// wrongs is where executions of a program go wrong, as the axioms have it.
type wrongs struct {
	p *ir.Program
	axiom.Result
}

// places returns where executions of a program go wrong, nil if that is too much to find.
func places(p *ir.Program, spec memmodel.Spec) *wrongs {
	r, err := axiom.Run(p, spec, axiom.Options{MaxCandidates: 20_000, LoadBuffering: true})
	if err != nil {
		return nil
	}
	return &wrongs{p, r}
}

// tell tells a violation in every way, and compares what is said with what is so.
func tell(p *ir.Program, r *explore.Result, v explore.Violation, want *wrongs) error {
	one := *r
	one.Violations = []explore.Violation{v}
	rep, err := New("model", p, &one)
	if err != nil {
		return err
	}
	if err := foreignIn(p, rep); err != nil {
		return err
	}
	tr := rep.Traces[0]
	if v.Kind == state.Unreachable {
		return nil
	}
	Schedule(tr, 80)
	if err := errors.Join(DOT(io.Discard, tr), SVG(io.Discard, tr)); err != nil {
		return err
	}
	if err := kept(p, r.Spec, tr); err != nil {
		return err
	}
	return want.have(v, tr)
}

// foreignIn reports an error if the text of a report, or its JSON, names what is neither the program's nor OpenCL's.
func foreignIn(p *ir.Program, rep *Report) error {
	source := ""
	if strings.HasSuffix(p.Sources[0].Name, ".go") { // the others are lists of instructions
		source = p.Sources[0].Text
	}
	w := foreign.Of(true, source).Know(p.Name, p.Sources[0].Name).Know(p.Strings...)
	for i := range p.Objects {
		w.Know(p.Objects[i].Name)
	}
	for _, f := range p.Funcs {
		w.Know(f.Name)
	}
	for _, s := range memmodel.Specs {
		w.Know(s.Name)
	}
	var text, data bytes.Buffer
	if err := errors.Join(rep.Text(&text), rep.JSON(&data)); err != nil {
		return err
	}
	quoted := regexp.MustCompile(`(?m)^ +\d+ \| .*$`) // lines of the source: here a list of instructions
	found := w.In(quoted.ReplaceAllString(text.String(), ""))
	more, err := w.InJSON(data.Bytes())
	if found = append(found, more...); err == nil && len(found) > 0 {
		err = fmt.Errorf("the report names what is not the user's: %s\n%s", strings.Join(found, " | "), text.String())
	}
	return err
}

// kept keeps a trace in a file and repeats the execution from there.
func kept(p *ir.Program, spec memmodel.Spec, tr *trace.Trace) error {
	f, err := NewTraceFile("model", p, spec, nil, tr)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := f.Save(&b); err != nil {
		return err
	}
	if f, err = LoadTrace(&b); err != nil {
		return err
	}
	again, err := f.Replay(p)
	if err == nil && again.Message != tr.Message {
		err = fmt.Errorf("the kept trace says %q, not %q", again.Message, tr.Message)
	}
	return err
}

// have reports an error unless a violation is where one is.
func (w *wrongs) have(v explore.Violation, tr *trace.Trace) error {
	if tr.ViolationKind() != v.Kind || tr.Message == "" {
		return fmt.Errorf("told as %s: %q", tr.Kind, tr.Message)
	}
	if w == nil {
		return nil
	}
	switch v.Kind {
	case state.DataRace:
		if len(tr.Accesses) != 2 && slices.ContainsFunc(tr.Steps, func(s trace.Step) bool { return s.Kind == trace.Map }) {
			return nil // with a command that unmaps
		}
		a, b := tr.Step(tr.Accesses[0]), tr.Step(tr.Accesses[1])
		if tr.Location != v.Location && v.Location != "" || !w.clashes(w.Races, tr.Location, a.Line, b.Line) {
			return fmt.Errorf("told to be on %s, lines %d and %d; the axioms have %v", tr.Location, a.Line, b.Line, w.Races)
		}
	case state.UninitialisedRead:
		if !w.clashes(w.Blanks, tr.Location, tr.At.Line, tr.At.Line) {
			return fmt.Errorf("told to be on %s, line %d; the axioms have %v", tr.Location, tr.At.Line, w.Blanks)
		}
	case state.AssertionFailed, state.IndexOutOfRange, state.DivisionByZero, state.NilDereference, state.InvalidArgument:
		for s := range w.Failures {
			if w.line(s) == tr.At.Line {
				return nil
			}
		}
		return fmt.Errorf("told to be in line %d; the axioms have %v", tr.At.Line, w.Failures)
	}
	return nil
}

func (w *wrongs) line(s axiom.Site) int {
	return int(w.p.Positions[w.p.Funcs[s.Func].Code[s.PC].Pos].Line)
}

// clashes reports whether accesses in two lines clash at a location.
func (w *wrongs) clashes(set map[axiom.Clash]bool, location string, a, b int) bool {
	lines := []int{min(a, b), max(a, b)}
	for c := range set {
		if c.Location == location && slices.Equal(lines, []int{w.line(c.A), w.line(c.B)}) {
			return true
		}
	}
	return false
}
