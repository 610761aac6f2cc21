package facts

import "github.com/clmc/clmc/state/ir"

// An attempt is a compare-exchange that comes behind a look at the same location, to which it goes back if it fails.

// attempts reports whether the load at pc, if it reads v, leads straight to an attempt that wants v, and learns nothing that this does not learn
// if it succeeds.
func (facts *Facts) attempts(fn, pc int, v int64) bool {
	f := facts.Program.Funcs[fn]
	e, ok := facts.tries(fn, pc, v)
	return ok && facts.isAttempt(fn, pc, e) && (!f.Code[pc].Order.Acquires() || f.Code[e].Order.Acquires())
}

// looks reports whether the load at pc may lead to an attempt: there is a value with which it does.
func (facts *Facts) looks(fn, pc int) bool {
	f := facts.Program.Funcs[fn]
	for e := range f.Code {
		if f.Code[e].Op != ir.OpCmpXchg || len(facts.Plans[fn][e].Returns) == 0 {
			continue
		}
		if b, known := facts.operand(fn, e, f.Code[e].B); known && facts.attempts(fn, pc, b) {
			return true
		}
	}
	return false
}

// tries returns the compare-exchange that wants v and to which the load at pc leads straight if it reads v.
func (facts *Facts) tries(fn, pc int, v int64) (e int, ok bool) {
	f := facts.Program.Funcs[fn]
	if f.Regs > maxWaitRegs {
		return 0, false
	}
	w := facts.round(fn, pc)
	w.read(pc, v)
	if e, ok = w.run(pc + 1); !ok || f.Code[e].Op != ir.OpCmpXchg {
		return 0, false
	}
	b, known := facts.operand(fn, e, f.Code[e].B)
	return e, known && b == v
}

// looksFirst reports whether the compare-exchange at pc is an attempt that learns no more if it fails than the look before it, and comes back as it was
// if that finds what it wants.
func (facts *Facts) looksFirst(fn, pc int) bool {
	f, plan := facts.Program.Funcs[fn], &facts.Plans[fn][pc]
	b, known := facts.operand(fn, pc, f.Code[pc].B)
	for _, r := range plan.Returns {
		h := int(r.To)
		if e, ok := facts.tries(fn, h, b); !known || !ok || e != pc || !facts.isAttempt(fn, h, pc) {
			continue
		}
		if (!f.Code[pc].FailOrder.Acquires() || f.Code[h].Order.Acquires()) && leaves(f, h, pc, plan.Fixed) {
			return true
		}
	}
	return false
}

// isAttempt reports whether compare-exchange e comes behind the load at h alone, of the same address, and goes straight back to it if it fails.
func (facts *Facts) isAttempt(fn, h, e int) bool {
	f := facts.Program.Funcs[fn]
	if f.Regs > maxWaitRegs || f.Code[h].A != f.Code[e].A {
		return false
	}
	for _, r := range facts.Plans[fn][e].Returns {
		if int(r.To) != h || len(r.Between) > 0 {
			continue
		}
		w := facts.round(fn, e)
		w.set(f.Code[e].Dst2, 0, false)
		w.set(f.Code[e].Dst, 0, true)
		back, ok := w.run(e + 1)
		return ok && back == h
	}
	return false
}

// leaves reports whether nothing on the way from h to e sets what is of worth at e, but to what always is there.
func leaves(f *ir.Func, h, e int, always map[int32]int64) bool {
	edges, n := f.Flow(), len(f.Code)
	from, to := edges.Reach(n, h, func(i int) bool { return i == e }), edges.Reverse(n).Reach(n, e, func(i int) bool { return i == h })
	for i := range f.Code {
		if i != h && !(from[i] && to[i]) {
			continue
		}
		a, b := f.Code[i].Results()
		for _, r := range [...]int32{a, b} {
			if _, fixed := always[r]; r >= 0 && f.LiveAt(e, int(r)) && !fixed {
				return false
			}
		}
	}
	return true
}
