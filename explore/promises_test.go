package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// manyPromises is a bound that no random program meets.
const manyPromises = 8

// promised compares the machine with promises and the axioms: it has all
// executions in which only independent writes overtake reads, and none that
// the axioms forbid. It returns a description of what differs, or "", and
// whether promises made a difference.
func promised(p *drawn, mode por.Mode) (difference string, mattered bool) {
	most, err := p.axioms(axiom.Options{LoadBuffering: true, MaxCandidates: 3 * p.most})
	if err != nil {
		return "", false
	}
	least, err := p.axioms(axiom.Options{LoadBuffering: true, Independent: true, MaxCandidates: 10 * p.most})
	if err != nil {
		return "", false
	}
	plain, err := p.axioms(axiom.Options{MaxCandidates: p.most})
	if err != nil {
		plain, _ = p.axioms(axiom.Options{})
	}
	got := p.search(Options{POR: mode, MaxStates: 300_000, Promises: manyPromises})
	if !got.Complete {
		return "", false
	}
	race := got.Has(state.DataRace) || got.Has(state.UninitialisedRead)
	// What comes after one of these is not looked at.
	divergence := got.Has(state.BarrierDivergence) || got.Has(state.UnfencedImage) || got.Has(state.MappingViolation) || got.Has(state.FreedMemory)
	mattered = len(least.Outcomes) != len(plain.Outcomes) || least.Race != plain.Race
	switch {
	case race && !most.Race && !most.Uninit:
		return "false race", mattered
	case !race && !divergence && (least.Race || least.Uninit):
		return "missed race", mattered
	case race || divergence || most.Race || most.Uninit:
		return "", mattered
	}
	seen := map[string]bool{}
	for _, o := range got.Outcomes {
		k := OutcomeKey(o)
		seen[k] = true
		if !most.Outcomes[k] {
			return "forbidden outcome " + k, mattered
		}
	}
	for k := range least.Outcomes {
		if !seen[k] {
			return "missing outcome " + k, mattered
		}
	}
	return "", mattered
}

func TestPromisesAgainstAxioms(t *testing.T) {
	var all atomic.Int32
	list := slices.DeleteFunc(chosen(), func(style randprog.Style) bool {
		if style == randprog.Met { // early additions to one cell are too many candidates for the axioms; TestPromisesReduced has them
			return true
		}
		return testing.Short() && style != randprog.LB && style != randprog.Help || style == randprog.Maps || style == randprog.Frees // in others promises seldom matter
	})
	eachStyle(t, list, func(t *testing.T, style randprog.Style) {
		mattered := 0
		for seed := range seeds.All() {
			p := draw(style, seed)
			mode := por.Modes()[(seed/len(memmodel.Specs)+seed)%len(por.Modes())]
			d, m := promised(p, mode)
			if m {
				mattered++
			}
			if d != "" {
				small := shrunk(p.Program, func(q *ir.Program) bool { d, _ := promised(as(q, p.spec), mode); return d != "" })
				d, _ = promised(as(small, p.spec), mode)
				t.Fatalf("seed %d, spec %s, reduction %s: shrunk: %s\n%s", seed, p.spec.Name, mode, d, randprog.Format(small))
			}
		}
		t.Logf("promises made a difference to %d of %d programs", mattered, seeds.N())
		all.Add(int32(mattered))
	}, func() {
		if *styles == "" && all.Load() == 0 {
			t.Error("promises made no difference to any program")
		}
	})
}

// certifiedCase is a program with an outcome and whether it can occur.
type certifiedCase struct {
	program *ir.Program
	outcome string
	occurs  bool
}

