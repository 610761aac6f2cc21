package lower

import (
	"encoding/binary"

	"github.com/clmc/clmc/state/ir"
)

// pointers returns, for each virtual register, what it may point to, as a
// string that is equal for equal sets.
func (f *Func) pointers() []string {
	sets, _ := f.pointsTo(true)
	keys := make([]string, len(sets))
	known := map[string]string{}
	var key []byte
	for r, s := range sets {
		s.remove(inPrivate)
		key = key[:0]
		for _, w := range s {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		same, ok := known[string(key)]
		if !ok {
			same = string(key)
			known[same] = same
		}
		keys[r] = same
	}
	return keys
}

// inPrivate is the place of private memory in the sets of pointsTo; object i has i+1.
const inPrivate = 0

// pointsTo returns, for each virtual register, what it may point to, and everything that
// one may. Like ir.PointsTo it disregards the order of instructions. A constant may point to the object that it
// is one past the end of, if some do.
func (f *Func) pointsTo(past bool) (sets []bitset, all bitset) {
	n := len(f.prog.Objects) + 1
	sets = newBitsets(len(f.names), n)
	all = newBitset(n)
	all.add(inPrivate)
	for i := range f.prog.Objects {
		if own := f.prog.Objects[i].Func; own < 0 || own == f.number {
			all.add(int32(i + 1))
		}
	}
	for _, p := range f.params {
		sets[p].union(all)
	}
	blocks := f.order()
	for changed := true; changed; {
		changed = false
		for _, b := range blocks {
			for i := range b.ins {
				changed = f.flow(&b.ins[i], sets, all, past) || changed
			}
		}
	}
	return sets, all
}

// flow propagates what the operands of an instruction point to to its result.
func (f *Func) flow(in *ir.Instr, sets []bitset, all bitset, past bool) bool {
	changed := false
	switch in.Op {
	case ir.OpMove, ir.OpUn, ir.OpConv, ir.OpBin:
		if in.Op == ir.OpBin && in.Alu >= ir.Eq && in.Alu <= ir.Ge {
			return false // a truth value
		}
		uses(in, func(o *int32) { changed = f.flowOperand(*o, sets, sets[in.Dst], past) || changed })
	case ir.OpLoad, ir.OpRMW, ir.OpCmpXchg, ir.OpCollective:
		if in.Type == ir.Ptr || in.Type == ir.I64 || in.Type == ir.U64 {
			defs(in, func(d *int32) { changed = sets[*d].union(all) || changed })
		}
	case ir.OpStore:
		return f.flowPrivate(in, sets, past)
	}
	return changed
}

// flowPrivate propagates what is put into private memory through a pointer. Which register that is, a constant tells; otherwise it
// may be any.
func (f *Func) flowPrivate(in *ir.Instr, sets []bitset, past bool) (changed bool) {
	addr, known := f.Known(in.A)
	if known && addr&ir.SegMask != ir.SegPrivate || !known && !sets[in.A].has(inPrivate) {
		return false
	}
	for _, regs := range f.pins {
		for _, r := range regs {
			if !known || int64(f.slot[r]) == addr&^ir.SegMask {
				changed = f.flowOperand(in.B, sets, sets[r], past) || changed
			}
		}
	}
	return changed
}

func (f *Func) flowOperand(o int32, sets []bitset, to bitset, past bool) bool {
	if o >= 0 {
		return to.union(sets[o])
	}
	return to.union(f.constantPointsTo(f.consts[^o], past))
}

// constantPointsTo returns what an address may point to.
func (f *Func) constantPointsTo(v int64, past bool) bitset {
	to := newBitset(len(f.prog.Objects) + 1)
	fn := -1
	switch v & ir.SegMask {
	case ir.SegShared:
	case ir.SegGroup:
		fn = f.number
	case ir.SegPrivate:
		to.add(inPrivate)
		return to
	default:
		return to
	}
	at := int32(v &^ ir.SegMask)
	for i := range f.prog.Objects {
		ob := &f.prog.Objects[i]
		end := ob.Base + int32(ob.Layout.Cells())
		if ob.Func == fn && at >= ob.Base && (at < end || past && at == end) {
			to.add(int32(i + 1))
		}
	}
	return to
}
