package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

const (
	rlx, acq, rel, ar = memmodel.Relaxed, memmodel.Acquire, memmodel.Release, memmodel.AcqRel
	dev               = memmodel.ScopeDevice
)

// traps are programs that tell rules apart which random programs seldom touch.
func traps() []*ir.Program {
	return append(forgotten(), lateButAcquiring(), lateBehindFence(), unbreakable(), readThenWrite(), failureOrder(), exitFence(), lateAcquire(),
		drawTickets(), lookBehind(true), lookBehind(false), liveAdders(), countAndRelease(false), countAndRelease(true))
}

// liveAdders: P0 and P1 release what they have written by read-modify-writes of x, and P0 acquires
// from the chain. What it learns from P1's release must not be taken for its own while it
// lives: the reads of both variables are ordered (rule 5.4).
func liveAdders() *ir.Program {
	b := randprog.NewBuilder("two adders, one of which looks")
	d, e, x := b.Plain("d"), b.Plain("e"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.RMW(ir.Or, x, p.Int(1), rel, dev)
	p.ExitUnless(p.Bin(ir.Eq, p.Load(x, acq, dev), p.Int(3)))
	p.Read(e)
	p.Read(d)
	q := b.Thread(place(1))
	q.Write(e, q.Int(1))
	q.RMW(ir.Or, x, q.Int(2), rel, dev)
	return b.Program()
}

// unbreakable: P2 stores to x only behind P0's second store, so the release
// sequence headed by the first is never broken and P1 may read d (rule 5.4).
func unbreakable() *ir.Program {
	b := randprog.NewBuilder("unbreakable")
	d, x := b.Plain("d"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.Store(x, p.Int(1), rel, dev)
	p.Store(x, p.Int(2), rlx, dev)
	q := b.Thread(place(1))
	q.ExitUnless(q.Bin(ir.Eq, q.Load(x, acq, dev), q.Int(2)))
	q.Read(d)
	r := b.Thread(place(2))
	r.ExitUnless(r.Bin(ir.Eq, r.Load(x, rlx, dev), r.Int(2)))
	r.Store(x, r.Int(3), rlx, dev)
	return b.Program()
}

// readThenWrite races whichever access comes first (rule 9.1).
func readThenWrite() *ir.Program {
	b := randprog.NewBuilder("read-then-write")
	d := b.Plain("d")
	p := b.Thread(place(0))
	p.Read(d)
	q := b.Thread(place(1))
	q.Write(d, q.Int(1))
	return b.Program()
}

// failureOrder: the compare-exchange fails with a relaxed load, which does not
// order the read of d (rule 10.2).
func failureOrder() *ir.Program {
	b := randprog.NewBuilder("failure-order")
	d, x := b.Plain("d"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.Store(x, p.Int(1), rel, dev)
	q := b.Thread(place(1))
	_, old := q.CAS(x, randprog.CmpXchg{Expected: q.Int(0), Desired: q.Int(5), Order: ar, FailOrder: rlx, Scope: dev})
	q.ExitUnless(q.Bin(ir.Eq, old, q.Int(1)))
	q.Read(d)
	return b.Program()
}

// exitFence: the barrier's exit fence is an acquire fence for the relaxed load
// before it (rules 6.5, 11.2).
func exitFence() *ir.Program {
	b := randprog.NewBuilder("exit-fence")
	d, x := b.Plain("d"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.Store(x, p.Int(1), rel, dev)
	q := b.Thread(place(1))
	v := q.Load(x, rlx, dev)
	q.Barrier("B", memmodel.GlobalFence, dev)
	q.ExitUnless(v)
	q.Read(d)
	return b.Program()
}

// lateAcquire: P1 has seen x=2 when it acquires, from that message, what the
// release sequence headed by x=1 publishes; x=1 itself nobody can read any more.
func lateAcquire() *ir.Program {
	b := randprog.NewBuilder("late-acquire")
	d, x := b.Plain("d"), b.Atomic("x")
	p := b.Thread(place(0))
	p.Write(d, p.Int(1))
	p.Store(x, p.Int(1), rel, dev)
	p.Store(x, p.Int(2), rlx, dev)
	q := b.Thread(place(1))
	q.ExitUnless(q.Bin(ir.Eq, q.Load(x, rlx, dev), q.Int(2)))
	q.Load(x, acq, dev)
	q.Read(d)
	return b.Program()
}

// racingWait: the store of 1 is of work_group scope and P1 in another group, so
// that P1's rounds of waiting race with it; the read that ends the wait does
// not, being behind both stores (rules 9.1, 9.2).
func racingWait() *ir.Program {
	b := randprog.NewBuilder("racing-wait")
	x := b.Atomic("x")
	p := b.Thread(place(0))
	p.Store(x, p.Int(1), rlx, memmodel.ScopeWorkGroup)
	p.Store(x, p.Int(3), rel, dev)
	q := b.Thread(place(1))
	q.While(func() randprog.Val { return q.Bin(ir.Ne, q.Load(x, acq, dev), q.Int(3)) }, func() {})
	return b.Program()
}

// drawTickets: either thread may be first.
func drawTickets() *ir.Program {
	b := randprog.NewBuilder("draw-tickets")
	x := b.Atomic("x")
	for i := range 2 {
		t := b.Thread(place(i))
		t.RMW(ir.Add, x, t.Int(1), rlx, dev)
	}
	return b.Program()
}

// lookBehind: P1 may read c as 1, if its own write of c comes first. The barrier
// does not order c for P0: either it does not name local memory, or P0 is of
// another group and does not meet it.
func lookBehind(oneGroup bool) *ir.Program {
	b := randprog.NewBuilder("look-behind")
	v := randprog.Var{Name: "c"}
	if oneGroup {
		v.Region = memmodel.Local
	}
	c := b.Var(v)
	p := b.Thread(place(0))
	p.Blind(ir.Max, c, p.Int(2), rlx, dev)
	if oneGroup {
		p.Barrier("B", memmodel.GlobalFence, dev)
	}
	group := 1
	if oneGroup {
		group = 0
	}
	q := b.Thread(place(group))
	q.Blind(ir.Max, c, q.Int(1), rlx, dev)
	q.Barrier("B", memmodel.GlobalFence, dev)
	q.Load(c, rlx, dev)
	return b.Program()
}

// countAndRelease: P1 may read z as 0, if it adds to c before P0 does; else its
// fence synchronises with P0's. The other way round, P1 is the one that releases
// and P0 the one that may read 0.
func countAndRelease(swapped bool) *ir.Program {
	b := randprog.NewBuilder("count-and-release")
	c, z := b.Atomic("c"), b.Atomic("z")
	release := func(t *randprog.Thread) {
		t.Store(z, t.Int(1), rlx, dev)
		t.Fence(memmodel.GlobalFence, rel, dev)
		t.Blind(ir.Add, c, t.Int(1), rlx, dev)
	}
	acquire := func(t *randprog.Thread) {
		t.Blind(ir.Add, c, t.Int(1), rlx, dev)
		t.Fence(memmodel.GlobalFence, acq, dev)
		t.Load(z, rlx, dev)
	}
	p, q := b.Thread(place(0)), b.Thread(place(1))
	if swapped {
		acquire(p)
		release(q)
	} else {
		release(p)
		acquire(q)
	}
	return b.Program()
}

// ignoring: P0 spins for ever on what nobody writes; P1 and P2 race meanwhile.
// A reduction that is content with P0's step misses it. P1 and P2 first read what
// P3 may have written, so that they are not run at once.
func ignoring() *ir.Program {
	b := randprog.NewBuilder("ignoring")
	y, z, d := b.Atomic("y"), b.Atomic("z"), b.Plain("d")
	p := b.Thread(place(0))
	p.While(func() randprog.Val { return p.Bin(ir.Eq, p.Load(y, rlx, dev), p.Int(0)) }, func() {})
	for i := range 2 {
		q := b.Thread(place(1 + i))
		q.Load(z, rlx, dev)
		q.Write(d, q.Int(1))
	}
	w := b.Thread(place(3))
	w.Store(z, w.Int(1), rlx, dev)
	return b.Program()
}

// ignoringPair is like ignoring, with two reads a round, which is no mere wait,
// each of which has the choice of two zeros.
func ignoringPair() *ir.Program {
	b := randprog.NewBuilder("ignoring-pair")
	y, z, w, d := b.Atomic("y"), b.Atomic("z"), b.Atomic("w"), b.Plain("d")
	p := b.Thread(place(0))
	p.While(func() randprog.Val {
		return p.Bin(ir.And, p.Bin(ir.Eq, p.Load(y, rlx, dev), p.Int(0)), p.Bin(ir.Eq, p.Load(z, rlx, dev), p.Int(0)))
	}, func() {})
	p.Store(w, p.Int(1), rlx, dev) // for all that the text says, the others must wait for it
	r := b.Thread(place(1))
	r.Store(y, r.Int(0), rlx, dev)
	r.Store(z, r.Int(0), rlx, dev)
	for i := range 2 {
		q := b.Thread(place(2 + i))
		q.Load(w, rlx, dev)
		q.Write(d, q.Int(1))
	}
	return b.Program()
}

// ignoredBeside: P0 goes round for ever and chooses twice, so that it is enough to try P0 alone in any state. P1 reads y and z, in which P2
// puts 1 each, so that P1 may find any two values (7.4). With one pair of them it races with P2 for d (9.1), with the others its assertion fails. So
// it is not enough to look for one way out of P0's cycle: all that P1 does must be tried around it.
func ignoredBeside(y, z int64) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprintf("ignored-beside-%d-%d", y, z))
	first, second, d := b.Atomic("y"), b.Atomic("z"), b.Plain("d")
	p := b.Thread(place(0))
	p.While(func() randprog.Val { return p.Int(1) }, func() {
		p.Choose(2)
		p.Choose(2)
	})
	q := b.Thread(place(1))
	at := q.Bin(ir.Eq, q.Load(first, rlx, dev), q.Int(y))
	q.If(q.Bin(ir.And, at, q.Bin(ir.Eq, q.Load(second, rlx, dev), q.Int(z))), func() { q.Write(d, q.Int(1)) }, func() { q.Assert(q.Int(0)) })
	w := b.Thread(place(2))
	w.Write(d, w.Int(2))
	w.Store(first, w.Int(1), rlx, dev)
	w.Store(second, w.Int(1), rlx, dev)
	return b.Program()
}

// storm: a loop that stores for ever and reads nothing.
func storm() *ir.Program {
	b := randprog.NewBuilder("storm")
	x := b.Atomic("x")
	p := b.Thread(place(0))
	p.While(func() randprog.Val { return p.Int(1) }, func() { p.Store(x, p.Int(1), rlx, dev) })
	q := b.Thread(place(1))
	q.Load(x, rlx, dev)
	return b.Program()
}

// flood: a loop that counts for ever, in memory. No state is one that was there before.
func flood() *ir.Program {
	b := randprog.NewBuilder("flood")
	x := b.Atomic("x")
	p := b.Thread(place(0))
	p.While(func() randprog.Val { return p.Int(1) }, func() { p.RMW(ir.Add, x, p.Int(1), rlx, dev) })
	q := b.Thread(place(1))
	q.Load(x, rlx, dev)
	return b.Program()
}

// sleepingWait: P0 may wait for ever, and its turn comes first: when the others
// have ended, it sleeps.
func sleepingWait() *ir.Program {
	b := randprog.NewBuilder("sleeping-wait")
	w, y, z := b.Atomic("w"), b.Atomic("y"), b.Atomic("z")
	p, q, r := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2))
	for _, t := range []*randprog.Thread{q, r} {
		t.RMW(ir.Add, w, t.Int(1), rlx, dev)
	}
	p.While(func() randprog.Val { return p.Bin(ir.Eq, p.Load(z, rlx, dev), p.Int(0)) }, nil)
	q.ExitUnless(q.Load(y, rlx, dev))
	q.Store(z, q.Int(1), rlx, dev)
	r.Store(y, r.Int(1), rlx, dev)
	return b.Program()
}

