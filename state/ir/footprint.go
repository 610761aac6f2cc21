package ir

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// Footprint returns, for each instruction of f that may access memory, a span
// that its address lies in, and one that the value lies in which it writes, if any, when the
// code is executed with these parameters by a unit to which query answers the work-item
// functions. An access that cannot be reached has empty spans.
//
// It interprets the code over spans: constants are propagated, and loops
// widen what they change to the constants of the code, which is exact for the
// usual index computations.
func (f *Func) Footprint(params []Span, query func(q Query, dim int64) int64) (spans, written []Span) {
	a := abstraction{
		f: f, query: query, at: make([]*abstract, len(f.Code)), visits: make([]int, len(f.Code)),
		spans: slices.Repeat([]Span{Nothing}, len(f.Code)), written: slices.Repeat([]Span{Nothing}, len(f.Code)),
	}
	a.findLeaders()
	a.findBounds(params)
	start := abstract{regs: make([]Span, f.Regs)}
	copy(start.regs[f.Private:], params)
	a.enter(0, &start)
	for len(a.work) > 0 {
		pc := a.work[len(a.work)-1]
		a.work = a.work[:len(a.work)-1]
		a.at[pc].queued = false
		a.block(pc)
	}
	return a.spans, a.written
}

// abstraction is the fixpoint computation of one footprint.
type abstraction struct {
	f              *Func                    // whose footprint it is
	query          func(Query, int64) int64 // which values a query may give
	leader         []bool                   // by pc: starts a basic block
	at             []*abstract              // by pc of a leader that has been reached: what holds there
	visits         []int                    // by pc of a leader: how often its block was gone through
	bounds         []int64                  // that widening stops at, ascending
	spans, written []Span                   // by pc: the addresses accessed, and those written
	work           []int32                  // leaders to go on from
	cur            abstract                 // what holds where the computation is
}

// abstract is what is known at a point: the registers' values, and which of
// them hold the result of a comparison of values that are still there.
type abstract struct {
	regs   []Span // by register: its values
	facts  []fact // comparisons that are still of the values there
	queued bool   // it is among those to go on from
}

// fact: register reg holds the result of the comparison at pc.
type fact struct{ reg, pc int32 }

func (a *abstraction) findLeaders() {
	a.leader = make([]bool, len(a.f.Code))
	a.leader[0] = true
	for pc := range a.f.Code {
		if in := &a.f.Code[pc]; in.Op == OpJump || in.Op == OpBranch || in.Op == OpAsyncCopy {
			for _, next := range in.Successors(pc) {
				a.leader[next] = true
			}
		}
	}
}

func (a *abstraction) findBounds(params []Span) {
	known := slices.Clone(a.f.Consts)
	for _, p := range params {
		if p.single() {
			known = append(known, p.Lo)
		}
	}
	for _, c := range known {
		a.bounds = append(a.bounds, c-1, c, c+1)
	}
	for t := Bool; t <= Ptr; t++ {
		r := rangeOf(t)
		a.bounds = append(a.bounds, r.Lo, r.Hi)
	}
	slices.Sort(a.bounds)
	a.bounds = slices.Compact(a.bounds)
}

// enter joins what holds on an edge to the block at pc.
func (a *abstraction) enter(pc int32, s *abstract) {
	t := a.at[pc]
	if t == nil {
		t = &abstract{regs: slices.Clone(s.regs), facts: slices.Clone(s.facts)}
		a.at[pc] = t
	} else if !a.merge(t, s, a.visits[pc] > 2) {
		return
	}
	if !t.queued {
		t.queued = true
		a.work = append(a.work, pc)
	}
}

// merge joins s into t and reports whether that changed t.
func (a *abstraction) merge(t, s *abstract, widen bool) (changed bool) {
	for r, old := range t.regs {
		v := old.Join(s.regs[r])
		if v == old {
			continue
		}
		if widen {
			v = a.widen(old, v)
		}
		t.regs[r], changed = v, true
	}
	kept := t.facts[:0]
	for _, f := range t.facts {
		if slices.Contains(s.facts, f) {
			kept = append(kept, f)
		} else {
			changed = true
		}
	}
	t.facts = kept
	return changed
}

// widen moves the bounds that have grown to the next of a.bounds.
func (a *abstraction) widen(old, v Span) Span {
	lo, hi := v.Lo, v.Hi
	if v.Lo < old.Lo {
		i, found := slices.BinarySearch(a.bounds, v.Lo)
		if !found {
			i--
		}
		lo = a.bounds[i]
	}
	if v.Hi > old.Hi {
		i, _ := slices.BinarySearch(a.bounds, v.Hi)
		hi = a.bounds[i]
	}
	if lo != v.Lo && v.Step > 1 && distance(lo, v.Lo)%uint64(v.Step) != 0 {
		return Span{lo, hi, 1}
	}
	return spanOf(lo, hi, max(v.Step, 1))
}

// block interprets the basic block at pc.
func (a *abstraction) block(pc int32) {
	a.visits[pc]++
	s := &a.cur
	s.regs = append(s.regs[:0], a.at[pc].regs...)
	s.facts = append(s.facts[:0], a.at[pc].facts...)
	for {
		in := &a.f.Code[pc]
		switch in.Op {
		case OpEnd, OpCopied:
			return
		case OpJump:
			a.enter(in.Target, s)
			return
		case OpBranch:
			a.branch(in, s)
			return
		case OpCheck, OpAssert, OpAssume:
			if !a.suppose(s, in.A, true) {
				return
			}
		case OpAsyncCopy: // the copy is a unit of its own
			a.execute(s, in, pc)
			a.enter(in.Target, &abstract{regs: slices.Repeat([]Span{Anything}, len(s.regs))})
		default:
			a.execute(s, in, pc)
		}
		if pc++; a.leader[pc] {
			a.enter(pc, s)
			return
		}
	}
}

