package lower

import (
	"slices"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// allocation maps virtual registers to the registers of the machine.
type allocation struct {
	regs  int
	of    []int32 // by virtual register
	names []string
}

// allocator assigns registers. The machine copies a work-item's registers at
// every step, so there should be few: values that are never needed at the same
// time share one, and a copy shares that of its source if it can.
//
// Registers that may hold pointers to different objects are kept apart, since the
// analysis of what an instruction may access (ir.PointsTo) goes by register.
type allocator struct {
	*Func
	blocks  []*Block
	rep     []int32  // union-find over virtual registers that share
	clash   []bitset // of each representative: those it may not share with
	targets []string // what each may point to
	used    bitset
	order   []int32
}

// allocate assigns machine registers to the function's virtual registers.
func (f *Func) allocate() *allocation {
	a := &allocator{Func: f, blocks: f.order(), used: newBitset(len(f.names)), targets: f.pointers()}
	for i := range f.names {
		a.rep = append(a.rep, int32(i))
	}
	a.findClashes()
	a.coalesce()
	return a.colour()
}

func (a *allocator) find(r int32) int32 {
	for a.rep[r] != r {
		a.rep[r] = a.rep[a.rep[r]] // shorter for the next who asks
		r = a.rep[r]
	}
	return r
}

// findClashes finds the registers that are needed at the same time.
func (a *allocator) findClashes() {
	a.clash = make([]bitset, len(a.names))
	out := a.liveness(a.blocks)
	var start bitset // the registers live at the start: parameters
	for i, b := range a.blocks {
		live := out.at(i)
		if b.op == ir.OpBranch && b.cond >= 0 {
			live.add(b.cond)
		}
		for j := len(b.ins) - 1; j >= 0; j-- {
			a.clashAt(&b.ins[j], live)
			step(&b.ins[j], live)
		}
		if i == 0 {
			start = slices.Clone(live)
		}
	}
	for _, p := range a.params {
		a.note(p)
		start.add(p)
	}
	for _, p := range a.params {
		start.each(func(r int32) { a.addClash(p, r) })
	}
}

// clashAt notes that what the instruction assigns clashes with what is live
// after it; a copy need not clash with its source. The results of an atomic
// operation also clash with its operands, so that the machine may assign them
// in any order.
func (a *allocator) clashAt(in *ir.Instr, live bitset) {
	uses(in, func(o *int32) {
		if *o >= 0 {
			a.note(*o)
		}
	})
	defs(in, func(d *int32) {
		a.note(*d)
		live.each(func(r int32) {
			if in.Op != ir.OpMove || r != in.A {
				a.addClash(*d, r)
			}
		})
		defs(in, func(o *int32) { a.addClash(*d, *o) })
		if in.Op == ir.OpRMW || in.Op == ir.OpCmpXchg {
			uses(in, func(o *int32) {
				if *o >= 0 {
					a.addClash(*d, *o)
				}
			})
		}
	})
}

// note records that a register occurs.
func (a *allocator) note(r int32) {
	if !a.used.has(r) {
		a.used.add(r)
		a.order = append(a.order, r)
	}
}

func (a *allocator) addClash(r, s int32) {
	if r == s {
		return
	}
	for _, p := range [...][2]int32{{r, s}, {s, r}} {
		if a.clash[p[0]] == nil {
			a.clash[p[0]] = newBitset(len(a.names))
		}
		a.clash[p[0]].add(p[1])
	}
}

// coalesce lets copies share the register of their source.
func (a *allocator) coalesce() {
	fixed := newBitset(len(a.names))
	for _, p := range a.params {
		fixed.add(p)
	}
	for _, b := range a.blocks {
		for _, in := range b.ins {
			if in.Op != ir.OpMove || in.A < 0 || a.slot[in.Dst] >= 0 || a.slot[in.A] >= 0 {
				continue
			}
			d, s := a.find(in.Dst), a.find(in.A)
			if d == s || fixed.has(d) && fixed.has(s) || a.targets[d] != a.targets[s] || a.clash[d] != nil && a.clash[d].has(s) {
				continue
			}
			if fixed.has(d) || !fixed.has(s) && a.clash[d].count() > a.clash[s].count() {
				d, s = s, d // fewer clashes have to move
			}
			a.merge(d, s)
		}
	}
}

// merge makes s the representative of d.
func (a *allocator) merge(d, s int32) {
	a.rep[d] = s
	if a.clash[d] == nil {
		return
	}
	if a.clash[s] == nil {
		a.clash[s] = newBitset(len(a.names))
	}
	to := a.clash[s]
	a.clash[d].each(func(r int32) {
		if !to.has(r) {
			to.add(r)
			a.clash[r].add(s)
		}
	})
}

// colour gives every representative the lowest register that none it clashes
// with has.
func (a *allocator) colour() *allocation {
	out := &allocation{regs: int(a.private) + len(a.params), of: make([]int32, len(a.names))}
	holds := make([]string, out.regs) // what the register may point to
	for i := range out.of {
		out.of[i] = -1
		if a.slot[i] >= 0 {
			out.of[i] = a.slot[i]
		}
	}
	for i, p := range a.params {
		out.of[p] = a.private + int32(i)
		holds[out.of[p]] = a.targets[p]
	}
	for _, r := range a.order {
		rep := a.find(r)
		if out.of[rep] < 0 {
			c := a.lowest(rep, out, holds)
			if int(c) == out.regs {
				out.regs++
				holds = append(holds, a.targets[rep])
			}
			out.of[rep] = c
		}
		out.of[r] = out.of[rep]
	}
	out.names = a.registerNames(out)
	return out
}

// lowest returns the lowest register that rep may have; it may be a new one.
func (a *allocator) lowest(rep int32, out *allocation, holds []string) int32 {
	taken := make([]bool, out.regs+1)
	if a.clash[rep] != nil {
		a.clash[rep].each(func(r int32) {
			if c := out.of[a.find(r)]; c >= 0 {
				taken[c] = true
			}
		})
	}
	for c := a.private; int(c) < out.regs; c++ {
		if !taken[c] && holds[c] == a.targets[rep] {
			return c
		}
	}
	return int32(out.regs)
}

// registerNames returns the source names of each register: "i", or "i/j" when
// variables share it.
func (a *allocator) registerNames(out *allocation) []string {
	names := make([][]string, out.regs)
	for r, name := range a.names {
		c := out.of[r]
		if c >= 0 && name != "" && !slices.Contains(names[c], name) && (a.used.has(int32(r)) || a.slot[r] >= 0) {
			names[c] = append(names[c], name)
		}
	}
	joined := make([]string, out.regs)
	for c, n := range names {
		joined[c] = strings.Join(n, "/")
	}
	return joined
}