// rivals: P1 stores to x after P0, which it has not acquired from. P2 goes on in the
// same way whichever of the two it has read of x: it looks at y, or at d, which P0
// wrote before. Only after P1's message it may find the old value or race.
func rivals(name string, plain, fence bool) *ir.Program {
	b := randprog.NewBuilder("rivals-" + name)
	x, y, d := b.Atomic("x"), b.Var(randprog.Var{Name: "y", Init: 2}), b.Plain("d")
	p, q, r := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2))
	if plain {
		p.Write(d, p.Int(1))
	} else {
		p.Store(y, p.Int(1), rlx, dev)
	}
	p.Store(x, p.Int(1), rel, dev)
	passed := q.Reg()
	q.LoadInto(passed, q.Addr(x, 0), rlx, dev)
	q.ExitUnless(passed)
	q.Store(x, q.Int(2), rlx, dev)
	passed = r.Reg()
	order := acq
	if fence {
		order = rlx
	}
	r.LoadInto(passed, r.Addr(x, 0), order, dev)
	r.ExitUnless(passed)
	if fence {
		r.Fence(memmodel.GlobalFence, acq, dev)
	}
	if plain {
		r.Read(d)
	} else {
		r.Load(y, rlx, dev)
	}
	return b.Program()
}

// taught is like rivals, but P2 has read what P0 published without acquiring it:
// to read that once more teaches it more than P1's newer message does.
func taught() *ir.Program {
	b := randprog.NewBuilder("taught")
	x, y := b.Atomic("x"), b.Var(randprog.Var{Name: "y", Init: 2})
	p, q, r := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2))
	p.Store(y, p.Int(1), rlx, dev)
	p.Store(x, p.Int(1), rel, dev)
	passed := q.Reg()
	q.LoadInto(passed, q.Addr(x, 0), rlx, dev)
	q.ExitUnless(passed)
	q.Store(x, q.Int(2), rlx, dev)
	r.Load(x, rlx, dev)
	r.Glance(x, acq, dev)
	r.Load(y, rlx, dev)
	return b.Program()
}

