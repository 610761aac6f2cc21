package facts

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// classOf returns the class of the relaxed read-modify-write at pc, if its result is not used.
// docs/exploration/source-free.md, "Additions that nobody looks at".
func classOf(f *ir.Func, pc int) ir.Class {
	if f.Code[pc].Order != memmodel.Relaxed {
		return ir.Ordered
	}
	return unusedClass(f, pc)
}

// unusedClass returns the class of the read-modify-write at pc, of any order, if its result is not used.
func unusedClass(f *ir.Func, pc int) ir.Class {
	in := &f.Code[pc]
	if in.Op != ir.OpRMW || in.Dst >= 0 && f.LiveAt(pc+1, int(in.Dst)) {
		return ir.Ordered
	}
	return in.Alu.Class(in.Type)
}

// vain reports whether it makes no difference what the compare-exchange at pc reads when it
// fails.
// docs/exploration/source-free.md, "Compare-exchanges that come too late".
func vain(f *ir.Func, pc int) bool {
	in := &f.Code[pc]
	return in.Op == ir.OpCmpXchg && in.FailOrder == memmodel.Relaxed && !(in.Dst2 >= 0 && f.LiveAt(pc+1, int(in.Dst2)))
}

// Plan is what is worth knowing of an instruction before it is executed.
type Plan struct {
	Dead    []int32         // registers that hold nothing of worth when a unit waits here
	Loops   bool            // of an access: the code may come back here
	Class   ir.Class        // of a read-modify-write that commutes with others
	Tests   bool            // of an atomic load, or a compare-exchange that fails: it may be a round of waiting, or do the same with several values
	Vain    bool            // of a compare-exchange: if it fails, what it has read makes no difference
	Returns []Return        // of an access: the rounds of several reads that may end with it
	Fixed   map[int32]int64 // of an access that may be a round of waiting: the registers that always have the same values there
	Looks   bool            // of a load: it may lead to an attempt (attempt.go) to take what it has found
	Waits   bool            // of an atomic access: it may be a round of waiting, by itself or behind a look
}

// goesRound reports whether the atomic access at pc may be a round of waiting, by itself or behind a look.
func goesRound(f *ir.Func, pc int, rounds []Return) bool {
	in := &f.Code[pc]
	if !in.Op.Access() || in.Op == ir.OpStore || in.Order == memmodel.NonAtomic {
		return false
	}
	return len(rounds) > 0 || f.Flow().Reach(len(f.Code), pc, func(i int) bool { return !private(&f.Code[i]) })[pc]
}

func (facts *Facts) plans(f *ir.Func) []Plan {
	ps, back := make([]Plan, len(f.Code)), f.ComesBack()
	for pc, rounds := range facts.returns(f, back) {
		ps[pc].Returns = rounds
	}
	for pc := range f.Code {
		ps[pc].Waits = back[pc] && goesRound(f, pc, ps[pc].Returns)
	}
	facts.fix(f, ps)
	for pc := range f.Code {
		ps[pc].Loops = back[pc] && (f.Code[pc].Op.Access() || f.Code[pc].Op == ir.OpMapCell)
		ps[pc].Class = classOf(f, pc)
		ps[pc].Tests = (f.Code[pc].Op == ir.OpLoad && f.Code[pc].Order != memmodel.NonAtomic || f.Code[pc].Op == ir.OpCmpXchg) && (ps[pc].Loops || tested(f, pc))
		ps[pc].Vain = vain(f, pc) && !ps[pc].Loops
		if !f.Code[pc].Op.Visible() {
			continue
		}
		for r := 0; r < f.Regs && !facts.spent(); r++ {
			if !f.LiveAt(pc, r) {
				ps[pc].Dead = append(ps[pc].Dead, int32(r))
			}
		}
	}
	return ps
}
