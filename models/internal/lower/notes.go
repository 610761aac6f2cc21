package lower

import "github.com/clmc/clmc/state/ir"

// Reports tell the values of private variables, most of which the code does not keep:
// it keeps what is needed, where it is needed. While code is built, two kinds of OpNop stand
// in it that no pass may heed and that end up beside it, in Func.Notes:
//
//   - a note, Var > 0: the variable has the value of operand A from here on, or, if
//     A is unkept, one that is not known;
//   - a loss, Var < 0: here was an assignment of register Dst, which nothing needed.
//
// A value that is not certain to be the variable's is not told.

// unkept is the operand of a note whose variable's value is not kept.
const unkept = int32(-1 << 31)

// maxNoted bounds the cells of a variable that notes are taken of.
const maxNoted = 16

func isNote(in *ir.Instr) bool { return in.Op == ir.OpNop && in.Var > 0 }
func isLoss(in *ir.Instr) bool { return in.Op == ir.OpNop && in.Var < 0 }

// onlyNotes reports whether instructions do nothing.
func onlyNotes(ins []ir.Instr) bool {
	for i := range ins {
		if ins[i].Op != ir.OpNop {
			return false
		}
	}
	return true
}

// lose replaces an assignment that nothing needs.
func (f *Func) lose(in *ir.Instr) {
	f.lossy[in.Dst] = true
	*in = ir.Instr{Op: ir.OpNop, Var: -1, Dst: in.Dst}
}

// renote replaces the operand of a note by what it is a copy of. A register that has lost an
// assignment is not only what the others say.
func (f *Func) renote(in *ir.Instr, copies map[int32]int32) {
	for in.A >= 0 && !f.lossy[in.A] {
		to, ok := copies[in.A]
		if !ok {
			return
		}
		in.A = to
	}
}

// forget takes back, at the start of a block, what notes of an empty block said that one
// way there led through.
func (b *Block) forget(notes []ir.Instr) {
	type about struct{ variable, register int32 }
	known := map[about]bool{}
	for k := 0; k < len(b.ins) && b.ins[k].Op == ir.OpNop; k++ {
		if in := &b.ins[k]; in.A == unkept {
			known[about{in.Var, in.Dst}] = true
		}
	}
	var out []ir.Instr
	for _, in := range notes {
		if in.A = unkept; !known[about{in.Var, in.Dst}] {
			known[about{in.Var, in.Dst}] = true
			out = append(out, in)
		}
	}
	if len(out) > 0 {
		b.ins = append(out, b.ins...)
	}
}

// variable returns the number of a variable in the function's table.
func (f *Func) variable(v ir.Var) int32 {
	if n, ok := f.varAt[v]; ok {
		return n
	}
	n := int32(len(f.vars))
	f.vars = append(f.vars, v)
	f.varAt[v] = n
	return n
}

// Note takes note, for reports, that a variable of that layout has the value in registers
// or constants, from cell `from` on, when the code comes here. Of what is assigned later a
// further note must tell.
func (f *Func) Note(v ir.Var, layout *ir.Layout, from int, regs []int32) {
	if v.Name == "" || v.Name == "_" || f.number < 0 || f.Full() || from+len(regs) > min(maxNoted, layout.Cells()) {
		return
	}
	for i, r := range regs {
		cell, path := layout.Cell(from + i)
		part := v
		part.Name, part.Type = v.Name+path, cell.Type
		f.cur.ins = append(f.cur.ins, ir.Instr{Op: ir.OpNop, Var: f.variable(part), A: r, Pos: f.At})
	}
}

// CheckOf emits a test of what the text says: an operand, as the source writes it, which
// reports quote.
func (f *Func) CheckOf(what string, kind ir.Check, cond int32) {
	if v, ok := f.Known(cond); ok && v != 0 {
		return
	}
	in := ir.Instr{Op: ir.OpCheck, Check: kind, A: cond}
	if what != "" {
		in.Var = f.variable(ir.Var{Name: what})
	}
	f.Emit(in)
}

