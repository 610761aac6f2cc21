package facts

import "github.com/clmc/clmc/state/ir"

// tested reports whether the load at pc, or a compare-exchange that fails, is followed, by private steps, by a branch, or what it has
// read is not asked for: otherwise it does the same with no two values.
func tested(f *ir.Func, pc int) bool {
	dst := f.Code[pc].Dst
	if f.Code[pc].Op == ir.OpCmpXchg {
		dst = f.Code[pc].Dst2
	}
	for at := pc + 1; at < len(f.Code) && at <= pc+maxWaitSteps; at++ {
		switch in := &f.Code[at]; {
		case dst < 0 || !f.LiveAt(at, int(dst)):
			return true
		case in.Op == ir.OpBranch:
			return true
		case in.Op.Visible():
			return false
		}
	}
	return false
}

// Equivalent reports whether a load of function fn, at pc, or a compare-exchange that fails, does the same if it reads v as if it reads w: with
// nothing known but that, and no memory touched, the code goes the same way, and when it comes to what
// cannot be told so, no register that is of worth there has two values. A compare-exchange must be known to fail with w.
// docs/exploration/canonical-form.md, "What makes no difference to any reader".
func (facts *Facts) Equivalent(fn, pc int, v, w int64) bool {
	f := facts.Program.Funcs[fn]
	if v == w {
		return true
	}
	in := &f.Code[pc]
	if f.Regs > maxWaitRegs || in.Op == ir.OpCmpXchg && !facts.surelyFails(fn, pc, w) {
		return false
	}
	a, b := facts.round(fn, pc), facts.round(fn, pc)
	a.read(pc, v)
	b.read(pc, w)
	at := pc + 1
	for range maxWaitSteps {
		next, ok := a.step(at)
		if also, both := b.step(at); !ok || !both || also != next {
			break
		}
		at = next
	}
	return a.agrees(&b, at)
}

// surelyFails reports whether the compare-exchange at pc can fail whenever it reads w.
func (facts *Facts) surelyFails(fn, pc int, w int64) bool {
	in := &facts.Program.Funcs[fn].Code[pc]
	b, known := facts.operand(fn, pc, in.B)
	return in.Weak || known && b != w
}

// agrees reports whether two rounds that have gone the same way have set whatever is of worth at pc
// to the same.
func (w *round) agrees(o *round, pc int) bool {
	for r := range w.f.Regs {
		if w.new[r] && w.f.LiveAt(pc, r) && !(w.known[r] && o.known[r] && w.regs[r] == o.regs[r]) {
			return false
		}
	}
	return true
}
