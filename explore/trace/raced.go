package trace

import (
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// DependsOnRace reports whether a violation that comes after data races depends on what was read in one of them; of a data race
// before which something has failed, whether that does on what was read in the race. Where that is not known it does not.
// docs/exploration/races.md, "Beyond races that are known".
func DependsOnRace(p *ir.Program, spec memmodel.Spec, v *explore.Violation) bool {
	for m := range explore.Replayers(p, spec, v.Schedule) {
		r := newReplay(m, *v, attention{most: maxAttended}, time.Time{})
		if r.perform(*v) != nil || r.attention.exceeded() {
			continue
		}
		r.overtakings()
		r.relate()
		if v.Failed != state.NoViolation {
			r.aboutFailed()
		}
		newTeller(r).conclude()
		slice(r, nil)
		return r.t.Depends
	}
	return false
}

// aboutFailed makes what had failed before a data race what the trace is about, and the race one that the execution has had.
func (r *replay) aboutFailed() {
	r.t.Races = [][2]int{{r.events[r.at.other], r.at.step}}
	r.at, r.failed = r.failed, culprit{}
	r.t.kind = r.at.violation.Kind
}

// comesOf reports whether the slice needs what was read in a race of two steps; or, if both write, which of them was the
// last one, unless they write the same.
func (q *slicing) comesOf(a, b *Step) bool {
	if a == nil || b == nil {
		return false
	}
	if !a.Reads() && !b.Reads() {
		return (q.whole[a.ID] || q.whole[b.ID]) && (a.Wrote == nil || b.Wrote == nil || *a.Wrote != *b.Wrote)
	}
	return q.whole[a.ID] && a.Reads() || q.whole[b.ID] && b.Reads()
}