// certified are programs that tell when a promise may be made and must be kept,
// with an outcome of interest and whether it can occur. None of these verdicts
// follows from the axioms, which allow all but the last.
var certified = []certifiedCase{
	{loadBuffering("independent", nil, nil), "0:r0=1 1:r0=1", true},
	{loadBuffering("control on one side", guarded, nil), "0:r0=1 1:r0=1", true},
	{loadBuffering("control on both sides", guarded, guarded), "0:r0=1 1:r0=1", false},
	{loadBuffering("the same in both branches", eitherWay, guarded), "0:r0=1 1:r0=1", true},
	{loadBuffering("data on both sides", copied, copied), "0:r0=1 1:r0=1", false},
	{loadBuffering("behind a barrier", fenced(ir.OpBarrier), beforeBarrier), "0:r0=1 1:r0=1", false},
	{alone(), "0:r0=1 1:r0=1", false},
	{partner(), "0:r0=1 1:r0=1", true},
	{helped(), "0:r0=1 0:r1=1", false},
	{twoRegions(), "0:r0=1 1:r0=1", true},
	{late(), "0:r0=1 0:r1=1", true},
	{overtaken(), "0:r0=1 0:r1=1", true},
	{awaited(), "2:r0=1 2:r1=1", true},
	{loadBuffering("behind fences", fenced(ir.OpFence), fenced(ir.OpFence)), "0:r0=1 1:r0=1", false},
	{loadBuffering("behind fences of other memory", fencedLocally, fencedLocally), "0:r0=1 1:r0=1", true},
}

// answer writes 1 to v, somehow depending on r.
type answer func(t *randprog.Thread, v *randprog.Var, r randprog.Val)

// buffering has two threads each load one variable and then answer in the other.
func loadBuffering(name string, p, q answer) *ir.Program {
	b := randprog.NewBuilder(name)
	x, y := b.Atomic("x"), b.Atomic("y")
	for i, a := range []answer{p, q} {
		from, to := x, y
		if i == 1 {
			from, to = y, x
		}
		t := b.Thread(memmodel.Place{})
		r := t.Load(from, rlx, dev)
		if a == nil {
			t.Store(to, t.Int(1), rlx, dev)
		} else {
			a(t, to, r)
		}
	}
	return b.Program()
}

func guarded(t *randprog.Thread, v *randprog.Var, r randprog.Val) {
	t.If(r, func() { t.Store(v, t.Int(1), rlx, dev) }, nil)
}

func eitherWay(t *randprog.Thread, v *randprog.Var, r randprog.Val) {
	t.If(r, func() { t.Store(v, t.Int(1), rlx, dev) }, func() { t.Store(v, t.Int(1), rlx, dev) })
}

func copied(t *randprog.Thread, v *randprog.Var, r randprog.Val) { t.Store(v, r, rlx, dev) }

// beforeBarrier lets the thread meet another's fenced(ir.OpBarrier) afterwards.
func beforeBarrier(t *randprog.Thread, v *randprog.Var, _ randprog.Val) {
	t.Store(v, t.Int(1), rlx, dev)
	t.Barrier("B", 0, dev)
}

// alone: each work-item is the only one of its group and meets nobody at its
// barrier, which a promise does not pass either (rule 11.4).
func alone() *ir.Program {
	b := randprog.NewBuilder("alone at a barrier")
	x, y := b.Atomic("x"), b.Atomic("y")
	p, q := b.Thread(place(0)), b.Thread(place(1))
	fenced(ir.OpBarrier)(p, y, p.Load(x, rlx, dev))
	fenced(ir.OpBarrier)(q, x, q.Load(y, rlx, dev))
	return b.Program()
}

// partner: P1 answers by way of a barrier at which it meets P2.
func partner() *ir.Program {
	b := randprog.NewBuilder("by way of a partner")
	x, y := b.Atomic("x"), b.Atomic("y")
	p, q, r := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(1))
	p.Load(x, rlx, dev)
	p.Store(y, p.Int(1), rlx, dev)
	q.Load(y, rlx, dev)
	q.Barrier("B", 0, dev)
	r.Barrier("B", 0, dev)
	r.Store(x, r.Int(1), rlx, dev)
	return b.Program()
}

