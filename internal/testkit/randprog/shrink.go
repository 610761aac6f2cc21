package randprog

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Shrink returns a smallest program, as far as greedy removal finds one, for
// which fails still holds. It drops threads, then single instructions, until
// nothing more can go. The predicate must cope with any program: a dropped
// branch or definition may leave loops that do not end.
func Shrink(p *ir.Program, fails func(*ir.Program) bool) *ir.Program {
	try := func(smaller *ir.Program) bool {
		if !fails(smaller) {
			return false
		}
		p = smaller
		return true
	}
	for again := true; again; {
		again = false
		for i := len(p.Threads) - 1; i >= 0; i-- {
			again = len(p.Threads) > 1 && try(withoutThread(p, i)) || again
		}
		for fn := range p.Funcs {
			for pc := len(p.Funcs[fn].Code) - 1; pc >= 0; pc-- {
				code := p.Funcs[fn].Code
				again = code[pc].Op != ir.OpEnd && try(withoutInstr(p, fn, pc)) || again
			}
		}
	}
	return p
}

func withoutThread(p *ir.Program, i int) *ir.Program {
	q := *p
	q.Threads = slices.Delete(slices.Clone(p.Threads), i, i+1)
	return &q
}

func withoutInstr(p *ir.Program, fn, pc int) *ir.Program {
	q := *p
	q.Objects = slices.Clone(p.Objects) // Link writes to them
	q.Funcs = make([]*ir.Func, len(p.Funcs))
	for i, f := range p.Funcs {
		g := *f
		g.Code = slices.Clone(f.Code)
		q.Funcs[i] = &g
	}
	f := q.Funcs[fn]
	f.Code = slices.Delete(f.Code, pc, pc+1)
	for i := range f.Code {
		in := &f.Code[i]
		for _, to := range []*int32{&in.Target, &in.Else} {
			if (in.Op == ir.OpJump || in.Op == ir.OpBranch) && *to > int32(pc) {
				*to--
			}
		}
	}
	q.Link()
	return &q
}
