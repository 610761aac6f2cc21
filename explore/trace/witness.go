package trace

import (
	"cmp"
	"fmt"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Repeat performs once more an execution that comes to its end, in which nothing goes wrong. It returns its trace, which
// says nothing but what happens, and its outcome. The slice of the trace is what values depend on, if names
// of such are given. It is an error if there is no time left before it has been repeated; until is zero if there is no end of it.
func Repeat(p *ir.Program, spec memmodel.Spec, schedule []explore.Move, until time.Time, names ...string) (*Trace, []state.Value, error) {
	var first error
	for m := range explore.Replayers(p, spec, schedule) {
		r, err := repeat(m, explore.Violation{Schedule: schedule}, until, maxAttended, func(r *replay) error { return r.end(schedule) })
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		r.t.Schedule = Stored(schedule)
		r.overtakings()
		r.relate()
		r.keepPast()
		if len(names) > 0 {
			slice(r, names)
		}
		return r.t, m.Notes().Outcome(r.s, nil), nil
	}
	return nil, nil, first
}

// end performs a schedule to the end of the execution.
func (r *replay) end(schedule []explore.Move) error {
	if r.m.Halted() {
		return errLate
	}
	for i, move := range schedule {
		if r.late() {
			return errLate
		}
		if err := r.do(i, move); err != nil {
			return err
		}
	}
	switch {
	case r.s.Violation.Kind != state.NoViolation:
		return fmt.Errorf("%w: it ends in %s", ErrUnfit, article(r.s.Violation.Kind))
	case r.s.Open() || !r.s.Done():
		return fmt.Errorf("%w: it breaks off before the end", ErrUnfit)
	}
	return nil
}