// fenced puts a fence or barrier between.
func fenced(op ir.Op) answer {
	return func(t *randprog.Thread, v *randprog.Var, r randprog.Val) {
		if op == ir.OpFence {
			t.Fence(memmodel.GlobalFence, ar, dev)
		} else {
			t.Barrier("B", 0, dev)
		}
		t.Store(v, t.Int(1), rlx, dev)
	}
}

// fencedLocally puts a fence between that concerns other memory (rule 6.6).
func fencedLocally(t *randprog.Thread, v *randprog.Var, r randprog.Val) {
	t.Fence(memmodel.LocalFence, ar, dev)
	t.Store(v, t.Int(1), rlx, dev)
}

// helped: P0 can promise y = 1 while it may read x = 0. Once it reads x = 1 it
// cannot keep the promise alone: P1 writes z only when it has seen w.
func helped() *ir.Program {
	b := randprog.NewBuilder("helped")
	w, x, y, z := b.Atomic("w"), b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	p := b.Thread(memmodel.Place{})
	p.If(p.Load(x, rlx, dev), func() {
		p.Store(w, p.Int(1), rlx, dev)
		p.ExitUnless(p.Load(z, rlx, dev))
		p.Store(y, p.Int(1), rlx, dev)
	}, func() { p.Store(y, p.Int(1), rlx, dev) })
	q := b.Thread(memmodel.Place{})
	q.ExitUnless(q.Load(y, rlx, dev))
	q.Store(x, q.Int(1), rlx, dev)
	q.ExitUnless(q.Load(w, rlx, dev))
	q.Store(z, q.Int(1), rlx, dev)
	return b.Program()
}

// late: P0 can promise y = 1 only when P1 has written z, and must do so before P2
// writes what P0 is about to read.
func late() *ir.Program {
	b := randprog.NewBuilder("late")
	w, x, y, z := b.Atomic("w"), b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	p := b.Thread(memmodel.Place{})
	p.Load(x, rlx, dev)
	p.Store(y, p.Load(z, rlx, dev), rlx, dev)
	q := b.Thread(memmodel.Place{})
	q.Load(w, rlx, dev)
	q.Store(z, q.Int(1), rlx, dev)
	r := b.Thread(memmodel.Place{})
	r.ExitUnless(r.Load(y, rlx, dev))
	r.Store(x, r.Int(1), rlx, dev)
	r.Store(w, r.Int(1), rlx, dev)
	return b.Program()
}

// awaited is like late with the reader of the promise first, which promises nothing itself:
// when it has been tried, there is nothing to see yet.
func awaited() *ir.Program {
	b := randprog.NewBuilder("awaited")
	w, x, y, z := b.Atomic("w"), b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	r := b.Thread(memmodel.Place{})
	r.ExitUnless(r.Load(y, rlx, dev))
	r.Store(x, r.Int(1), rel, dev)
	r.Store(w, r.Int(1), rel, dev)
	q := b.Thread(memmodel.Place{})
	q.Load(w, rlx, dev)
	q.Store(z, q.Int(1), rel, dev)
	p := b.Thread(memmodel.Place{})
	p.Load(x, rlx, dev)
	p.Store(y, p.Load(z, rlx, dev), rlx, dev)
	return b.Program()
}

// overtaken: P0 can promise y = 1 while it may read z = 0. Once it has read z = 1, which
// nobody writes any more, it could not; but with the promise read, and x written, it
// can keep it.
func overtaken() *ir.Program {
	b := randprog.NewBuilder("overtaken")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	p := b.Thread(memmodel.Place{})
	z0 := p.Load(z, rlx, dev)
	x0 := p.Load(x, rlx, dev)
	p.If(z0, func() {
		p.If(x0, func() { p.Store(y, p.Int(1), rlx, dev) }, nil)
	}, func() { p.Store(y, p.Int(1), rlx, dev) })
	q := b.Thread(memmodel.Place{})
	q.If(q.Load(y, rlx, dev), func() { q.Store(x, q.Int(1), rel, dev) }, nil)
	r := b.Thread(memmodel.Place{})
	r.Store(z, r.Int(1), rlx, dev)
	return b.Program()
}

