package lower

import (
	"fmt"

	"github.com/clmc/clmc/state/ir"
)

// pointers returns, for each virtual register, what it may point to, as a
// string that is equal for equal sets. Like ir.PointsTo it disregards the order
// of instructions.
func (f *Func) pointers() []string {
	sets := make([]bitset, len(f.names))
	all := newBitset(len(f.prog.Objects))
	for i := range f.prog.Objects {
		if own := f.prog.Objects[i].Func; own < 0 || own == f.number {
			all.add(int32(i))
		}
	}
	for r := range sets {
		sets[r] = newBitset(len(f.prog.Objects))
	}
	for _, p := range f.params {
		sets[p].union(all)
	}
	blocks := f.order()
	for changed := true; changed; {
		changed = false
		for _, b := range blocks {
			for i := range b.ins {
				changed = f.flow(&b.ins[i], sets, all) || changed
			}
		}
	}
	keys := make([]string, len(sets))
	for r, s := range sets {
		keys[r] = fmt.Sprint([]uint64(s))
	}
	return keys
}

// flow propagates what the operands of an instruction point to to its result.
func (f *Func) flow(in *ir.Instr, sets []bitset, all bitset) bool {
	changed := false
	switch in.Op {
	case ir.OpMove, ir.OpUn, ir.OpConv, ir.OpBin:
		if in.Op == ir.OpBin && in.Alu >= ir.Eq && in.Alu <= ir.Ge {
			return false // a truth value
		}
		uses(in, func(o *int32) { changed = f.flowOperand(*o, sets, sets[in.Dst]) || changed })
	case ir.OpLoad, ir.OpRMW, ir.OpCmpXchg, ir.OpCollective:
		if in.Type == ir.Ptr || in.Type == ir.I64 || in.Type == ir.U64 {
			defs(in, func(d *int32) { changed = sets[*d].union(all) || changed })
		}
	}
	return changed
}

func (f *Func) flowOperand(o int32, sets []bitset, to bitset) bool {
	if o >= 0 {
		return to.union(sets[o])
	}
	fn := -1
	v := f.consts[^o]
	switch v & ir.SegMask {
	case ir.SegShared:
	case ir.SegGroup:
		fn = f.number
	default:
		return false
	}
	one := newBitset(len(f.prog.Objects))
	at := int32(v &^ ir.SegMask)
	for i := range f.prog.Objects {
		ob := &f.prog.Objects[i]
		if ob.Func == fn && at >= ob.Base && at <= ob.Base+int32(ob.Layout.Cells()) {
			one.add(int32(i))
		}
	}
	return to.union(one)
}
