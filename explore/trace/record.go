package trace

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// position returns a place in the model with the text of its line.
func position(p *ir.Program, pos int32) Pos {
	out := place(p, pos)
	if out.Line == 0 {
		return out
	}
	var via []string
	for _, c := range p.CallsAt(pos) {
		via = append(via, fmt.Sprintf("in %s, called at %s", c.Name, place(p, c.Pos)))
		if len(via) == maxVia {
			break
		}
	}
	out.Via = strings.Join(via, ", ")
	return out
}

// place returns a place in the model, the same for all steps there.
func (r *stepLog) place(pos int32) *Pos {
	p := r.places[pos]
	if p == nil {
		at := position(r.p, pos)
		p = &at
		r.places[pos] = p
	}
	return p
}

// maxVia bounds the calls that are named of a place.
const maxVia = 6

func place(p *ir.Program, pos int32) Pos {
	if pos < 0 || int(pos) >= len(p.Positions) {
		return Pos{}
	}
	return Line(p, p.Positions[pos])
}

// Line is a place with the text of its line.
func Line(p *ir.Program, at ir.Pos) Pos {
	if at.Line < 1 || int(at.File) >= len(p.Sources) {
		return Pos{}
	}
	src := p.Sources[at.File]
	out := Pos{File: src.Name, Line: int(at.Line), Col: int(at.Col)}
	text := src.Text
	for range at.Line - 1 {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	out.Source = strings.TrimSpace(text)
	return out
}

// stepKinds says what kind of step an operation is.
var stepKinds = map[ir.Op]Kind{ir.OpLoad: Load, ir.OpStore: Store, ir.OpRMW: Modify, ir.OpCmpXchg: CompareExch,
	ir.OpFence: Fence, ir.OpBarrier: Arrive, ir.OpCollective: Arrive, ir.OpAsyncCopy: Arrive, ir.OpWaitCopies: Arrive,
	ir.OpChoose: Choose, ir.OpEnqueueNDRange: Enqueue, ir.OpFinish: Finish, ir.OpWaitEvents: Finish, ir.OpGo: Spawn,
	ir.OpEnqueueNative: Enqueue, ir.OpMarker: Enqueue, ir.OpQueueBarrier: Enqueue, ir.OpEventStatus: Event, ir.OpCallback: Event,
	ir.OpEnqueueKernel: Enqueue, ir.OpEnqueueMarker: Enqueue, ir.OpCreateEvent: Event, ir.OpSetEvent: Event,
	ir.OpRetainEvent: Event, ir.OpReleaseEvent: Event, ir.OpValidEvent: Event}

// stepLog writes the steps of the execution, and what they read and write.
type stepLog struct {
	commandLog
	events map[event]int  // the step that performed it
	places map[int32]*Pos // by index in Program.Positions
}

// event names an event as the memory model counts them.
type event struct {
	lane   int    // that performs it
	number uint32 // among its unit's
}

// stepOf returns the step that performed an event, or nil.
func (r *stepLog) stepOf(e event) *Step { return r.t.Step(r.events[e]) }

func (r *stepLog) begin() { r.events, r.places = map[event]int{}, map[int32]*Pos{} }

// take adds the step of a move that is about to be made, and returns what the
// unit performs.
func (r *stepLog) take(i int, move explore.Move) (*Step, state.Operation) {
	if move.Choice.Promise > 1 {
		return r.early(i, move), state.Operation{Instr: &ir.Instr{}}
	}
	return r.record(i, move)
}

// record adds the step of a move that is about to be made.
func (r *stepLog) record(i int, move explore.Move) (*Step, state.Operation) {
	u := move.Unit
	o := r.m.Operation(r.s, u)
	in := o.Instr
	s := r.add(Step{Lane: r.of[u], Move: i, Pos: r.place(in.Pos), Kind: stepKinds[in.Op]}, in, u)
	s.addr = o.A
	r.ledger.performs(s.Lane, s.ID)
	if q := r.private[s.Lane]; q != nil {
		if in.Op == ir.OpStore && in.B >= 0 {
			s.data = q.made[in.B].data
		}
		if in.Op.Access() && in.A >= 0 {
			s.place = q.made[in.A].data
		}
	}
	if in.Op.Access() || in.Op == ir.OpFence && in.Order != memmodel.Relaxed || in.Op == ir.OpBarrier {
		r.occurs(s, r.s.Mem.Event(u)+1)
	}
	if in.Op == ir.OpFence || in.Op == ir.OpBarrier {
		s.Flags = in.Flags.String()
	}
	if in.Order != memmodel.NonAtomic {
		s.Order, s.Scope = in.Order.String(), in.Scope.String()
	} else if in.Op == ir.OpBarrier {
		s.Scope = in.Scope.String()
	}
	if in.Op.Maps() {
		r.occurs(s, r.s.Mem.Event(u)+1)
		for k := range o.B { // it touches each cell
			r.events[event{s.Lane, s.event + 1 + uint32(k)}] = s.ID
		}
		if o.Loc >= 0 {
			r.remap(s, &o, move.Choice)
		}
		return s, o
	}
	if o.Loc >= 0 {
		r.access(s, &o, move.Choice)
	}
	if in.Op == ir.OpChoose {
		v := int64(move.Choice.Back)
		s.Read = &v
	}
	s.Op, s.Brief = call(r.p, &o, s.Location), brief(r.p, s, &o, r.located(s))
	if c := r.pipeOf(&o); c != nil {
		s.Op, s.Brief = c.call(r.p, &o), c.brief(r.p, s, &o)
	}
	switch {
	case s.Kind == Store && (s.blank || s.loc >= 0 && r.locs[s.loc].handle != ""):
		s.Op = s.Brief
	case s.Kind == Enqueue && move.Choice.Fail:
		s.Brief += ", which fails"
	case in.Op == ir.OpEnqueueKernel && move.Choice.Back > 0:
		s.Brief += ", to start when this kernel has ended"
	}
	return s, o
}

// located returns the location that a step accesses, or nil.
func (r *execution) located(s *Step) *Location {
	if s.loc < 0 {
		return nil
	}
	return &r.locs[s.loc]
}

// add appends a step to its lane, and relates the lane's first one to what has started it.
func (r *commandLog) add(s Step, in *ir.Instr, unit memmodel.Unit) *Step {
	s.trail = r.trails.length(s.Lane)
	r.stopped(s.Lane)
	step := r.append(s, in, unit)
	if !r.entered[s.Lane] {
		r.entered[s.Lane] = true
		r.launched(step.ID)
	}
	return step
}

// occurs notes which event of its lane a step is.
func (r *stepLog) occurs(s *Step, number uint32) {
	s.event = number
	r.events[event{s.Lane, number}] = s.ID
}

// access records what an access reads and writes.
func (r *stepLog) access(s *Step, o *state.Operation, c state.Choice) {
	in := o.Instr
	s.loc = r.shadow.at(r.s.Cast, o.Loc)
	l := &r.locs[s.loc]
	s.Location, s.Region, s.Atomic, s.blank = l.Name, l.Region, in.Order != memmodel.NonAtomic, l.Sliced
	if s.Atomic && !l.Atomic {
		return // misuse: nothing is accessed
	}
	if c.Promise > 0 {
		r.performs(s, c)
		return
	}
	back := int(c.Back)
	if in.Order == memmodel.NonAtomic && l.Atomic && in.Op == ir.OpLoad {
		back, _ = r.s.Mem.Known(s.unit, o.Loc)
	}
	if in.Op != ir.OpStore {
		if v, from, ok := l.read(back); ok {
			s.Read, s.ReadsFrom = &v, &from
		}
	}
	switch in.Op {
	case ir.OpStore:
		r.write(s, l, back, o.B)
	case ir.OpRMW:
		if s.Read != nil {
			v, _ := ir.Eval(in.Alu, in.Type, *s.Read, o.B)
			r.write(s, l, back, v)
		}
	case ir.OpCmpXchg:
		r.exchange(s, l, back, o, c.Fail)
	}
}

func (r *stepLog) write(s *Step, l *Location, back int, v int64) {
	if back > 0 {
		s.Before = l.Order[len(l.Order)-back]
	}
	s.Wrote = &v
	l.insert(back, s.ID, v)
}

func (r *stepLog) exchange(s *Step, l *Location, back int, o *state.Operation, fail bool) {
	if s.Read == nil {
		return
	}
	switch {
	case !fail:
		s.Outcome = "success"
		r.write(s, l, back, o.C)
		return
	case *s.Read == o.B:
		s.Outcome = "spurious"
	default:
		s.Outcome = "failure"
	}
	s.order = o.Instr.FailOrder
	s.Order = s.order.String()
}
