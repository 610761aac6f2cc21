package ir

// ObjectSet is a set of objects, by index into Program.Objects.
type ObjectSet []uint64

// Has reports whether object i is in the set.
func (s ObjectSet) Has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }

func (s ObjectSet) add(i int) { s[i>>6] |= 1 << (i & 63) }

// Union adds o to s and reports whether that changed s.
func (s ObjectSet) Union(o ObjectSet) bool {
	changed := false
	for i, w := range o {
		changed = changed || w&^s[i] != 0
		s[i] |= w
	}
	return changed
}

// PointsTo tells, for each instruction of a function that accesses memory,
// which objects it may access. It may name too many, never too few.
type PointsTo struct {
	p    *Program
	fn   int
	f    *Func
	regs []ObjectSet
	all  ObjectSet
}

// PointsTo analyses function fn: without regard to control flow, a register
// may point to whatever flows into it.
func (p *Program) PointsTo(fn int) *PointsTo {
	f := p.Funcs[fn]
	words := (len(p.Objects) + 63) / 64
	t := &PointsTo{p: p, fn: fn, f: f, all: make(ObjectSet, words)}
	for i := range p.Objects {
		if own := p.Objects[i].Func; own < 0 || own == fn {
			t.all.add(i)
		}
	}
	for range f.Regs {
		t.regs = append(t.regs, make(ObjectSet, words))
	}
	for r := f.Private; r < f.Private+f.Params; r++ {
		t.regs[r].Union(t.all)
	}
	for changed := true; changed; {
		changed = false
		for pc := range f.Code {
			changed = t.flow(&f.Code[pc]) || changed
		}
	}
	return t
}

// flow propagates what the instruction's operands may point to.
func (t *PointsTo) flow(in *Instr) bool {
	if in.Op == OpAsyncCopy { // the copy's own code reads them
		changed := t.regs[t.f.Copies].Union(t.operand(in.Args[0]))
		return t.regs[t.f.Copies+1].Union(t.operand(in.Args[1])) || changed
	}
	if in.dst() < 0 && in.dst2() < 0 {
		return false
	}
	switch in.Op {
	case OpMove, OpUn, OpConv:
		return t.regs[in.Dst].Union(t.operand(in.A))
	case OpBin:
		if in.Alu >= Eq && in.Alu <= Ge {
			return false // a truth value
		}
		a := t.regs[in.Dst].Union(t.operand(in.A))
		return t.regs[in.Dst].Union(t.operand(in.B)) || a
	case OpLoad, OpRMW, OpCollective:
		return in.Dst >= 0 && t.regs[in.Dst].Union(t.loaded(in))
	case OpCmpXchg:
		return in.Dst2 >= 0 && t.regs[in.Dst2].Union(t.loaded(in))
	}
	return false
}

// loaded returns what a value from memory or from other work-items may point
// to: memory that holds integers holds no pointers.
func (t *PointsTo) loaded(in *Instr) ObjectSet {
	if in.Type == Ptr || in.Type == I64 || in.Type == U64 {
		return t.all
	}
	return nil
}

func (t *PointsTo) operand(o int32) ObjectSet {
	if o >= 0 {
		return t.regs[o]
	}
	c := t.f.Consts[^o]
	fn := -1
	switch c & SegMask {
	case SegShared:
	case SegGroup:
		fn = t.fn
	default:
		return make(ObjectSet, len(t.all))
	}
	s := make(ObjectSet, len(t.all))
	for i := range t.p.Objects {
		o := &t.p.Objects[i]
		// One past the end still points into the array that it was derived from.
		at, end := int32(c&^SegMask), o.Base+int32(o.Layout.Cells())
		scalar := o.Layout.Elem == nil && o.Layout.Fields == nil
		if o.Func == fn && at >= o.Base && (at < end || at == end && !scalar) {
			s.add(i)
		}
	}
	return s
}

// Address returns the objects that the instruction may access through operand
// A and, if the address is a constant, its value.
func (t *PointsTo) Address(in *Instr) (objects ObjectSet, constant int64, isConstant bool) {
	if in.A < 0 {
		return t.operand(in.A), t.f.Consts[^in.A], true
	}
	s := t.regs[in.A]
	for _, w := range s {
		if w != 0 {
			return s, 0, false
		}
	}
	return t.all, 0, false
}
