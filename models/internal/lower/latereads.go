package lower

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// A read whose value is chosen may still stray, race, or find nothing. Where each work-item's address is known, and nobody writes, it
// does neither. Then it is left out, and work-items that differ in what they would have read are alike.

// dropReads leaves out checks that hold for all work-items, and reads that can make no difference (docs/exploration/late.md, "Reads that make no difference").
func (n *needing) dropReads() {
	only := n.readOnly()
	for _, f := range n.funcs {
		items := n.itemsOf(f)
		if len(items) == 0 {
			continue
		}
		k := &knownItems{f: f, items: items, def: f.definitions()}
		for _, b := range f.blocks {
			for i := range b.ins {
				in := &b.ins[i]
				switch {
				case in.Op == ir.OpCheck && k.all(in.A, func(v int64) bool { return v != 0 }),
					in.Op == ir.OpLoad && in.Dst < 0 && in.Order == memmodel.NonAtomic && k.all(in.A, func(v int64) bool { return only[v] }):
					*in = ir.Instr{Op: ir.OpNop, Pos: in.Pos}
				}
			}
			dropNops(b)
		}
	}
}

// readOnly returns the addresses of what has a content at first and is only ever read.
func (n *needing) readOnly() map[int64]bool {
	written := map[int32]bool{}
	write := func(f *needingFunc, addr int32) {
		if a, known := f.Known(addr); known {
			f.constantPointsTo(a, false).each(func(i int32) { written[i-1] = true })
			return
		}
		set := f.sets[addr]
		if set.empty() {
			set = f.all
		}
		set.each(func(i int32) { written[i-1] = true })
	}
	for _, f := range n.funcs {
		for _, b := range f.blocks {
			for i := range b.ins {
				switch in := &b.ins[i]; in.Op {
				case ir.OpStore, ir.OpRMW, ir.OpCmpXchg, ir.OpMap, ir.OpUnmap, ir.OpMapCell, ir.OpFree:
					write(f, in.A)
				case ir.OpAsyncCopy:
					write(f, in.Args[0])
				}
			}
		}
	}
	only := map[int64]bool{}
	for i := range n.p.Objects {
		o := &n.p.Objects[i]
		if o.Func >= 0 || o.Init == nil || o.HostMaps || o.Region != memmodel.Global || written[int32(i)] {
			continue
		}
		for c := range o.Layout.Cells() {
			only[ir.SegShared|int64(o.Base)+int64(c)] = true
		}
	}
	return only
}

// itemsOf returns the work-items that execute a function, nil if not all are known.
func (n *needing) itemsOf(f *needingFunc) (items []ir.Item) {
	for _, by := range n.funcs {
		for _, b := range by.blocks {
			for i := range b.ins {
				in := &b.ins[i]
				switch in.Op {
				case ir.OpEnqueueNDRange:
					if n.p.funcs[in.Target] != f.Func {
						continue
					}
					more := rangeItems(by.Func, in.Args)
					if more == nil || len(items)+len(more) > ir.MaxItems {
						return nil
					}
					items = append(items, more...)
				case ir.OpEnqueueKernel, ir.OpEnqueueNative, ir.OpGo, ir.OpCallback:
					if n.p.funcs[in.Target] == f.Func {
						return nil
					}
				}
			}
		}
	}
	return items
}

// rangeItems returns the work-items of a launch, nil if they are not known.
func rangeItems(f *Func, args []int32) (items []ir.Item) {
	var v [10]int64
	for i := range v {
		k, known := f.Known(args[1+i])
		if !known {
			return nil
		}
		v[i] = k
	}
	it := ir.Item{WorkDim: uint8(v[0]), GlobalOffset: [3]int64(v[1:4]), GlobalSize: [3]int64(v[4:7]), LocalSize: [3]int64(v[7:10])}
	for d := range 3 {
		if d >= int(v[0]) {
			it.GlobalOffset[d], it.GlobalSize[d], it.LocalSize[d] = 0, 1, 1
		}
		if it.LocalSize[d] < 1 || it.GlobalSize[d] < 1 || it.GlobalSize[d] > ir.MaxItems {
			return nil
		}
	}
	if it.GlobalSize[0]*it.GlobalSize[1] > ir.MaxItems || it.GlobalSize[0]*it.GlobalSize[1]*it.GlobalSize[2] > ir.MaxItems {
		return nil
	}
	for z := range it.GlobalSize[2] {
		for y := range it.GlobalSize[1] {
			for x := range it.GlobalSize[0] {
				one := it
				one.GlobalID = [3]int64{x, y, z}
				for d, g := range one.GlobalID {
					one.GroupID[d], one.LocalID[d] = g/it.LocalSize[d], g%it.LocalSize[d]
				}
				items = append(items, one)
			}
		}
	}
	return items
}

// definitions returns the instruction that sets each register that is set in one place only, by what needs no memory.
func (f *needingFunc) definitions() []*ir.Instr {
	def, count := make([]*ir.Instr, len(f.names)), make([]int, len(f.names))
	for _, p := range f.params {
		count[p] = 2
	}
	for _, b := range f.blocks {
		for i := range b.ins {
			in := &b.ins[i]
			defs(in, func(d *int32) {
				count[*d]++
				if pure(in) {
					def[*d] = in
				}
			})
		}
	}
	for r := range def {
		if count[r] != 1 || f.slot[r] >= 0 {
			def[r] = nil
		}
	}
	return def
}

// knownItems computes what is known of work-items that have names.
type knownItems struct {
	f     *needingFunc
	items []ir.Item
	def   []*ir.Instr
}

// all reports whether an operand is known of all work-items, and right.
func (k *knownItems) all(o int32, right func(int64) bool) bool {
	for i := range k.items {
		if v, ok := k.value(&k.items[i], o, 0); !ok || !right(v) {
			return false
		}
	}
	return true
}

// maxDepth bounds computations that are followed.
const maxDepth = 40

func (k *knownItems) value(it *ir.Item, o int32, depth int) (int64, bool) {
	if v, known := k.f.Known(o); known {
		return v, true
	}
	in := k.def[o]
	if in == nil || depth > maxDepth {
		return 0, false
	}
	a, ok := k.value(it, in.A, depth+1)
	if !ok {
		return 0, false
	}
	switch in.Op {
	case ir.OpMove:
		return a, true
	case ir.OpUn:
		return ir.EvalUn(in.Alu, in.Type, a)
	case ir.OpConv:
		return ir.Convert(in.Type, in.From, a), true
	case ir.OpQuery:
		if in.Query >= ir.QuerySubGroupSize {
			return 0, false
		}
		return it.Answer(in.Query, a), true
	}
	b, ok := k.value(it, in.B, depth+1)
	if !ok {
		return 0, false
	}
	return ir.Eval(in.Alu, in.Type, a, b)
}
