package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// scFences draws threads of the form access; seq_cst fence; access: the shapes
// store buffering, 2+2W, R and RWC.
func (g *gen) scFences() {
	vars := []*Var{g.b.Atomic("x"), g.b.Atomic("y")}
	n := pick(g, 2, 2, 3)
	for range n {
		t := g.b.Thread(memmodel.Place{})
		access := func() {
			v, o := pick(g, vars...), pick(g, relaxed, relaxed, relaxed, seqCst)
			if g.chance(0.55) {
				t.Store(v, t.Int(g.value()), o, device)
			} else {
				t.Load(v, o, device)
			}
		}
		access()
		if g.chance(0.85) {
			t.Fence(globalFlag, seqCst, device)
		}
		access()
		if n < 3 && g.chance(0.25) {
			t.Fence(globalFlag, seqCst, device)
			access()
		}
	}
}

// passing is a message-passing program being drawn.
type passing struct {
	*gen
	flags  []memmodel.Flags
	scope  memmodel.Scope // of most operations
	groups bool           // threads may be of different work-groups
}

func (p *passing) anyScope() memmodel.Scope {
	if p.chance(0.75) {
		return p.scope
	}
	return pick(p.gen, workGroup, device, allSVM)
}

// fencesOf adds up to two fences.
func (p *passing) fencesOf(t *Thread, most int, orders ...memmodel.Order) {
	for range pick(p.gen, 0, 1, 1, 1, most) {
		t.Fence(pick(p.gen, p.flags...), pick(p.gen, orders...), p.anyScope())
	}
}

// publish adds fences and a store or read-modify-write that makes v non-zero.
func (p *passing) publish(t *Thread, v *Var) {
	p.fencesOf(t, 2, release, release, acqRel, seqCst)
	if p.chance(0.75) {
		t.Store(v, t.Int(1), pick(p.gen, relaxed, release, release, seqCst), p.anyScope())
	} else {
		t.RMW(ir.Add, v, t.Int(1), pick(p.gen, relaxed, release, acqRel, seqCst), p.anyScope())
	}
	if p.chance(0.2) {
		t.Store(v, t.Int(2), relaxed, p.anyScope())
	}
}

// receive loads v, leaves the thread if it is 0, and adds fences.
func (p *passing) receive(t *Thread, v *Var) {
	t.ExitUnless(t.Load(v, pick(p.gen, relaxed, acquire, acquire, seqCst), p.anyScope()))
	p.fencesOf(t, 2, acquire, acquire, acqRel, seqCst)
}

func (p *passing) place() memmodel.Place {
	if p.groups && p.chance(0.4) {
		return memmodel.Place{Group: 1}
	}
	return memmodel.Place{}
}

// messagePassing draws chains that publish data over one or two flags with
// random synchronisation, and sometimes an intruder on the first flag.
func (g *gen) messagePassing() {
	p := &passing{gen: g, scope: pick(g, workGroup, device), groups: true,
		flags: flags{globalFlag, localFlag, bothFlags, bothFlags, bothFlags, bothFlags}}
	declare := func(name string, plain bool) *Var {
		v := Var{Name: name, Region: pick(g, memmodel.Global, memmodel.Global, memmodel.Local), Plain: plain}
		p.groups = p.groups && v.Region == memmodel.Global
		return g.b.Var(v)
	}
	data := []*Var{declare("d", true)}
	hops := []*Var{declare("x", false)}
	if g.chance(0.33) {
		hops = append(hops, declare("y", false))
	}
	if g.chance(0.4) {
		data = append(data, declare("e", true))
	}
	p.sender(data, hops[0])
	for h := 1; h < len(hops); h++ {
		t := g.b.Thread(p.place())
		p.receive(t, hops[h-1])
		p.publish(t, hops[h])
	}
	t := g.b.Thread(p.place())
	p.receive(t, hops[len(hops)-1])
	t.Read(pick(g, data...))
	p.intruder(hops[0])
}

func (p *passing) sender(data []*Var, flag *Var) {
	t := p.b.Thread(p.place())
	for i, d := range data {
		if i > 0 && p.chance(0.7) {
			t.Fence(pick(p.gen, p.flags...), pick(p.gen, release, acqRel), p.anyScope())
		}
		t.Write(d, t.Int(1))
	}
	p.publish(t, flag)
}

// intruder sometimes adds a thread that breaks or prolongs release sequences.
func (p *passing) intruder(v *Var) {
	switch r := p.Float64(); {
	case r < 0.25:
		t := p.b.Thread(p.place())
		t.Store(v, t.Int(7), pick(p.gen, relaxed, release), p.anyScope())
	case r < 0.4:
		t := p.b.Thread(p.place())
		t.RMW(ir.Add, v, t.Int(8), pick(p.gen, relaxed, acqRel), p.anyScope())
	}
}

