package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// A flag tells others that data are there. If it is set before they are, no order and no fence helps: that is said first.

// publishedEarly explains a race on what one lane goes on to access by the value of an atomic variable that the other has written before its own access.
func (q *stranger) publishedEarly() (Reason, bool) {
	for _, pair := range q.bothWays() {
		maker, taker := pair[0], pair[1]
		if !maker.Writes() || maker.instr == taker.instr || len(q.t.Early) > 0 { // no flag for who does the same; and what load buffering has early is told as that
			continue
		}
		if maker.Atomic && !taker.Atomic && q.polls(taker) { // which is the flag itself, that its lane waits for
			continue
		}
		r, w := q.flagRead(maker, taker)
		if r == nil {
			continue
		}
		for _, shape := range []func(maker, taker, w, r *Step) (Reason, bool){q.bothInside, q.writtenAgain} {
			if out, ok := shape(maker, taker, w, r); ok {
				slices.Sort(out.Steps)
				return out, true
			}
		}
		out := Reason{Kind: "late", Rule: "5.1, 6.1; OpenCL 3.0 section 3.3.7.1", Steps: []int{w.ID, r.ID, q.a.ID, q.b.ID},
			Text: fmt.Sprintf("Published too early: %s sets %s%s (step %d), which comes before the access%s that writes %s. %s goes on by that value%s (step %d), and a release publishes only what comes before it.",
				q.lanes[maker.Lane].Name, q.locs[w.loc].Name, line(w), w.ID, line(maker), q.l.Name, q.lanes[taker.Lane].Name, line(r), r.ID)}
		slices.Sort(out.Steps)
		q.moved(&out, w, maker)
		q.weak(&out, w, r)
		return out, true
	}
	return Reason{}, false
}

// flagRead returns a read by which the lane of an access goes on to it, of what the maker's lane has written before its own one: the last such, if the taker
// has read nothing newer of that lane's.
func (q *stranger) flagRead(maker, taker *Step) (r, w *Step) {
	for _, r := range slices.Backward(q.between(taker.Lane, 1, taker.ID-1)) {
		if !r.Atomic || r.ReadsFrom == nil || r.loc == maker.loc {
			continue
		}
		w := q.written(r, maker.Lane)
		if w == nil || !w.Atomic || w.Kind == Early {
			continue
		}
		if w.ID > maker.ID || !q.ledger.steers(r.Lane, r.ID) {
			return nil, nil
		}
		return r, w
	}
	return nil, nil
}

// written returns the write of a lane that a step reads, or whose value another lane's read-modify-write has handed on to it, or nil.
func (q *accessPair) written(r *Step, lane int) *Step {
	for s := r; s != nil && s.ReadsFrom != nil; {
		if s = q.step(*s.ReadsFrom); s != nil && s.Lane == lane {
			return s
		}
		if s != nil && !s.Reads() {
			return nil
		}
	}
	return nil
}

// moved gives a reason the change that sets a flag behind what it tells of.
func (q *mender) moved(out *Reason, w, maker *Step) {
	out.Repair = fmt.Sprintf("Make the access%s before the %s%s.", line(maker), w.Kind.noun(), line(w))
	if slices.Contains(maker.place, w.ID) {
		out.Idea = fmt.Sprintf("Or, where the %s%s has to say first where it is made: count what is done in a second atomic variable, with memory_order_release behind line %d, and go on by that.", w.Kind.noun(), line(w), maker.Line)
	}
	fixed := w.Kind == Store && w.instr.B < 0 || w.Kind == Modify && w.instr.B < 0 && w.instr.Dst < 0 // else something may come in between that it depends on, or what depends on it
	if !fixed || w.Line == 0 || w.File != maker.File || w.Line == maker.Line || !q.statementAlone(w) || !q.statementAlone(maker) || !q.straight(w, maker) {
		return
	}
	c := change(MoveBehind, w)
	c.To = maker.Line
	out.mends(c)
}

// straight reports whether one step's code leads to another's without a branch, so that the one can be moved behind the other.
func (q *mender) straight(one, other *Step) bool {
	f := q.p.Funcs[q.funcs[one.Lane]]
	if q.funcs[other.Lane] != q.funcs[one.Lane] || q.p.Positions[one.instr.Pos].Call != q.p.Positions[other.instr.Pos].Call {
		return false
	}
	from, to := indexOf(f, one.instr), indexOf(f, other.instr)
	for pc := from; pc >= 0 && pc < to; pc++ {
		if op := f.Code[pc].Op; op == ir.OpBranch || op == ir.OpEnd || op == ir.OpRound {
			return false
		}
	}
	return from >= 0 && from < to
}