// CheckIndexOf emits the test 0 <= i < n of an index of what the text says.
func (f *Func) CheckIndexOf(what string, i, n int32) {
	cond := f.Bin(ir.Lt, ir.U64, i, n)
	f.CheckOf(what, ir.CheckIndex, cond)
	if v, ok := f.Known(cond); ok && v == 0 && !f.Full() {
		in := &f.cur.ins[len(f.cur.ins)-1]
		in.Alu, in.Type, in.B, in.C = ir.Lt, ir.U64, i, n
	}
}

// keepFolded lets a test whose outcome is about to become known keep what was compared.
func (f *Func) keepFolded(in *ir.Instr, copies map[int32]int32) {
	if in.Op != ir.OpCheck && in.Op != ir.OpAssert {
		return
	}
	for o := in.A; o >= 0; {
		if e, ok := f.folded[o]; ok {
			_, left := f.Known(e.A)
			_, right := f.Known(e.B)
			if e.Op == ir.OpBin && e.Alu >= ir.Eq && e.Alu <= ir.Ge && left && right {
				in.Alu, in.Type, in.B, in.C = e.Alu, e.Type, e.A, e.B
			}
			return
		}
		to, ok := copies[o]
		if !ok {
			return
		}
		o = to
	}
}

// decideNotes decides what the notes of a function can tell, once its values have registers:
// a note holds if on every way there its value has come into the register and has not been
// overwritten since.
func (f *Func) decideNotes(alloc *allocation) {
	blocks := f.order()
	s := placement{alloc: alloc, shares: make([]bitset, alloc.regs)}
	for r, m := range alloc.of {
		if m < 0 {
			continue
		}
		if s.shares[m] == nil {
			s.shares[m] = newBitset(len(f.names))
		}
		s.shares[m].add(int32(r))
	}
	preds := predecessors(blocks)
	out := make([]bitset, len(blocks)) // nil: not reached yet, all hold
	in := newBitset(len(f.names))
	enter := func(b *Block) {
		clear(in)
		first := true
		for _, p := range preds[b.num] {
			if o := out[p.num]; o != nil {
				if first {
					copy(in, o)
				}
				in.intersect(o)
				first = false
			}
		}
		if b == f.entry {
			clear(in)
			for _, p := range f.params {
				in.add(p)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i, b := range blocks {
			enter(b)
			for j := range b.ins {
				s.pass(&b.ins[j], in)
			}
			if out[i] == nil || !out[i].equal(in) {
				out[i] = append(bitset{}, in...)
				changed = true
			}
		}
	}
	for _, b := range blocks {
		enter(b)
		for j := range b.ins {
			s.pass(&b.ins[j], in)
			f.decideNote(&b.ins[j], alloc, in)
		}
	}
}

// decideNote gives an instruction, if it is a note, the machine's register if that holds its value.
func (f *Func) decideNote(n *ir.Instr, alloc *allocation, in bitset) {
	switch {
	case !isNote(n) || n.A < 0:
	case in.has(n.A) || f.slot[n.A] >= 0:
		n.A = alloc.of[n.A]
	default:
		n.A = unkept
	}
}

// placement tells which registers of the code under construction are in the machine's.
type placement struct {
	alloc  *allocation
	shares []bitset // by machine register: those that have it
}

// pass carries the set of values that are in their registers over an instruction.
func (s *placement) pass(in *ir.Instr, holds bitset) {
	if isLoss(in) {
		holds.remove(in.Dst)
		return
	}
	defs(in, func(d *int32) {
		m := s.alloc.of[*d]
		if m < 0 {
			return
		}
		if in.Op != ir.OpMove || in.A < 0 || s.alloc.of[in.A] != m || !holds.has(in.A) {
			holds.subtract(s.shares[m])
		}
		holds.add(*d)
	})
}
