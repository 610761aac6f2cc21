package trace

import (
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Short names for the samples.
const (
	rlx = memmodel.Relaxed
	acq = memmodel.Acquire
	rel = memmodel.Release
	sg  = memmodel.ScopeSubGroup
	wg  = memmodel.ScopeWorkGroup
	dev = memmodel.ScopeDevice
	all = memmodel.ScopeAllSVMDevices
	lcl = memmodel.LocalFence
	glb = memmodel.GlobalFence
)

// sample is a program with a violation, and the kind of reason that a data
// race of it should be given.
type sample struct {
	name string
	kind state.Kind
	why  string
	make func(b *randprog.Builder)
	// moves is the schedule, by units that take the newest message each time,
	// where it matters; otherwise the search finds one.
	moves []memmodel.Unit
}

func group(g uint16) memmodel.Place { return memmodel.Place{Group: g} }

// passing is message passing of data through a flag.
type passing struct {
	data, flag     randprog.Var
	places         [2]memmodel.Place
	write, read    memmodel.Order
	ws, rs         memmodel.Scope
	before, after  func(*randprog.Thread) // next to the flag's store and load
	first, between func(*randprog.Thread)
	third          func(b *randprog.Builder, flag *randprog.Var)
}

func (m passing) make(b *randprog.Builder) {
	m.data.Name, m.data.Plain, m.flag.Name = "data", true, "flag"
	d, f := b.Var(m.data), b.Var(m.flag)
	do := func(g func(*randprog.Thread), t *randprog.Thread) {
		if g != nil {
			g(t)
		}
	}
	p := b.Thread(m.places[0])
	do(m.first, p)
	p.Write(d, p.Int(42))
	do(m.before, p)
	p.Store(f, p.Int(1), m.write, m.ws)
	do(m.between, p)
	q := b.Thread(m.places[1])
	do(m.first, q)
	q.ExitUnless(q.Load(f, m.read, m.rs))
	do(m.after, q)
	q.Read(d)
	if m.third != nil {
		m.third(b, f)
	}
}

func fence(f memmodel.Flags, o memmodel.Order, s memmodel.Scope) func(*randprog.Thread) {
	return func(t *randprog.Thread) { t.Fence(f, o, s) }
}

func barrier(f memmodel.Flags) func(*randprog.Thread) {
	return func(t *randprog.Thread) { t.Barrier("b", f, wg) }
}

var apart = [2]memmodel.Place{group(0), group(1)}

// races are data races, one for each reason.
var races = []sample{
	{name: "none", kind: state.DataRace, why: "none", make: func(b *randprog.Builder) {
		x := b.Plain("x")
		t := b.Thread(group(0))
		t.Write(x, t.Int(1))
		b.Thread(group(0)).Read(x)
	}},
	{name: "none-groups", kind: state.DataRace, why: "none", make: func(b *randprog.Builder) {
		x := b.Var(randprog.Var{Name: "x", Plain: true, Len: 2})
		t := b.Thread(group(0))
		t.StoreAt(t.Addr(x, 1), t.Int(1), memmodel.NonAtomic, 0)
		u := b.Thread(group(1))
		u.StoreAt(u.Addr(x, 1), u.Int(2), memmodel.NonAtomic, 0)
	}},
	{name: "relaxed", kind: state.DataRace, why: "order", make: passing{places: apart, write: rlx, read: rlx, ws: dev, rs: dev}.make},
	{name: "no-acquire", kind: state.DataRace, why: "order", make: passing{places: apart, write: rel, read: rlx, ws: dev, rs: dev}.make},
	{name: "no-release", kind: state.DataRace, why: "order", make: passing{places: apart, write: rlx, read: acq, ws: dev, rs: dev}.make},
	{name: "acquire-fence-no-release", kind: state.DataRace, why: "order", make: passing{places: apart, write: rlx, read: rlx, ws: dev, rs: dev,
		after: fence(glb, acq, dev)}.make},
	{name: "release-fence-too-early", kind: state.DataRace, why: "order", make: passing{places: apart, write: rlx, read: acq, ws: dev, rs: dev,
		first: fence(glb, rel, dev)}.make},
	{name: "atomics-scope", kind: state.DataRace, why: "scope", make: func(b *randprog.Builder) {
		x := b.Atomic("x")
		t := b.Thread(group(0))
		t.Store(x, t.Int(1), rlx, wg)
		b.Thread(group(1)).Load(x, rlx, dev)
	}},
	{name: "atomics-same-scope", kind: state.DataRace, why: "scope", make: func(b *randprog.Builder) {
		x := b.Var(randprog.Var{Name: "x", Kind: memmodel.FineSVMAtomics})
		t := b.Thread(group(0))
		t.RMW(ir.Add, x, t.Int(1), rlx, dev)
		u := b.Thread(group(0))
		u.RMW(ir.Add, x, u.Int(1), rlx, all)
	}},
	{name: "atomics-sub-group", kind: state.DataRace, why: "scope", make: func(b *randprog.Builder) {
		x := b.Atomic("x")
		t := b.Thread(memmodel.Place{})
		t.Store(x, t.Int(1), rlx, sg)
		b.Thread(memmodel.Place{Sub: 1}).Load(x, rlx, sg)
	}},
	{name: "atomics-host", kind: state.DataRace, why: "scope", make: func(b *randprog.Builder) {
		x := b.Atomic("x")
		t := b.Thread(group(0))
		t.Store(x, t.Int(1), rlx, all)
		b.Thread(memmodel.Place{Host: true}).Load(x, rlx, all)
	}},
	{name: "atomics-buffer", kind: state.DataRace, why: "scope", make: func(b *randprog.Builder) {
		x := b.Var(randprog.Var{Name: "x", Kind: memmodel.Buffer})
		t := b.Thread(memmodel.Place{Kernel: 1})
		t.Store(x, t.Int(1), rlx, dev)
		b.Thread(memmodel.Place{Kernel: 2}).Load(x, rlx, dev)
	}},
	{name: "fence-scope", kind: state.DataRace, why: "scope", make: passing{places: apart, write: rlx, read: rlx, ws: dev, rs: dev,
		before: fence(glb, rel, wg), after: fence(glb, acq, wg)}.make},
	{name: "fence-flags", kind: state.DataRace, why: "flags", make: passing{places: apart, write: rlx, read: acq, ws: dev, rs: dev,
		before: fence(lcl, rel, dev)}.make},
	{name: "acquire-fence-flags", kind: state.DataRace, why: "flags", make: passing{places: apart, write: rel, read: rlx, ws: dev, rs: dev,
		after: fence(lcl, acq, dev)}.make},
	{name: "local-flag", kind: state.DataRace, why: "region", make: passing{flag: randprog.Var{Region: memmodel.Local}, write: rel, read: acq, ws: wg, rs: wg}.make},
	{name: "global-flag", kind: state.DataRace, why: "region", make: passing{data: randprog.Var{Region: memmodel.Local}, write: rel, read: acq, ws: wg, rs: wg}.make},
	{name: "local-fences", kind: state.DataRace, why: "region", make: passing{flag: randprog.Var{Region: memmodel.Local}, write: rlx, read: rlx, ws: wg, rs: wg,
		before: fence(lcl, rel, wg), after: fence(lcl|glb, acq, wg)}.make},
	{name: "barrier-local", kind: state.DataRace, why: "barrier", make: barred(memmodel.Global, lcl)},
	{name: "barrier-global", kind: state.DataRace, why: "barrier", make: barred(memmodel.Local, glb)},
	{name: "barrier-none", kind: state.DataRace, why: "barrier", make: barred(memmodel.Global, 0)},
	{name: "barrier-groups", kind: state.DataRace, why: "barrier", make: func(b *randprog.Builder) {
		x := b.Plain("x")
		t := b.Thread(group(0))
		t.Write(x, t.Int(1))
		t.Barrier("b", glb, wg)
		u := b.Thread(group(1))
		u.Barrier("b", glb, wg)
		u.Read(x)
	}},
	{name: "barrier-sub-groups", kind: state.DataRace, why: "barrier", make: func(b *randprog.Builder) {
		x := b.Plain("x")
		t := b.Thread(memmodel.Place{})
		t.Write(x, t.Int(1))
		t.SubGroupBarrier("b", glb, sg)
		u := b.Thread(memmodel.Place{Sub: 1})
		u.SubGroupBarrier("b", glb, sg)
		u.Read(x)
	}},
	{name: "broken-sequence", kind: state.DataRace, why: "sequence", make: func(b *randprog.Builder) {
		d, f := b.Plain("data"), b.Atomic("flag")
		t := b.Thread(group(0))
		t.Write(d, t.Int(42))
		t.Store(f, t.Int(1), rel, dev)
		t.Store(f, t.Int(2), rlx, dev)
		u := b.Thread(group(1))
		u.ExitUnless(u.Bin(ir.Eq, u.Load(f, acq, dev), u.Int(2)))
		u.Read(d)
		v := b.Thread(group(2))
		v.Store(f, v.Int(3), rlx, dev)
	}},
	{name: "relayed", kind: state.DataRace, why: "order", make: func(b *randprog.Builder) {
		d, f, g := b.Plain("data"), b.Atomic("flag"), b.Atomic("seen")
		t := b.Thread(group(0))
		t.Write(d, t.Int(42))
		t.Store(f, t.Int(1), rel, dev)
		v := b.Thread(group(1)) // so that its store comes later
		v.ExitUnless(v.Load(g, acq, dev))
		v.Store(f, v.Int(2), rel, dev)
		w := b.Thread(group(2))
		w.ExitUnless(w.Bin(ir.Eq, w.Load(f, rlx, dev), w.Int(1)))
		w.Store(g, w.Int(1), rel, dev)
		u := b.Thread(group(3))
		u.ExitUnless(u.Bin(ir.Eq, u.Load(f, acq, dev), u.Int(2)))
		u.Read(d)
	}},
	{name: "overwritten", kind: state.DataRace, why: "sequence", make: func(b *randprog.Builder) {
		d, f := b.Plain("data"), b.Atomic("flag")
		t := b.Thread(group(0))
		t.Write(d, t.Int(42))
		t.Store(f, t.Int(1), rel, dev)
		v := b.Thread(group(1))
		v.Store(f, v.Int(2), rel, dev)
		u := b.Thread(group(2))
		u.ExitUnless(u.Bin(ir.Eq, u.Load(f, acq, dev), u.Int(2)))
		u.Read(d)
	}, moves: []memmodel.Unit{0, 0, 1, 2, 2}},
	{name: "through-a-modification", kind: state.DataRace, why: "order", make: func(b *randprog.Builder) {
		d, f := b.Plain("data"), b.Atomic("flag")
		t := b.Thread(group(0))
		t.Write(d, t.Int(42))
		t.Store(f, t.Int(1), rel, dev)
		v := b.Thread(group(1))
		v.RMW(ir.Add, f, v.Int(1), rlx, dev)
		u := b.Thread(group(2))
		u.ExitUnless(u.Bin(ir.Eq, u.Load(f, rlx, dev), u.Int(2)))
		u.Read(d)
	}},
	{name: "own-store-continues", kind: state.DataRace, why: "order", make: func(b *randprog.Builder) {
		d, f := b.Plain("data"), b.Atomic("flag")
		t := b.Thread(group(0))
		t.Write(d, t.Int(42))
		t.Store(f, t.Int(1), rel, dev)
		t.Store(f, t.Int(2), rlx, dev)
		u := b.Thread(group(1))
		u.ExitUnless(u.Bin(ir.Eq, u.Load(f, rlx, dev), u.Int(2)))
		u.Read(d)
	}},
	{name: "too-late", kind: state.DataRace, why: "late", make: func(b *randprog.Builder) {
		d, f := b.Plain("data"), b.Atomic("flag")
		t := b.Thread(group(0))
		t.Store(f, t.Int(1), rel, dev)
		t.Write(d, t.Int(42))
		u := b.Thread(group(1))
		u.ExitUnless(u.Load(f, acq, dev))
		u.Read(d)
	}},
	{name: "second-hop", kind: state.DataRace, why: "order", make: func(b *randprog.Builder) {
		d, f, g := b.Plain("data"), b.Atomic("f"), b.Atomic("g")
		t := b.Thread(group(0))
		t.Write(d, t.Int(42))
		t.Store(f, t.Int(1), rel, dev)
		v := b.Thread(group(1))
		v.ExitUnless(v.Load(f, acq, dev))
		v.Store(g, v.Int(1), rlx, dev)
		u := b.Thread(group(2))
		u.ExitUnless(u.Load(g, acq, dev))
		u.Read(d)
	}},
}

// barred has two accesses with a barrier of some flags in between.
func barred(r memmodel.Region, f memmodel.Flags) func(b *randprog.Builder) {
	return func(b *randprog.Builder) {
		x := b.Var(randprog.Var{Name: "x", Plain: true, Region: r})
		t := b.Thread(group(0))
		t.Write(x, t.Int(1))
		barrier(f)(t)
		u := b.Thread(group(0))
		barrier(f)(u)
		u.Read(x)
	}
}

// others are the other violations that such programs can have.
var others = []sample{
	{name: "uninitialised", kind: state.UninitialisedRead, make: func(b *randprog.Builder) {
		x := b.Var(randprog.Var{Name: "x", Plain: true, Uninit: true, Region: memmodel.Local})
		b.Thread(group(0)).Read(x)
	}},
	{name: "uninitialised-atomic", kind: state.UninitialisedRead, make: func(b *randprog.Builder) {
		x := b.Var(randprog.Var{Name: "x", Uninit: true})
		b.Thread(group(0)).Load(x, rlx, dev)
	}},
	{name: "divergence-ended", kind: state.BarrierDivergence, make: func(b *randprog.Builder) {
		barrier(lcl)(b.Thread(group(0)))
		x := b.Atomic("x")
		b.Thread(group(0)).Load(x, rlx, dev)
	}},
	{name: "divergence-site", kind: state.BarrierDivergence, make: func(b *randprog.Builder) {
		b.Thread(group(0)).Barrier("one", lcl, wg)
		b.Thread(group(0)).Barrier("other", lcl, wg)
	}},
	{name: "divergence-flags", kind: state.BarrierDivergence, make: func(b *randprog.Builder) {
		barrier(lcl)(b.Thread(group(0)))
		barrier(glb)(b.Thread(group(0)))
	}},
	{name: "divergence-iteration", kind: state.BarrierDivergence, make: func(b *randprog.Builder) {
		for n := range int64(2) {
			t := b.Thread(group(0))
			t.Repeat(2, func(i randprog.Val) {
				t.If(t.Bin(ir.Eq, i, t.Int(n)), func() { barrier(lcl)(t) }, nil)
			})
		}
	}},
	{name: "divergence-collective", kind: state.BarrierDivergence, make: func(b *randprog.Builder) {
		for range 2 {
			t := b.Thread(group(0))
			t.Collect("call", t.Int(7), randprog.Collective{Group: ir.GroupReduce, Alu: ir.Add, From: t.Int(0)})
		}
		barrier(lcl)(b.Thread(group(0)))
	}},
	{name: "divergence-broadcast", kind: state.BarrierDivergence, make: func(b *randprog.Builder) {
		for n := range int64(2) {
			t := b.Thread(group(0))
			t.Collect("call", t.Int(7), randprog.Collective{Group: ir.GroupBroadcast, From: t.Int(n)})
		}
	}},
	{name: "broadcast-from-nobody", kind: state.InvalidArgument, make: func(b *randprog.Builder) {
		t := b.Thread(group(0))
		t.Collect("call", t.Int(7), randprog.Collective{Group: ir.GroupBroadcast, From: t.Int(1)})
	}},
	{name: "collective", kind: state.DataRace, make: func(b *randprog.Builder) {
		x := b.Plain("x")
		for n := range int64(2) {
			t := b.Thread(group(0))
			if n == 0 {
				t.Write(x, t.Int(1))
			}
			t.Collect("call", t.Int(n+3), randprog.Collective{Group: ir.GroupScanInclusive, Alu: ir.Add, From: t.Int(0)})
			if n == 1 {
				t.Read(x)
			}
		}
	}},
	{name: "image-fence", kind: state.UnfencedImage, make: func(b *randprog.Builder) {
		x := b.Var(randprog.Var{Name: "x", Region: memmodel.Image, Plain: true})
		t := b.Thread(group(0))
		t.Write(x, t.Int(1))
		t.Fence(glb, memmodel.AcqRel, wg)
		t.Read(x)
	}},
	{name: "image-barrier", kind: state.DataRace, why: "flags", make: func(b *randprog.Builder) {
		x := b.Var(randprog.Var{Name: "x", Region: memmodel.Image, Plain: true})
		t := b.Thread(group(0))
		t.Write(x, t.Int(1))
		barrier(glb)(t)
		t = b.Thread(group(0))
		barrier(glb)(t)
		t.Read(x)
	}},
	{name: "deadlock", kind: state.Deadlock, make: func(b *randprog.Builder) {
		f := b.Atomic("flag")
		t := b.Thread(group(0))
		r := t.Reg()
		t.While(func() randprog.Val {
			t.LoadInto(r, t.Addr(f, 0), acq, dev)
			return t.Bin(ir.Eq, r, t.Int(0))
		}, nil)
	}},
	{name: "misuse", kind: state.InvalidAccess, make: func(b *randprog.Builder) {
		x := b.Plain("x")
		b.Thread(group(0)).Load(x, rlx, dev)
	}},
	{name: "wild-pointer", kind: state.InvalidAccess, make: func(b *randprog.Builder) {
		t := b.Thread(group(0))
		t.LoadAt(t.Int(5), rlx, dev)
	}},
}