// missed: P1 waits for a value that P0 overwrites with the old one, and may miss it.
func missed() *ir.Program {
	b := randprog.NewBuilder("missed")
	x := b.Atomic("x")
	p, q := b.Thread(place(0)), b.Thread(place(1))
	p.Store(x, p.Int(1), rlx, dev)
	p.Store(x, p.Int(0), rlx, dev)
	value := q.Reg()
	q.While(func() randprog.Val {
		q.LoadInto(value, q.Addr(x, 0), rlx, dev)
		return q.Bin(ir.Eq, value, q.Int(0))
	}, nil)
	return b.Program()
}

// waitingHost: while the host waits for its kernel, another host thread stores
// what the first need not know when it goes on.
func waitingHost() *ir.Program {
	b := randprog.NewBuilder("waiting-host")
	x := b.Var(randprog.Var{Name: "x", Kind: memmodel.FineSVMAtomics})
	flag := b.Var(randprog.Var{Name: "flag", Kind: memmodel.FineSVMAtomics})
	host, kernel, other := b.Thread(memmodel.Place{Host: true}), b.Code(), b.Code()
	kernel.While(func() randprog.Val {
		return kernel.Bin(ir.Eq, kernel.Load(flag, rlx, memmodel.ScopeAllSVMDevices), kernel.Int(0))
	}, nil)
	for range 2 {
		other.RMW(ir.Add, x, other.Int(1), rlx, memmodel.ScopeAllSVMDevices)
	}
	other.Store(flag, other.Int(1), rlx, memmodel.ScopeAllSVMDevices)
	host.Go(other)
	host.Host(kernel, 1, 1)
	host.Finish()
	host.Load(x, rlx, memmodel.ScopeAllSVMDevices)
	return b.Program()
}