// statementAlone reports whether the line of a step holds one whole statement.
func (q *mender) statementAlone(s *Step) bool {
	text, inGo := []byte(s.Source), len(s.File) > 3 && s.File[len(s.File)-3:] == ".go"
	if i := slices.IndexFunc(q.p.Sources, func(src ir.Source) bool { return src.Name == s.File }); i < 0 || statements(q.p.Sources[i])(s.Line) != statement {
		return false
	}
	depth := 0
	for i, b := range text {
		switch b {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '{', '}':
			if depth == 0 {
				return false
			}
		case ';':
			return !inGo && i == len(text)-1 && depth == 0
		}
	}
	return inGo && depth == 0
}

// weak adds what else is missing for the flag to hand anything over: to set it later is not enough if it is relaxed.
func (q *stranger) weak(out *Reason, w, r *Step) {
	var changes []Change
	if !w.order.Releases() && !w.instr.Legacy {
		changes = append(changes, orderChange(w, memmodel.Release))
	}
	if !r.order.Acquires() && !r.instr.Legacy {
		changes = append(changes, orderChange(r, memmodel.Acquire))
	}
	if len(changes) == 0 {
		return
	}
	out.Text += fmt.Sprintf(" Besides, the %s%s orders nothing.", changes[0].What, inLine(Pos{Line: changes[0].Line}))
	if len(changes) > 1 {
		out.Text = strings.TrimSuffix(out.Text, " orders nothing.") + fmt.Sprintf(" and the %s%s order nothing.", changes[1].What, inLine(Pos{Line: changes[1].Line}))
	}
	if len(out.Changes) == 0 {
		out.Repair += " Besides: " + lower(sentence(changes))
		return
	}
	out.mends(append(changes, out.Changes...)...)
}

// conversation names an atomic variable through which the host and the kernel of a race talk while the kernel runs, or returns "": the kernel waits for
// it in a loop, and the host writes it after it has enqueued the kernel.
func (q *accessPair) conversation() string {
	host, other := q.a, q.b
	if !q.lanes[host.Lane].Host || q.lanes[host.Lane].Command() {
		host, other = other, host
	}
	if !q.lanes[host.Lane].Host || q.lanes[host.Lane].Command() || q.lanes[other.Lane].Host {
		return ""
	}
	c := q.kernelOf(q.lanes[other.Lane].Kernel)
	if c == nil {
		return ""
	}
	theirs, f := q.p.Funcs[q.funcs[other.Lane]], q.p.Funcs[q.funcs[host.Lane]]
	back := flow.Of(func(pc int) []int32 { return successors(theirs, pc) }).ComesBack(len(theirs.Code))
	waits := q.atomicsOf(q.funcs[other.Lane], func(pc int, in *ir.Instr) bool { return back[pc] && in.Op != ir.OpStore })
	behind := slices.Repeat([]bool{true}, len(f.Code)) // another thread may write at any time
	if enqueue := indexOf(f, q.step(c.step).instr); enqueue >= 0 {
		behind = flow.Of(func(pc int) []int32 { return successors(f, pc) }).Reach(len(f.Code), enqueue, nil)
	}
	writes := q.atomicsOf(q.funcs[host.Lane], func(pc int, in *ir.Instr) bool { return behind[pc] && in.Op != ir.OpLoad })
	for i := range q.p.Objects {
		if waits.Has(i) && writes.Has(i) {
			return q.p.Objects[i].Name
		}
	}
	return ""
}

// atomicsOf is what those atomic operations of a function access that are asked for.
func (q *accessPair) atomicsOf(fn int, asked func(pc int, in *ir.Instr) bool) ir.ObjectSet {
	out, to, f := q.p.NoObjects(), q.p.PointsTo(fn), q.p.Funcs[fn]
	for pc := range f.Code {
		if in := &f.Code[pc]; in.Op.Access() && in.Order != memmodel.NonAtomic && asked(pc, in) {
			objects, _, _ := to.Address(in)
			out.Union(objects)
		}
	}
	return out
}
