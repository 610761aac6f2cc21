package randprog

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// symmetric draws several units of execution that run the same code, most of the
// time without asking who they are, in one or several work-groups. What they
// read goes into a sum, which does not tell them apart either. Some programs
// have a host that starts them as a kernel.
func (g *gen) symmetric() {
	var host *Thread
	if g.chance(0.4) {
		host = g.b.Thread(memmodel.Place{Host: true})
	}
	k := g.b.Code()
	d := &drawing{gen: g, profile: g.symmetricProfile()}
	if d.chance(d.uniform) {
		d.scopes = scopes{pick(g, d.scopes...)}
	}
	shape := g.symmetricShape()
	d.oneGroup = shape.groups == 1
	d.symmetricVariables(k)
	sum := g.b.Atomic("sum")
	switch {
	case g.chance(0.06):
		shape = symmetricShape{4, 2}
		g.meeting(k, d.atomics[0], sum)
	case g.chance(0.5):
		g.roles(k, shape.units, d.atomics[0], sum)
	default:
		d.symmetricCode(k, pick(g, 1, 2, 2, 3), sum)
	}
	if host != nil {
		host.Host(k, int64(shape.units), int64(shape.units/shape.groups))
		host.Finish()
		host.Load(d.atomics[0], relaxed, allSVM)
		return
	}
	for u := range shape.units {
		place := memmodel.Place{Group: uint16(u % shape.groups)}
		if d.subGroups {
			place.Sub = uint16(u / shape.groups % 2)
		}
		g.b.Run(k, place)
	}
	shared := !slices.ContainsFunc(g.b.prog.Objects, func(o ir.Object) bool { return o.Func >= 0 })
	if shape.units < 4 && shared && g.chance(0.4) { // one that differs
		d.thread(pick(g, 1, 2))
	}
}

type symmetricShape struct{ units, groups int }

func (g *gen) symmetricShape() symmetricShape {
	return pick(g, symmetricShape{2, 1}, symmetricShape{2, 2}, symmetricShape{3, 1}, symmetricShape{3, 3}, symmetricShape{4, 2}, symmetricShape{4, 1})
}

func (g *gen) symmetricProfile() profile {
	p := pick(g, globProfile, rsProfile, scProfile, mixProfile, barProfile, localProfile, subGroupProfile)()
	p.devices, p.kinds = 0, []memmodel.Kind{memmodel.CoarseSVM}
	p.barrier = max(p.barrier, 0.2)
	return p
}

// symmetricVariables declares what the units share, some of it with their
// work-group only.
func (d *drawing) symmetricVariables(k *Thread) {
	owner := func() (*Thread, memmodel.Region) {
		if d.chance(0.3) {
			return k, memmodel.Local
		}
		return nil, memmodel.Global
	}
	for i := range pick(d.gen, 1, 2, 2) {
		v := Var{Name: string("xy"[i]), Kind: pick(d.gen, d.kinds...)}
		if i > 0 {
			v.Owner, v.Region = owner()
		}
		d.atomics = append(d.atomics, d.b.Var(v))
	}
	if d.chance(0.4) {
		v := Var{Name: "d", Kind: pick(d.gen, d.kinds...), Plain: true}
		v.Owner, v.Region = owner()
		d.data = d.b.Var(v)
	}
}

// symmetricCode draws the code, of n accesses.
func (d *drawing) symmetricCode(t *Thread, n int, sum *Var) {
	d.barriers = d.chance(d.barrier)
	d.barFlags = pick(d.gen, 0, globalFlag, localFlag, bothFlags)
	d.barScope = pick(d.gen, workGroup, workGroup, device)
	meet := d.IntN(n + 1)
	var loaded []Val
	if d.chance(0.15) {
		id := t.Query(pick(d.gen, ir.QueryLocalID, ir.QueryGroupID, ir.QueryGlobalID, ir.QueryNumGroups))
		if d.chance(0.5) { // some are alike in that
			id = t.Bin(pick(d.gen, ir.Lt, ir.And), id, t.Int(1))
		}
		loaded = append(loaded, id)
	}
	for i := range n {
		if i == meet {
			d.meet(t)
		}
		if d.chance(d.fence / 2) {
			t.Fence(pick(d.gen, d.flags...), pick(d.gen, d.fences...), pick(d.gen, d.scopes...))
		}
		loaded = d.step(t, loaded)
		if k := len(loaded); k > 0 && d.chance(0.2) {
			t.ExitUnless(loaded[k-1])
		}
	}
	if meet == n {
		d.meet(t)
	}
	if len(loaded) == 0 {
		return
	}
	total := t.Int(0)
	for _, r := range loaded {
		total = t.Bin(ir.Add, t.Bin(ir.Mul, total, t.Int(3)), r)
	}
	t.RMW(ir.Add, sum, total, relaxed, device)
	if d.chance(0.1) {
		t.ObservePerItem(total)
	}
}

// roles draws code that first draws a role, by which it then differs: the units
// are alike, but each execution has all of the roles. Some of them wait.
func (g *gen) roles(t *Thread, units int, x, sum *Var) {
	y, d := g.b.Atomic("z"), g.b.Plain("e")
	role := t.RMW(ir.Add, g.b.Atomic("role"), t.Int(1), relaxed, device)
	weight := int64(1)
	for i := range units {
		t.If(t.Bin(ir.Eq, role, t.Int(int64(i))), func() {
			if r := g.role(t, x, y, d); r != t.Int(0) {
				t.RMW(ir.Add, sum, t.Bin(ir.Mul, r, t.Int(weight)), relaxed, device)
			}
		}, nil)
		weight *= 4
	}
}

// meeting draws code that shows who shares a work-group by a barrier alone.
func (g *gen) meeting(t *Thread, x, sum *Var) {
	t.Blind(ir.Add, x, t.Int(1), pick(g, relaxed, release), device)
	if g.chance(0.3) {
		t.ExitUnless(t.Bin(ir.Lt, t.Load(x, relaxed, device), t.Int(3)))
	}
	t.Barrier("meeting", pick(g, globalFlag, 0), pick(g, workGroup, device))
	t.RMW(ir.Add, sum, t.Load(x, pick(g, relaxed, acquire), device), relaxed, device)
}

// role draws what a unit does in its role, and returns what it has seen.
func (g *gen) role(t *Thread, x, y, d *Var) Val {
	any := func() *Var { return pick(g, x, y) }
	load, store := pick(g, relaxed, acquire, acquire), pick(g, relaxed, release, release)
	switch g.IntN(6) {
	case 0: // await one of two
		t.While(func() Val {
			r := t.Bin(ir.Eq, t.Load(x, load, device), t.Int(0))
			return t.Bin(ir.And, r, t.Bin(ir.Eq, t.Load(y, load, device), t.Int(0)))
		}, nil)
		return t.Read(d)
	case 1: // await
		v := any()
		t.While(func() Val { return t.Bin(ir.Eq, t.Load(v, load, device), t.Int(0)) }, nil)
		return t.Load(any(), load, device)
	case 2: // look, then write
		r := t.Load(any(), load, device)
		t.Store(any(), t.Bin(ir.Add, r, t.Int(1)), store, device)
		return r
	case 3: // publish
		t.Write(d, t.Int(1))
		t.Store(any(), t.Int(1), store, device)
		return t.Int(0)
	case 4: // publish both
		t.Store(x, t.Int(1), store, device)
		t.Store(y, t.Int(2), store, device)
		return t.Int(0)
	}
	return t.Bin(ir.Add, t.Bin(ir.Mul, t.Load(any(), load, device), t.Int(3)), t.Load(any(), load, device))
}
