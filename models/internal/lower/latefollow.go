package lower

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// trace goes with the values of a group wherever they get to, and notes what depends on them and how
// (docs/exploration/late.md, "Classes of values").
func (d *deciding) trace(g *group) {
	g.outcomes, g.sinks, g.seen = nil, nil, map[node]map[string]bool{}
	for _, s := range g.sources {
		d.arrive(g, node{s.at.f, s.at.in().Dst}, ir.Unknown(), s.at)
	}
}

// maxForms bounds how many functions of an unknown value are told apart in one register.
const maxForms = 20

// arrive notes that a value of the group, as e computes it, may be in a register or in memory, where at has put it.
func (d *deciding) arrive(g *group, n node, e *ir.Expr, at place) {
	if d.changed || d.Failed != "" {
		return
	}
	switch {
	case d.isUnknown(n): // what is read there is chosen by itself
		d.Exact = false
		return
	case !d.needed(n):
		return
	}
	seen := g.seen[n]
	if seen == nil {
		seen = map[string]bool{}
		g.seen[n] = seen
	}
	if seen[e.Key()] {
		return
	}
	if seen[e.Key()] = true; len(seen) > maxForms { // it is computed anew in each round of a loop
		d.cutAt(d.made[e])
		return
	}
	if n.f == nil || n.reg < 0 {
		for _, r := range d.reads[n] {
			d.read(g, r, e)
		}
		if n.f != nil {
			for _, r := range n.f.pinned {
				d.arrive(g, node{n.f, r}, e, at)
			}
		}
		return
	}
	if n.f.slot[n.reg] >= 0 {
		d.arrive(g, node{n.f, -1}, e, at)
	}
	for _, u := range d.uses[n] {
		d.used(g, u, n.reg, e)
	}
}

// needed reports whether anything depends on what is in a register or in memory.
func (d *deciding) needed(n node) bool {
	switch {
	case n.f == nil:
		return d.needing.Objects[n.reg].how == what
	case n.reg < 0:
		return true
	}
	return n.f.regs[n.reg].how == what
}

// sink notes that something depends on a value in a place.
func (g *group) sink(at place, e *ir.Expr, truth, cuts bool) {
	g.outcomes, g.sinks = append(g.outcomes, ir.Outcome{Of: e, Truth: truth}), append(g.sinks, sink{at, cuts})
}

// guard says of addresses that nobody comes to them with a value that a check before, in the same block, does not let pass. Both must
// be computed, in this block, of one register that holds one function of an unknown value (docs/exploration/late.md, "Classes of values").
func (d *deciding) guard(g *group) {
	for i, s := range g.sinks {
		if g.outcomes[i].Truth || s.at.i == len(s.at.b.ins) {
			continue
		}
		root, since := origin(s.at, s.at.in().A)
		if root < 0 || len(g.seen[node{s.at.f, root}]) != 1 {
			continue
		}
		for j, c := range g.sinks {
			if c.at.b != s.at.b || c.at.i >= s.at.i || c.at.in().Op != ir.OpCheck {
				continue
			}
			if r, at := origin(c.at, c.at.in().A); r == root && at == since {
				g.outcomes[i].Given = append(g.outcomes[i].Given, g.outcomes[j].Of)
			}
		}
	}
}

// origin follows an operand backwards in its block through what is computed of one register and numbers. It returns that register, and the index
// of the instruction there that sets it, or -1.
func origin(at place, o int32) (root int32, since int) {
	for i := at.i - 1; i >= 0 && o >= 0; i-- {
		in := &at.b.ins[i]
		sets := false
		defs(in, func(d *int32) { sets = sets || *d == o })
		if !sets {
			continue
		}
		switch {
		case in.Op == ir.OpMove || in.Op == ir.OpUn || in.Op == ir.OpConv, in.Op == ir.OpBin && in.B < 0:
			o = in.A
		case in.Op == ir.OpBin && in.A < 0:
			o = in.B
		default:
			return o, i
		}
	}
	return o, -1
}

// read goes on where memory is read that may hold a value of the group.
func (d *deciding) read(g *group, at place, e *ir.Expr) {
	in := at.in()
	switch in.Op {
	case ir.OpLoad:
		if in.Dst >= 0 {
			d.arrive(g, node{at.f, in.Dst}, e, at)
		}
	case ir.OpRMW:
		if in.Alu != ir.Xchg { // what it writes is computed of what is there
			d.cutAt(at)
			return
		}
		if in.Dst >= 0 {
			d.arrive(g, node{at.f, in.Dst}, e, at)
		}
	case ir.OpCmpXchg:
		g.sink(at, e, false, false)
		if in.Dst2 >= 0 {
			d.arrive(g, node{at.f, in.Dst2}, e, at)
		}
	case ir.OpAsyncCopy:
		for _, m := range d.memoryAt(at.f, in.Args[0]) {
			d.arrive(g, m, e, at)
		}
	}
}

