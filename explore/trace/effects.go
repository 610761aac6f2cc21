package trace

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// viewLog is what synchronises with what, and what lanes come to see by that.
type viewLog struct {
	stepLog
	known    map[syncKey]bool // what has been attached to a step
	told     []told           // synchronisations that the machine reports during a step
	passage  map[int]bool     // the arrivals at, and departures from, the barrier that was passed last
	arrivals map[int][]view   // by lane: what those who wait at a barrier have seen when they came to it
	before   sight            // of look, for the next step
	sights   int              // locations of which it was found out what a unit has seen
	sighted  map[view]bool    // of sees
	now      []view           // likewise
	news     map[int][]view   // by step: what Sees is made of, once it is known what of it matters
}

// told is one call of the memory's observer: that what unit u has done as event e synchronises with a lane. Of a
// barrier there is one for each two who meet.
type told struct {
	e             uint32 // the event
	from, lane    int32  // the lane that performed it, and the one that it synchronises with
	global, local bool   // in which memory
}

// syncKey is a synchronisation of a step with a lane, of which only the first is attached.
type syncKey struct {
	from, lane    int  // the step and the lane
	global, local bool // in which memory
}

func (r *viewLog) begin() {
	r.known, r.passage, r.arrivals = map[syncKey]bool{}, map[int]bool{}, map[int][]view{}
	r.sighted, r.news = map[view]bool{}, map[int][]view{}
}

// Synchronises is told by the memory during a step. Units are those of the
// cast before the step: the cast changes only when memory is done with.
func (r *viewLog) Synchronises(u memmodel.Unit, e uint32, t memmodel.Unit, global, local bool) {
	r.told = append(r.told, told{e, int32(r.of[u]), int32(r.of[t]), global, local})
}

// sight is what a step may change: what the units do and what they see.
type sight struct {
	of     []int // lanes of the units
	status []state.Status
	ops    []*ir.Instr // by unit, nil for commands
	given  []int64     // by unit: the operand B of its operation
	from   []int64     // by unit: operand C, whose value it wants
	view   []view      // what the stepping unit sees, if the step may let it see more
}

// view is one location as a lane sees it: the step whose value it must see. Where a thousand work-items pass a barrier
// there are a million of them.
type view struct{ loc, step int32 }

// look notes the situation before unit u takes a step. What the machine reports from here on is of that step.
func (r *viewLog) look(u memmodel.Unit) sight {
	r.told = r.told[:0]
	n := len(r.s.Cast.Units)
	s := &r.before // nobody keeps it: of many units and steps it would be most of what a trace allocates
	*s = sight{of: r.of, status: again(s.status, n), ops: again(s.ops, n), given: again(s.given, n), from: again(s.from, n)}
	for t := range memmodel.Unit(n) {
		s.status[t] = r.s.Status(t)
		if r.of[t] < 0 {
			continue
		}
		o := r.m.Operation(r.s, t)
		s.ops[t], s.given[t], s.from[t] = o.Instr, o.B, o.C
		if t != u {
			continue
		}
		if in := o.Instr; in.Op != ir.OpLoad && in.Op != ir.OpStore || in.Order != memmodel.NonAtomic {
			s.view = r.view(t)
		}
	}
	return *s
}

// again returns n zeros, in the memory of a slice that is not needed any more if it is large enough.
func again[T any](old []T, n int) []T {
	s := slices.Grow(old[:0], n)[:n]
	clear(s)
	return s
}

// sightShare bounds the locations of which it is found out what a unit has seen, so many for each private instruction that is attended to: of many
// units with much memory, which meet at many barriers, that would take longer than the search, and most of the memory.
const sightShare = 4

// view lists what unit u must see of each location that it has not written
// last itself.
func (r *viewLog) view(u memmodel.Unit) []view { return r.appendView(nil, u) }

func (r *viewLog) appendView(out []view, u memmodel.Unit) []view {
	if r.sights += len(r.s.Cast.Layout.Locs); r.sights > sightShare*r.most {
		r.t.Unseen = true
		return out
	}
	for x := range memmodel.Loc(len(r.s.Cast.Layout.Locs)) {
		i := r.shadow.known(r.s.Cast, x)
		if i < 0 {
			continue
		}
		l := &r.locs[i]
		back := 0
		if l.Atomic {
			var ok bool
			if back, ok = r.s.Mem.Known(u, x); !ok {
				continue
			}
		}
		if _, step, ok := l.read(back); ok && (l.Atomic || r.happened(step, u, x)) {
			out = append(out, view{int32(i), int32(step)})
		}
	}
	return out
}

// happened reports whether a write happens before what unit u does next.
func (r *viewLog) happened(step int, u memmodel.Unit, x memmodel.Loc) bool {
	if step == 0 {
		return true
	}
	w := r.t.Step(step)
	t := r.unit(w.Lane)
	return t < 0 || r.s.Mem.HappensBefore(t, w.event, u, x)
}

