package optimise

import (
	"slices"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// repeater repeats schedules of one configuration under one reading. It keeps the machines that it has made: what they know of units and of the layout of
// memory holds for all assignments that need the same mechanisms of the memory model.
type repeater struct {
	base     *facts.Facts
	machines map[memmodel.Traits]*state.Machine
}

// on returns a machine for a program that is made of the one of base. It is for repeating schedules only, and until the next call.
func (r *repeater) on(p *ir.Program) *state.Machine {
	f := r.base.Repeated(p)
	m := r.machines[f.Traits]
	if m == nil {
		m = state.Knowing(f)
		r.machines[f.Traits] = m
	}
	m.Facts = f
	return m
}

// goesWrong reports whether a schedule leads an assignment into something wrong, whatever it is. A schedule that does not fit refutes nothing.
func (c *checker) goesWrong(f *failing, strengths map[ir.SiteID]ir.Strength) bool {
	if f.moves == nil {
		return false
	}
	c.replays++
	p := f.q.launch.m.Program.WithAt(f.q.launch.uses, strengths)
	if !slices.ContainsFunc(f.moves, func(n explore.Named) bool { return n.Choice.Promise > 0 }) {
		r := c.repeat[f.q]
		if r == nil {
			r = &repeater{c.base(f.q), map[memmodel.Traits]*state.Machine{}}
			c.repeat[f.q] = r
		}
		wrong, tired := f.retraced(r.on(p))
		if wrong || !tired { // there may be more seq_cst operations than constraints on them can be kept: another machine keeps none
			return wrong
		}
	}
	for m := range explore.Replayers(p, f.q.spec, f.v.Schedule) {
		if wrong, _ := f.retraced(m); wrong {
			return true
		}
	}
	return false
}

// retraced reports whether something goes wrong where the schedule leads, and whether the machine has given it up.
func (f *failing) retraced(m *state.Machine) (wrong, tired bool) {
	led := explore.Retrace(m, f.moves, false)
	s := led.State
	switch {
	case s.Violation.Kind != state.NoViolation:
		return !s.Open(), false
	case led.Fits == len(f.moves) && f.whole:
		_, err := trace.Build(m.Program, f.q.spec, explore.Violation{Violation: state.Violation{Kind: f.kind}, Schedule: led.Moves})
		return err == nil, false
	}
	return false, s.Abandoned
}