func (a *abstraction) branch(in *Instr, s *abstract) {
	regs := slices.Clone(s.regs)
	if a.suppose(s, in.A, true) {
		a.enter(in.Target, s)
	}
	s.regs = append(s.regs[:0], regs...)
	if a.suppose(s, in.A, false) {
		a.enter(in.Else, s)
	}
}

// suppose restricts s to the executions in which an operand is true, or false,
// and reports whether there are any.
func (a *abstraction) suppose(s *abstract, operand int32, truth bool) bool {
	v := a.value(s, operand)
	op := Ne
	if !truth {
		op = Eq
	}
	if v = refine(op, I64, v, Only(0)); v.empty() {
		return false
	}
	if operand < 0 {
		return true
	}
	s.regs[operand] = v
	for _, f := range s.facts {
		if f.reg == operand {
			return a.supposeComparison(s, &a.f.Code[f.pc], truth)
		}
	}
	return true
}

func (a *abstraction) supposeComparison(s *abstract, in *Instr, truth bool) bool {
	op := in.Alu
	if !truth {
		if in.Type.Float() {
			return true
		}
		op = negation[op-Eq]
	}
	x, y := a.value(s, in.A), a.value(s, in.B)
	p, q := refine(op, in.Type, x, y), refine(mirror[op-Eq], in.Type, y, x)
	if in.A >= 0 {
		s.regs[in.A] = p
	}
	if in.B >= 0 {
		s.regs[in.B] = q
	}
	return !p.empty() && !q.empty()
}

func (a *abstraction) value(s *abstract, operand int32) Span {
	if operand < 0 {
		return Only(a.f.Consts[^operand])
	}
	return s.regs[operand]
}

// execute interprets an instruction that neither branches nor ends.
func (a *abstraction) execute(s *abstract, in *Instr, pc int32) {
	switch in.Op {
	case OpMove:
		s.set(a.f, in.Dst, a.value(s, in.A))
	case OpBin:
		s.set(a.f, in.Dst, evalSpan(in.Alu, in.Type, a.value(s, in.A), a.value(s, in.B)))
		if in.Alu >= Eq && in.Alu <= Ge && in.Dst >= 0 && in.Dst != in.A && in.Dst != in.B {
			s.facts = append(s.facts, fact{in.Dst, pc})
		}
	case OpUn:
		s.set(a.f, in.Dst, evalUnSpan(in.Alu, in.Type, a.value(s, in.A)))
	case OpConv:
		s.set(a.f, in.Dst, convertSpan(in.Type, in.From, a.value(s, in.A)))
	case OpQuery:
		v := Anything
		if dim := a.value(s, in.A); dim.single() {
			v = Only(a.query(in.Query, dim.Lo))
		}
		s.set(a.f, in.Dst, v)
	case OpChoose:
		s.set(a.f, in.Dst, spanOf(0, max(a.value(s, in.A).Hi-1, 0), 1))
	case OpLoad, OpStore, OpRMW, OpCmpXchg, OpMapCell:
		a.access(s, in, pc)
	default:
		s.set(a.f, in.dst(), Anything)
		s.set(a.f, in.dst2(), Anything)
	}
}

// access interprets an access of memory, some of which is registers.
func (a *abstraction) access(s *abstract, in *Instr, pc int32) {
	at := a.value(s, in.A)
	a.spans[pc] = a.spans[pc].Join(at)
	a.written[pc] = a.written[pc].Join(a.writes(s, in))
	private := in.Order == memmodel.NonAtomic && at.Hi >= SegPrivate && at.Lo < SegPrivate+int64(a.f.Private)
	switch {
	case in.Op == OpStore && private && at.single():
		s.set(a.f, int32(at.Lo-SegPrivate), a.value(s, in.B))
	case in.Op == OpStore && private:
		for r := range a.f.Private {
			s.set(a.f, int32(r), s.regs[r].Join(a.value(s, in.B)))
		}
	case in.Op == OpLoad && private && at.single():
		s.set(a.f, in.Dst, s.regs[at.Lo-SegPrivate])
	case in.Op == OpCmpXchg:
		s.set(a.f, in.Dst2, rangeOf(in.Type))
		s.set(a.f, in.Dst, truths)
	case in.Op == OpLoad, in.Op == OpRMW:
		s.set(a.f, in.Dst, rangeOf(in.Type))
	}
}

// writes returns a span that the value lies in which an access writes, if it does.
func (a *abstraction) writes(s *abstract, in *Instr) Span {
	switch {
	case in.Op == OpLoad:
		return Nothing
	case in.Op == OpStore, in.Op == OpRMW && in.Alu == Xchg:
		return a.value(s, in.B)
	case in.Op == OpCmpXchg:
		return a.value(s, in.C)
	}
	return Anything
}

// set gives a register a value, and forgets the comparisons that it took part in.
func (s *abstract) set(f *Func, r int32, v Span) {
	if r < 0 {
		return
	}
	s.regs[r] = v
	s.facts = slices.DeleteFunc(s.facts, func(x fact) bool {
		in := &f.Code[x.pc]
		return x.reg == r || in.A == r || in.B == r
	})
}

func evalUnSpan(op Alu, t Type, a Span) Span {
	if a.single() {
		if v, ok := EvalUn(op, t, a.Lo); ok {
			return Only(v)
		}
	}
	if op == Not {
		return truths
	}
	return rangeOf(t)
}

func convertSpan(to, from Type, a Span) Span {
	switch {
	case a.single():
		return Only(Convert(to, from, a.Lo))
	case to.Float() || from.Float():
		return rangeOf(to)
	}
	return a.wrapped(to)
}