// twoRegions is load buffering by release and acquire over two regions (rule 7.8).
func twoRegions() *ir.Program {
	b := randprog.NewBuilder("two regions")
	x, y := b.Atomic("x"), b.LocalAtomic("y")
	p := b.Thread(memmodel.Place{})
	p.Load(y, acq, memmodel.ScopeWorkGroup)
	p.Store(x, p.Int(1), rel, memmodel.ScopeWorkGroup)
	q := b.Thread(memmodel.Place{})
	q.Load(x, acq, memmodel.ScopeWorkGroup)
	q.Store(y, q.Int(1), rel, memmodel.ScopeWorkGroup)
	return b.Program()
}

func TestPromisesNamed(t *testing.T) {
	for _, c := range certified {
		for mode := por.DPOR; mode <= por.None; mode++ {
			r := Run(context.Background(), c.program, Options{POR: mode, All: true, KeepSchedule: true, Promises: manyPromises})
			found := occurs(r, c.outcome)
			if !r.Complete || len(r.Violations) > 0 || found != c.occurs {
				t.Errorf("%s, reduction %s: %s is found: %v, want %v; %v %v", c.program.Name, mode, c.outcome, found, c.occurs, r.Incomplete, kinds(r))
			}
		}
	}
}

// occurs reports whether some outcome has these values.
func occurs(r *Result, values string) bool {
	return slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool {
		return !slices.ContainsFunc(strings.Fields(values), func(part string) bool {
			return !slices.Contains(strings.Fields(OutcomeKey(o)), part)
		})
	})
}

// twoStores: P1 can see both stores of P0 before P0's load.
func twoStores() *ir.Program {
	b := randprog.NewBuilder("two stores")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	p := b.Thread(memmodel.Place{})
	p.Load(x, rlx, dev)
	p.Store(y, p.Int(1), rlx, dev)
	p.Store(z, p.Int(1), rlx, dev)
	q := b.Thread(memmodel.Place{})
	q.Load(z, rlx, dev)
	q.Load(y, rlx, dev)
	q.Store(x, q.Int(1), rlx, dev)
	return b.Program()
}

// Four writes of a work-item that others see early are not more than are tried unless fewer
// are asked for: a queue whose tasks add tasks has them, as its items count what is pending, take a place,
// write there and count what was done.
func TestPromisesOfFourWrites(t *testing.T) {
	b := randprog.NewBuilder("four stores")
	first := b.Atomic("first")
	p, q := b.Thread(memmodel.Place{}), b.Thread(memmodel.Place{})
	p.Load(first, rlx, dev)
	for _, name := range []string{"w", "x", "y", "z"} {
		v := b.Atomic(name)
		p.Store(v, p.Int(1), rlx, dev)
		q.Load(v, rlx, dev)
	}
	q.Store(first, q.Int(1), rlx, dev)
	program := b.Program()
	all := "0:r0=1 1:r0=1 1:r1=1 1:r2=1 1:r3=1"
	for n, complete := range map[int]bool{0: true, 3: false, 4: true} {
		if r := Run(context.Background(), program, Options{Promises: n, All: true}); r.Complete != complete || complete && !occurs(r, all) {
			t.Errorf("with up to %d promises: complete is %v, %s is found: %v; %v", n, r.Complete, all, occurs(r, all), r.Incomplete)
		}
	}
}

// A bound on promises that is met is reported.
func TestPromisesBounded(t *testing.T) {
	for n, want := range map[int]Verdict{NoPromises: Verified, 0: Verified, 1: Inconclusive, 2: Verified} {
		if r := Run(context.Background(), twoStores(), Options{Promises: n}); r.Verdict != want || !r.LoadBuffering {
			t.Errorf("with up to %d promises: %v %v", n, r.Verdict, r.Incomplete)
		}
	}
}

