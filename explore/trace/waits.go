package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Those who wait in vain wait for a value that somebody should have written: who has written last waits too, or has
// ended, perhaps without coming by a write that the text has.

// vainWait says why those who wait do so in vain.
type vainWait struct{ *replay }

// awaited is another value of a location, for which a unit waits.
type awaited struct {
	unit memmodel.Unit
	by   *ir.Instr
	loc  int
	last *Step // that gave the location its value; nil if nobody has
}

// waitsFor says why those who wait do so in vain.
func (r *vainWait) waitsFor() []Reason {
	for u := range r.s.Cast.Count() {
		if r.of[u] < 0 {
			if c := r.commandOf(r.s.Cast.Units[u].ID); c != nil && r.s.Status(u) == state.Pending {
				if why := r.commandWaits(u, c); why.Text != "" {
					return []Reason{why}
				}
			}
			continue
		}
		if a, ok := r.awaits(u); ok {
			return []Reason{r.inVain(a)}
		}
	}
	return nil
}

// awaits returns what a unit waits for, if that is a value in memory.
func (r *vainWait) awaits(u memmodel.Unit) (awaited, bool) {
	switch r.s.Status(u) {
	case state.Ended, state.Finishing, state.AtBarrier:
		return awaited{}, false
	}
	o := r.m.Operation(r.s, u)
	if !o.Instr.Op.Access() || o.Loc < 0 || o.Instr.Order == memmodel.NonAtomic {
		return awaited{}, false
	}
	a := awaited{unit: u, by: o.Instr, loc: r.shadow.at(r.s.Cast, o.Loc)}
	_, from, ok := r.locs[a.loc].read(0)
	a.last = r.changed(&r.locs[a.loc], from)
	return a, ok
}

// changed returns the step that has given a location the value of the step `from`: whoever tries for a lock that is
// taken writes it, too, by an exchange, but nothing new. It is nil if nobody has.
func (r *vainWait) changed(l *Location, from int) *Step {
	for i := len(l.Order) - 1; i > 0; i-- {
		w := r.t.Step(l.Order[i])
		if w == nil || w.Kind != Modify || l.cells[i] != l.cells[i-1] {
			return w
		}
	}
	return r.t.Step(from)
}

// inVain says why nobody writes what a unit waits for.
func (r *vainWait) inVain(a awaited) Reason {
	if out, ok := r.pipeStuck(a); ok {
		return out
	}
	if out, ok := r.ring(a); ok {
		return out
	}
	if out, ok := r.passedBy(a); ok {
		return out
	}
	for _, why := range []func(awaited) (Reason, bool){r.behindBarrier, r.ownCopy, r.takenTwice} {
		if out, ok := why(a); ok {
			return out
		}
	}
	out, name, here := Reason{Kind: "wait"}, r.locs[a.loc].Name, position(r.p, a.by.Pos).Line
	if a.last == nil {
		out.Text = fmt.Sprintf("Nobody has written %s, and all who could are at an end or wait themselves.", name)
		out.Repair = fmt.Sprintf("Write the value that line %d waits for before anybody waits for it: by the host, or by a work-item that need not wait itself.", here)
		return out
	}
	w := a.last
	out.Steps = []int{w.ID}
	out.Text = fmt.Sprintf("%s has written %s last, in step %d%s", upper(r.who(w.Lane)), name, w.ID, line(w))
	u := r.unit(w.Lane)
	if u < 0 || r.s.Status(u) == state.Ended {
		out.Text += ", and has ended without writing it again." + r.compared(a)
		out.Repair = fmt.Sprintf("Write %s once more on each way to the end (a lock: release it), or wait in line %d for a value that it will have.", name, here)
		return out
	}
	there := position(r.p, r.m.Operation(r.s, u).Instr.Pos)
	out.Text += fmt.Sprintf(", and waits itself%s.%s", inLine(there), r.compared(a))
	switch {
	case w.Kind == Modify && (w.instr.Alu == ir.Add || w.instr.Alu == ir.Sub):
		out.Repair = fmt.Sprintf("Let line %d wait for as many as come to line %d, or let as many come there as it waits for.", here, w.Line)
	case there.Line > 0 && there.Line != here:
		out.Repair = fmt.Sprintf("Write %s before the wait%s (a lock: release it first), or wait in line %d for a value that it will have.", name, inLine(there), here)
	default:
		out.Repair = fmt.Sprintf("Write %s before waiting for others (a lock: release it first, and take several always in one order), or wait in line %d for a value that it will have.", name, here)
	}
	return out
}

