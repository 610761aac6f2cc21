package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// schedules draws programs whose end depends on how work is scheduled: work-items of one or several work-groups and sub-groups that take
// locks, draw tickets, meet, hand on what they have, and wait for each other, in global and local memory, by relaxed accesses and fences
// as by others; that give way and try again, or go on for ever; and a host that starts one kernel or two, in line or at once.
func (g *gen) schedules() {
	s := &schedule{gen: g, sc: g.chance(0.2), ids: g.chance(0.6)}
	shape := pick(g, [2]int{2, 1}, [2]int{2, 1}, [2]int{3, 1}, [2]int{1, 2}, [2]int{1, 3}, [2]int{2, 2})
	items, size := shape[0]*shape[1], shape[1]
	hosted := g.chance(0.4)
	var host *Thread
	if hosted {
		host = g.b.Thread(memmodel.Place{Host: true})
	}
	k := g.b.Code()
	k.kernel, k.named = hosted, hosted
	s.vars = []*Var{g.b.Atomic("x"), g.b.Atomic("y")}
	s.scope, s.flags = device, globalFlag
	if size > 1 && g.chance(0.4) {
		s.vars[1] = g.b.Var(Var{Name: "l", Region: memmodel.Local, Owner: k})
	}
	s.data = g.b.Var(Var{Name: "d", Plain: true, Len: 6, Hidden: true})
	s.meets, s.subs = size > 1 && g.chance(0.5), size > 1 && g.chance(0.4)
	s.code(k, shape[0] > 1)
	switch {
	case !hosted:
		for u := range items {
			place := memmodel.Place{Group: uint16(u / size)}
			if s.subs && g.chance(0.5) {
				place.Sub = uint16(u % size % 2)
			}
			g.b.Run(k, place)
		}
		return
	case g.chance(0.3) && items < 3:
		host.Launch(g.b.Queue(0, g.chance(0.5)), k, int64(items), int64(size))
	}
	host.Host(k, int64(items), int64(size))
	host.Finish()
}

// schedule is such a program being drawn.
type schedule struct {
	*gen
	vars        []*Var
	data        *Var
	sc          bool // all accesses are seq_cst
	ids         bool // what work-items do depends on who they are
	meets, subs bool // there are barriers, of work-groups and of sub-groups
	scope       memmodel.Scope
	flags       memmodel.Flags
}

func (s *schedule) any() *Var { return s.vars[s.IntN(3)/2] }

func (s *schedule) order(some ...memmodel.Order) memmodel.Order {
	if s.sc {
		return seqCst
	}
	return pick(s.gen, append(some, relaxed)...)
}

func (s *schedule) load(t *Thread, v *Var) Val {
	r := t.Reg()
	t.LoadInto(r, t.Addr(v, 0), s.order(acquire), s.scope)
	return r
}

func (s *schedule) store(t *Thread, v *Var, x Val) {
	if !s.sc && s.chance(0.2) {
		t.Fence(s.flags, release, s.scope)
	}
	t.Store(v, x, s.order(release), s.scope)
}

// code draws what work-items do, by who they are or not.
func (s *schedule) code(t *Thread, groups bool) {
	both := func() {
		for range pick(s.gen, 1, 1, 2) {
			s.deed(t)
		}
	}
	if !s.ids {
		both()
	} else {
		id := ir.QueryGlobalID
		if t.kernel {
			id = ir.QueryLocalID
			if groups && s.chance(0.8) {
				id = ir.QueryGroupID
			}
		}
		t.If(t.Bin(ir.Eq, t.Query(id), t.Int(s.Int64N(2))), both, both)
	}
	if s.meets {
		t.Barrier("B", s.flags, workGroup)
		if s.chance(0.4) {
			s.deed(t)
		}
	}
	if s.subs && s.chance(0.5) {
		t.SubGroupBarrier("S", s.flags, workGroup)
	}
}

func (s *schedule) deed(t *Thread) {
	a, b := s.any(), s.any()
	x := t.Int(s.Int64N(3))
	switch s.IntN(12) {
	case 0, 1: // set
		s.store(t, a, x)
	case 2, 3: // await
		t.While(func() Val { return t.Bin(pick(s.gen, ir.Eq, ir.Ne), s.load(t, a), x) }, nil)
	case 4: // a lock that may be kept
		s.lock(t, a)
	case 5: // a ticket and its turn
		r := t.Reg()
		t.RMWInto(r, ir.Add, s.vars[0], t.Int(1), s.order(acqRel), s.scope)
		t.While(func() Val { return t.Bin(ir.Ne, s.load(t, s.vars[1]), r) }, nil)
		if s.chance(0.8) {
			s.store(t, s.vars[1], t.Bin(ir.Add, r, t.Int(1)))
		}
	case 6: // meet by a counter
		t.RMW(ir.Add, a, t.Int(1), s.order(acqRel), s.scope)
		t.While(func() Val { return t.Bin(ir.Lt, s.load(t, a), t.Int(1+s.Int64N(3))) }, nil)
	case 7: // raise a flag, give way, try again
		t.While(func() Val { return t.Bin(ir.Ne, s.load(t, b), t.Int(0)) }, func() { s.store(t, a, x) })
	case 8: // go on for ever, perhaps
		t.While(func() Val { return t.Bin(ir.Ne, s.load(t, b), x) }, func() {
			s.store(t, a, t.Int(0))
			s.store(t, a, t.Int(1))
		})
	case 9: // wait for one of two
		t.While(func() Val { return t.Bin(ir.And, t.Bin(ir.Eq, s.load(t, a), x), t.Bin(ir.Eq, s.load(t, b), x)) }, nil)
	case 10: // what nobody notices
		t.StoreAt(t.Elem(s.data, t.Query(ir.QueryGlobalID)), x, memmodel.NonAtomic, memmodel.ScopeWorkItem)
		s.store(t, a, x)
	default:
		t.If(t.Choose(2), func() { s.store(t, a, x) }, nil)
	}
}

// lock draws a lock, what it guards, and mostly that it is given back.
func (s *schedule) lock(t *Thread, a *Var) {
	r := t.Reg()
	t.While(func() Val {
		if s.chance(0.5) {
			t.RMWInto(r, ir.Xchg, a, t.Int(1), s.order(acqRel, acquire), s.scope)
			return r
		}
		t.CASInto(r, t.Reg(), a, CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: s.order(acquire), FailOrder: relaxed, Scope: s.scope, Weak: s.chance(0.3)})
		return t.Bin(ir.Eq, r, t.Int(0))
	}, nil)
	if s.chance(0.7) {
		s.store(t, a, t.Int(0))
	}
}