// storedHelp is the pace of who finds all help too much to look at without storing it.
func storedHelp() *pace {
	p := usual()
	p.aided = 1
	return &p
}

// With promises, a search without reduction, which makes each promise by itself
// and as early as it can, finds the same as those that make it when somebody
// reads it or needs it.
func TestPromisesReduced(t *testing.T) {
	var all atomic.Int32
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		compared, states := 0, make([]int, por.None+1)
		for seed := range seeds.All() {
			p := draw(style, seed)
			opt := Options{POR: por.None, MaxStates: 20_000, Promises: manyPromises}
			full := p.search(opt)
			if !full.LoadBuffering || !full.Complete {
				continue
			}
			compared++
			for _, opt.POR = range por.Modes() {
				r := p.search(opt)
				states[opt.POR] += r.Stats.States
				stored := explored(p.Program, Options{Spec: p.spec, POR: opt.POR, Promises: manyPromises, pace: storedHelp()})
				for i, r := range []*Result{r.Result, stored} {
					if d := disagreement(r, full.Result); d != "" {
						t.Fatalf("%s, seed %d, spec %s, reduction %s, help stored: %v: %s\n%s", style, seed, p.spec.Name, opt.POR, i == 1, d, randprog.Format(p.Program))
					}
				}
			}
		}
		t.Logf("%s: %d programs, states by reduction %v", style, compared, states)
		all.Add(int32(compared))
	}, func() {
		if n := int(all.Load()); *styles == "" && n < seeds.N() {
			t.Errorf("only %d programs were compared", n)
		}
	})
}

// unread are programs in which a promise that nobody has read yet is needed, with
// an outcome that occurs for that reason alone.
func unread() []certifiedCase {
	return []certifiedCase{
		{neededToPromise(), "0:r0=2 1:r0=2 2:r0=1", true},
		{neededFor("value"), "0:r0=2 1:r0=2 2:r0=1", true},
		{neededFor("memory"), "0:r0=2 1:r0=2 2:r0=1", true},
		{neededFor("address"), "0:r0=2 1:r0=2 2:r0=1", true},
		{neededFor("expected"), "0:r0=2 1:r0=2 2:r0=1", true},
		{neededFor("rounds"), "0:r0=2 1:r0=2 2:r0=1", true},
		{neededFor("assertion"), "0:r0=2 1:r0=2 2:r0=1", true},
		{toOneself(), "0:r0=2 1:r0=2", true},
		{twoHelpers(true), "0:r0=2 0:r1=2 1:r0=2 2:r0=2 3:r0=1", true},
		{twoHelpers(false), "0:r0=2 0:r1=2 1:r0=2 2:r0=1", true},
		{threeHelpers(), "0:r0=2 0:r1=2 0:r2=2 1:r0=2 2:r0=1", true},
		{helpedHelper(), "0:r0=2 1:r0=2 1:r1=2 2:r0=2 3:r0=1", true},
		{takenFromHelper(false), "0:r0=0 0:r1=1 0:r2=1 1:r0=1 2:r0=1 3:r0=1 4:r0=1", true},
		{takenFromHelper(true), "0:r0=1 0:r1=0 0:r2=1 0:r3=1 1:r0=1 2:r0=1 3:r0=1 4:r0=1", true},
		{takenFromDebtor(), "0:r0=0 0:r2=1 1:r0=1 2:r0=1 3:r0=1", true},
		{baited(), "0:r0=1 0:r1=1 1:r0=1 1:r1=1 2:r0=1 3:r0=0", true},
		{takenFromTwo(), "0:r0=0 0:r2=1 1:r0=0 1:r2=1 2:r0=0 2:r1=0", true},
	}
}