// Without reduction and with each, a search of these finds the same.
func TestReductionTraps(t *testing.T) {
	for _, p := range []*ir.Program{sleeper(), renumbered(), rounds(), ignoring(), ignoringPair(), racingWait(), waitingHost(), sleepingWait(),
		rivals("view", false, false), rivals("clock", true, false), rivals("fence", true, true), taught(), missed(), sleepers(), exchanged(),
		racingRound(false), racingRound(true), inTheMiddle(), answered(), remembered(false), remembered(true), lookBefore(acq), lookBefore(rlx), zeroAgain(1), zeroAgain(0),
		ignoredBeside(0, 0), ignoredBeside(0, 1), ignoredBeside(1, 0), ignoredBeside(1, 1)} {
		t.Run(p.Name, func(t *testing.T) {
			if !modesAgree(t, as(p, memmodel.Specs[0]), NoPromises) {
				t.Error("too large")
			}
		})
	}
}

// Without reduction and with each, a search finds the same outcomes and the
// same kinds of violation.
func TestReductionsAgree(t *testing.T) {
	var complete, all atomic.Int32
	eachStyle(t, append(chosen(), randprog.Loops, randprog.Cycles, randprog.Values, randprog.Again, randprog.Beside, randprog.SCLocks), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := draw(style, seed)
			all.Add(1)
			if modesAgree(t, p, NoPromises) {
				complete.Add(1)
			}
			if p.search(Options{POR: por.DPOR, MaxStates: 20_000, Promises: NoPromises}).LoadBuffering {
				modesAgree(t, p, manyPromises)
			}
		}
	}, func() {
		if n, of := complete.Load(), all.Load(); n*4 < of*3 || n == 0 {
			t.Errorf("only %d of %d searches were complete", n, of)
		}
	})
}

