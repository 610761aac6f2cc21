package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// resets draws threads that count on counters and reset them: stores and
// read-modify-writes, and hardly a load, so that nobody looks at most of what is
// written. What a thread has counted may decide what it does next.
func (g *gen) resets() {
	c, left := g.counting(), 5
	for range pick(g, 2, 2, 2, 3) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		for range min(left, pick(g, 1, 2, 2, 3)) {
			left--
			g.count(t, c)
		}
	}
}

// counting is what threads that count share.
type counting struct {
	counters []*Var
	data     *Var // may be written by who has counted up to a number
	seen     *Var
	scopes   []memmodel.Scope
	orders   []memmodel.Order // of read-modify-writes
	asserts  bool
}

func (g *gen) counting() *counting {
	c := &counting{
		counters: []*Var{g.b.Var(Var{Name: "x", Init: g.Int64N(3), Hidden: g.chance(0.5)}), g.b.Var(Var{Name: "y", Hidden: g.chance(0.5)})}[:pick(g, 1, 1, 2)],
		seen:     g.b.Atomic("z"),
		scopes:   []memmodel.Scope{device},
		orders:   []memmodel.Order{relaxed},
		asserts:  g.chance(0.3),
	}
	if g.chance(0.6) {
		c.data = g.b.Var(Var{Name: "d", Plain: true, Hidden: true})
	}
	if g.chance(0.2) {
		c.scopes = []memmodel.Scope{device, device, workGroup}
	}
	if g.chance(0.4) {
		c.orders = []memmodel.Order{relaxed, relaxed, acquire, release, acqRel, seqCst}[:pick(g, 5, 5, 6)]
	}
	return c
}

// count draws what a thread does next: it resets a counter, counts, or does what
// depends on what it has counted.
func (g *gen) count(t *Thread, c *counting) {
	x, scope := pick(g, c.counters...), pick(g, c.scopes...)
	if g.chance(0.35) {
		o := pick(g, relaxed, relaxed, pick(g, c.orders...))
		if o.Acquires() && o != seqCst {
			o = release
		}
		t.Store(x, t.Int(g.Int64N(3)), o, scope)
		return
	}
	r := t.RMW(pick(g, ir.Add, ir.Add, ir.Add, ir.Xchg, ir.Or), x, t.Int(g.Int64N(3)), pick(g, c.orders...), scope)
	counted := t.Bin(ir.Eq, r, t.Int(g.Int64N(3)))
	switch g.IntN(6) {
	case 0, 1:
		if c.data != nil {
			t.If(counted, func() { t.Write(c.data, t.Int(1)) }, nil)
		}
	case 2:
		t.If(counted, func() { t.Store(c.seen, t.Int(1), relaxed, device) }, nil)
	case 3:
		if c.asserts {
			t.Assert(t.Bin(ir.Eq, counted, t.Int(0)))
		}
	case 4:
		t.Load(c.seen, relaxed, device)
	}
}

// locks draws threads that do something while they hold a lock that they have tried
// to take once or twice.
func (g *gen) locks() { g.locking(false) }

// spins draws threads that wait for the lock.
func (g *gen) spins() { g.locking(true) }

func (g *gen) locking(wait bool) {
	l := g.newLock()
	l.wait = wait
	for range pick(g, 2, 2, 2, 3) {
		t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
		g.critical(t, l)
		if g.chance(0.15) {
			g.critical(t, l)
		}
	}
}

// lock is a lock and what it guards.
type lock struct {
	word, data, flag *Var
	kind             lockKind
	take, free       memmodel.Order
	scope            memmodel.Scope
	wait             bool
	weak             bool
	look             look
}

// look is what comes before an attempt to take a lock.
type look uint8

const (
	noLook    look = iota
	lookOnce       // a load: an attempt if the lock seems to be free
	lookUntil      // loads until it seems to be, where programs wait
)

// lockKind is how a lock is taken.
type lockKind uint8

const (
	byExchange lockKind = iota
	byCompareExchange
	byFlag    // a bit that is set
	byCounter // who comes first of those that add to it
)

func (g *gen) newLock() *lock {
	return &lock{
		word: g.b.Var(Var{Name: "l", Hidden: g.chance(0.5)}), data: g.b.Var(Var{Name: "d", Plain: true, Hidden: true}),
		flag: g.b.Atomic("z"),
		kind: pick(g, byExchange, byExchange, byCompareExchange, byFlag, byCounter),
		take: pick(g, relaxed, acquire, acquire, release, acqRel, seqCst), free: pick(g, relaxed, release, release, seqCst),
		scope: pick(g, device, device, device, workGroup), weak: g.chance(0.4),
		look: pick(g, noLook, noLook, lookOnce, lookUntil),
	}
}

// critical draws what a thread does with the lock: take it, use what it guards, and
// mostly free it.
func (g *gen) critical(t *Thread, l *lock) {
	attempt := func() Val {
		r := t.Reg()
		switch l.kind {
		case byCompareExchange:
			old := t.Reg()
			t.CASInto(r, old, l.word, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: l.take, FailOrder: relaxed, Scope: l.scope, Weak: l.weak})
			return r
		case byFlag:
			t.RMWInto(r, ir.Or, l.word, t.Int(1), l.take, l.scope)
		case byCounter:
			t.RMWInto(r, ir.Add, l.word, t.Int(1), l.take, l.scope)
		default:
			t.RMWInto(r, ir.Xchg, l.word, t.Int(1), l.take, l.scope)
		}
		return t.Bin(ir.Eq, r, t.Int(0))
	}
	got := func() Val {
		switch {
		case l.look == lookUntil && l.wait:
			t.While(func() Val { return t.Bin(ir.Ne, t.Load(l.word, relaxed, l.scope), t.Int(0)) }, nil)
		case l.look != noLook:
			free := t.Reg()
			t.Set(free, t.Int(0))
			t.If(t.Bin(ir.Eq, t.Load(l.word, relaxed, l.scope), t.Int(0)), func() { t.Set(free, attempt()) }, nil)
			return free
		}
		return attempt()
	}
	switch {
	case l.wait && g.chance(0.15): // until somebody else has it
		t.While(got, nil)
	case l.wait:
		t.While(func() Val { return t.Bin(ir.Eq, got(), t.Int(0)) }, nil)
	default:
		t.ExitUnless(got())
	}
	switch g.IntN(4) {
	case 0:
		t.Read(l.data)
	case 1:
		t.Store(l.flag, t.Int(g.value()), relaxed, l.scope)
	default:
		t.Write(l.data, t.Int(1))
	}
	switch {
	case g.chance(0.1):
	case g.chance(0.2):
		t.RMW(ir.Xchg, l.word, t.Int(0), l.free, l.scope)
	default:
		t.Store(l.word, t.Int(0), l.free, l.scope)
	}
}

// launches draws a host that starts one kernel, which counts, resets or locks, several
// times, and waits for it in between or not.
func (g *gen) launches() {
	host := g.b.Thread(memmodel.Place{Host: true})
	k := g.b.Kernel("k")
	if g.chance(0.5) {
		c := g.counting()
		c.seen = c.counters[0]
		for range pick(g, 1, 1, 2) {
			g.count(k, c)
		}
	} else {
		g.critical(k, g.newLock())
	}
	for range pick(g, 1, 2, 2) {
		items := pick[int64](g, 1, 2, 2)
		host.Host(k, items, pick(g, 1, items))
		if g.chance(0.5) {
			host.Finish()
		}
	}
	host.Finish()
}