// behindBarrier finds that a lane which has not written what is waited for could write it, but behind a barrier at which it waits for the
// one that waits.
func (r *vainWait) behindBarrier(a awaited) (Reason, bool) {
	waits := &r.lanes[r.of[a.unit]]
	tries := 0
	for u := range r.s.Cast.Count() {
		lane := r.of[u]
		if lane < 0 || r.s.Status(u) != state.AtBarrier || a.last != nil && a.last.Lane == lane || !r.lanes[lane].place.SameGroup(waits.place) {
			continue
		}
		if tries++; tries > maxPassed {
			break
		}
		o := r.m.Operation(r.s, u)
		meets := position(r.p, o.Instr.Pos)
		for _, pc := range r.writesTo(r.funcs[lane], a.loc) {
			write := position(r.p, o.Func.Code[pc].Pos)
			if q := r.private[lane]; write.Line == 0 || meets.Line == 0 || q == nil || len(q.f.Code) > maxParted || !q.leads(o.PC, pc, -1) {
				continue
			}
			name, here, what := r.locs[a.loc].Name, position(r.p, a.by.Pos).Line, kindOfMeeting(r.p, o.Instr)
			return Reason{Kind: "wait",
				Text: fmt.Sprintf("%s could write %s in line %d, but waits in line %d, at the %s before that, for %s, which waits in line %d for that write.",
					upper(r.who(lane)), name, write.Line, meets.Line, what, waits.Name, here),
				Repair: fmt.Sprintf("Write %s before the %s in line %d, or wait in line %d only behind it.", name, what, meets.Line, here)}, true
		}
	}
	return Reason{}, false
}

// ownCopy finds that a flag in local memory is written by another work-group, which has one of its own.
func (r *vainWait) ownCopy(a awaited) (Reason, bool) {
	l, waits := &r.locs[a.loc], r.of[a.unit]
	if l.region != memmodel.Local || l.Group == nil {
		return Reason{}, false
	}
	key := r.shadow.key(a.loc)
	ours := map[*ir.Instr]bool{a.by: true} // what the group that waits performs
	theirs := map[*ir.Instr]bool{}
	var write *Step
	for i := range r.t.Steps {
		s := &r.t.Steps[i]
		if r.lanes[s.Lane].place.SameGroup(r.lanes[waits].place) {
			ours[s.instr] = true
			continue
		}
		theirs[s.instr] = true
		if s.loc < 0 || !s.Atomic || !s.Writes() {
			continue
		}
		if of := r.shadow.key(s.loc); of.fn == key.fn && of.addr == key.addr {
			write = s
		}
	}
	if write == nil || ours[write.instr] || theirs[a.by] {
		return Reason{}, false
	}
	here := position(r.p, a.by.Pos).Line
	return Reason{Kind: "region", Rule: "3.4; OpenCL 3.0 section 3.3.4", Steps: []int{write.ID},
		Text: fmt.Sprintf("%s is in local memory, of which each work-group has its own: %s writes that of work-group %d (step %d%s), and %s waits%s for that of work-group %d.",
			l.Name, r.lanes[write.Lane].Name, r.lanes[write.Lane].Group, write.ID, line(write), r.lanes[waits].Name, inLine(Pos{Line: here}), r.lanes[waits].Group),
		Repair: fmt.Sprintf("Put %s into global memory, as an atomic variable that the host gives to the kernel, and use memory_scope_device.", l.Name)}, true
}