// fenceChains draws two senders or receivers over flags of both regions whose
// fences mostly have two flags.
func (g *gen) fenceChains() {
	p := &passing{gen: g, scope: workGroup, flags: flags{bothFlags, bothFlags, bothFlags, globalFlag, localFlag}}
	region := func() memmodel.Region { return pick(g, memmodel.Global, memmodel.Local) }
	data := []*Var{
		g.b.Var(Var{Name: "d", Region: region(), Plain: true}),
		g.b.Var(Var{Name: "e", Region: region(), Plain: true}),
	}
	x := g.b.Var(Var{Name: "x", Region: region()})
	y := g.b.Var(Var{Name: "y", Region: region()})
	send := func(d, flag *Var) {
		t := g.b.Thread(memmodel.Place{})
		t.Write(d, t.Int(1))
		p.fencesOf(t, 3, release, release, acqRel, seqCst)
		t.Store(flag, t.Int(1), pick(g, relaxed, relaxed, release, seqCst), p.anyScope())
	}
	if g.chance(0.5) {
		send(data[0], x)
		send(data[1], y)
	} else {
		p.sender(data, x)
		t := g.b.Thread(memmodel.Place{})
		p.receive(t, x)
		p.publish(t, y)
	}
	t := g.b.Thread(memmodel.Place{})
	t.ExitUnless(t.Load(y, pick(g, relaxed, relaxed, acquire, seqCst), p.anyScope()))
	p.fencesOf(t, 2, acquire, acquire, acqRel, seqCst)
	if g.chance(0.3) {
		t.ExitUnless(t.Load(x, pick(g, relaxed, acquire), p.anyScope()))
		p.fencesOf(t, 1, acquire, acqRel)
	}
	t.Read(pick(g, data...))
}

// compareExchanges draws threads that contend for a word by compare-exchange,
// some of them to guard non-atomic data.
func (g *gen) compareExchanges() {
	words := []*Var{g.b.Atomic("x"), g.b.Atomic("y")}[:pick(g, 1, 1, 2)]
	data := g.b.Plain("d")
	guard := g.chance(0.5)
	n := pick(g, 2, 2, 3)
	for range n {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		v := pick(g, words...)
		if g.chance(0.3) {
			t.Store(v, t.Int(g.Int64N(3)), pick(g, relaxed, release, seqCst), device)
		}
		ok, old := g.cas(t, v, t.Int(g.Int64N(2)))
		switch {
		case guard:
			t.ExitUnless(ok)
			t.Write(data, t.Int(g.value()))
			t.Store(v, t.Int(0), pick(g, relaxed, release, release), device)
		case g.chance(0.5) && n < 3: // retry once with the value found
			t.If(ok, nil, func() { g.cas(t, v, old) })
		case g.chance(0.5):
			t.Load(pick(g, words...), pick(g, relaxed, acquire, seqCst), device)
		}
	}
}

func (g *gen) cas(t *Thread, v *Var, expected Val) (ok, old Val) {
	o := pick(g, relaxed, acquire, release, acqRel, acqRel, seqCst)
	fail := relaxed
	switch {
	case o == seqCst && g.chance(0.5):
		fail = pick(g, acquire, seqCst)
	case o.Acquires() && g.chance(0.5):
		fail = acquire
	}
	return t.CAS(v, CmpXchg{Expected: expected, Desired: t.Int(1 + g.Int64N(3)),
		Order: o, FailOrder: fail, Scope: device, Weak: g.chance(0.4)})
}

// guardedData draws work-items that write slots of an array and read those of
// others behind a barrier, or behind a flag that says which slot is ready.
func (g *gen) guardedData() {
	region := pick(g, memmodel.Global, memmodel.Local)
	slots := g.b.Var(Var{Name: "a", Region: region, Plain: true, Len: 3, Uninit: g.chance(0.2)})
	flag := g.b.Var(Var{Name: "x", Region: pick(g, region, region, memmodel.Global)})
	n := pick(g, 2, 2, 3)
	byBarrier := g.chance(0.5)
	again := byBarrier && g.chance(0.4)
	f := pick(g, globalFlag, localFlag, bothFlags, bothFlags)
	for i := range int64(n) {
		t := g.b.Thread(memmodel.Place{})
		slot := t.Int(i)
		if g.chance(0.15) {
			slot = t.Int(g.Int64N(3))
		}
		switch {
		case byBarrier:
			t.StoreAt(t.Elem(slots, slot), t.Int(g.value()), memmodel.NonAtomic, memmodel.ScopeWorkItem)
			t.Barrier("B", f, workGroup)
			t.LoadAt(t.Elem(slots, t.Int(g.Int64N(int64(n)))), memmodel.NonAtomic, memmodel.ScopeWorkItem)
			if again != g.chance(0.05) {
				t.Barrier("C", f, workGroup)
				t.StoreAt(t.Elem(slots, t.Int(g.Int64N(3))), t.Int(g.value()), memmodel.NonAtomic, memmodel.ScopeWorkItem)
			}
		case i == 0 || n == 3 && i == 1 && g.chance(0.4):
			t.StoreAt(t.Elem(slots, slot), t.Int(g.value()), memmodel.NonAtomic, memmodel.ScopeWorkItem)
			t.Store(flag, t.Int(i+1), pick(g, release, release, seqCst, relaxed), workGroup)
		default:
			r := t.Load(flag, pick(g, acquire, acquire, seqCst, relaxed), workGroup)
			t.ExitUnless(r)
			t.LoadAt(t.Elem(slots, t.Bin(ir.Sub, r, t.Int(1))), memmodel.NonAtomic, memmodel.ScopeWorkItem)
		}
	}
}

