package lower

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// dropWritten decides comparisons with ir.Unwritten whose outcome the code shows: front ends emit
// one wherever a variable is read that may not have been written, and nearly all have been.
//
// What may be unwritten flows forward from where it is moved into a register, through copies and
// private memory, until something else is assigned.
func (f *Func) dropWritten(blocks []*Block) bool {
	none, found := f.constAt[ir.Unwritten]
	if !found {
		return false
	}
	asks := func(x *ir.Instr) bool { return x.Op == ir.OpBin && x.Alu == ir.Ne && x.B == none && x.A >= 0 }
	if !slices.ContainsFunc(blocks, func(b *Block) bool {
		return slices.ContainsFunc(b.ins, func(x ir.Instr) bool { return asks(&x) })
	}) {
		return false
	}
	in, now := newBitsets(len(blocks), len(f.names)), newBitset(len(f.names))
	for changed := true; changed; {
		changed = false
		for i, b := range blocks {
			copy(now, in[i])
			for j := range b.ins {
				f.unwritten(&b.ins[j], now, none)
			}
			for _, s := range b.succ() {
				changed = in[s.num].union(now) || changed
			}
		}
	}
	changed := false
	for i, b := range blocks {
		copy(now, in[i])
		for j := range b.ins {
			if x := &b.ins[j]; asks(x) && !now.has(x.A) {
				*x = ir.Instr{Op: ir.OpMove, Dst: x.Dst, A: f.Constant(1), Pos: x.Pos}
				changed = true
			}
			f.unwritten(&b.ins[j], now, none)
		}
	}
	return changed
}

// unwritten turns the registers that may be unwritten before an instruction into those behind it.
func (f *Func) unwritten(in *ir.Instr, now bitset, none int32) {
	may := false
	switch in.Op {
	case ir.OpMove:
		may = in.A == none || in.A >= 0 && now.has(in.A)
	case ir.OpLoad:
		may = f.mayBePrivate(in.A)
	case ir.OpStore: // to any register that a pointer can reach
		if f.mayBePrivate(in.A) && (in.B == none || in.B >= 0 && now.has(in.B)) {
			for r, s := range f.slot {
				if s >= 0 {
					now.add(int32(r))
				}
			}
		}
	}
	defs(in, func(d *int32) {
		if may {
			now.add(*d)
		} else {
			now.remove(*d)
		}
	})
}

// mayBePrivate reports whether an address may be one of private memory.
func (f *Func) mayBePrivate(o int32) bool {
	a, known := f.Known(o)
	return !known || a&ir.SegMask == ir.SegPrivate
}
