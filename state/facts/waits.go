package facts

import "github.com/clmc/clmc/state/ir"

// Bounds on a round of waiting that is told by the code alone.
const (
	maxWaitRegs  = 32
	maxWaitSteps = 32
)

// Awaits reports whether a load of function fn, at pc, only waits for another value if it reads v:
// with nothing known but that, and no memory touched, the code comes straight back to it, and has
// changed no register that is still of worth there.
// docs/exploration/canonical-form.md, "What makes no difference to any reader".
func (facts *Facts) Awaits(fn, pc int, v int64) bool {
	f := facts.Program.Funcs[fn]
	if f.Regs > maxWaitRegs || f.Code[pc].Rounds != nil {
		return false
	}
	w := round{f: f}
	w.set(f.Code[pc].Dst, v, true)
	at := pc + 1
	for range maxWaitSteps {
		if at == pc {
			return w.forgotten(pc)
		}
		var ok bool
		if at, ok = w.step(at); !ok {
			return false
		}
	}
	return false
}

// round is a round of waiting: the registers that it has set, and those whose values are known.
type round struct {
	f          *ir.Func           // the code
	regs       [maxWaitRegs]int64 // the values of registers, where they are known
	known, new [maxWaitRegs]bool  // which are, and which the round has set
}

func (w *round) set(r int32, v int64, known bool) {
	if r >= 0 {
		w.regs[r], w.known[r], w.new[r] = v, known, true
	}
}

func (w *round) value(operand int32) (v int64, known bool) {
	if operand < 0 {
		return w.f.Consts[^operand], true
	}
	return w.regs[operand], w.known[operand]
}

// step executes a private instruction, if what is known says where it leads, and returns the next.
func (w *round) step(pc int) (next int, ok bool) {
	in := &w.f.Code[pc]
	a, known := w.value(in.A)
	switch in.Op {
	case ir.OpMove:
		w.set(in.Dst, a, known)
	case ir.OpBin:
		b, both := w.value(in.B)
		v, defined := ir.Eval(in.Alu, in.Type, a, b)
		w.set(in.Dst, v, known && both && defined)
	case ir.OpUn:
		v, defined := ir.EvalUn(in.Alu, in.Type, a)
		w.set(in.Dst, v, known && defined)
	case ir.OpConv:
		w.set(in.Dst, ir.Convert(in.Type, in.From, a), known)
	case ir.OpJump:
		return int(in.Target), true
	case ir.OpBranch:
		if a != 0 {
			return int(in.Target), known
		}
		return int(in.Else), known
	default:
		return 0, false
	}
	return pc + 1, true
}

// forgotten reports whether nothing that the round has set is of worth at pc.
func (w *round) forgotten(pc int) bool {
	for r := range w.f.Regs {
		if w.new[r] && w.f.LiveAt(pc, r) {
			return false
		}
	}
	return true
}
