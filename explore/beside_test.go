package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// besideRounds is a kernel that waits in rounds of two reads, and a host that does something before, beside and after it. Work-item 0 goes round
// until it sees x, which work-item 1 writes; in each round that it does not it reads y, too, and no value of y leads it on. Then it writes
// z. Nothing is ordered by that: all of it is relaxed. So who accesses y plainly once it has seen z races with
// the reads of rounds that need not have been, if there have been any (rules 9.1 and 9.2).
type besideRounds struct {
	b       *randprog.Builder
	x, y, z *randprog.Var
	kernel  *randprog.Thread
	host    *randprog.Thread
}

const svm = memmodel.ScopeAllSVMDevices

func newBesideRounds(name string, kind memmodel.Kind, begin, end func(k *randprog.Thread, r *besideRounds)) *besideRounds {
	b := randprog.NewBuilder(name)
	cell := func(name string) *randprog.Var { return b.Var(randprog.Var{Name: name, Kind: kind}) }
	r := &besideRounds{b: b, x: cell("x"), y: cell("y"), z: cell("z")}
	r.host = b.Thread(memmodel.Place{Host: true})
	r.kernel = b.Kernel("K")
	k := r.kernel
	if begin != nil {
		begin(k, r)
	}
	k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(0)), func() {
		k.While(func() randprog.Val { return k.Bin(ir.Eq, r.read(k, r.x), k.Int(0)) }, func() {
			k.BreakIf(k.Bin(ir.Eq, r.read(k, r.y), k.Int(5)))
		})
		k.Store(r.z, k.Int(1), rlx, svm)
		if end != nil {
			end(k, r)
		}
	}, func() { k.Store(r.x, k.Int(1), rlx, svm) })
	return r
}

func (r *besideRounds) read(t *randprog.Thread, v *randprog.Var) randprog.Val {
	seen := t.Reg()
	t.LoadInto(seen, t.Addr(v, 0), rlx, svm)
	return seen
}

// seen runs f once z has been seen.
func (r *besideRounds) seen(t *randprog.Thread, f func()) {
	t.If(r.read(t, r.z), f, nil)
}

// A unit that waits for ever for what another one writes plainly races with it, and no round of waiting need be performed for that: whether the write
// comes first or the read, neither happens before the other (rule 9.1).
func TestEndlessWaitRaces(t *testing.T) {
	b := randprog.NewBuilder("endless")
	y := b.Var(randprog.Var{Name: "y", Kind: memmodel.FineSVMAtomics})
	host, k := b.Thread(memmodel.Place{Host: true}), b.Kernel("K")
	k.While(func() randprog.Val {
		seen := k.Reg()
		k.LoadInto(seen, k.Addr(y, 0), rlx, svm)
		return k.Bin(ir.Eq, seen, k.Int(0))
	}, nil)
	host.Host(k, 1, 1)
	host.Write(y, host.Int(0))
	host.Finish()
	p := b.Program()
	for _, mode := range por.Modes() {
		if r := explored(p, Options{POR: mode, Promises: NoPromises}); !r.Has(state.DataRace) {
			t.Errorf("%s: %v", mode, kinds(r))
		}
	}
}