// neededToPromise: P0 can promise y only if it may read what P1 promises to x, but reads
// what P2 writes, having read y.
func neededToPromise() *ir.Program {
	b := randprog.NewBuilder("needed to promise")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(memmodel.Place{})
	p.If(p.Load(x, rlx, dev), func() { p.Store(y, p.Int(1), rlx, dev) }, nil)
	q := b.Thread(memmodel.Place{})
	q.Load(y, rlx, dev)
	q.Store(x, q.Int(1), rlx, dev)
	r := b.Thread(memmodel.Place{})
	r.RMW(ir.Add, y, r.Int(1), rlx, dev)
	r.Store(x, r.Int(2), rel, dev)
	return b.Program()
}

// neededFor is neededToPromise, but for what P0 does with what it has read of x: it writes y[0] only if that is not 0, or
// only then writes another value than 0 there.
func neededFor(what string) *ir.Program {
	b := randprog.NewBuilder("needed for " + what)
	x, y := b.Atomic("x"), b.Var(randprog.Var{Name: "y", Len: 2})
	p := b.Thread(memmodel.Place{})
	some := p.Bin(ir.Ne, p.Load(x, rlx, dev), p.Int(0))
	write := func(v randprog.Val) { p.StoreAt(p.Addr(y, 0), v, rlx, dev) }
	switch what {
	case "value":
		write(some)
	case "memory":
		k := b.Plain("k")
		p.Write(k, some)
		write(p.Read(k))
	case "address":
		p.StoreAt(p.Elem(y, p.Bin(ir.Sub, p.Int(1), some)), p.Int(1), rlx, dev)
	case "expected":
		p.CASAt(p.Reg(), p.Reg(), p.Addr(y, 0), randprog.CmpXchg{Expected: p.Bin(ir.Sub, p.Int(1), some), Desired: p.Int(1), Order: rlx, FailOrder: rlx, Scope: dev})
	case "rounds":
		k := p.Reg()
		p.Set(k, p.Int(0))
		p.While(func() randprog.Val { return p.Bin(ir.Lt, k, some) }, func() {
			write(p.Int(1))
			p.Set(k, p.Bin(ir.Add, k, p.Int(1)))
		})
	case "assertion":
		p.Assert(some)
		write(p.Int(1))
	}
	q := b.Thread(memmodel.Place{})
	q.Load(y, rlx, dev)
	q.Store(x, q.Int(1), rlx, dev)
	r := b.Thread(memmodel.Place{})
	r.RMW(ir.Add, y, r.Int(1), rlx, dev)
	r.Store(x, r.Int(2), rel, dev)
	return b.Program()
}

// toOneself: P1's promised addition takes what P1 has promised before.
func toOneself() *ir.Program {
	b := randprog.NewBuilder("promised to oneself")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(memmodel.Place{})
	p.Store(y, p.Load(x, rlx, dev), rlx, dev)
	q := b.Thread(memmodel.Place{})
	q.Load(y, rlx, dev)
	q.Store(x, q.Int(1), rlx, dev)
	q.RMW(ir.Add, x, q.Int(1), rlx, dev)
	return b.Program()
}

// nested has a thread answer 1 to v if it reads something else than 0 in each of several
// variables.
func nested(t *randprog.Thread, v *randprog.Var, from ...*randprog.Var) {
	if len(from) == 0 {
		t.Store(v, t.Int(1), rlx, dev)
		return
	}
	t.If(t.Load(from[0], rlx, dev), func() { nested(t, v, from[1:]...) }, nil)
}

// helpers write 1 to each variable, having read v, and a last thread reads 1 in v
// and then writes 2 to all, which is what the others read in the end. So P0's answer to v
// must be promised, and can be only when the helpers' writes have been.
func helpers(b *randprog.Builder, v *randprog.Var, of [][]*randprog.Var) *ir.Program {
	for _, vars := range of {
		t := b.Thread(memmodel.Place{})
		t.Load(v, rlx, dev)
		for _, x := range vars {
			t.Store(x, t.Int(1), rlx, dev)
		}
	}
	t := b.Thread(memmodel.Place{})
	t.RMW(ir.Add, v, t.Int(1), rlx, dev)
	for _, vars := range of {
		for _, x := range vars {
			t.Store(x, t.Int(2), rel, dev)
		}
	}
	return b.Program()
}