// modesAgree compares the reductions on one program. It reports whether the
// program is small enough for that.
func modesAgree(t *testing.T, p *drawn, promises int) (complete bool) {
	full := p.search(Options{POR: por.None, MaxStates: 20_000, Promises: promises})
	if !full.Complete {
		return false
	}
	for _, mode := range []por.Mode{por.DPOR, por.Sleep} {
		if d := disagreement(p.search(Options{POR: mode, MaxStates: 20_000, Promises: promises}).Result, full.Result); d != "" {
			t.Errorf("%s, promises %d: %s: %s\n%s", p.Name, promises, mode, d, randprog.Format(p.Program))
		}
	}
	return true
}

// explored runs a search to its end, if that is not too far.
func explored(p *ir.Program, opt Options) *Result {
	opt.All, opt.MaxStates, opt.KeepSchedule = true, 20_000, true
	return Run(context.Background(), p, opt)
}

// disagreement says what a search found that the full one did not, or the
// other way round.
func disagreement(r, full *Result) string {
	if !r.Complete && r.POR == por.Sleep && full.Has(state.Deadlock) {
		return "" // it may only find that no execution ends
	}
	if !r.Complete && full.Has(state.Deadlock) && slices.Equal(r.Incomplete, []string{perhapsNoWayOut}) {
		return "" // all who are left wait in a component that goes round in another way, too
	}
	if !r.Complete {
		return fmt.Sprint("incomplete: ", r.Incomplete)
	}
	if a, b := kinds(r), kinds(full); !slices.Equal(a, b) {
		return fmt.Sprintf("%v, in full %v", a, b)
	}
	if len(full.Violations) > 0 {
		return "" // what an execution shows before it goes wrong depends on the order
	}
	if !slices.EqualFunc(r.Outcomes, full.Outcomes, maps.Equal) {
		return fmt.Sprintf("%d outcomes, in full %d", len(r.Outcomes), len(full.Outcomes))
	}
	return ""
}

