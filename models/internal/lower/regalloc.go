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
//
// What occurs in the code is numbered, and the sets are of those numbers: most virtual registers are gone by now.
type allocator struct {
	*Func
	blocks  []*Block
	targets []string // what each virtual register may point to
	order   []int32  // the virtual registers that occur, by their numbers
	number  []int32  // of each virtual register, or -1
	rep     []int32  // union-find over those that share
	clash   []bitset // of each representative: those it may not share with
}

// allocate assigns machine registers to the function's virtual registers.
func (f *Func) allocate() *allocation {
	a := &allocator{Func: f, blocks: f.order(), targets: f.pointers()}
	a.enumerate()
	a.findClashes()
	a.coalesce()
	return a.colour()
}

// enumerate numbers the registers in the order in which they get one of the machine.
func (a *allocator) enumerate() {
	a.number = make([]int32, len(a.names))
	for r := range a.number {
		a.number[r] = -1
	}
	note := func(r int32) {
		if r >= 0 && a.number[r] < 0 {
			a.number[r] = int32(len(a.order))
			a.order = append(a.order, r)
		}
	}
	for _, b := range a.blocks {
		for j := len(b.ins) - 1; j >= 0; j-- {
			uses(&b.ins[j], func(o *int32) { note(*o) })
			defs(&b.ins[j], func(d *int32) { note(*d) })
		}
	}
	for _, p := range a.params {
		note(p)
	}
	for _, b := range a.blocks {
		if b.op == ir.OpBranch {
			note(b.cond) // of private memory that only stores write
		}
	}
	for i := range a.order {
		a.rep = append(a.rep, int32(i))
	}
}

func (a *allocator) find(i int32) int32 {
	for a.rep[i] != i {
		a.rep[i] = a.rep[a.rep[i]] // shorter for the next who asks
		i = a.rep[i]
	}
	return i
}

// findClashes finds the registers that are needed at the same time.
func (a *allocator) findClashes() {
	a.clash = make([]bitset, len(a.order))
	out := a.liveness(a.blocks)
	live := newBitset(len(a.order))
	var start bitset // the registers live at the start: parameters
	for i, b := range a.blocks {
		clear(live)
		out.each(i, func(r int32) { live.add(a.number[r]) })
		if b.op == ir.OpBranch && b.cond >= 0 {
			live.add(a.number[b.cond])
		}
		for j := len(b.ins) - 1; j >= 0; j-- {
			in := &b.ins[j]
			a.clashAt(in, live)
			defs(in, func(d *int32) { live.remove(a.number[*d]) })
			uses(in, func(o *int32) {
				if *o >= 0 {
					live.add(a.number[*o])
				}
			})
		}
		if i == 0 {
			start = slices.Clone(live)
		}
	}
	for _, p := range a.params {
		start.add(a.number[p])
	}
	for _, p := range a.params {
		start.each(func(i int32) { a.addClash(a.number[p], i) })
	}
}

// clashAt notes that what the instruction assigns clashes with what is live
// after it; a copy need not clash with its source. The results of an atomic
// operation also clash with its operands, so that the machine may assign them
// in any order.
func (a *allocator) clashAt(in *ir.Instr, live bitset) {
	defs(in, func(d *int32) {
		n := a.number[*d]
		live.each(func(i int32) {
			if in.Op != ir.OpMove || a.order[i] != in.A {
				a.addClash(n, i)
			}
		})
		defs(in, func(o *int32) { a.addClash(n, a.number[*o]) })
		if in.Op == ir.OpRMW || in.Op == ir.OpCmpXchg {
			uses(in, func(o *int32) {
				if *o >= 0 {
					a.addClash(n, a.number[*o])
				}
			})
		}
	})
}

func (a *allocator) addClash(i, j int32) {
	if i == j {
		return
	}
	for _, p := range [...][2]int32{{i, j}, {j, i}} {
		if a.clash[p[0]] == nil {
			a.clash[p[0]] = newBitset(len(a.order))
		}
		a.clash[p[0]].add(p[1])
	}
}

// coalesce lets copies share the register of their source.
func (a *allocator) coalesce() {
	fixed := newBitset(len(a.order))
	for _, p := range a.params {
		fixed.add(a.number[p])
	}
	for _, b := range a.blocks {
		for _, in := range b.ins {
			if in.Op != ir.OpMove || in.A < 0 || a.slot[in.Dst] >= 0 || a.slot[in.A] >= 0 {
				continue
			}
			d, s := a.find(a.number[in.Dst]), a.find(a.number[in.A])
			if d == s || fixed.has(d) && fixed.has(s) || a.target(d) != a.target(s) || a.clash[d] != nil && a.clash[d].has(s) {
				continue
			}
			if fixed.has(d) || !fixed.has(s) && a.clash[d].count() > a.clash[s].count() {
				d, s = s, d // fewer clashes have to move
			}
			a.merge(d, s)
		}
	}
}

// target returns what the register with a number may point to.
func (a *allocator) target(i int32) string { return a.targets[a.order[i]] }

// merge makes s the representative of d.
func (a *allocator) merge(d, s int32) {
	a.rep[d] = s
	if a.clash[d] == nil {
		return
	}
	if a.clash[s] == nil {
		a.clash[s] = newBitset(len(a.order))
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
	for i, r := range a.order {
		rep := a.find(int32(i))
		to := &out.of[a.order[rep]]
		if *to < 0 {
			*to = a.lowest(rep, out, holds)
			if int(*to) == out.regs {
				out.regs++
				holds = append(holds, a.target(rep))
			}
		}
		out.of[r] = *to
	}
	out.names = a.registerNames(out)
	return out
}

// lowest returns the lowest register that rep may have; it may be a new one.
func (a *allocator) lowest(rep int32, out *allocation, holds []string) int32 {
	taken := make([]bool, out.regs+1)
	if a.clash[rep] != nil {
		a.clash[rep].each(func(i int32) {
			if c := out.of[a.order[a.find(i)]]; c >= 0 {
				taken[c] = true
			}
		})
	}
	for c := a.private; int(c) < out.regs; c++ {
		if !taken[c] && holds[c] == a.target(rep) {
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
		if c >= 0 && name != "" && !slices.Contains(names[c], name) && (a.number[r] >= 0 || a.slot[r] >= 0) {
			names[c] = append(names[c], name)
		}
	}
	joined := make([]string, out.regs)
	for c, n := range names {
		joined[c] = strings.Join(n, "/")
	}
	return joined
}
