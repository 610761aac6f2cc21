package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// Local memory that nobody has written before it is read may be written by the text all the same: by a work-item that nobody
// waits for, or in a part of the elements, or only where a condition holds.

// unfilled explains a read of an element of local memory that nothing has written by the stores to the object that stand
// before it in the text of the kernel, if there are any.
func (r *explainer) unfilled(s *Step) (Reason, bool) {
	o, fn := r.objectOf(s.loc), r.funcs[s.Lane]
	f := r.p.Funcs[fn]
	to := indexOf(f, s.instr)
	if o == nil || len(f.Code) > maxParted {
		return Reason{}, false
	}
	var stores []int
	for _, pc := range r.writes(fn, fn, func(other *ir.Object, _ int32, _ bool) bool { return other == o }) {
		if pc < to && f.Code[pc].Op == ir.OpStore && position(r.p, f.Code[pc].Pos).Line > 0 {
			stores = append(stores, pc)
		}
	}
	if len(stores) == 0 || len(stores) > maxStores {
		return Reason{}, false
	}
	out := Reason{Kind: "none", Rule: "OpenCL C section 6.7.2", Steps: []int{s.ID}}
	var meets Pos
	for pc := stores[len(stores)-1] + 1; pc < to; pc++ {
		if in := &f.Code[pc]; in.Op == ir.OpBarrier && !in.SubGroup {
			meets = position(r.p, in.Pos)
		}
	}
	first := position(r.p, f.Code[stores[0]].Pos).Line
	last := position(r.p, f.Code[stores[len(stores)-1]].Pos).Line
	if meets.Line == 0 {
		lines := fmt.Sprintf("line %d writes", last)
		if first != last {
			lines = fmt.Sprintf("the lines %d to %d write", first, last)
		}
		out.Text = fmt.Sprintf("Local memory holds nothing when a work-group starts, and %s does not wait for others of its group: %s %s, and no barrier stands between that and line %d.",
			r.lanes[s.Lane].Name, lines, o.Name, s.Line)
		write := &f.Code[stores[len(stores)-1]]
		at := position(r.p, write.Pos)
		q := newDiagnosis(r.replay, &Step{Lane: s.Lane, Pos: &at, instr: write, loc: s.loc}, s)
		out.Changes = q.barriersAround(q.a, q.b)
		out.Repair = fmt.Sprintf("Put a %s(%s) after line %d and before line %d, where all work-items of the group come by.", r.barrierName(), flagOf(o.Region), last, s.Line)
		return out, true
	}
	var parts, where []string
	for _, pc := range stores {
		text, branch := r.filled(s.Lane, pc)
		parts = append(parts, text)
		if branch > 0 && !slices.Contains(where, fmt.Sprint(branch)) {
			where = append(where, fmt.Sprint(branch))
		}
	}
	out.Text = fmt.Sprintf("Local memory holds nothing when a work-group starts, and nobody has written %s before the barrier in line %d: %s.", s.Location, meets.Line, strings.Join(parts, "; "))
	out.Repair = fmt.Sprintf("Let some work-item of the group write %s, too, before the barrier in line %d", s.Location, meets.Line)
	if len(where) > 0 {
		out.Repair += fmt.Sprintf(": have the condition in line %s hold for one more, or add a store", strings.Join(where, " or "))
	}
	out.Repair += fmt.Sprintf("; or do not read it in line %d.", s.Line)
	return out, true
}

// maxStores bounds the stores to an object that are told.
const maxStores = 3

// filled says what the work-items of a lane's group have written by the store at pc, and on what condition those depend who have gone
// past it; that one's line, or 0.
func (r *explainer) filled(of, pc int) (text string, branch int) {
	fn := r.funcs[of]
	in := &r.p.Funcs[fn].Code[pc]
	var names []string
	by := map[int]bool{}
	for i := range r.t.Steps {
		if w := &r.t.Steps[i]; w.instr == in && r.lanes[w.Lane].place.SameGroup(r.lanes[of].place) {
			by[w.Lane] = true
			if !slices.Contains(names, w.Location) {
				names = append(names, w.Location)
			}
		}
	}
	at := position(r.p, in.Pos).Line
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	switch n := len(names); {
	case n == 0:
		text = fmt.Sprintf("line %d has written nothing", at)
	case n <= 2:
		text = fmt.Sprintf("line %d has written %s", at, strings.Join(names, " and "))
	default:
		text = fmt.Sprintf("line %d has written %s to %s", at, names[0], names[n-1])
	}
	for lane := range r.lanes {
		q := r.private[lane]
		if q == nil || by[lane] || r.funcs[lane] != fn || !r.lanes[lane].place.SameGroup(r.lanes[of].place) {
			continue
		}
		if past := q.parts(pc); past >= 0 {
			if p := position(r.p, q.f.Code[past].Pos); p.Line > 0 {
				only := fmt.Sprintf("only where the condition in line %d holds (`%s`)", p.Line, condition(p.Source))
				if len(names) == 0 {
					return fmt.Sprintf("line %d writes %s, and has written nothing", at, only), p.Line
				}
				return fmt.Sprintf("%s, %s", text, only), p.Line
			}
		}
	}
	return text, 0
}

// condition is a line with a condition as it stands in a sentence.
func condition(source string) string {
	return clip(strings.TrimSpace(strings.TrimRight(strings.TrimSpace(source), "{;")))
}
