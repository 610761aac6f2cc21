package lower

import "github.com/clmc/clmc/state/ir"

// assign replaces virtual by machine registers. Copies between values that
// share a register vanish.
func (f *Func) assign(alloc *allocation) {
	reg := func(o *int32) {
		if *o >= 0 {
			*o = alloc.of[*o]
		}
	}
	for _, b := range f.order() {
		for i := range b.ins {
			in := &b.ins[i]
			uses(in, reg)
			defs(in, reg)
			if in.Op == ir.OpMove && in.Dst == in.A || isLoss(in) {
				*in = ir.Instr{Op: ir.OpNop}
			}
		}
		dropNops(b)
		if b.op == ir.OpBranch {
			reg(&b.cond)
		}
	}
	f.tidy()
}

// linearise lays the blocks out one after another.
func (f *Func) linearise() (list []ir.Instr, notes []ir.Note) {
	blocks := f.order()
	start := make([]int32, len(blocks))
	for i, b := range blocks {
		start[i] = int32(len(list))
		falls := b.op == ir.OpJump && b.to[0].num == i+1
		for j := range b.ins {
			in := &b.ins[j]
			if !isNote(in) {
				list = append(list, *in)
				continue
			}
			n := ir.Note{PC: int32(len(list)), Var: in.Var, Value: in.A, Unknown: in.A == unkept}
			// Others may come to what follows the block, and the note is not about them.
			if falls && onlyNotes(b.ins[j:]) && n.PC > start[i] {
				n.PC, n.After = n.PC-1, true
			}
			notes = append(notes, n)
		}
		switch {
		case b.op == ir.OpBranch:
			list = append(list, ir.Instr{Op: ir.OpBranch, A: b.cond, Pos: b.pos,
				Target: int32(b.to[0].num), Else: int32(b.to[1].num)})
		case b.op == ir.OpEnd:
			list = append(list, ir.Instr{Op: ir.OpEnd, Pos: b.pos})
		case b.to[0].num != i+1:
			list = append(list, ir.Instr{Op: ir.OpJump, Pos: b.pos, Target: int32(b.to[0].num)})
		}
	}
	for i := range list {
		if list[i].Op == ir.OpJump || list[i].Op == ir.OpBranch {
			list[i].Target = start[list[i].Target]
			if list[i].Op == ir.OpBranch {
				list[i].Else = start[list[i].Else]
			}
		}
	}
	return list, notes
}

// compactConsts drops the constants that the code does not use.
func compactConsts(f *ir.Func) {
	var consts []int64
	at := map[int64]int32{}
	renumber := func(o *int32) {
		if *o >= 0 {
			return
		}
		v := f.Consts[^*o]
		n, ok := at[v]
		if !ok {
			n = ^int32(len(consts))
			at[v] = n
			consts = append(consts, v)
		}
		*o = n
	}
	for i := range f.Code {
		uses(&f.Code[i], renumber)
		switch in := &f.Code[i]; in.Op {
		case ir.OpBranch:
			renumber(&in.A)
		case ir.OpCheck, ir.OpAssert:
			renumber(&in.B)
			renumber(&in.C)
		}
	}
	for i := range f.Notes {
		if n := &f.Notes[i]; !n.Unknown {
			renumber(&n.Value)
		}
	}
	f.Consts = consts
}