// twoHelpers: P0 can promise y only if it may read two promises, of one thread or of two.
func twoHelpers(apart bool) *ir.Program {
	b := randprog.NewBuilder("two helpers")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	nested(b.Thread(memmodel.Place{}), y, x, z)
	if apart {
		return helpers(b, y, [][]*randprog.Var{{x}, {z}})
	}
	return helpers(b, y, [][]*randprog.Var{{x, z}})
}

// threeHelpers is twoHelpers with three promises of one thread.
func threeHelpers() *ir.Program {
	b := randprog.NewBuilder("three helpers")
	x, y, z, w := b.Atomic("x"), b.Atomic("y"), b.Atomic("z"), b.Atomic("w")
	nested(b.Thread(memmodel.Place{}), y, x, z, w)
	return helpers(b, y, [][]*randprog.Var{{x, z, w}})
}

// helpedHelper: P0 can promise y only if it may read what P1 promises to x, which
// P1 can only if it may read what P2 promises.
func helpedHelper() *ir.Program {
	b := randprog.NewBuilder("helped helper")
	w, x, y, z := b.Atomic("w"), b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	nested(b.Thread(memmodel.Place{}), y, x)
	nested(b.Thread(memmodel.Place{}), x, w, z)
	q := b.Thread(memmodel.Place{})
	q.Load(y, rlx, dev)
	q.Store(w, q.Int(1), rlx, dev)
	q.Store(z, q.Int(1), rlx, dev)
	r := b.Thread(memmodel.Place{})
	r.RMW(ir.Add, y, r.Int(1), rlx, dev)
	for _, v := range []*randprog.Var{w, z, x} {
		r.Store(v, r.Int(2), rel, dev)
	}
	return b.Program()
}

// takenFromHelper: P3 can promise y only if it may read what P2 promises to m and P1 to
// b. P1 can only if it may read what P0 promises to l, and P0 must promise that before P2's
// promise takes from it what it could exchange, and then needs P1's promise to keep it. If
// P0 comes late it has read first what P4 writes in the end, so that nobody is about to take m.
func takenFromHelper(late bool) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprint("taken from a helper, late: ", late))
	m, l, c, y, g := b.Atomic("m"), b.Atomic("l"), b.Atomic("b"), b.Atomic("y"), b.Atomic("g")
	p := b.Thread(memmodel.Place{})
	if late {
		p.Load(g, rlx, dev)
	}
	exchangesBy(p, m, c, l)
	p = b.Thread(memmodel.Place{})
	p.Load(g, rlx, dev)
	nested(p, c, l)
	q := b.Thread(memmodel.Place{})
	q.Load(g, rlx, dev)
	q.RMW(ir.Add, m, q.Int(1), rlx, dev)
	r := b.Thread(memmodel.Place{})
	r.Load(g, rlx, dev)
	nested(r, y, m, c)
	nested(b.Thread(memmodel.Place{}), g, y)
	return b.Program()
}

// exchanges has a thread write 1 to v if it exchanges m or if it reads something else than 0 in x.
func exchanges(b *randprog.Builder, m, x, v *randprog.Var) *randprog.Thread {
	t := b.Thread(memmodel.Place{})
	exchangesBy(t, m, x, v)
	return t
}

func exchangesBy(t *randprog.Thread, m, x, v *randprog.Var) {
	ok, _ := t.CAS(m, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(5), Order: rlx, FailOrder: rlx, Scope: dev})
	t.If(ok, func() { t.Store(v, t.Int(1), rlx, dev) }, func() { nested(t, v, x) })
}

