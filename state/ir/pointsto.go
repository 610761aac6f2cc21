package ir

// ObjectSet is a set of objects, by index into Program.Objects.
type ObjectSet []uint64

// Has reports whether object i is in the set.
func (s ObjectSet) Has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }

func (s ObjectSet) add(i int) { s[i>>6] |= 1 << (i & 63) }

// Meets reports whether two sets, of objects of one program, have one in common.
func (s ObjectSet) Meets(o ObjectSet) bool {
	for i := range s {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

func (s ObjectSet) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// Union adds o to s and reports whether that changed s.
func (s ObjectSet) Union(o ObjectSet) bool {
	changed := false
	for i, w := range o {
		changed = changed || w&^s[i] != 0
		s[i] |= w
	}
	return changed
}

// NoObjects returns an empty set of objects of the program.
func (p *Program) NoObjects() ObjectSet { return make(ObjectSet, (len(p.Objects)+63)/64) }

// PointsTo tells, for each instruction of a function that accesses memory,
// which objects it may access. It may name too many, never too few.
type PointsTo struct {
	p    *Program    // the program
	fn   int         // which of its functions
	f    *Func       // that function
	regs []ObjectSet // by register: what it may point to
	all  ObjectSet   // all objects that the function may come to know
	// private holds the registers that may point to private memory, which is registers, too.
	private []bool
}

// In returns what holds in a program that With has made of the one that was analysed.
func (t *PointsTo) In(p *Program) *PointsTo {
	u := *t
	u.p, u.f = p, p.Funcs[t.fn]
	return &u
}

// PointsTo analyses function fn: without regard to control flow, a register
// may point to whatever flows into it.
func (p *Program) PointsTo(fn int) *PointsTo {
	return p.PointsToUnless(func() bool { return false }, fn)
}

// PointsToUnless is PointsTo, unless it is to be given up, as spent says from then on. Then it counts for nothing.
func (p *Program) PointsToUnless(spent func() bool, fn int) *PointsTo {
	f := p.Funcs[fn]
	t := &PointsTo{p: p, fn: fn, f: f, all: p.NoObjects()}
	for i := range p.Objects {
		if own := p.Objects[i].Func; own < 0 || own == fn {
			t.all.add(i)
		}
	}
	for range f.Regs {
		t.regs = append(t.regs, p.NoObjects())
	}
	t.private = make([]bool, f.Regs)
	for r := f.Private; r < f.Private+f.Params; r++ {
		t.regs[r].Union(t.all)
	}
	for changed := true; changed; {
		changed = false
		for pc := 0; pc < len(f.Code) && !spent(); pc++ {
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
	if in.Op == OpStore {
		return t.store(in)
	}
	if in.dst() < 0 && in.dst2() < 0 {
		return false
	}
	switch in.Op {
	case OpMove, OpUn, OpConv:
		return t.into(in.Dst, in.A)
	case OpBin:
		if in.Alu >= Eq && in.Alu <= Ge {
			return false // a truth value
		}
		a := t.into(in.Dst, in.A)
		return t.into(in.Dst, in.B) || a
	case OpLoad, OpRMW, OpCollective:
		return in.Dst >= 0 && t.loaded(in, in.Dst)
	case OpCmpXchg:
		return in.Dst2 >= 0 && t.loaded(in, in.Dst2)
	}
	return false
}

// into notes that an operand flows into a register.
func (t *PointsTo) into(r, o int32) bool {
	changed := t.regs[r].Union(t.operand(o))
	if t.mayBePrivate(o) && !t.private[r] {
		t.private[r], changed = true, true
	}
	return changed
}

// mayBePrivate reports whether an operand may be an address of private memory.
func (t *PointsTo) mayBePrivate(o int32) bool {
	if o >= 0 {
		return t.private[o]
	}
	return t.f.Consts[^o]&SegMask == SegPrivate
}

// store notes what is put into private memory through a pointer. Which register that is, a constant tells; otherwise it
// may be any.
func (t *PointsTo) store(in *Instr) (changed bool) {
	if !t.mayBePrivate(in.A) {
		return false
	}
	for r := range int32(t.f.Private) {
		if in.A >= 0 || int64(r) == t.f.Consts[^in.A]&^SegMask {
			changed = t.into(r, in.B) || changed
		}
	}
	return changed
}

// loaded notes what a value from memory or from other work-items may point to: memory that holds integers holds no
// pointers, and private memory what was put there.
func (t *PointsTo) loaded(in *Instr, to int32) (changed bool) {
	if in.Type != Ptr && in.Type != I64 && in.Type != U64 {
		return false
	}
	if in.Op == OpLoad && t.onlyPrivate(in.A) {
		for r := range int32(t.f.Private) {
			changed = t.into(to, r) || changed
		}
		return changed
	}
	changed = t.regs[to].Union(t.all)
	if !t.private[to] {
		t.private[to], changed = true, true
	}
	return changed
}

// Private reports whether an instruction accesses private memory through operand A, if anything.
func (t *PointsTo) Private(in *Instr) bool { return t.onlyPrivate(in.A) }

// onlyPrivate reports whether an address is one of private memory, if it is one at all.
func (t *PointsTo) onlyPrivate(o int32) bool { return t.mayBePrivate(o) && t.operand(o).empty() }

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
		return t.p.NoObjects()
	}
	s, before := t.p.NoObjects(), -1
	for i := range t.p.Objects {
		o := &t.p.Objects[i]
		at, end := int32(c&^SegMask), o.Base+int32(o.Layout.Cells())
		switch {
		case o.Func != fn || at < o.Base || at > end:
		case at < end:
			s.add(i)
		case o.Layout.Elem != nil || o.Layout.Fields != nil:
			before = i
		}
	}
	if before >= 0 && s.empty() { // one past the end still points into the array that it was derived from; where another object begins it means that one
		s.add(before)
	}
	return s
}

// Address returns the objects that the instruction may access through operand
// A and, if the address is a constant, its value.
func (t *PointsTo) Address(in *Instr) (objects ObjectSet, constant int64, isConstant bool) {
	if in.A < 0 {
		return t.operand(in.A), t.f.Consts[^in.A], true
	}
	if s := t.regs[in.A]; !s.empty() {
		return s, 0, false
	}
	return t.all, 0, false
}