// TestBeside has hosts that access what a kernel reads in rounds of waiting: beside it, which races, and before or after it, or in another way that
// orders the accesses, which does not. The latter has as many states as without.
func TestBeside(t *testing.T) {
	const fine = memmodel.FineSVMAtomics
	launch := func(r *besideRounds) { r.host.Host(r.kernel, 2, 2) }
	write := func(t *randprog.Thread, r *besideRounds) { t.Write(r.y, t.Int(7)) }
	second := func(r *besideRounds, f func(t *randprog.Thread)) *randprog.Thread {
		t := r.b.Kernel("L")
		f(t)
		return t
	}
	none := newBesideRounds("none", fine, nil, nil)
	launch(none)
	none.host.Finish()
	least := explored(none.b.Program(), Options{Promises: NoPromises})
	for _, c := range []struct {
		what  string
		races bool
		same  bool // as many states as without
		kind  memmodel.Kind
		begin func(k *randprog.Thread, r *besideRounds)
		end   func(k *randprog.Thread, r *besideRounds)
		host  func(r *besideRounds)
	}{
		{"plainly before", false, true, fine, nil, nil, func(r *besideRounds) { write(r.host, r); launch(r); r.host.Finish() }},
		{"plainly after", false, true, fine, nil, nil, func(r *besideRounds) { launch(r); r.host.Finish(); write(r.host, r) }},
		{"plainly before and after, and again", false, false, fine, nil, nil, func(r *besideRounds) {
			write(r.host, r)
			launch(r)
			r.host.Finish()
			write(r.host, r)
			launch(r)
			r.host.Finish()
		}},
		{"plainly beside, when it has seen z", true, false, fine, nil, nil, func(r *besideRounds) {
			launch(r)
			r.seen(r.host, func() { write(r.host, r) })
			r.host.Finish()
		}},
		{"and if it never waits", true, false, fine, nil, nil, func(r *besideRounds) { launch(r); r.seen(r.host, func() { write(r.host, r) }) }},
		{"atomically beside, which does not reach a device's memory (rule 2.4)", true, false, memmodel.CoarseSVM, nil, nil, func(r *besideRounds) {
			launch(r)
			r.seen(r.host, func() { r.host.Store(r.y, r.host.Int(7), rlx, svm) })
			r.host.Finish()
		}},
		{"atomically beside", false, false, fine, nil, nil, func(r *besideRounds) {
			launch(r)
			r.seen(r.host, func() { r.host.Store(r.y, r.host.Int(7), rlx, svm) })
			r.host.Finish()
		}},
		{"by another kernel in the queue (rule 12.5)", false, true, fine, nil, nil, func(r *besideRounds) {
			launch(r)
			r.host.Host(second(r, func(t *randprog.Thread) { write(t, r) }), 1, 1)
			r.host.Finish()
		}},
		{"by another kernel in another queue", true, false, fine, nil, nil, func(r *besideRounds) {
			q := r.b.Queue(0, false)
			launch(r)
			r.host.Launch(q, second(r, func(t *randprog.Thread) { r.seen(t, func() { write(t, r) }) }), 1, 1)
			r.host.Finish()
		}},
		{"by another host thread", true, false, fine, nil, nil, func(r *besideRounds) {
			u := r.b.HostThread("T", 0)
			r.seen(u, func() { write(u, r) })
			launch(r)
			r.host.Go(u)
			r.host.Finish()
		}},
		{"by another host thread that was there before", true, false, fine, nil, nil, func(r *besideRounds) {
			u := r.b.HostThread("T", 0)
			r.seen(u, func() { write(u, r) })
			r.host.Go(u)
			launch(r)
			r.host.Finish()
		}},
		{"by another kernel that was there before in another queue", true, false, fine, nil, nil, func(r *besideRounds) {
			q := r.b.Queue(0, false)
			r.host.Launch(q, second(r, func(t *randprog.Thread) { r.seen(t, func() { write(t, r) }) }), 1, 1)
			launch(r)
			r.host.Finish()
		}},
		{"while the kernel waits for a user event", false, true, fine, nil, nil, func(r *besideRounds) {
			e := r.host.UserEvent()
			r.host.Launch(0, r.kernel, 2, 2, e)
			write(r.host, r)
			r.host.SetEvent(e, 0)
			r.host.Finish()
		}},
		{"when the event has been set", true, false, fine, nil, nil, func(r *besideRounds) {
			e := r.host.UserEvent()
			r.host.Launch(0, r.kernel, 2, 2, e)
			r.host.SetEvent(e, 0)
			r.seen(r.host, func() { write(r.host, r) })
			r.host.Finish()
		}},
		{"by a work-item before a barrier", false, true, fine, func(k *randprog.Thread, r *besideRounds) {
			k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(0)), func() { write(k, r) }, nil)
			k.Barrier("B", memmodel.GlobalFence, memmodel.ScopeWorkGroup)
		}, nil, func(r *besideRounds) { launch(r); r.host.Finish() }},
		{"and after the kernel", false, true, fine, func(k *randprog.Thread, r *besideRounds) {
			k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(0)), func() { write(k, r) }, nil)
			k.Barrier("B", memmodel.GlobalFence, memmodel.ScopeWorkGroup)
		}, nil, func(r *besideRounds) { launch(r); r.host.Finish(); write(r.host, r) }},
		{"by a work-item behind a barrier that comes before the rounds", true, false, fine, func(k *randprog.Thread, r *besideRounds) {
			k.Barrier("B", memmodel.GlobalFence, memmodel.ScopeWorkGroup)
			k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(2)), func() { r.seen(k, func() { write(k, r) }) }, nil)
		}, nil, func(r *besideRounds) { r.host.Host(r.kernel, 3, 3); r.host.Finish() }},
		{"by a work-item before a barrier that orders local memory", true, false, fine, func(k *randprog.Thread, r *besideRounds) {
			k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(1)), func() { write(k, r) }, nil)
			k.Barrier("B", memmodel.LocalFence, memmodel.ScopeWorkGroup)
		}, nil, func(r *besideRounds) { launch(r); r.host.Finish() }},
		{"by a work-item of another group before a barrier", true, false, fine, func(k *randprog.Thread, r *besideRounds) {
			k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(1)), func() { r.seen(k, func() { write(k, r) }) }, nil)
			k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(1)), func() { k.Store(r.x, k.Int(1), rlx, svm) }, nil)
			k.Barrier("B", memmodel.GlobalFence, memmodel.ScopeWorkGroup)
		}, nil, func(r *besideRounds) { r.host.Host(r.kernel, 3, 1); r.host.Finish() }},
		{"by a work-item after its rounds", false, false, fine, nil, func(k *randprog.Thread, r *besideRounds) { write(k, r) }, func(r *besideRounds) { launch(r); r.host.Finish() }},
		{"by a kernel that it enqueues, in fine-grained memory", false, false, fine, nil, func(k *randprog.Thread, r *besideRounds) {
			k.Enqueue(randprog.Enqueue{Kernel: second(r, func(t *randprog.Thread) { write(t, r) }), Flags: ir.NoWait, Items: 1, Size: 1})
		}, func(r *besideRounds) { launch(r); r.host.Finish() }},
		{"by a kernel that it enqueues, in coarse-grained memory (rule 12.1)", true, false, memmodel.CoarseSVM, nil, func(k *randprog.Thread, r *besideRounds) {
			k.Enqueue(randprog.Enqueue{Kernel: second(r, func(t *randprog.Thread) { write(t, r) }), Flags: ir.NoWait, Items: 1, Size: 1})
		}, func(r *besideRounds) {
			other := r.b.Kernel("M")
			other.Store(r.x, other.Int(1), rlx, svm)
			other.If(other.Bin(ir.Eq, r.read(other, r.y), other.Int(9)), func() { other.Store(r.y, other.Int(9), rlx, svm) }, nil) // never
			r.host.Launch(r.b.Queue(0, false), other, 1, 1)
			r.host.Host(r.kernel, 1, 1)
			r.host.Finish()
		}},
	} {
		r := newBesideRounds(c.what, c.kind, c.begin, c.end)
		c.host(r)
		p := r.b.Program()
		for _, mode := range por.Modes() {
			got := explored(p, Options{POR: mode, Promises: NoPromises})
			if got.Has(state.DataRace) != c.races || !c.races && got.Verdict != Verified {
				t.Errorf("%s, %s: %v %v", c.what, mode, got.Verdict, kinds(got))
			}
			if c.same && mode == por.DPOR && got.Stats.States != least.Stats.States {
				t.Errorf("%s: %d states, without %d", c.what, got.Stats.States, least.Stats.States)
			}
		}
	}
}
