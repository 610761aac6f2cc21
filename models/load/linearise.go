package load

import "github.com/clmc/clmc/state/ir"

// linearise lays the blocks out one after another, in terms of machine
// registers.
func (c *code) linearise(alloc *allocation) []ir.Instr {
	blocks := c.order()
	start := make([]int32, len(blocks))
	var list []ir.Instr
	reg := func(o *int32) {
		if *o >= 0 {
			*o = alloc.of[*o]
		}
	}
	for i, b := range blocks {
		start[i] = int32(len(list))
		for _, in := range b.ins {
			in.Args = append([]int32(nil), in.Args...)
			uses(&in, reg)
			defs(&in, reg)
			if in.Op != ir.OpNop && (in.Op != ir.OpMove || in.Dst != in.A) {
				list = append(list, in)
			}
		}
		if last := (ir.Instr{Op: b.op, A: b.cond, Pos: b.pos}); b.op == ir.OpBranch {
			last.Target, last.Else = int32(b.to[0].num), int32(b.to[1].num)
			reg(&last.A)
			list = append(list, last)
		} else if b.op == ir.OpEnd {
			list = append(list, ir.Instr{Op: ir.OpEnd, Pos: b.pos})
		} else if b.to[0].num != i+1 {
			last.A, last.Target = 0, int32(b.to[0].num)
			list = append(list, last)
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