// takenFromDebtor: P0 can promise y as it may exchange m. When P2 has read what P1 wrote
// for it and takes m away, P0 can keep that only if it may read what P3 promises to b, which
// P0 has no way to come to before.
func takenFromDebtor() *ir.Program {
	b := randprog.NewBuilder("taken from a debtor")
	m, c, y, g, k := b.Atomic("m"), b.Atomic("b"), b.Atomic("y"), b.Atomic("g"), b.Atomic("k")
	p := exchanges(b, m, c, y)
	p.Store(k, p.Int(1), rel, dev)
	nested(b.Thread(memmodel.Place{}), g, y)
	q := b.Thread(memmodel.Place{})
	q.ExitUnless(q.Load(g, rlx, dev))
	q.Fence(memmodel.GlobalFence, rel, dev) // so that its addition cannot be promised
	q.RMW(ir.Add, m, q.Int(1), rlx, dev)
	r := b.Thread(memmodel.Place{})
	r.Load(k, rlx, dev)
	r.Store(c, r.Int(1), rlx, dev)
	return b.Program()
}

// baited: P0 can promise x while it may read 0 in a; then P1 can promise y, as it may read
// that. When P0 has read 1 in a it keeps its promise only if it may read P1's, and P1 can make
// none without P0's. Nobody is about to read either of them before: P1 reads in f whether P0 has
// read a, P3 reads x before anybody writes a.
func baited() *ir.Program {
	b := randprog.NewBuilder("baited")
	a, x, y, u := b.Atomic("a"), b.Atomic("x"), b.Atomic("y"), b.Atomic("u")
	f := b.Var(randprog.Var{Name: "f", Region: memmodel.Local})
	write := func(t *randprog.Thread, v *randprog.Var) func() {
		return func() { t.Store(v, t.Int(1), rlx, dev) }
	}
	p := b.Thread(memmodel.Place{})
	r := p.Load(a, rlx, dev)
	p.Fence(memmodel.LocalFence, rel, memmodel.ScopeWorkGroup)
	p.Store(f, r, rlx, memmodel.ScopeWorkGroup)
	p.If(r, func() { nested(p, x, y) }, write(p, x))
	q := b.Thread(memmodel.Place{})
	q.Load(f, rlx, memmodel.ScopeWorkGroup)
	nested(q, y, x)
	p = b.Thread(memmodel.Place{})
	p.ExitUnless(p.Load(u, rlx, dev))
	p.Fence(memmodel.GlobalFence, rel, dev) // so that its write cannot be promised
	p.Store(a, p.Int(1), rlx, dev)
	p = b.Thread(memmodel.Place{})
	p.Load(x, rlx, dev)
	p.Fence(memmodel.GlobalFence, rel, dev)
	p.Store(u, p.Int(1), rlx, dev)
	return b.Program()
}

// takenFromTwo: P0 can promise x and P1 can promise y as either may exchange m. When P2 has taken
// m away each keeps its promise only if it may read the other's, which neither has come to before.
func takenFromTwo() *ir.Program {
	b := randprog.NewBuilder("taken from two")
	m, x, y := b.Atomic("m"), b.Atomic("x"), b.Atomic("y")
	exchanges(b, m, y, x)
	exchanges(b, m, x, y)
	p := b.Thread(memmodel.Place{})
	p.Load(x, rlx, dev)
	p.Fence(memmodel.GlobalFence, rel, dev) // so that its addition cannot be promised
	p.RMW(ir.Add, m, p.Int(1), rlx, dev)
	return b.Program()
}

// A promise is made before somebody reads it if a unit cannot certify another without it.
func TestPromisesUnread(t *testing.T) {
	t.Parallel()
	for _, c := range unread() {
		for _, mode := range por.Modes() {
			paces := []*pace{nil}
			if mode == por.DPOR {
				paces = append(paces, storedHelp())
			}
			for _, pace := range paces {
				if r := Run(context.Background(), c.program, Options{POR: mode, All: true, Promises: manyPromises, pace: pace}); !r.Complete || occurs(r, c.outcome) != c.occurs {
					t.Errorf("%s, reduction %s, help stored: %v: %s is found: %v, want %v; %v", c.program.Name, mode, pace != nil, c.outcome, !c.occurs, c.occurs, r.Incomplete)
				}
			}
		}
	}
}
