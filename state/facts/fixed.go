package facts

import (
	"maps"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// fixed has registers that always have the same values at a point of the code: those that every way to it has set to one constant.
type fixed map[int32]int64

// retries reports whether an instruction is a compare-exchange, whose code may try again.
func retries(in ir.Instr) bool { return in.Op == ir.OpCmpXchg }

// fix finds, for each atomic access, the registers that always have the same values there.
func (facts *Facts) fix(f *ir.Func, ps []Plan) {
	if f.Regs > maxWaitRegs || !slices.ContainsFunc(ps, func(p Plan) bool { return p.Waits }) && !slices.ContainsFunc(f.Code, retries) {
		return
	}
	at := flowFrom(f, 0, func(int) bool { return false })
	for pc := range f.Code {
		if in := &f.Code[pc]; in.Op.Access() && in.Order != memmodel.NonAtomic && len(at[pc]) > 0 {
			ps[pc].Fixed = at[pc]
		}
	}
}

// Firsts lists those instructions of some kind that function fn may come to from a point on, each without another one of the kind before it.
// docs/exploration/canonical-form.md, "What makes all wait who come to it".
func (facts *Facts) Firsts(fn, from int, is func(pc int) bool) (list []int) {
	f := facts.Program.Funcs[fn]
	for pc, x := range flowFrom(f, from, is) {
		if x != nil && is(pc) {
			list = append(list, pc)
		}
	}
	return list
}

// flowFrom finds what is fixed at each point that the code may come to from one on, of which nothing is known; nil elsewhere. It goes no
// further than to instructions of some kind.
func flowFrom(f *ir.Func, from int, is func(pc int) bool) []fixed {
	return follow(f, from, nil, func(pc int, x fixed) (fixed, bool) {
		if is(pc) {
			return nil, false
		}
		return x.after(f, pc), true
	})
}

// follow finds what is fixed at each point that the code may come to from one on, of which start is known; nil elsewhere. It asks what is fixed behind an
// instruction, and whether to go on there.
func follow(f *ir.Func, from int, start fixed, behind func(pc int, x fixed) (after fixed, on bool)) []fixed {
	at := make([]fixed, len(f.Code))
	at[from] = fixed{}
	maps.Copy(at[from], start)
	for work := []int{from}; len(work) > 0; {
		pc := work[len(work)-1]
		work = work[:len(work)-1]
		after, on := behind(pc, at[pc])
		if !on {
			continue
		}
		for _, to := range after.next(f, pc) {
			then := after.along(f, pc, to)
			if at[to] == nil {
				at[to] = then
				work = append(work, to)
			} else if at[to].meet(then) {
				work = append(work, to)
			}
		}
	}
	return at
}

// next lists where an instruction leads: where a branch does is known, if what it asks is.
func (x fixed) next(f *ir.Func, pc int) (list []int) {
	if in := &f.Code[pc]; in.Op == ir.OpBranch {
		if v, known := x.value(f, in.A); known && v != 0 {
			return []int{int(in.Target)}
		} else if known {
			return []int{int(in.Else)}
		}
	}
	f.Flow()(pc, func(to int) { list = append(list, to) })
	return list
}

func (x fixed) value(f *ir.Func, operand int32) (v int64, known bool) {
	if operand < 0 {
		return f.Consts[^operand], true
	}
	v, known = x[operand]
	return v, known
}

// after is what is fixed behind an instruction.
func (x fixed) after(f *ir.Func, pc int) fixed {
	y, in := maps.Clone(x), &f.Code[pc]
	dst, dst2 := in.Results()
	delete(y, dst)
	delete(y, dst2)
	if in.Rounds != nil {
		for _, r := range slices.Concat(in.Rounds.Counts, in.Rounds.Idles, in.Rounds.Clears) {
			delete(y, r)
		}
	}
	if f.MayTouchPrivate(in) {
		maps.DeleteFunc(y, func(r int32, _ int64) bool { return int(r) < f.Private })
	}
	switch in.Op {
	case ir.OpMove:
		if a, known := x.value(f, in.A); known {
			y[in.Dst] = a
		}
	case ir.OpUn:
		a, known := x.value(f, in.A)
		if v, defined := ir.EvalUn(in.Alu, in.Type, a); known && defined {
			y[in.Dst] = v
		}
	case ir.OpConv:
		if a, known := x.value(f, in.A); known {
			y[in.Dst] = ir.Convert(in.Type, in.From, a)
		}
	case ir.OpBin:
		a, known := x.value(f, in.A)
		b, both := x.value(f, in.B)
		if v, defined := ir.Eval(in.Alu, in.Type, a, b); known && both && defined {
			y[in.Dst] = v
		}
	}
	return y
}

// meet keeps what another way has set to the same, and reports whether that is less.
func (x fixed) meet(o fixed) bool {
	n := len(x)
	maps.DeleteFunc(x, func(r int32, v int64) bool { w, ok := o[r]; return !ok || w != v })
	return len(x) < n
}

// along is what is fixed where an instruction leads to, which a branch may tell: what it has asked, and what that was compared with.
func (x fixed) along(f *ir.Func, pc, to int) fixed {
	y, in := maps.Clone(x), &f.Code[pc]
	if in.Op != ir.OpBranch || in.Target == in.Else || in.A < 0 {
		return y
	}
	holds := to == int(in.Target)
	if !holds {
		y[in.A] = 0
	}
	if pc == 0 || f.Code[pc-1].Op != ir.OpBin || f.Code[pc-1].Dst != in.A || jumpedTo(f, pc) {
		return y
	}
	if test := &f.Code[pc-1]; test.A >= 0 && test.A != test.Dst && (test.Alu == ir.Eq && holds || test.Alu == ir.Ne && !holds) {
		if v, known := x.value(f, test.B); known {
			y[test.A] = v
		}
	}
	return y
}

// jumpedTo reports whether an instruction follows others than the one before it.
func jumpedTo(f *ir.Func, pc int) bool {
	for i := range f.Code {
		if i != pc-1 && slices.Contains(f.Code[i].Successors(i), int32(pc)) {
			return true
		}
	}
	return false
}