// takenTwice finds that a unit tries for a lock that it has taken itself.
func (r *vainWait) takenTwice(a awaited) (Reason, bool) {
	lane := r.of[a.unit]
	if a.last == nil || a.last.Lane != lane || !takes(a.last) || !takesBy(a.by) {
		return Reason{}, false
	}
	name, first, second := r.locs[a.loc].Name, r.helperIn(a.last.instr), r.helperIn(a.by)
	return Reason{Kind: "wait", Steps: []int{a.last.ID},
		Text: fmt.Sprintf("%s has taken %s itself%s (step %d), has not given it back, and tries for it again%s: a lock of this kind is not taken twice by one work-item.",
			upper(r.who(lane)), name, first, a.last.ID, second),
		Repair: fmt.Sprintf("Do not take %s%s where it is held already, or release it before.", name, second)}, true
}

// helperIn names the line of an instruction: of one in a helper, that in which the helper is called.
func (r *vainWait) helperIn(in *ir.Instr) string {
	pos := in.Pos
	if calls := r.p.CallsAt(pos); len(calls) > 0 {
		pos = calls[0].Pos
	}
	return inLine(place(r.p, pos))
}

// compared says what a unit that waits compares the value with, where that is known.
func (r *vainWait) compared(a awaited) string {
	q := r.private[r.of[a.unit]]
	if q == nil || q.branch == nil || q.behind {
		return ""
	}
	c := q.branch
	for _, side := range []struct {
		read, alone int
		with        int64
	}{{c.from, c.to, c.b}, {c.to, c.from, c.a}} {
		if s := r.t.Step(side.read); s != nil && s.instr == a.by && s.loc == a.loc && s.Read != nil && side.alone == 0 {
			return fmt.Sprintf(" Line %d compares %s, which is %s, with %s.", s.Line, r.locs[a.loc].Name, value(r.p, c.typ, *s.Read), value(r.p, c.typ, side.with))
		}
	}
	return ""
}

// ring finds that units wait for each other's locks: each has taken one by an exchange, and tries for the next one's.
func (r *vainWait) ring(a awaited) (Reason, bool) {
	var way []awaited
	for at := a; ; {
		if i := slices.IndexFunc(way, func(b awaited) bool { return b.unit == at.unit }); i >= 0 {
			way = way[i:]
			break
		}
		way = append(way, at)
		if at.last == nil || !takes(at.last) || r.unit(at.last.Lane) < 0 {
			return Reason{}, false
		}
		next, ok := r.awaits(r.unit(at.last.Lane))
		if !ok || next.loc == at.loc {
			return Reason{}, false
		}
		at = next
	}
	out := Reason{Kind: "wait"}
	var parts, locks []string
	for i, b := range way { // who waits for b has taken what the one before it waits for
		has := way[(i+len(way)-1)%len(way)]
		out.Steps = append(out.Steps, has.last.ID)
		locks = append(locks, r.locs[has.loc].Name)
		if i < maxRing {
			parts = append(parts, fmt.Sprintf("%s has taken %s (step %d%s), and tries for %s%s", r.lanes[has.last.Lane].Name, r.locs[has.loc].Name,
				has.last.ID, r.calledIn(has.last.instr), r.locs[b.loc].Name, r.calledIn(b.by)))
		}
	}
	slices.Sort(out.Steps)
	slices.Sort(locks)
	out.Text = "They wait for each other's locks: " + strings.Join(parts, "; ") + "."
	out.Repair = fmt.Sprintf("Take %s in one order everywhere, or release the one before trying for the other.", strings.Join(slices.Compact(locks), " and "))
	return out, len(slices.Compact(locks)) == len(way)
}

// maxRing bounds those of a ring that are told.
const maxRing = 4

// takes reports whether a step is one by which a lock is taken.
func takes(s *Step) bool { return takesBy(s.instr) }

func takesBy(in *ir.Instr) bool {
	return in.Op == ir.OpCmpXchg || in.Op == ir.OpRMW && (in.Alu == ir.Xchg || in.Alu == ir.Or)
}

