package facts

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Bounds on a round of waiting that is told by the code alone.
const (
	maxWaitRegs  = 64
	maxWaitSteps = 32
)

// Loads reports whether an access of function fn, at pc, may load v: a load may load anything, a compare-exchange what it does not
// take. Where another read-modify-write has taken v, it cannot (rule 7.7).
// docs/exploration/canonical-form.md, "What makes no difference to any reader".
func (facts *Facts) Loads(fn, pc int, v int64) bool {
	in := &facts.Program.Funcs[fn].Code[pc]
	if in.Op != ir.OpCmpXchg || in.Weak {
		return true
	}
	b, known := facts.operand(fn, pc, in.B)
	return !known || b != v
}

// WaitsAt reports whether an access of function fn, at pc, is a round of waiting if it reads v, one that writes at most what is there;
// taken: a read-modify-write has read v, so that no other can.
// docs/exploration/canonical-form.md, "What makes all wait who come to it".
func (facts *Facts) WaitsAt(fn, pc int, v int64, taken bool) bool {
	in := &facts.Program.Funcs[fn].Code[pc]
	switch {
	case in.Order == memmodel.NonAtomic:
		return false
	case in.Op == ir.OpLoad:
		return facts.Awaits(fn, pc, v) || taken && facts.attempts(fn, pc, v)
	case in.Op == ir.OpRMW:
		b, known := facts.operand(fn, pc, in.B)
		w, defined := ir.Eval(in.Alu, in.Type, v, b)
		return taken || known && defined && w == v && facts.Awaits(fn, pc, v)
	case in.Op == ir.OpCmpXchg:
		b, known := facts.operand(fn, pc, in.B)
		mayTake := !taken && (!known || b == v)
		return !mayTake && (!facts.Loads(fn, pc, v) || facts.Awaits(fn, pc, v) || facts.looksFirst(fn, pc))
	}
	return false
}

// operand returns the value of an operand of function fn, at pc, if it is always the same there.
func (facts *Facts) operand(fn, pc int, operand int32) (v int64, known bool) {
	if operand < 0 {
		return facts.Program.Funcs[fn].Consts[^operand], true
	}
	v, known = facts.Plans[fn][pc].Fixed[operand]
	return v, known
}

// Awaits reports whether a load of function fn, at pc, or a compare-exchange that fails, only waits for another value if it reads v:
// with nothing known but that, and no memory touched, the code comes straight back to it, and has
// changed no register that is still of worth there.
// docs/exploration/canonical-form.md, "What makes no difference to any reader".
func (facts *Facts) Awaits(fn, pc int, v int64) bool {
	f := facts.Program.Funcs[fn]
	if f.Regs > maxWaitRegs || f.Code[pc].Rounds != nil {
		return false
	}
	w := facts.round(fn, pc)
	w.read(pc, v)
	at := pc + 1
	for range maxWaitSteps {
		if at == pc {
			return w.forgotten(pc, facts.Plans[fn][pc].Fixed)
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

// round begins a round at pc, where some registers have always the same values.
func (facts *Facts) round(fn, pc int) round {
	w := round{f: facts.Program.Funcs[fn]}
	for r, v := range facts.Plans[fn][pc].Fixed {
		w.regs[r], w.known[r] = v, true
	}
	return w
}

// read notes what the access at pc sets if it loads v: a compare-exchange fails then.
func (w *round) read(pc int, v int64) {
	in := &w.f.Code[pc]
	if in.Op == ir.OpCmpXchg {
		w.set(in.Dst2, v, true)
		v = 0
	}
	w.set(in.Dst, v, true)
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

// run executes private instructions from pc on, and returns the first that is none.
func (w *round) run(pc int) (at int, ok bool) {
	for range maxWaitSteps {
		next, ok := w.step(pc)
		if !ok {
			return pc, w.f.Code[pc].Op.Visible()
		}
		pc = next
	}
	return pc, false
}

// forgotten reports whether nothing that the round has set is of worth at pc, but what always has that value there.
func (w *round) forgotten(pc int, fixed map[int32]int64) bool {
	for r := range w.f.Regs {
		if w.new[r] && w.f.LiveAt(pc, r) {
			if v, ok := fixed[int32(r)]; !ok || !w.known[r] || w.regs[r] != v {
				return false
			}
		}
	}
	return true
}
