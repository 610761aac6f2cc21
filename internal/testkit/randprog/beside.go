package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// beside draws kernels whose work-items wait in rounds of several reads, and a host that initialises what they wait for, plainly or atomically,
// before it enqueues them, or beside them; that writes, reads or waits beside them; and that reads everything when it has waited for them, and
// perhaps begins once more. There may be a second kernel in the queue, a second host thread, a user event that the kernel waits for, and a
// work-item that initialises before a barrier.
func (g *gen) beside() {
	s := &besides{gen: g, scope: device, kind: memmodel.CoarseSVM}
	if g.chance(0.6) {
		s.scope, s.kind = allSVM, memmodel.FineSVMAtomics
	}
	for i := range 2 {
		s.vars = append(s.vars, g.b.Var(Var{Name: string("xy"[i]), Kind: s.kind}))
	}
	s.data = g.b.Var(Var{Name: "d", Kind: s.kind, Plain: true})
	host := g.b.Thread(memmodel.Place{Host: true})
	for range pick(g, 0, 1, 1, 2) {
		s.onHost(host, false)
	}
	var events []Val
	if g.chance(0.2) {
		events = append(events, host.UserEvent())
	}
	k := s.kernel("k")
	items := pick(g, int64(1), 2, 2)
	host.Launch(0, k, items, pick(g, 1, items), events...)
	if g.chance(0.15) {
		t := g.b.HostThread("T", 0)
		s.onHost(t, true)
		host.Go(t)
	}
	for range pick(g, 0, 0, 1, 1, 2) {
		s.onHost(host, true)
	}
	for _, e := range events {
		host.SetEvent(e, 0)
	}
	if g.chance(0.25) {
		if g.chance(0.5) {
			k = s.kernel("l")
		}
		host.Launch(0, k, 1, 1)
		if g.chance(0.3) {
			s.onHost(host, true)
		}
	}
	if g.chance(0.8) {
		host.Finish()
		for range pick(g, 0, 1, 2) {
			s.onHost(host, false)
		}
		if g.chance(0.2) {
			host.Launch(0, k, 1, 1)
			host.Finish()
		}
	}
}

// besides is such a program being drawn.
type besides struct {
	*gen
	vars  []*Var
	data  *Var
	scope memmodel.Scope
	kind  memmodel.Kind
}

func (s *besides) any() *Var { return s.vars[s.IntN(2)] }

// onHost draws a step of the host, which may come beside kernels.
func (s *besides) onHost(t *Thread, beside bool) {
	x := s.any()
	if beside && s.chance(0.25) {
		s.wait(t, allSVM)
		return
	}
	if beside && s.chance(0.4) { // once something has been seen, which orders nothing, or does
		t.If(t.Bin(ir.Ne, s.read(t, s.any(), allSVM), t.Int(0)), func() { s.access(t, x) }, nil)
		return
	}
	s.access(t, x)
}

// access draws an access by the host.
func (s *besides) access(t *Thread, x *Var) {
	switch s.IntN(8) {
	case 0, 1:
		t.Write(x, t.Int(s.Int64N(2)))
	case 2, 3:
		t.Store(x, t.Int(s.Int64N(2)), pick(s.gen, relaxed, release), allSVM)
	case 4:
		t.Load(x, pick(s.gen, relaxed, acquire), allSVM)
	case 5:
		t.RMW(ir.Add, x, t.Int(1), pick(s.gen, relaxed, acqRel), allSVM)
	case 6:
		t.Write(s.data, t.Int(1))
	default:
		t.Read(s.data)
	}
}

// kernel draws one: a first work-item that does the one and others that do the other, each of several steps.
func (s *besides) kernel(name string) *Thread {
	k := s.b.Kernel(name)
	meet := s.chance(0.2)
	if meet {
		k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(0)), func() { k.Write(s.any(), k.Int(s.Int64N(2))) }, nil)
		k.Barrier("B", pick(s.gen, globalFlag, globalFlag, localFlag), workGroup)
	}
	steps := func() {
		for range pick(s.gen, 1, 2, 2, 3) {
			s.step(k)
		}
	}
	if s.chance(0.7) {
		k.If(k.Bin(ir.Eq, k.Query(ir.QueryGlobalID), k.Int(0)), steps, steps)
	} else {
		steps()
	}
	return k
}

// step draws what a work-item does.
func (s *besides) step(k *Thread) {
	x := s.any()
	switch s.IntN(10) {
	case 0, 1, 2:
		s.wait(k, s.scope)
	case 3, 4, 5:
		k.Store(x, k.Int(s.Int64N(2)), pick(s.gen, relaxed, release), s.scope)
	case 6:
		k.Blind(ir.Add, x, k.Int(1), relaxed, s.scope)
	case 7:
		s.locked(k, x)
	case 8:
		k.Write(s.data, k.Int(2))
	default:
		k.Read(s.data)
	}
}

// read returns what is read into a register that does not belong to the outcome.
func (s *besides) read(t *Thread, x *Var, scope memmodel.Scope) Val {
	r := t.Reg()
	t.LoadInto(r, t.Addr(x, 0), pick(s.gen, relaxed, relaxed, acquire), scope)
	return r
}

// wait draws rounds of waiting, mostly of several reads.
func (s *besides) wait(t *Thread, scope memmodel.Scope) {
	t.While(func() Val {
		cond := t.Bin(ir.Eq, s.read(t, s.any(), scope), t.Int(0))
		for range pick(s.gen, 0, 1, 1, 1, 2) {
			cond = t.Bin(ir.And, cond, t.Bin(ir.Eq, s.read(t, s.any(), scope), t.Int(0)))
		}
		return cond
	}, nil)
}

// locked draws a lock that is looked at before it is taken, and data behind it.
func (s *besides) locked(k *Thread, x *Var) {
	r, free := k.Reg(), k.Reg()
	k.Set(free, k.Int(0))
	k.While(func() Val { return k.Bin(ir.Eq, free, k.Int(0)) }, func() {
		k.If(k.Bin(ir.Eq, s.read(k, x, s.scope), k.Int(0)), func() {
			k.RMWInto(r, ir.Xchg, x, k.Int(1), acquire, s.scope)
			k.Set(free, k.Bin(ir.Eq, r, k.Int(0)))
		}, nil)
	})
	if s.chance(0.6) {
		k.Write(s.data, k.Int(3))
	}
	if s.chance(0.8) {
		k.Store(x, k.Int(0), pick(s.gen, relaxed, release), s.scope)
	}
}
