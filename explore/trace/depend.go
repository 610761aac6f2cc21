package trace

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// What the private code of units makes of what they read is noted as it happens: each value,
// and each way that control takes, is a cause that has causes. Which steps those go back to is
// asked when it is known what went wrong (slice.go).

// cause is the number of a value, or of a way that control took, in the order in which they came
// about. 0 is what depends on no step.
type cause int32

// causes are what a cause comes from: others, and perhaps a step.
type causes struct {
	a, b, c cause // what it is made of; of a step: its address, or all its operands, and two operands
	control cause // what decided that it came about
	step    int32 // the step, 0 if it is none, or -1-lane: the start of a lane
}

// maxCauses bounds what is noted of an execution; of longer ones no slice is made.
const maxCauses = 1 << 22

// ledger keeps the causes of a whole execution.
type ledger struct {
	all      []causes // from number 1 on
	lanes    []*flowing
	branches map[int]*branching // by function
	chosen   []chosen
	observed []observed
	cut      bool // not all is noted
}

// observed is a value that a lane has added to the outcome.
type observed struct {
	text  int32 // under which name, as an index into Program.Strings
	cause cause
}

// chosen is a way that control took in a lane because of what it had read.
type chosen struct {
	lane  int
	cause cause
	what  *decision
}

// flowing is what is noted of a lane.
type flowing struct {
	fn      int
	regs    []cause
	open    []deciding
	floor   cause // what decided that the lane came so far: the loops that it has left
	at      cause // the instruction that it is at
	control cause // what decides that it is there
	visible bool  // that instruction is a step to be
}

// deciding is a branch whose ways have not met again.
type deciding struct {
	meets int32
	cause cause
	what  []*decision
}

// full reports whether there is more to note than is noted.
func (l *ledger) full() bool { return l.cut || len(l.all) >= maxCauses || len(l.chosen) >= maxCauses }

// skip says that something is not noted.
func (l *ledger) skip() { l.cut = true }

// add returns the number of new causes; 0 for none.
func (l *ledger) add(n causes) cause {
	if n == (causes{}) || l.full() {
		return 0
	}
	l.all = append(l.all, n)
	return cause(len(l.all))
}

// both returns the cause that is two causes.
func (l *ledger) both(a, b cause) cause {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	}
	return l.add(causes{a: a, b: b})
}

// comes takes note of the instruction that a lane comes to.
func (l *ledger) comes(p *ir.Program, lane, fn, pc int, regs []int64) {
	if l.full() {
		return
	}
	for len(l.lanes) <= lane {
		l.lanes = append(l.lanes, nil)
	}
	f := p.Funcs[fn]
	if l.lanes[lane] == nil {
		born := l.add(causes{step: int32(-1 - lane)})
		q := &flowing{fn: fn, regs: make([]cause, f.Regs), floor: born}
		for r := f.Private; r < f.Private+f.Params; r++ {
			q.regs[r] = born
		}
		l.lanes[lane] = q
	}
	q := l.lanes[lane]
	l.meet(q, int32(pc))
	q.control = q.floor
	if n := len(q.open); n > 0 {
		q.control = q.open[n-1].cause
	}
	l.perform(p, q, lane, f, pc, regs)
}

// meet closes the branches whose ways meet at pc: what one of them may have set depends on
// which was gone, and so does all that follows a loop.
func (l *ledger) meet(q *flowing, pc int32) {
	for n := len(q.open); n > 0 && q.open[n-1].meets == pc; n = len(q.open) {
		d := q.open[n-1]
		q.open = q.open[:n-1]
		for _, what := range d.what {
			for _, r := range what.sets {
				q.regs[r] = l.both(q.regs[r], d.cause)
			}
			if what.leaves {
				l.demand(q, d.cause)
			}
		}
	}
}

// demand takes note of what all that the lane does from here on depends on.
func (l *ledger) demand(q *flowing, c cause) {
	q.floor = l.both(q.floor, c)
	for i := range q.open {
		q.open[i].cause = l.both(q.open[i].cause, c)
	}
}

// perform takes note of what an instruction makes of its operands.
func (l *ledger) perform(p *ir.Program, q *flowing, lane int, f *ir.Func, pc int, regs []int64) {
	in := &f.Code[pc]
	of := func(o int32) cause {
		if o < 0 {
			return 0
		}
		return q.regs[o]
	}
	set := func(r int32, c cause) {
		if r >= 0 {
			q.regs[r] = c
		}
	}
	q.visible = false
	switch in.Op {
	case ir.OpBranch:
		l.branch(p, q, lane, pc, of(in.A))
	case ir.OpAssume:
		l.demand(q, of(in.A))
	case ir.OpObserve:
		l.observed = append(l.observed, observed{in.Str, l.both(of(in.A), q.control)})
	case ir.OpCheck, ir.OpAssert:
		q.at = l.both(of(in.A), q.control)
	case ir.OpMove, ir.OpUn, ir.OpConv, ir.OpQuery, ir.OpBin:
		b := cause(0)
		if in.Op == ir.OpBin {
			b = of(in.B)
		}
		set(in.Dst, l.value(q, of(in.A), b))
	default:
		if !in.Op.Visible() {
			return
		}
		if at := ownRegister(in, f, regs); at >= 0 {
			if in.Op == ir.OpLoad {
				set(in.Dst, l.value(q, of(in.A), q.regs[at]))
			} else {
				q.regs[at] = l.value(q, of(in.A), of(in.B))
			}
			return
		}
		q.at = l.add(l.operands(in, of, q.control))
		q.visible = true
		dst, dst2 := in.Results()
		set(dst, q.at)
		set(dst2, q.at)
	}
}

