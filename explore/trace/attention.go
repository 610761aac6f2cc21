package trace

import (
	"errors"
	"fmt"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// maxAttended bounds the private instructions of an execution that are attended to one by one, to tell what private
// variables hold and what comes of what.
const maxAttended = 2 << 20

// attention says what of private code is attended to. The first time that an execution is repeated, that is all, up to the
// bound. If there is more, it is repeated once more: it is known then where the lanes stop, and what is near to a
// stop, before it or behind it, is attended to.
type attention struct {
	most  int     // the bound
	came  []int   // by lane: private instructions so far
	all   int     // of all lanes
	stops [][]int // by lane: came at each of its steps
	known [][]int // stops of the replay before, with the end of each lane; nil in the first
	near  int     // how many instructions before and behind a stop are attended to
}

// again returns what is attended to of the execution when it is repeated once more.
func (a *attention) again() attention {
	n := 1
	for lane := range a.came {
		a.stopped(lane)
		n += len(a.stops[lane])
	}
	return attention{most: a.most, known: a.stops, near: max(a.most/(2*n), 1)}
}

// exceeded reports whether there was more than is attended to at once.
func (a *attention) exceeded() bool { return a.known == nil && a.all > a.most }

// stopped notes that a lane has come to a step.
func (a *attention) stopped(lane int) {
	a.grow(lane)
	a.stops[lane] = append(a.stops[lane], a.came[lane])
}

func (a *attention) grow(lane int) {
	for len(a.came) <= lane {
		a.came, a.stops = append(a.came, 0), append(a.stops, nil)
	}
}

// attends counts an instruction that a lane comes to, and reports whether it is attended to.
func (a *attention) attends(lane int) bool {
	a.grow(lane)
	n := a.came[lane]
	a.came[lane]++
	a.all++
	if a.known == nil {
		return a.all <= a.most
	}
	from, k := 0, len(a.stops[lane])
	if k > 0 {
		from = a.stops[lane][k-1]
	}
	return n-from < a.near || lane >= len(a.known) || k >= len(a.known[lane]) || a.known[lane][k]-n <= a.near
}

// skip notes that a lane comes to an instruction that is not attended to.
func (q *privacy) skip(r *privateLog, lane, pc int, regs []int64) {
	q.leave(r, lane, regs)
	q.at = -1
	if q.skipped == nil {
		q.skipped = make([]bool, len(q.f.Code))
		r.ledger.skip()
	}
	q.skipped[pc], q.behind = true, true
	r.t.Skipped++
}

// resume forgets what the instructions that were skipped may have changed.
func (q *privacy) resume(r *privateLog, lane int) {
	if !q.behind {
		return
	}
	q.behind, q.branch = false, nil
	for pc, skipped := range q.skipped {
		if !skipped {
			continue
		}
		for _, n := range q.f.NotesAt(pc) {
			n.Unknown = true
			q.heed(r, lane, &n, nil)
		}
		dst, dst2 := q.f.Code[pc].Results()
		for _, d := range []int32{dst, dst2} {
			if d >= 0 {
				q.made[d] = origin{}
			}
		}
		q.turns[pc] = turn{}
	}
	clear(q.skipped)
}

// untold is the trace of a violation whose execution there was no time to write down or to repeat.
func untold(p *ir.Program, spec memmodel.Spec, v explore.Violation) *Trace {
	t := emptyTrace(v.Kind)
	t.spec, t.Schedule, t.Untold, t.After, t.Unsettled, t.Location = spec, Stored(v.Schedule), true, v.After, v.Unsettled, v.Location
	if v.Lasso != nil {
		t.Liveness = livenessOf(v.Lasso)
	}
	t.Message = fmt.Sprintf("%s, by %s", upper(v.Kind.String()), v.UnitName)
	if v.Location != "" {
		t.Message += ", on " + v.Location
	}
	t.Message += "."
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if at := position(p, f.Code[pc].Pos); fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Col) == v.Line {
				t.At = at
				return t
			}
		}
	}
	return t
}

// repeat has an execution repeated on a machine, as often as it takes to attend to at most so many private
// instructions one by one.
func repeat(m *state.Machine, v explore.Violation, until time.Time, most int, perform func(*replay) error) (*replay, error) {
	r := newReplay(m, v, attention{most: most}, until)
	if err := perform(r); err != nil || !r.attention.exceeded() || r.late() {
		return r, err
	}
	once := newReplay(m, v, r.attention.again(), until)
	err := perform(once)
	if errors.Is(err, errLate) {
		return r, nil
	}
	return once, err
}

// errLate says that there is no time left.
var errLate = errors.New("there is no time left to repeat the execution")

// checkEvery is the number of private instructions that are recorded between two looks at the clock.
const checkEvery = 1 << 14

// hurry halts the machine if the time is over. It looks at the clock after every checkEvery instructions.
func (r *privateLog) hurry() {
	if r.all%checkEvery == 0 && r.late() {
		r.m.Halt()
	}
}
