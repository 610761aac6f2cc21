package ir

import "testing"

// TestPointsToPrivate sees that what is put into private memory through a pointer is what the registers there may point to.
func TestPointsToPrivate(t *testing.T) {
	// Registers 0 and 1 are private memory, in which an array of two pointers is: p[0] = p[1] = &x; p[i] = &y; *p[1] = 1. Register 2 is i.
	x, y := SegShared|int64(0), SegShared|int64(1)
	consts := []int64{x, y, SegPrivate, 1}
	object := func(name string, base int32) Object {
		return Object{Name: name, Func: -1, Base: base, Layout: Scalar(I32, false)}
	}
	p := &Program{Objects: []Object{object("x", 0), object("y", 1), object("z", 2)}, Funcs: []*Func{{
		Regs: 6, Private: 2, Params: 1, Counters: 6, Consts: consts,
		Code: []Instr{
			{Op: OpMove, Dst: 0, Dst2: -1, A: ^0},
			{Op: OpMove, Dst: 1, Dst2: -1, A: ^0},
			{Op: OpBin, Alu: Add, Type: Ptr, Dst: 3, Dst2: -1, A: ^2, B: 2},
			{Op: OpStore, Type: Ptr, Dst: -1, Dst2: -1, A: 3, B: ^1},
			{Op: OpMove, Dst: 4, Dst2: -1, A: 1},
			{Op: OpStore, Type: I32, Dst: -1, Dst2: -1, A: 4, B: ^3},
			{Op: OpStore, Type: Ptr, Dst: -1, Dst2: -1, A: ^2, B: ^0},
			{Op: OpLoad, Type: Ptr, Dst: 5, Dst2: -1, A: ^2},
			{Op: OpStore, Type: I32, Dst: -1, Dst2: -1, A: 5, B: ^3},
			{Op: OpEnd, Dst: -1, Dst2: -1},
		},
	}}}
	to := p.PointsTo(0)
	for _, pc := range []int{5, 8} {
		set, _, _ := to.Address(&p.Funcs[0].Code[pc])
		if !set.Has(0) || !set.Has(1) {
			t.Errorf("instruction %d may access x and y, and not only %b", pc, set)
		}
	}
}
