package facts

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Abstains reports whether function fn, from a point on, writes nothing to a location but what is there, as long as each read-modify-write and
// compare-exchange of it reads one of some values. Function of says of an instruction whether it may access the location, and whether it can access no other.
// docs/exploration/canonical-form.md, "What is said twice".
func (facts *Facts) Abstains(fn, from int, values []int64, of func(pc int) (some, only bool)) bool {
	f := facts.Program.Funcs[fn]
	if f.Regs > maxWaitRegs {
		return false
	}
	abstains := true
	follow(f, from, facts.Plans[fn][from].Fixed, func(pc int, x fixed) (fixed, bool) {
		after := x.after(f, pc)
		if some, only := of(pc); some {
			result, known, ok := x.refrains(f, pc, values)
			if abstains = abstains && ok; known && only && f.Code[pc].Dst >= 0 {
				after[f.Code[pc].Dst] = result
			}
		}
		return after, abstains
	})
	return abstains
}

// refrains reports whether an access writes nothing but what is there if it reads one of some values, and what its result is then, if that is known.
func (x fixed) refrains(f *ir.Func, pc int, values []int64) (result int64, known, ok bool) {
	in := &f.Code[pc]
	b, constant := x.value(f, in.B)
	switch in.Op {
	case ir.OpLoad:
		return 0, false, true
	case ir.OpCmpXchg:
		for _, v := range values {
			if !constant || b == v {
				return 0, false, false
			}
		}
		return 0, true, true
	case ir.OpRMW:
		for _, v := range values {
			if w, defined := ir.Eval(in.Alu, in.Type, v, b); !constant || !defined || w != v || in.Order.Releases() || in.Order == memmodel.NonAtomic {
				return 0, false, false
			}
			result = v
		}
		return result, len(values) == 1, true
	}
	return 0, false, false
}
