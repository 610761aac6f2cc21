package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// leaders looks for a hand-over between work-groups in the text of the kernel, between the two
// accesses, in which the work-item of the second does not take part: others of its group do, and it
// does not wait for them.
func (q *stranger) leaders() (Reason, bool) {
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	first, second := q.a, q.b
	f := q.p.Funcs[q.funcs[q.a.Lane]]
	i, k := indexOf(f, first.instr), indexOf(f, second.instr)
	if !q.sameCode() || a.place.SameGroup(b.place) || i < 0 || k < 0 || i == k {
		return Reason{}, false
	}
	if i > k {
		first, second, i, k = second, first, k, i
	}
	var release, acquire *ir.Instr
	for pc := i + 1; pc < k; pc++ {
		in := &f.Code[pc]
		if !in.Op.Access() || in.Order == memmodel.NonAtomic || in.Scope < memmodel.ScopeDevice {
			continue
		}
		if in.Order.Releases() && release == nil {
			release = in
		}
		if in.Order.Acquires() {
			acquire = in
		}
	}
	by := func(lane int, in *ir.Instr) bool {
		return slices.ContainsFunc(q.between(lane, 1, len(q.t.Steps)), func(s *Step) bool { return s.instr == in })
	}
	if release == nil || acquire == nil {
		return Reason{}, false
	}
	from, to := position(q.p, release.Pos), position(q.p, acquire.Pos)
	out := Reason{Kind: "barrier", Rule: "5.5, 11.3; OpenCL 3.0 sections 3.3.7 and 3.3.7.3", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("Between the lines %d and %d work-groups wait for each other (release in line %d, acquire in line %d), but not all their work-items do: ",
			first.Line, second.Line, from.Line, to.Line)}
	if leader := q.leaderOf(first.Lane, release); !by(second.Lane, acquire) {
		out.Text += fmt.Sprintf("%s comes by without waiting, and is ordered behind those of its own group that wait only by a barrier.", q.lanes[second.Lane].Name)
	} else if leader >= 0 && !by(first.Lane, release) {
		out.Text += fmt.Sprintf("%s releases for its group, and the access of %s comes before that only by a barrier.", q.lanes[leader].Name, q.lanes[first.Lane].Name)
	} else {
		return Reason{}, false
	}
	q.aroundHandOver(&out, first, &Step{Lane: first.Lane, Pos: &from, instr: release}, &Step{Lane: second.Lane, Pos: &to, instr: acquire}, second)
	return out, true
}

// leaderOf returns a lane that has performed an operation for the group of another lane, or -1.
func (q *stranger) leaderOf(lane int, in *ir.Instr) int {
	for i := range q.t.Steps {
		if s := &q.t.Steps[i]; s.instr == in && s.Lane != lane && q.lanes[s.Lane].place.SameGroup(q.lanes[lane].place) {
			return s.Lane
		}
	}
	return -1
}

// aroundHandOver gives a reason the barriers that are missing around a hand-over between work-groups: between the first access and the release, and
// between the acquire and the second. One that is there is not asked for again, one that orders other memory gets the flag, and one before the acquire is
// said to be too early.
func (q *stranger) aroundHandOver(out *Reason, first, release, acquire, second *Step) {
	barrier := fmt.Sprintf("%s(%s)", q.barrierName(), q.flag())
	before, behind := q.barrierIn(first, release), q.barrierIn(acquire, second)
	if early := q.barrierIn(release, acquire); early != nil && behind == nil && early.Line > 0 && early.Line < acquire.Line {
		out.Text += fmt.Sprintf(" The barrier in line %d is passed before the acquire.", early.Line)
	}
	orders := func(s *Step) bool { return s != nil && s.instr.Flags&q.flag() != 0 }
	if before == nil && behind == nil || orders(before) && orders(behind) {
		out.Repair = fmt.Sprintf("Put a %s before the release%s and one after the acquire%s, where all work-items of the group come by.", barrier, line(release), line(acquire))
		out.Changes = q.barriersAround(first, release, acquire, second)
		return
	}
	var parts []string
	whole := true
	mend := func(there, from, to *Step, where string) {
		switch {
		case orders(there):
		case there != nil:
			c := q.flagsOf(there, q.flag())
			parts, out.Changes = append(parts, c.words()), append(out.Changes, c)
		default:
			parts = append(parts, fmt.Sprintf("put a %s %s, where all work-items of the group come by", barrier, where))
			changes := q.barriersAround(from, to)
			out.Changes, whole = append(out.Changes, changes...), whole && changes != nil
		}
	}
	mend(before, first, release, fmt.Sprintf("after the access%s and before the release%s", line(first), line(release)))
	mend(behind, acquire, second, fmt.Sprintf("after the acquire%s and before the access%s", line(acquire), line(second)))
	out.Repair = upper(strings.Join(parts, ", and ")) + "."
	if !whole {
		out.Changes = nil
	}
}

// barrierIn returns the last barrier of the work-group that stands between two steps in the text of their kernel, as if it were a step; or nil.
func (q *mender) barrierIn(from, to *Step) *Step {
	f := q.p.Funcs[q.funcs[from.Lane]]
	for pc := indexOf(f, to.instr) - 1; pc > indexOf(f, from.instr); pc-- {
		if in := &f.Code[pc]; in.Op == ir.OpBarrier && !in.SubGroup {
			at := position(q.p, in.Pos)
			return &Step{Lane: from.Lane, Kind: Arrive, Pos: &at, instr: in}
		}
	}
	return nil
}

// barriersAround are the changes that put a barrier between each two of some steps that follow each other in pairs; none if there is no place for one of them.
func (q *mender) barriersAround(steps ...*Step) []Change {
	var all []Change
	for i := 0; i < len(steps); i += 2 {
		pair, out := *q, Reason{}
		if pair.accessPair = q.with(steps[i], steps[i+1]); !pair.barrierBetween(&out, false) {
			return nil
		}
		all = append(all, out.Changes...)
	}
	return all
}

// indexOf returns where an instruction is in a function, or -1.
func indexOf(f *ir.Func, in *ir.Instr) int {
	for pc := range f.Code {
		if &f.Code[pc] == in {
			return pc
		}
	}
	return -1
}