// value returns the cause of a value that is made of others: what decided that it is made
// matters too. All that a lane does comes after its start and the loops that it has left; that
// is taken for granted, and constants depend on nothing.
func (l *ledger) value(q *flowing, a, b cause) cause {
	c := l.both(a, b)
	if len(q.open) > 0 {
		c = l.both(c, q.control)
	}
	return c
}

// operands returns the causes of a step.
func (l *ledger) operands(in *ir.Instr, of func(int32) cause, control cause) causes {
	n := causes{control: control}
	switch {
	case in.Op.Access():
		n.a = of(in.A)
		if in.Op != ir.OpLoad {
			n.b = of(in.B)
		}
		if in.Op == ir.OpCmpXchg {
			n.c = of(in.C)
		}
	default:
		in.Uses(func(o int32) { n.a = l.both(n.a, of(o)) })
	}
	return n
}

// branch opens a branch, if it depends on anything that was read.
func (l *ledger) branch(p *ir.Program, q *flowing, lane, pc int, on cause) {
	if on == 0 {
		return
	}
	if l.branches[q.fn] == nil {
		l.branches[q.fn] = newBranching(p, q.fn)
	}
	what := l.branches[q.fn].of(pc)
	d := deciding{what.meets, l.both(on, q.control), []*decision{what}}
	l.chosen = append(l.chosen, chosen{lane, d.cause, what})
	if n := len(q.open); n > 0 && q.open[n-1].meets == d.meets { // a round of a loop, or another way out of it
		top := &q.open[n-1]
		if top.cause = d.cause; !slices.Contains(top.what, what) {
			top.what = append(top.what, what)
		}
		return
	}
	q.open = append(q.open, d)
}

// ownRegister returns the register that an access of the unit's own memory means, -1 if it is none.
func ownRegister(in *ir.Instr, f *ir.Func, regs []int64) int {
	if in.Order != memmodel.NonAtomic || in.Op != ir.OpLoad && in.Op != ir.OpStore {
		return -1
	}
	ptr := operandOf(f, regs, in.A)
	if at := int(ptr &^ ir.SegMask); ptr&ir.SegMask == ir.SegPrivate && at < f.Private {
		return at
	}
	return -1
}

// performs tells which step the instruction that a lane is at has become.
func (l *ledger) performs(lane, step int) {
	if lane >= len(l.lanes) || l.lanes[lane] == nil {
		return
	}
	if q := l.lanes[lane]; q.visible && q.at > 0 {
		l.all[q.at-1].step = int32(step)
	}
}

// made returns what is known of a step's causes, nil if nothing is.
func (l *ledger) made(step int) *causes {
	for i := range l.all {
		if n := &l.all[i]; int(n.step) == step {
			return n
		}
	}
	return nil
}

// some goes back from a value to the steps that it is made of, in private code, until one is as asked, and reports whether there is such a step.
func (l *ledger) some(c cause, is func(step int32) bool) bool {
	seen := map[cause]bool{}
	for todo := []cause{c}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c == 0 || seen[c] {
			continue
		}
		seen[c] = true
		n := &l.all[c-1]
		switch {
		case is(n.step):
			return true
		case n.step == 0:
			todo = append(todo, n.a, n.b, n.c)
		}
	}
	return false
}

// comesOf reports whether a value is made of what a step has read, in private code. Where not all is noted, it may be.
func (l *ledger) comesOf(c cause, step int) bool {
	return l.full() || l.some(c, func(s int32) bool { return int(s) == step })
}

// steers reports whether what a step of a lane reads decides which way the lane goes next.
func (l *ledger) steers(lane, step int) bool {
	read := slices.IndexFunc(l.all, func(n causes) bool { return int(n.step) == step })
	tries := 0
	for _, c := range l.chosen {
		if c.lane != lane || read < 0 || int(c.cause) <= read {
			continue
		}
		if tries++; tries > maxTurns {
			break
		}
		if l.comesOf(c.cause, step) {
			return true
		}
	}
	return false
}

// maxTurns bounds the ways that a lane goes after a step which are looked at.
const maxTurns = 4

// decision returns what decided which way a lane of a function went at a branch last, 0 if that is not known.
func (l *ledger) decision(lane, fn, branch int) cause {
	g := l.branches[fn]
	if g == nil || l.full() {
		return 0
	}
	last := cause(0)
	for _, c := range l.chosen {
		if c.lane == lane && c.what == g.at[branch] {
			last = c.cause
		}
	}
	return last
}