// departures records that units have passed a barrier.
func (r *viewLog) departures(before sight, move int) {
	moved := r.t.Step(len(r.t.Steps)).Lane
	var lanes []memmodel.Unit
	for u, lane := range before.of {
		if lane >= 0 && (lane == moved && r.arrived(lane) || before.status[u] == state.AtBarrier) {
			if now := r.unit(lane); now < 0 || r.s.Status(now) != state.AtBarrier {
				lanes = append(lanes, memmodel.Unit(u))
			}
		}
	}
	if len(lanes) == 0 {
		return
	}
	clear(r.passage)
	in := r.t.Step(r.last[before.of[lanes[0]]]).instr
	b := Barrier{Function: meetingName(r.p, in), Flags: in.Flags.String(), SubGroup: in.SubGroup,
		Global: in.Flags&memmodel.GlobalFence != 0, Local: in.Flags&memmodel.LocalFence != 0, Image: in.Flags&memmodel.ImageFence != 0}
	for i, u := range lanes {
		lane := before.of[u]
		arrival := r.last[lane]
		b.Arrivals = append(b.Arrivals, arrival)
		a := r.t.Step(arrival)
		s := r.add(Step{Lane: lane, Move: move, Pos: a.Pos, Kind: Depart, Op: "passes " + a.Op, Brief: "passes the " + kindOfMeeting(r.p, in),
			Flags: a.Flags, Scope: a.Scope}, a.instr, u)
		s.layout = r.t.Step(arrival).layout
		switch in.Op {
		case ir.OpCollective:
			v := result(in, before.given, lanes, i, before.from[u])
			s.Read = &v
			s.Brief += ", which returns " + value(r.p, in.Type, v)
		case ir.OpBarrier:
			r.occurs(s, r.t.Step(arrival).event+1)
		}
		b.Departures = append(b.Departures, s.ID)
		r.passage[arrival], r.passage[s.ID] = true, true
	}
	r.t.Barriers = append(r.t.Barriers, b)
}

// result returns what a collective gives member i of a group of units.
func result(in *ir.Instr, given []int64, group []memmodel.Unit, i int, sender int64) int64 {
	from := group
	switch in.Group {
	case ir.GroupShuffle, ir.GroupBroadcast:
		if sender < 0 || sender >= int64(len(group)) {
			return 0
		}
		return given[group[sender]]
	case ir.GroupScanInclusive:
		from = group[:i+1]
	case ir.GroupScanExclusive:
		from = group[:i]
	}
	v, _ := ir.Identity(in.Alu, in.Type)
	for _, u := range from {
		v, _ = ir.Eval(in.Alu, in.Type, v, given[u])
	}
	return v
}

// synchronised attaches what the machine said during a step, whose first
// record is step id, to the steps that acquired.
func (r *viewLog) synchronised(id int) {
	acquirer := map[int]*Step{} // by lane: its last step, for of a barrier only departures acquire
	for i := id; i <= len(r.t.Steps); i++ {
		s := r.t.Step(i)
		acquirer[s.Lane] = s
	}
	for _, t := range r.told {
		lane := int(t.lane)
		from, to := r.events[event{int(t.from), t.e}], acquirer[lane]
		k := syncKey{from, lane, t.global, t.local}
		if from == 0 || to == nil || r.known[k] || r.together(from, to.ID) {
			continue
		}
		r.known[k] = true
		if i := slices.IndexFunc(to.Sync, func(s Sync) bool { return s.From == from }); i >= 0 {
			to.Sync[i].Global = to.Sync[i].Global || t.global
			to.Sync[i].Local = to.Sync[i].Local || t.local
			continue
		}
		to.Sync = append(to.Sync, Sync{from, t.global, t.local})
	}
	for i := id; i <= len(r.t.Steps); i++ {
		r.keepLast(r.t.Step(i))
	}
}

// keepLast drops synchronisation with steps that a later one of their lane
// stands for.
func (r *viewLog) keepLast(s *Step) {
	all := slices.Clone(s.Sync)
	s.Sync = slices.DeleteFunc(s.Sync, func(a Sync) bool {
		return slices.ContainsFunc(all, func(b Sync) bool {
			return a.From < b.From && a.Global == b.Global && a.Local == b.Local && r.t.Step(a.From).Lane == r.t.Step(b.From).Lane
		})
	})
}

// together reports whether two steps are the arrival at and the departure from
// one passage of a barrier, whose order Trace.Barriers gives.
func (r *viewLog) together(arrival, departure int) bool {
	return r.passage[arrival] && r.passage[departure]
}

// seen notes what synchronising has let lanes see: that of unit u, which has taken a step, and
// those that have passed a barrier by it. While a unit waits there, it learns nothing.
func (r *viewLog) seen(u memmodel.Unit, before sight) {
	moved := before.of[u]
	r.arrivals[moved] = before.view
	gone := []int{moved}
	for lane := range r.arrivals {
		if lane != moved && r.t.Step(r.last[lane]).Kind == Depart {
			gone = append(gone, lane)
		}
	}
	slices.Sort(gone) // so that a page is the same each time
	for _, lane := range gone {
		now, s, old := r.unit(lane), r.t.Step(r.last[lane]), r.arrivals[lane]
		if s != nil && now >= 0 && (s.Kind == Depart || len(s.Sync) > 0) {
			r.sees(s, now, old)
		}
		if s == nil || s.Kind != Arrive {
			delete(r.arrivals, lane)
		}
	}
}

// sees notes at step s what unit u sees after it and has not seen before.
func (r *viewLog) sees(s *Step, u memmodel.Unit, old []view) {
	clear(r.sighted)
	for _, v := range old {
		r.sighted[v] = true
	}
	r.now = r.appendView(r.now[:0], u)
	now := r.now
	r.past.see(s.Lane, s.ID, false, now)
	isNew := func(v view) bool {
		return v.step > 0 && !r.sighted[v] && int(v.loc) != s.loc && r.t.Step(int(v.step)).Lane != s.Lane
	}
	n := 0
	for _, v := range now {
		if isNew(v) {
			n++
		}
	}
	if n == 0 {
		return
	}
	news := make([]view, 0, n)
	for _, v := range now {
		if isNew(v) {
			news = append(news, v)
		}
	}
	r.news[s.ID] = append(r.news[s.ID], news...)
}