// Each reduction of the canonical form can be left out, and nothing changes but
// the number of states.
func TestCanonicalReductionsAgree(t *testing.T) {
	some := seeds
	if testing.Short() {
		some = seeds.Times(0.15)
	}
	every := memmodel.KeepMessages | memmodel.KeepLocations | memmodel.KeepViews | memmodel.KeepRecords | memmodel.KeepRegisters | memmodel.KeepReleases | memmodel.KeepOwners | memmodel.KeepSync
	kept := []memmodel.Keep{memmodel.KeepMessages, memmodel.KeepLocations, memmodel.KeepViews, memmodel.KeepRecords, memmodel.KeepRegisters, memmodel.KeepReleases, memmodel.KeepOrders, memmodel.KeepOwners, memmodel.KeepSync, every}
	eachStyle(t, append(chosen(), randprog.Loops, randprog.Spins, randprog.Loiters), func(t *testing.T, style randprog.Style) {
		for seed := range some.All() {
			p := draw(style, seed)
			opt := Options{MaxStates: 20_000, Promises: manyPromises}
			want := p.search(opt)
			if !want.Complete {
				continue
			}
			for _, opt.Keep = range kept {
				got := p.search(opt)
				if !got.Complete {
					continue
				}
				if a, b := kinds(got.Result), kinds(want.Result); !slices.Equal(a, b) {
					t.Errorf("%s, spec %s, keeping %05b: %v, otherwise %v\n%s", p.Name, p.spec.Name, opt.Keep, a, b, randprog.Format(p.Program))
				}
				if len(want.Violations) == 0 && !slices.EqualFunc(got.Outcomes, want.Outcomes, maps.Equal) {
					t.Errorf("%s, spec %s, keeping %05b: %d outcomes, otherwise %d\n%s", p.Name, p.spec.Name, opt.Keep, len(got.Outcomes), len(want.Outcomes), randprog.Format(p.Program))
				}
			}
		}
	}, nil)
}

// kinds returns the kinds of violation that cannot depend on which of several
// comes first: whether there are races, or if not, what there is.
func kinds(r *Result) []state.Kind {
	var ks []state.Kind
	for _, v := range r.Violations {
		if v.Kind == state.DataRace || v.Kind == state.BarrierDivergence || v.Kind == state.UninitialisedRead || v.Kind == state.UnfencedImage || v.Kind == state.MappingViolation || v.Kind == state.FreedMemory {
			return []state.Kind{state.DataRace}
		}
		if k := v.Kind; k == state.DivisionByZero { // another's assertion may come first in every order that is tried
			ks = append(ks, state.AssertionFailed)
			continue
		}
		ks = append(ks, v.Kind)
	}
	slices.Sort(ks)
	return slices.Compact(ks)
}

// A search of infinitely many states ends, and says that it is not complete or, as one of the
// units goes round for ever, that there is no way out.
func TestStormEnds(t *testing.T) {
	for _, p := range []*ir.Program{storm(), flood()} {
		for _, mode := range por.Modes() {
			r := Run(context.Background(), p, Options{POR: mode, MaxStates: 2000})
			if r.Complete || r.Verdict != Inconclusive && !slices.Equal(kinds(r), []state.Kind{state.NoWayOut}) {
				t.Errorf("%s, reduction %s: %v, %v", p.Name, mode, r.Verdict, kinds(r))
			}
		}
	}
}