// calledIn names the line of an instruction: of one in a helper, that in which a kernel or the host calls it.
func (r *execution) calledIn(in *ir.Instr) string {
	pos := in.Pos
	if calls := r.p.CallsAt(pos); len(calls) > 0 {
		pos = calls[len(calls)-1].Pos
	}
	if at := place(r.p, pos); at.Line > 0 {
		return fmt.Sprintf(" in line %d", at.Line)
	}
	return ""
}

// passedBy finds that a lane which has ended could have written what is waited for, but went another way: the one
// that has written last, or if nobody has, any.
func (r *vainWait) passedBy(a awaited) (Reason, bool) {
	writes := map[int][]int{} // by function
	tries := 0
	for u := range r.s.Cast.Count() {
		lane := r.of[u]
		if lane < 0 || r.s.Status(u) != state.Ended || a.last != nil && a.last.Lane != lane {
			continue
		}
		if tries++; tries > maxPassed {
			break
		}
		if _, ok := writes[r.funcs[lane]]; !ok {
			writes[r.funcs[lane]] = r.writesTo(r.funcs[lane], a.loc)
		}
		after := 0
		if a.last != nil {
			after = a.last.ID
		}
		write, branch := r.unmade(lane, after, writes[r.funcs[lane]])
		if write == nil {
			continue
		}
		name, there, at := r.locs[a.loc].Name, position(r.p, write.Pos).Line, position(r.p, r.private[lane].f.Code[branch].Pos)
		read, depends := r.decidedBy(lane, branch)
		if there == 0 || at.Line == 0 || !depends {
			continue
		}
		out := Reason{Kind: "wait", Text: fmt.Sprintf("%s ends without writing %s in line %d: it goes another way at the condition in line %d", upper(r.who(lane)), name, there, at.Line)}
		out.Repair = fmt.Sprintf("Write %s on each way from line %d on, or let line %d wait only where it will be written.", name, at.Line, position(r.p, a.by.Pos).Line)
		if w := a.last; w != nil {
			out.Steps = append(out.Steps, w.ID)
			out.Text = fmt.Sprintf("%s has written %s last, in step %d%s, and has ended without writing it again: past line %d, by the condition in line %d", upper(r.who(lane)), name, w.ID, line(w), there, at.Line)
			out.Repair = fmt.Sprintf("Write %s once more on each way to the end, also from line %d on (a lock: release it), or wait in line %d for a value that it will have.",
				name, at.Line, position(r.p, a.by.Pos).Line)
		}
		if read != nil {
			out.Steps = append(out.Steps, read.ID)
			out.Text += fmt.Sprintf(", where it has read %s: %s (step %d)", r.locs[read.loc].Name, r.locs[read.loc].text(r.p, *read.Read), read.ID)
			if w := r.nextBy(r.of[a.unit], read); w != nil {
				out.Steps = append(out.Steps, w.ID)
				out.Text += fmt.Sprintf("; it has not seen that %s writes it in step %d%s, and waits: a wake-up is lost", r.lanes[w.Lane].Name, w.ID, line(w))
				out.Repair = fmt.Sprintf("Let %s look after line %d, and before it waits, once more whether it has to wait; or make the write in line %d whatever line %d reads.", r.lanes[w.Lane].Name, w.Line, there, read.Line)
			}
		}
		slices.Sort(out.Steps)
		out.Text += "."
		return out, true
	}
	return Reason{}, false
}

// maxPassed bounds the lanes that are looked at for a write that they have come past.
const maxPassed = 64

// nextBy returns the first write of a lane to what a step reads that is newer than what it has read, or nil.
func (r *vainWait) nextBy(lane int, read *Step) *Step {
	if read.ReadsFrom == nil {
		return nil
	}
	l := &r.locs[read.loc]
	for _, id := range l.Order[slices.Index(l.Order, *read.ReadsFrom)+1:] {
		if w := r.t.Step(id); w.Lane == lane {
			return w
		}
	}
	return nil
}
