package trace

import (
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// What has not happened is not among the steps: it is in the text, behind a branch that went the other way.

// unmade returns one of the writes, by where they are in its function, that a lane could have made after a step and has not;
// and the branch at which it went another way.
func (r *vainWait) unmade(lane, after int, writes []int) (write *ir.Instr, branch int) {
	q := r.private[lane]
	if q == nil || q.skipped != nil || len(q.f.Code) > maxParted {
		return nil, 0
	}
	made := map[*ir.Instr]bool{}
	for _, s := range r.t.Steps[min(after, len(r.t.Steps)):] {
		if s.Lane == lane {
			made[s.instr] = true
		}
	}
	best := 0
	for _, pc := range writes {
		if made[&q.f.Code[pc]] {
			continue
		}
		if at := q.parts(pc); at >= 0 && q.turns[at].number > best {
			write, branch, best = &q.f.Code[pc], at, q.turns[at].number
		}
	}
	return write, branch
}

// maxParted bounds the length of the code of which it is asked which branch leads past a write: that takes time by its square.
const maxParted = 1 << 12

// writesTo lists where a function may write a location.
func (r *execution) writesTo(fn, loc int) []int {
	key := r.shadow.key(loc)
	return r.writes(fn, key.fn, func(o *ir.Object, cell int32, known bool) bool {
		return key.addr >= o.Base && key.addr < o.Base+int32(o.Layout.Cells()) && (!known || cell == key.addr)
	})
}

// writes lists where a function may write cells of program scope or, of its own, of local memory; which ones is asked of each object
// that an access may be to, with the address if that is known.
func (r *execution) writes(fn, of int, asked func(o *ir.Object, cell int32, known bool) bool) []int {
	if of >= 0 && of != fn {
		return nil // local memory of another kernel
	}
	f, to := r.p.Funcs[fn], r.p.PointsTo(fn)
	var out []int
	for pc := range f.Code {
		in := &f.Code[pc]
		if !in.Op.Access() || in.Op == ir.OpLoad {
			continue
		}
		objects, addr, known := to.Address(in)
		for i := range r.p.Objects {
			if o := &r.p.Objects[i]; o.Func == of && objects.Has(i) && asked(o, int32(addr&^ir.SegMask), known) {
				out = append(out, pc)
				break
			}
		}
	}
	return out
}

// parts returns the last branch of a lane from which one way leads to an instruction and the one that it went does not,
// or -1.
func (q *privacy) parts(to int) int {
	best := -1
	for pc := range q.turns {
		t := q.turns[pc]
		if t.number == 0 || best >= 0 && t.number < q.turns[best].number {
			continue
		}
		went, other := int(q.f.Code[pc].Target), int(q.f.Code[pc].Else)
		if !t.taken {
			went, other = other, went
		}
		if q.leads(other, to, pc) && !q.leads(went, to, pc) {
			best = pc
		}
	}
	return best
}

// leads reports whether there is a way from one instruction to another that does not come by a third one.
func (q *privacy) leads(from, to, without int) bool {
	if from == to {
		return true
	}
	next := flow.Of(func(pc int) []int32 { return successors(q.f, pc) })
	return next.Reach(len(q.f.Code), from, func(pc int) bool { return pc == without || pc == to })[to]
}

// decidedBy reports whether it depends on a step which way a lane went at a branch last, and returns what that step has
// read, if anything. What depends on its number alone is its role.
func (r *vainWait) decidedBy(lane, branch int) (read *Step, ok bool) {
	last := r.ledger.decision(lane, r.funcs[lane], branch)
	tries := 0
	for i := len(r.t.Steps); i > 0 && last != 0 && tries < maxDeciding; i-- {
		s := r.t.Step(i)
		if s.Lane != lane {
			continue
		}
		if tries++; r.ledger.comesOf(last, s.ID) {
			ok = true
			if s.Read != nil && s.loc >= 0 {
				return s, true
			}
		}
	}
	return nil, ok
}

// maxDeciding bounds the steps of which it is asked whether a branch depends on them.
const maxDeciding = 64
