package trace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// TestAsideHidesNothing sets all data races of random programs aside. By the axioms, checks fail in executions without a race: a search
// lists each of them, whatever order the units have; with a reduction, each of which no other unit's failure is there instead.
func TestAsideHidesNothing(t *testing.T) {
	for _, style := range []randprog.Style{randprog.Checks, randprog.Asides} {
		t.Run(string(style), func(t *testing.T) { asideHidesNothing(t, style) })
	}
}

// What goes wrong without a race as well is a violation of its own, and no consequence of the race: where the release has been seen y stays 0,
// and then nobody writes e, so that there is no race, and e is 0. Where it has not, e is written beside the read.
func TestOfItsOwnIsNoConsequence(t *testing.T) {
	p, err := load.Source("m.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt
var e int32

func k() {
	i := cl.GetGlobalID(0)
	if i == 2 && cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	if i == 3 {
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
	}
	cl.Barrier(cl.CLKGlobalMemFence)
	if i == 0 {
		cl.Assert(e == 1, "asserted")
	}
	if i == 1 && cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) != 0 {
		e = 2
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(6, 3))
	cl.Finish()
}
`), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(t.Context(), p, explore.Options{All: true})
	if !r.Has(state.DataRace) || !r.Has(state.AssertionFailed) {
		t.Fatalf("%v, want a race and an assertion", r.Violations)
	}
	for _, v := range r.Violations {
		tr, err := Build(p, memmodel.Specs[0], v)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Consequence != nil {
			t.Errorf("%v has the consequence %+v", v.Kind, tr.Consequence)
		}
	}
}

func asideHidesNothing(t *testing.T, style randprog.Style) {
	apart, begun, dependent, hiding := 0, 0, 0, 0
	for seed := range seeds.Times(4).All() {
		p := style.Program(uint64(seed))
		spec := memmodel.Specs[seed%len(memmodel.Specs)]
		want, err := axiom.Run(p, spec, axiom.Options{MaxCandidates: 100_000})
		if err != nil || !want.Race || want.Divergence {
			continue
		}
		starts, err := axiom.Run(p, spec, axiom.Options{MaxCandidates: 100_000, Prefixes: true})
		if err != nil {
			continue
		}
		apart, begun = apart+len(want.Unraced), begun+len(starts.Unraced)
		if len(starts.Unraced) > len(want.Unraced) {
			hiding++
		}
		for _, q := range orders(p) {
			for _, opt := range []explore.Options{{POR: por.None}, {POR: por.Sleep}, {}, {NoSymmetry: true, KeepSchedule: true}, {Workers: 2}} {
				opt.Spec, opt.Promises, opt.All, opt.Beyond, opt.Aside = spec, explore.NoPromises, true, true, true
				opt.Depends = func(v *explore.Violation) bool { return DependsOnRace(q, spec, v) }
				got := explore.Run(context.Background(), q, opt)
				listed := map[axiom.Site]bool{}
				for _, v := range got.Violations {
					if v.Depends {
						dependent++
					}
					if v.Kind == state.DataRace || v.Depends {
						continue
					}
					s := axiom.Site{Func: q.Threads[v.Unit].Func, PC: v.PC}
					if listed[s] = true; !v.After && !starts.Unraced[s] {
						t.Errorf("seed %d, spec %s, %+v: %v at %v has a race before it\n%s", seed, spec.Name, opt.POR, v.Kind, s, randprog.Format(q))
					}
				}
				// A path ends at its first failure, so that one of another unit, which fails in the same executions, may stand for it with a reduction
				// (docs/exploration/violations.md, "Violations").
				other := func(s axiom.Site) bool {
					for l := range listed {
						if l.Func != s.Func && opt.POR != por.None {
							return true
						}
					}
					return false
				}
				for s := range starts.Unraced {
					if want.Unraced[s] && !listed[s] && !other(s) || len(listed) == 0 {
						t.Errorf("seed %d, spec %s, %+v: what fails at %v is hidden; complete: %v\n%s", seed, spec.Name, opt.POR, s, want.Unraced[s], randprog.Format(q))
					}
				}
			}
		}
	}
	t.Logf("%d checks fail in executions without a race, %d in such beginnings; %d times they depend on one", apart, begun, dependent)
	if least := seeds.N() / 4; begun < least || hiding < least || dependent < least && seeds.N() >= 40 {
		t.Errorf("too few")
	}
}

// forgiving returns a program in which races of some accesses are set aside: each access has a place of its own.
func forgiving(p *ir.Program, seed int) *ir.Program {
	random := rand.New(rand.NewPCG(uint64(seed), 42))
	q := *p
	q.Positions, q.Forgiven, q.Funcs = make([]ir.Pos, 1), []bool{false}, nil
	for _, f := range p.Funcs {
		g := *f
		g.Code = slices.Clone(f.Code)
		for pc := range g.Code {
			g.Code[pc].Pos = int32(len(q.Positions))
			q.Positions = append(q.Positions, ir.Pos{})
			q.Forgiven = append(q.Forgiven, random.IntN(3) == 0)
		}
		q.Funcs = append(q.Funcs, &g)
	}
	return &q
}

// TestAsideTellsOtherRaces sets some of the data races of random programs aside. By the axioms, others are in executions in which
// nothing is read in a race that is set aside: a search finds one, whatever order the units have, and with every reduction.
func TestAsideTellsOtherRaces(t *testing.T) {
	told, alone := 0, 0
	for seed := range seeds.Times(8).All() {
		p := forgiving(randprog.Asides.Program(uint64(seed)), seed)
		spec := memmodel.Specs[seed%len(memmodel.Specs)]
		want, err := axiom.Run(p, spec, axiom.Options{MaxCandidates: 100_000, Prefixes: true})
		if err != nil || len(want.Races) == 0 {
			continue
		}
		if len(want.Beside) < len(want.Races) {
			if told++; len(want.Beside) > 0 {
				alone++
			}
		}
		for _, q := range orders(p) {
			for _, opt := range []explore.Options{{POR: por.None}, {POR: por.Sleep}, {}, {NoSymmetry: true, KeepSchedule: true}, {Workers: 2}} {
				opt.Spec, opt.Promises, opt.All, opt.Beyond, opt.Aside = spec, explore.NoPromises, true, true, true
				opt.Depends = func(v *explore.Violation) bool { return DependsOnRace(q, spec, v) }
				found := false
				for _, v := range explore.Run(context.Background(), q, opt).Violations {
					if v.Depends || v.Kind == state.DataRace && v.Fault.Known {
						continue
					}
					if found = true; v.Kind == state.DataRace && !v.After && !raceOf(q, spec, &v, &want) {
						t.Errorf("seed %d, spec %s, %+v: no race at %d of unit %d that is not set aside\n%s", seed, spec.Name, opt.POR, v.PC, v.Unit, randprog.Format(q))
					}
				}
				if !found && len(want.Beside) > 0 {
					t.Errorf("seed %d, spec %s, %+v: hidden: %v\n%s", seed, spec.Name, opt.POR, want.Beside, randprog.Format(q))
				}
			}
		}
	}
	t.Logf("%d programs with races that are set aside, %d with others beside them", told, alone)
	if least := seeds.N() / 4; told < least || alone < least {
		t.Errorf("too few")
	}
}

// raceOf reports whether the accesses of a race have one by the axioms, too, and neither is set aside.
func raceOf(p *ir.Program, spec memmodel.Spec, v *explore.Violation, by *axiom.Result) bool {
	tr, err := Build(p, spec, *v)
	if err != nil || len(tr.Accesses) != 2 {
		return false
	}
	var at [2]axiom.Site
	for i, id := range tr.Accesses {
		s := tr.Step(id)
		fn := p.Threads[s.Lane].Func
		at[i] = axiom.Site{Func: fn, PC: slices.IndexFunc(p.Funcs[fn].Code, func(in ir.Instr) bool { return in.Pos == s.instr.Pos })}
		if p.Forgives(at[i].Func, at[i].PC) {
			return false
		}
	}
	for c := range by.Races {
		if c.A == at[0] && c.B == at[1] || c.A == at[1] && c.B == at[0] {
			return true
		}
	}
	return false
}

// asides are what work-items 0, 1 and 2 do in whatever order their ids have. Data races with what stands behind "known" are set aside; there is
// another race, or there is none.
var asides = map[string]struct {
	does  [3]string
	other bool
}{
	// The second and the third race with each other as well as with the first.
	"three that write":      {[3]string{"known x = 1", "x = 2", "x = 3"}, true},
	"the second reads":      {[3]string{"known x = 1", "y = x", "x = 3"}, true},
	"only the first writes": {[3]string{"known x = 1", "y = x", "a[0] = x"}, false},
	"two are known":         {[3]string{"known x = 1", "known x = 2", "x = 3"}, false},
	// What comes first in a work-item is not known, what comes then is, and the other way about.
	"known at last":  {[3]string{"x = 1\nknown x = 2", "x = 3", ""}, true},
	"known at first": {[3]string{"known x = 1\nx = 2", "x = 3", ""}, true},
	"both are":       {[3]string{"known x = 1\nknown x = 2", "x = 3", ""}, false},
	"a read between": {[3]string{"known y = x\na[0] = x", "x = 3", ""}, true},
	// What is known is ordered behind what is not, which races all the same.
	// They wait for the third, so that nobody has ended when it comes.
	"one after the other": {[3]string{"x = 1\nrelease(&f, 1)\nfor load(&h) == 0 {}", "if load(&f) == 1 {\nknown x = 2\nrelease(&g, 1)\n}\nfor load(&h) == 0 {}",
		"if load(&g) == 1 { y = x }\nrelease(&h, 1)"}, true},
	"ordered behind": {[3]string{"x = 1\nrelease(&f, 1)", "if acquire(&f) == 1 {\nknown x = 2\nstore(&g, 1)\n}", "if load(&g) == 1 { y = x }"}, true},
	// Only who comes before the other two reads 0, and races for y.
	"who comes first":     {[3]string{"known x = 1", "if x == 0 { y = 1 }", "y = 2"}, true},
	"who comes second":    {[3]string{"known x = 1", "if x == 1 { y = 1 }", "y = 2"}, false},
	"an atomic operation": {[3]string{"known x = 1", "cl.AtomicStoreExplicit(&g, 1, rlx, cl.MemoryScopeWorkGroup)", "store(&g, 2)"}, true},
	"an addition":         {[3]string{"known x++", "x++", "x++"}, true},
}

// Each data race that is not set aside is found beside those that are, whatever order the work-items have, and with every reduction.
func TestOtherRaces(t *testing.T) {
	for name, c := range asides {
		for _, ids := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			text := besideHead + "func k() {\nswitch {\n"
			for i, does := range c.does {
				text += fmt.Sprintf("case is(%d):\n%s\n", ids[i], does)
			}
			text += "}\n}\n\nfunc main() {\ncl.EnqueueNDRangeKernel(k, cl.NDRange1D(3, 1))\ncl.Finish()\n}\n"
			lines := strings.Split(text, "\n")
			p, err := load.Source("other.go", []byte(strings.ReplaceAll(text, "known ", "")), load.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, at := range p.Positions {
				p.Forgiven = append(p.Forgiven, at.Line > 0 && strings.HasPrefix(lines[at.Line-1], "known "))
			}
			for _, opt := range []explore.Options{{POR: por.None}, {POR: por.Sleep}, {}, {NoSymmetry: true, KeepSchedule: true}, {Workers: 2}} {
				opt.All, opt.Beyond, opt.Aside = true, true, true
				opt.Depends = func(v *explore.Violation) bool { return DependsOnRace(p, memmodel.Specs[0], v) }
				r := explore.Run(context.Background(), p, opt)
				other := slices.ContainsFunc(r.Violations, func(v explore.Violation) bool { return !v.Fault.Known && !v.Depends })
				if other != c.other || !other && !r.Has(state.DataRace) || !r.Complete {
					t.Errorf("%s, as %v, %s, %d workers: another race: %v, want %v; complete: %v", name, ids, opt.POR, opt.Workers, other, c.other, r.Complete)
				}
			}
		}
	}
}

// orders returns a program with its units in all orders.
func orders(p *ir.Program) (all []*ir.Program) {
	var permute func(at int, threads []ir.Thread)
	permute = func(at int, threads []ir.Thread) {
		if at == len(threads) {
			q := *p
			q.Threads = slices.Clone(threads)
			all = append(all, &q)
			return
		}
		for i := at; i < len(threads); i++ {
			threads[at], threads[i] = threads[i], threads[at]
			permute(at+1, threads)
			threads[at], threads[i] = threads[i], threads[at]
		}
	}
	permute(0, slices.Clone(p.Threads))
	return all
}

const besideHead = `package main

import "github.com/clmc/clmc/models/cl"

const rlx, dev = cl.MemoryOrderRelaxed, cl.MemoryScopeDevice

var x, y int32
var a [4]int32
var f, g, h cl.AtomicInt

func load(x *cl.AtomicInt) int32     { return cl.AtomicLoadExplicit(x, rlx, dev) }
func store(x *cl.AtomicInt, v int32) { cl.AtomicStoreExplicit(x, v, rlx, dev) }
func release(x *cl.AtomicInt, v int32) { cl.AtomicStoreExplicit(x, v, cl.MemoryOrderRelease, dev) }
func acquire(x *cl.AtomicInt) int32  { return cl.AtomicLoadExplicit(x, cl.MemoryOrderAcquire, dev) }
func is(i int) bool                  { return cl.GetGlobalID(0) == i }

`

// besides are kernels of work-items that race for x, on purpose and in every execution or in some, and what goes wrong with them beside that:
// nothing, if it is the consequence of the race. After the kernel the host has another one look, if there is one.
var besides = map[string]struct {
	items    int
	does     string
	looks    string
	want     state.Kind
	everyone bool // in one work-group
}{
	"before it":                       {2, `if is(0) { cl.Assert(cl.GetGlobalSize(0) == 1, "") }; x++`, "", state.AssertionFailed, false},
	"behind it":                       {2, `x++; if is(1) { y = 1; cl.Assert(y == 2, "") }`, "", state.AssertionFailed, false},
	"behind it, the other one":        {2, `x++; if is(0) { y = 1; cl.Assert(y == 2, "") }`, "", state.AssertionFailed, false},
	"a third one, the last":           {3, `if is(2) { y = 1; cl.Assert(y == 2, "") } else { x = 1 }`, "", state.AssertionFailed, false},
	"a third one, the first":          {3, `if is(0) { y = 1; cl.Assert(y == 2, "") } else { x = 1 }`, "", state.AssertionFailed, false},
	"some do not race":                {3, `switch { case is(0): cl.Assert(cl.GetGlobalSize(0) == 1, ""); case is(1): x = 1; default: if load(&f) == 1 { x = 2 }; store(&f, 1) }`, "", state.AssertionFailed, false},
	"what is kept of it":              {2, `v := x; x = v + 1; a[cl.GetGlobalID(0)] = v; if is(1) { cl.Assert(y == 1, "") }`, "", state.AssertionFailed, false},
	"who comes second":                {2, `x++; if cl.AtomicFetchAddExplicit(&f, 1, rlx, dev) == 1 { cl.Assert(false, "") }`, "", state.AssertionFailed, false},
	"an index":                        {2, `x = 1; if i := cl.GetGlobalID(0); i == 1 { a[i+3] = 1 }`, "", state.IndexOutOfRange, false},
	"a divisor":                       {2, `x++; if i := int32(cl.GetGlobalID(0)); i == 1 { y = 4 / (i - 1) }`, "", state.DivisionByZero, false},
	"what nobody has written":         {2, `l := cl.Local[int32](); x = 1; if is(1) { y = *l }`, "", state.UninitialisedRead, false},
	"a barrier":                       {2, `x = 1; if is(0) { cl.WorkGroupBarrier(cl.CLKGlobalMemFence) }`, "", state.BarrierDivergence, true},
	"a wait":                          {2, `x = 1; if is(1) { for load(&f) == 0 {} }`, "", state.Deadlock, false},
	"a wait, in some":                 {2, `x = 1; if is(0) { store(&g, 1) } else if load(&g) == 1 { for load(&f) == 0 {} }`, "", state.Deadlock, false},
	"another command":                 {2, `x++`, `y = 3; cl.Assert(y == 4, "")`, state.AssertionFailed, false},
	"behind a consequence":            {2, `if is(0) { x = 1; store(&f, 1) } else if load(&f) == 1 { cl.Assert(x != 1, "of it"); y = 1; cl.Assert(y == 2, "") }`, "", state.AssertionFailed, false},
	"what was read before":            {2, `if is(0) { x = 1 } else { cl.Assert(x == 1, "") }`, "", state.AssertionFailed, false},
	"what was read before, the first": {2, `if is(1) { x = 1 } else { cl.Assert(x == 1, "") }`, "", state.AssertionFailed, false},
	"nothing":                         {2, `x++; cl.Assert(cl.GetGlobalSize(0) == 2, "")`, `cl.Assert(y == 0, "")`, state.NoViolation, false},
	"the value":                       {2, `if is(0) { x = 1 } else { cl.Assert(x != 1, "") }`, "", state.NoViolation, false},
	"the way":                         {2, `if is(0) { x = 1 } else if x == 1 { y = 1; cl.Assert(y == 2, "") }`, "", state.NoViolation, false},
	"a copy":                          {2, `if is(0) { x = 1 } else { y = x; cl.Assert(y != 1, "") }`, "", state.NoViolation, false},
	"the sum":                         {2, `x++`, `cl.Assert(x == 3, "")`, state.NoViolation, false},
	"who was last":                    {2, `x = int32(cl.GetGlobalID(0))`, `cl.Assert(x == 3, "")`, state.NoViolation, false},
	"the same from all":               {2, `x = 1`, `cl.Assert(x == 3, "")`, state.AssertionFailed, false},
}

// What is the consequence of a race that is set aside is told from what is not, with every reduction.
func TestBesideRaces(t *testing.T) {
	for name, c := range besides {
		size := 1
		if c.everyone {
			size = c.items
		}
		text := besideHead + "func k() {\n" + c.does + "\n}\n\nfunc looks() {\n" + c.looks + "\n}\n\nfunc main() {\n" +
			fmt.Sprintf("cl.EnqueueNDRangeKernel(k, cl.NDRange1D(%d, %d))\ncl.Finish()\n", c.items, size) + "cl.EnqueueNDRangeKernel(looks, cl.NDRange1D(1, 1))\ncl.Finish()\n}\n"
		p, err := load.Source("beside.go", []byte(text), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, opt := range []explore.Options{{POR: por.None}, {POR: por.Sleep}, {}, {NoSymmetry: true, KeepSchedule: true}, {Workers: 2}} {
			opt.All, opt.Beyond, opt.Aside = true, true, true
			opt.Depends = func(v *explore.Violation) bool { return DependsOnRace(p, memmodel.Specs[0], v) }
			r := explore.Run(context.Background(), p, opt)
			found := state.NoViolation
			for i := range r.Violations {
				if v := &r.Violations[i]; v.Kind != state.DataRace && !v.Depends {
					found = v.Kind
				}
				if _, err := Build(p, memmodel.Specs[0], r.Violations[i]); err != nil {
					t.Errorf("%s, %s: %v", name, opt.POR, err)
				}
			}
			if found != c.want || found == state.NoViolation && !r.Has(state.DataRace) || !r.Complete {
				t.Errorf("%s, %s, %d workers: %v, want %v; complete: %v", name, opt.POR, opt.Workers, found, c.want, r.Complete)
			}
		}
	}
}

// A search that had no time for all orders of the accesses of a known race says so; one that had it does not.
func TestOneOrder(t *testing.T) {
	for others, want := range map[int]bool{1: false, 7: true} {
		text := fmt.Sprintf(`package main

import "github.com/clmc/clmc/models/cl"

var x int32
var cells [64]cl.AtomicInt

func k() {
	i := cl.GetGlobalID(0)
	if i < 2 {
		x = 1
		return
	}
	for j := range 8 {
		cl.AtomicStoreExplicit(&cells[(i-2)*8+j], 1, cl.MemoryOrderRelaxed)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(%d, 1))
	cl.Finish()
}
`, 2+others)
		p, err := load.Source("orders.go", []byte(text), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		opt := explore.Options{All: true, Beyond: true, Aside: true}
		opt.Depends = func(v *explore.Violation) bool { return DependsOnRace(p, memmodel.Specs[0], v) }
		if r := explore.Run(context.Background(), p, opt); r.OneOrder != want || !r.Complete || !r.Has(state.DataRace) {
			t.Errorf("%d others: one order: %v, want %v; complete: %v", others, r.OneOrder, want, r.Complete)
		}
	}
}

// What nobody has written hides no race that comes behind: the search goes on as if it were 0, and says whether what it finds
// depends on that.
func TestBeyondBlanks(t *testing.T) {
	for name, c := range map[string]struct {
		does    string
		depends bool
	}{
		"independent": {`v := l[cl.GetLocalID(0)]; l[cl.GetLocalID(0)+1] = 1; _ = v`, false},
		"its own":     {`a[cl.GetLocalID(0)] = l[3]; x = 1`, false},
		"by a branch": {`if l[3] == 0 { x = 1 }`, true},
		"by an index": {`l2 := l[3]; a[l2] = 1`, true},
	} {
		text := besideHead + "func k() {\nl := cl.Local[[4]int32]()\n" + c.does + "\n}\n\nfunc main() {\ncl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))\ncl.Finish()\n}\n"
		p, err := load.Source("blank.go", []byte(text), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, opt := range []explore.Options{{POR: por.None}, {POR: por.Sleep}, {}, {Workers: 2}} {
			opt.All, opt.Beyond = true, true
			r := explore.Run(context.Background(), p, opt)
			told := ""
			for _, v := range r.Violations {
				if tr, err := Build(p, memmodel.Specs[0], v); err != nil {
					t.Errorf("%s, %s: %v", name, opt.POR, err)
				} else if v.Kind == state.DataRace && v.After && len(tr.Blanks) > 0 {
					told += fmt.Sprint(tr.Depends, " ")
				}
			}
			if !r.Has(state.UninitialisedRead) || told != fmt.Sprint(c.depends, " ") {
				t.Errorf("%s, %s: races behind it, and whether they depend on it: %q, want %v", name, opt.POR, told, c.depends)
			}
		}
	}
}