// loops draws threads that await a flag, take a lock with bounded or unbounded
// retries, or count.
func (g *gen) loops() {
	x, y := g.b.Atomic("x"), g.b.Atomic("y")
	d := g.b.Plain("d")
	for i := range pick(g, 2, 2, 3) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		switch kind := g.IntN(4); {
		case i == 0 || kind == 0: // publish
			if g.chance(0.6) {
				t.Write(d, t.Int(g.value()))
			}
			t.Store(pick(g, x, y), t.Int(1), pick(g, release, release, relaxed, seqCst), device)
		case kind == 1: // await
			r := t.observed()
			v, o := pick(g, x, y), pick(g, acquire, acquire, relaxed, seqCst)
			t.While(func() Val {
				t.LoadInto(r, t.Addr(v, 0), o, device)
				return t.Bin(ir.Eq, r, t.Int(0))
			}, nil)
			t.Read(d)
		case kind == 2: // spin lock
			g.spinLock(t, x, d)
		default: // bounded polling
			v := pick(g, x, y)
			t.Repeat(2, func(Val) { t.RMW(ir.Add, v, t.Int(1), pick(g, relaxed, acqRel), device) })
		}
	}
}

func (g *gen) spinLock(t *Thread, lock, data *Var) {
	ok, old := t.observed(), t.Reg()
	o := pick(g, acquire, acquire, relaxed, seqCst)
	weak := g.chance(0.4)
	t.While(func() Val {
		t.CASInto(ok, old, lock, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: o, FailOrder: relaxed, Scope: device, Weak: weak})
		return t.Bin(ir.Eq, ok, t.Int(0))
	}, nil)
	t.Write(data, t.Bin(ir.Add, t.Read(data), t.Int(1)))
	t.Store(lock, t.Int(0), pick(g, release, release, relaxed), device)
}

// cycles draws threads whose waits go round several states, among threads that
// write what they wait for, on conditions, and threads that only look.
func (g *gen) cycles() {
	vars := []*Var{g.b.Atomic("x"), g.b.Atomic("y"), g.b.Atomic("z")}
	d, l := g.b.Plain("d"), g.b.Atomic("l") // one that looks at l could be any number of exchanges behind
	any := func() *Var { return vars[g.IntN(len(vars))] }
	load := func() memmodel.Order { return pick(g, relaxed, acquire, acquire) }
	store := func() memmodel.Order { return pick(g, relaxed, release, release) }
	for range pick(g, 2, 3, 3, 4) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		switch g.IntN(6) {
		case 0: // await one of two
			a, b := any(), any()
			t.While(func() Val {
				r := t.Bin(ir.Eq, t.Load(a, load(), device), t.Int(0))
				return t.Bin(ir.And, r, t.Bin(ir.Eq, t.Load(b, load(), device), t.Int(0)))
			}, nil)
			t.Write(d, t.Int(g.value()))
		case 1: // exchange lock
			t.While(func() Val { return t.RMW(ir.Xchg, l, t.Int(1), pick(g, acquire, acqRel), device) }, nil)
			t.Write(d, t.Bin(ir.Add, t.Read(d), t.Int(1)))
			t.Store(l, t.Int(0), store(), device)
		case 2: // look, then perhaps write
			r := t.Load(any(), load(), device)
			v := any()
			t.If(r, func() { t.Store(v, t.Int(g.value()), store(), device) }, func() { t.Store(any(), t.Int(1), store(), device) })
		case 3: // publish
			if g.chance(0.5) {
				t.Write(d, t.Int(g.value()))
			}
			t.Store(any(), t.Int(1), store(), device)
			if g.chance(0.5) {
				t.Store(any(), t.Int(g.value()), store(), device)
			}
		case 4: // poll a few times
			v, r := any(), t.observed()
			t.Repeat(2, func(Val) { t.LoadInto(r, t.Addr(v, 0), load(), device) })
		default: // look
			for range pick(g, 2, 2, 3) {
				if r := t.Load(any(), load(), device); g.chance(0.3) {
					t.Observe(r) // else executions meet again
				}
			}
		}
	}
}
