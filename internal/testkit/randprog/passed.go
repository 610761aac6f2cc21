package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// passed draws units in a ring, each of which reads one variable and writes the next one,
// and passes something on the way, before it or after it that may order the two for others: a fence, or another
// operation on what it has read or is going to write, or on a third. Mostly a variable is written by
// read-modify-writes only, so that who acquires it later acquires what was read of it before.
// Sometimes a host sets them first, and what is read is compared with what it has set.
func (g *gen) passed() {
	p := &passer{gen: g, vars: []*Var{g.b.Atomic("x"), g.b.Atomic("y")}, scope: pick(g, device, device, device, workGroup), set: -1}
	if g.chance(0.5) {
		p.vars = append(p.vars, g.b.Atomic("c"))
	}
	for range p.vars {
		p.chained = append(p.chained, g.chance(0.7))
	}
	p.flags = globalFlag
	switch {
	case g.chance(0.2):
		g.b.Var(Var{Name: "d", Region: memmodel.Local, Plain: true, Hidden: true}) // which is in nobody's way
	case g.chance(0.1):
		p.vars[1] = g.b.LocalAtomic("l")
		p.flags = bothFlags
	}
	units := pick(g, 2, 2, 2, 3)
	if g.chance(0.6) {
		for i := range units {
			t := g.b.Thread(memmodel.Place{Group: uint16(g.IntN(2))})
			if i == 2 && g.chance(0.7) {
				p.link(t)
				continue
			}
			p.unit(t, i)
		}
		return
	}
	host, k := g.b.Thread(memmodel.Place{Host: true}), g.b.Kernel("k")
	p.set = int64(1 + g.IntN(2))
	for _, v := range p.vars {
		if v.Region == memmodel.Global {
			host.Store(v, host.Int(p.set), relaxed, device)
		}
	}
	id := k.Query(ir.QueryGlobalID)
	for i := range units {
		k.If(k.Bin(ir.Eq, id, k.Int(int64(i))), func() { p.unit(k, i) }, nil)
	}
	host.Host(k, int64(units), pick(g, 1, int64(units)))
	host.Finish()
}

// passer draws units that pass something.
type passer struct {
	*gen
	vars    []*Var
	chained []bool // by variable: it is written by read-modify-writes, as a rule
	scope   memmodel.Scope
	flags   memmodel.Flags
	set     int64 // what the host has set the variables to, or -1
}

// unit draws what unit i does.
func (p *passer) unit(t *Thread, i int) {
	from, to := i%2, (i+1)%2
	r := t.Reg()
	t.Set(r, t.Int(0))
	for range p.IntN(2) {
		p.way(t, from, to)
	}
	p.read(t, r, from)
	for range pick(p.gen, 0, 1, 1, 1, 2) {
		p.way(t, from, to)
	}
	write := func() { p.write(t, to, pick(p.gen, relaxed, relaxed, relaxed, release)) }
	if p.set >= 0 && p.chance(0.5) {
		t.If(t.Bin(pick(p.gen, ir.Lt, ir.Eq, ir.Ne), r, t.Int(p.set)), write, nil)
	} else {
		write()
	}
	if p.chance(0.2) {
		p.way(t, from, to)
	}
	if p.set >= 0 {
		t.ObservePerItem(r)
	} else {
		t.Observe(r)
	}
}

// link draws a unit that only changes a variable that the others hand something on by.
func (p *passer) link(t *Thread) {
	v := p.IntN(2)
	switch p.IntN(4) {
	case 0:
		t.Store(p.vars[v], t.Int(5), relaxed, p.usual())
	case 1: // which breaks the chain
		t.Load(p.vars[v], relaxed, p.usual())
		t.Store(p.vars[v], t.Int(5), relaxed, p.usual())
	default:
		t.RMW(ir.Add, p.vars[v], t.Int(8), pick(p.gen, release, release, relaxed, acqRel), p.usual())
	}
}

// usual is the scope of nearly all operations.
func (p *passer) usual() memmodel.Scope {
	if p.chance(0.1) {
		return pick(p.gen, workGroup, device)
	}
	return p.scope
}

func (p *passer) read(t *Thread, r Val, v int) {
	o := pick(p.gen, relaxed, relaxed, relaxed, acquire)
	if p.chance(0.2) {
		t.RMWInto(r, pick(p.gen, ir.Or, ir.Add), p.vars[v], t.Int(pick[int64](p.gen, 0, 4)), o, p.usual())
		return
	}
	t.LoadInto(r, t.Addr(p.vars[v], 0), o, p.usual())
}

func (p *passer) write(t *Thread, v int, o memmodel.Order) {
	if p.chained[v] != p.chance(0.07) {
		t.RMW(pick(p.gen, ir.Add, ir.Add, ir.Xchg), p.vars[v], t.Int(1), o, p.usual())
		return
	}
	t.Store(p.vars[v], t.Int(pick[int64](p.gen, 1, 1, 3)), o, p.usual())
}

// way draws something that is passed.
func (p *passer) way(t *Thread, from, to int) {
	v := pick(p.gen, from, from, to, p.IntN(len(p.vars)))
	switch p.IntN(8) {
	case 0, 1:
		flags := p.flags
		if p.chance(0.1) {
			flags = pick(p.gen, globalFlag, localFlag)
		}
		t.Fence(flags, pick(p.gen, acquire, release, acqRel), p.usual())
	case 2:
		t.Load(p.vars[v], pick(p.gen, acquire, acquire, relaxed), p.usual())
	case 3:
		p.write(t, v, pick(p.gen, relaxed, release))
	case 4: // a failure may acquire less than a success
		ok, old := t.Reg(), t.Reg()
		t.CASInto(ok, old, p.vars[v], CmpXchg{Expected: t.Int(int64(p.IntN(2))), Desired: t.Int(4), Order: pick(p.gen, acquire, acqRel), FailOrder: pick(p.gen, relaxed, acquire), Scope: p.usual()})
	default:
		t.RMW(pick(p.gen, ir.Add, ir.Or), p.vars[v], t.Int(pick[int64](p.gen, 0, 2)), pick(p.gen, acquire, acqRel, release, relaxed), p.usual())
	}
}
