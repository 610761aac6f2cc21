package facts

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Again returns the facts of a program that ir.Program.With has made of that of f: how its operations synchronise is another matter, and all else is
// what it was. What does not read that is shared.
func (f *Facts) Again(p *ir.Program) *Facts {
	a := *f
	a.spent = func() bool { return false }
	a.Program, a.Asks, a.Plans, a.Onward = p, slices.Clone(f.Asks), slices.Clone(f.Plans), slices.Clone(f.Onward)
	a.Commuting, a.Vain, a.Parts = false, false, false
	a.Points = make([]*ir.PointsTo, len(f.Points))
	for fn, code := range p.Funcs {
		a.Points[fn] = f.Points[fn].In(p)
		if code != f.Program.Funcs[fn] {
			a.strengths(fn)
		}
		a.Commuting = a.Commuting || slices.ContainsFunc(a.Plans[fn], func(p Plan) bool { return p.Class != ir.Ordered })
		a.Vain = a.Vain || slices.ContainsFunc(a.Plans[fn], func(p Plan) bool { return p.Vain })
		a.Parts = a.Parts || slices.ContainsFunc(code.Code, func(in ir.Instr) bool { return in.Op.Meets() && in.SubGroup })
	}
	a.Traits = a.traits()
	a.spent = nil
	return &a
}

// strengths finds again what reads how the operations of a function synchronise.
func (facts *Facts) strengths(fn int) {
	f := facts.Program.Funcs[fn]
	ask := *facts.Asks[fn]
	if ask.f != nil {
		ask.f = f
	}
	facts.Asks[fn], facts.Plans[fn], facts.Onward[fn] = &ask, slices.Clone(facts.Plans[fn]), facts.newReach(f)
	for pc := range f.Code {
		p := &facts.Plans[fn][pc]
		p.Class, p.Vain = classOf(f, pc), vain(f, pc) && !p.Loops
		if !f.Code[pc].Op.Visible() {
			p.Dead = nil
		}
	}
}

// Repeated is Again as far as an execution that is given move by move depends on it: which mechanisms of the memory model it can need.
func (f *Facts) Repeated(p *ir.Program) *Facts {
	a := *f
	a.spent = func() bool { return false }
	a.Program = p
	a.Traits = a.traits()
	a.spent = nil
	return &a
}