// used goes on where a register is used that may hold a value of the group.
func (d *deciding) used(g *group, at place, r int32, e *ir.Expr) {
	if at.i == len(at.b.ins) {
		g.sink(at, e, true, false)
		return
	}
	in := at.in()
	switch in.Op {
	case ir.OpNop:
	case ir.OpMove:
		d.arrive(g, node{at.f, in.Dst}, e, at)
	case ir.OpBin, ir.OpUn, ir.OpConv:
		d.computed(g, at, r, e)
	case ir.OpCheck, ir.OpAssert, ir.OpAssume:
		g.sink(at, e, true, false)
	case ir.OpStore:
		if in.A == r {
			g.sink(at, e, false, false)
		}
		if in.B == r {
			for _, m := range d.memoryAt(at.f, in.A) {
				d.arrive(g, m, e, at)
			}
		}
	case ir.OpRMW:
		d.modifies(g, at, r, e)
	case ir.OpCollective:
		d.collective(g, at, r, e)
	case ir.OpEnqueueNDRange, ir.OpEnqueueKernel, ir.OpEnqueueNative:
		d.passed(g, at, r, e)
	default: // an address, or what cannot be told better
		g.sink(at, e, false, false)
		if in.Op == ir.OpCmpXchg && in.C == r {
			for _, m := range d.memoryAt(at.f, in.A) {
				d.arrive(g, m, e, at)
			}
		}
		if in.Op == ir.OpObserve {
			d.Exact = false
		}
	}
}

// computed goes on with what is computed of a value.
func (d *deciding) computed(g *group, at place, r int32, e *ir.Expr) {
	in := at.in()
	if d.cut[at] || in.Dst < 0 || !d.needed(node{at.f, in.Dst}) {
		return
	}
	if in.Op == ir.OpBin && in.B == at.f.none { // it was written, whatever it is
		return
	}
	operand := func(o int32) (*ir.Expr, bool) {
		if k, known := at.f.Known(o); known {
			return ir.Number(k), true
		}
		return e, o == r
	}
	a, whole := operand(in.A)
	var b *ir.Expr
	if in.Op == ir.OpBin {
		var too bool
		b, too = operand(in.B)
		whole = whole && too && in.A != in.B
	}
	comparison := in.Op == ir.OpBin && in.Alu >= ir.Eq && in.Alu <= ir.Ge
	if whole {
		if next := ir.Apply(in, a, b); next != nil {
			d.made[next] = at
			d.arrive(g, node{at.f, in.Dst}, next, at)
			return
		}
	}
	if comparison && d.compared(g, at, r, e) {
		return
	}
	if comparison || in.Type.Float() || in.Op != ir.OpBin {
		d.cutAt(at)
		return
	}
	g.sink(at, e, false, true) // all values are told apart, if there are few
}

// compared notes what depends on a comparison with a value that is known of each work-item. It reports false if it is not.
func (d *deciding) compared(g *group, at place, r int32, e *ir.Expr) bool {
	in := at.in()
	other, left := in.B, true
	if in.B == r {
		other, left = in.A, false
	}
	if other < 0 || in.A == in.B {
		return false
	}
	k := d.known[at.f]
	if k == nil {
		k = &knownItems{f: at.f, items: d.itemsOf(at.f), def: at.f.definitions()}
		d.known[at.f] = k
	}
	var values []int64
	if len(k.items) == 0 || !k.all(other, func(v int64) bool {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
		return len(values) < d.most
	}) {
		return false
	}
	for _, v := range values {
		a, b := e, ir.Number(v)
		if !left {
			a, b = b, a
		}
		next := ir.Apply(in, a, b)
		if next == nil {
			return false
		}
		g.sink(at, next, true, false)
	}
	return true
}

// modifies goes on behind a read-modify-write one of whose operands is a value of the group.
func (d *deciding) modifies(g *group, at place, r int32, e *ir.Expr) {
	in := at.in()
	if in.A == r {
		g.sink(at, e, false, false)
	}
	if in.B != r {
		return
	}
	if in.Alu != ir.Xchg {
		for _, m := range d.memoryAt(at.f, in.A) {
			if d.isUnknown(m) {
				return
			}
		}
		g.sink(at, e, false, true)
		return
	}
	for _, m := range d.memoryAt(at.f, in.A) {
		d.arrive(g, m, e, at)
	}
}

// collective goes on behind a collective function.
func (d *deciding) collective(g *group, at place, r int32, e *ir.Expr) {
	in := at.in()
	if in.C == r {
		g.sink(at, e, false, false)
	}
	if in.B != r || in.Dst < 0 || d.cut[at] {
		return
	}
	if in.Group == ir.GroupBroadcast {
		d.arrive(g, node{at.f, in.Dst}, e, at)
		return
	}
	g.sink(at, e, false, true)
}

// passed goes on in a kernel that is passed a value.
func (d *deciding) passed(g *group, at place, r int32, e *ir.Expr) {
	in := at.in()
	to := d.p.funcs[in.Target]
	for _, f := range d.funcs {
		if f.Func != to {
			continue
		}
		fixed := len(in.Args) - len(f.params)
		for i, o := range in.Args {
			switch {
			case o != r:
			case i < fixed:
				g.sink(at, e, false, false)
			default:
				d.arrive(g, node{f, f.params[i-fixed]}, e, at)
			}
		}
	}
}
