package trace

import (
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// execution is one as far as it has been performed: the machine and its state, in which lanes and locations have names that last, and
// the trace that is written of it. It answers what all others ask of steps, lanes, locations and the program's text.
type execution struct {
	t     *Trace         // that is written
	p     *ir.Program    // the machine's
	m     *state.Machine // that performs the schedule
	s     *state.State   // that it has come to
	until time.Time      // when there is no time left; zero: never
	last  map[int]int    // lane -> its last step
	past  *past          // of the trace
	board
	shadow
}

func newExecution(m *state.Machine, v explore.Violation, until time.Time) execution {
	x := execution{t: emptyTrace(v.Kind), p: m.Program, m: m, until: until, last: map[int]int{}, past: &past{program: m.Program},
		board: board{index: map[uint64]int{}}, shadow: shadow{m: m, index: map[cellKey]int{}}}
	most := len(v.Schedule) + len(v.Schedule)/16 // barriers have two
	x.t.Steps, x.t.Edges = make([]Step, 0, most), make([]Edge, 0, most)
	x.t.spec = m.Spec
	return x
}

// append adds a step.
func (x *execution) append(s Step, in *ir.Instr, unit memmodel.Unit) *Step {
	s.ID = len(x.t.Steps) + 1
	s.loc, s.instr, s.unit, s.layout, s.order = -1, in, unit, x.s.Cast.Layout, in.Order
	if prev := x.last[s.Lane]; prev > 0 {
		x.edge(Edge{Relation: SequencedBefore, From: prev, To: s.ID})
	}
	if s.Kind != Early { // which is no part of program order here
		x.last[s.Lane] = s.ID
	}
	x.t.Steps = append(x.t.Steps, s)
	return &x.t.Steps[s.ID-1]
}

func (x *execution) edge(e Edge) { x.t.Edges = append(x.t.Edges, e) }

// arrived reports whether a lane's last step is the arrival at a barrier.
func (x *execution) arrived(lane int) bool {
	s := x.t.Step(x.last[lane])
	return s != nil && s.Kind == Arrive
}

func (x *execution) who(lane int) string { return x.lanes[lane].String() }

// late reports whether there is no time left to repeat the execution.
func (x *execution) late() bool { return !x.until.IsZero() && time.Now().After(x.until) }

// keepPast gives the trace its history. (The rest of a replay, which is large, is not kept.)
func (x *execution) keepPast() {
	x.t.past = x.past
	x.past.close(x.funcs)
}
