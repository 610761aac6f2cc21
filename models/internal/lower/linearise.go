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
			if in.Op == ir.OpMove && in.Dst == in.A {
				in.Op = ir.OpNop
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
func (f *Func) linearise() []ir.Instr {
	blocks := f.order()
	start := make([]int32, len(blocks))
	var list []ir.Instr
	for i, b := range blocks {
		start[i] = int32(len(list))
		list = append(list, b.ins...)
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
	return list
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
		if f.Code[i].Op == ir.OpBranch {
			renumber(&f.Code[i].A)
		}
	}
	f.Consts = consts
}
