package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// vainRounds finds, by function and pc, the read-modify-writes that are a loop by themselves, of which a round that writes what it reads is in vain: nobody
// needs the write early.
// docs/exploration/certifying.md, "Rounds in vain".
func (m *program) vainRounds(writes [][]bool) [][]bool {
	vain := make([][]bool, len(m.Program.Funcs))
	for fn, f := range m.Program.Funcs {
		vain[fn] = make([]bool, len(f.Code))
		for pc := range f.Code {
			if writes[fn][pc] && f.Code[pc].Op == ir.OpRMW {
				l := newPoll(f, pc)
				vain[fn][pc] = l != nil && l.beginsAnew() && l.decidesByValue() && m.aloneInWriting(writes, fn, pc)
			}
		}
	}
	return vain
}

// poll is a loop whose only operation is a read-modify-write.
type poll struct {
	f    *ir.Func       // its function
	pc   int            // of the operation
	in   []bool         // by pc: the private code of the loop
	sets map[int32]bool // the registers that it sets
}

// newPoll returns the loop around an operation; nil if there is none, or if its private code does more than compute.
func newPoll(f *ir.Func, pc int) *poll {
	visible := func(i int) bool { return f.Code[i].Op.Visible() }
	n := len(f.Code)
	after, before := f.Flow().Reach(n, pc, visible), f.Flow().Reverse(n).Reach(n, pc, visible)
	if !after[pc] {
		return nil
	}
	dst, _ := f.Code[pc].Results()
	l := &poll{f: f, pc: pc, in: make([]bool, n), sets: map[int32]bool{dst: true}}
	for i := range f.Code {
		if l.in[i] = after[i] && before[i] && !visible(i); !l.in[i] {
			continue
		}
		switch in := &f.Code[i]; in.Op {
		case ir.OpMove, ir.OpUn, ir.OpConv, ir.OpBin, ir.OpBranch, ir.OpJump, ir.OpCheck, ir.OpQuery:
			dst, dst2 := in.Results()
			l.sets[dst], l.sets[dst2] = true, true
		default:
			return nil
		}
	}
	return l
}

// beginsAnew reports whether each round comes by the instructions at which the code enters the loop, and nothing that a round sets is used there: then each
// round begins as the first one does.
func (l *poll) beginsAnew() bool {
	some := false
	for i := range l.f.Code {
		if l.in[i] || i == l.pc {
			continue
		}
		for _, to := range l.f.Code[i].Successors(i) {
			if l.in[to] || int(to) == l.pc {
				if some = true; !l.passes(int(to)) {
					return false
				}
			}
		}
	}
	return some
}

// passes reports whether each round comes by an instruction at which nothing is used that a round sets.
func (l *poll) passes(entry int) bool {
	for r := range l.sets {
		if r >= 0 && l.f.LiveAt(entry, int(r)) {
			return false
		}
	}
	stop := func(i int) bool { return i == entry || i == l.pc || !l.in[i] }
	return entry == l.pc || !l.f.Flow().Reach(len(l.f.Code), l.pc, stop)[l.pc]
}

// origin says what a value in a round is made of.
type origin uint8

const (
	outside origin = 1 << iota // what held before the loop
	read                       // what the operation has read
)

// decidesByValue reports whether what is read alone decides whether the code goes round.
func (l *poll) decidesByValue() bool {
	n, regs := len(l.f.Code), int(l.f.Regs)
	at := make([][]origin, n)
	start := make([]origin, regs)
	for r := range start {
		start[r] = outside
	}
	if dst, _ := l.f.Code[l.pc].Results(); dst >= 0 {
		start[dst] = read
	}
	todo, values := []int{l.pc + 1}, map[int][]origin{l.pc + 1: start}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at[pc] == nil {
			at[pc] = make([]origin, regs)
		}
		changed := false
		for r, o := range values[pc] {
			changed, at[pc][r] = changed || at[pc][r]|o != at[pc][r], at[pc][r]|o
		}
		if !changed || !l.in[pc] { // behind the loop, or at the next round
			continue
		}
		in := &l.f.Code[pc]
		out, made := slices.Clone(at[pc]), l.of(in, at[pc])
		if in.Op == ir.OpBranch && made&outside != 0 {
			return false
		}
		if dst, _ := in.Results(); dst >= 0 {
			out[dst] = made
		}
		for _, to := range in.Successors(pc) {
			values[int(to)] = out
			todo = append(todo, int(to))
		}
	}
	return true
}

// of is what an instruction's operands are made of.
func (l *poll) of(in *ir.Instr, at []origin) (o origin) {
	in.Uses(func(r int32) {
		if r >= 0 {
			o |= at[r]
		}
	})
	return o
}

// aloneInWriting reports whether no other write to the same memory can be promised where one of an operation can.
func (m *program) aloneInWriting(writes [][]bool, fn, pc int) bool {
	f := m.Program.Funcs[fn]
	mine, _, _ := m.Points[fn].Address(&f.Code[pc])
	var regions []memmodel.Region
	for i := range m.Program.Objects {
		if mine.Has(i) {
			regions = append(regions, m.Program.Objects[i].Region)
		}
	}
	lost := func(i int) bool { // a promise to that memory that is owed before the operation cannot be owed behind it
		return !slices.ContainsFunc(regions, func(r memmodel.Region) bool { return facts.Passable(&f.Code[i], r) })
	}
	var others []int
	for i := range f.Code {
		if i == pc || !writes[fn][i] {
			continue
		}
		if theirs, _, _ := m.Points[fn].Address(&f.Code[i]); mine.Meets(theirs) {
			others = append(others, i)
		}
	}
	for s := range f.Code {
		if lost(s) {
			continue
		}
		reached := f.Flow().Reach(len(f.Code), s, lost)
		reached[s] = true
		if reached[pc] && slices.ContainsFunc(others, func(i int) bool { return reached[i] }) {
			return false
		}
	}
	return true
}
