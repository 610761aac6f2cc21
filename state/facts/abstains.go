package facts

import (
	"maps"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// retries reports whether an instruction is a compare-exchange, whose code may try again.
func retries(in ir.Instr) bool { return in.Op == ir.OpCmpXchg }

// Abstains reports whether function fn, from a point on, writes nothing to a location but what is there, as long as each read-modify-write and
// compare-exchange of it reads one of some values. Function of says of an instruction whether it may access the location, and whether it can access no other.
// docs/exploration/canonical-form.md, "What is said twice".
func (facts *Facts) Abstains(fn, from int, values []int64, of func(pc int) (some, only bool)) bool {
	f := facts.Program.Funcs[fn]
	if f.Regs > maxWaitRegs {
		return false
	}
	at := make([]fixed, len(f.Code))
	at[from] = fixed{}
	maps.Copy(at[from], facts.Plans[fn][from].Fixed)
	for work := []int{from}; len(work) > 0; {
		pc := work[len(work)-1]
		work = work[:len(work)-1]
		after := at[pc].after(f, pc)
		if some, only := of(pc); some {
			result, known, ok := at[pc].refrains(f, pc, values)
			if !ok {
				return false
			}
			if dst := f.Code[pc].Dst; known && only && dst >= 0 {
				after[dst] = result
			}
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
	return true
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
