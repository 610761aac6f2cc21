package ir

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/state/ir/flow"
)

// Rounds says how an operation that Meets, or an OpRound, stands to the loops of
// the source. Work-items that meet must be in the same iteration of every loop
// around the call (rule 11.1), which front ends know and code does not show: a
// barrier that a break follows stands in the loop that it leaves.
//
// A front end sets Loops: of an OpRound, the loop that begins a round; of what
// Meets, the loops around it, outermost first, a call's own before those of the
// function that it calls. Loops have numbers within their function; a function
// that is inlined twice has its loops twice. A loop is come to once in each round
// of the loop around it.
//
// The iteration is then, for each loop around, the number of rounds begun since
// the loop around that one began its last: a tuple. Link gives each loop around
// some meeting a counter, set to 0 when a loop around it begins a round. When a
// group has met, its work-items are in the same iteration of all loops around, so
// that these counters become 0, too: only how far the members of the group get
// apart between two meetings is in the state, and a loop that they go round
// together has as many states as one round of it. What sub-groups meet at has
// counters of its own, since sub-groups of one group get apart in between.
type Rounds struct {
	Loops []int32 // by number, from the front end
	// The others are registers, set by Link. On Counts, one for each of Loops, those
	// who meet must agree; a round makes them go up by one.
	Counts []int32
	// Idles, of OpRound, count rounds that leave no trace elsewhere, and no further than
	// two: waiting has as many states as two rounds of it. Whoever has gone round more
	// than once could have done so once, so that of two who are not in one iteration, in
	// some execution, one is told from the other in that or another.
	Idles  []int32
	Clears []int32 // become 0: when the round begins; when all have met
}

// Begin counts a round.
func (r *Rounds) Begin(regs []int64) {
	for _, c := range r.Counts {
		regs[c]++
	}
	for _, c := range r.Idles {
		regs[c] = min(regs[c]+1, 2)
	}
	r.Clear(regs)
}

// Clear sets counters to 0.
func (r *Rounds) Clear(regs []int64) {
	for _, c := range r.Clears {
		regs[c] = 0
	}
}

// counter names the register that counts the rounds of a loop for the meetings
// of work-groups, or of sub-groups.
type counter struct {
	loop int32 // by number
	sub  bool  // of sub-groups
}

// countRounds gives the loops around meetings their counters.
func (f *Func) countRounds() {
	if f.Counters > 0 { // linked before
		f.Regs, f.RegNames = f.Counters, f.RegNames[:min(len(f.RegNames), f.Counters)]
	}
	f.Counters = f.Regs
	regs := map[counter]int32{}
	inner := map[int32][]int32{} // by loop: those that stand in it and have counters
	for pc := range f.Code {
		in := &f.Code[pc]
		if !in.Op.Meets() || in.Rounds == nil {
			continue
		}
		for i, l := range in.Rounds.Loops {
			if c := (counter{l, in.SubGroup}); regs[c] == 0 {
				regs[c] = int32(f.Regs)
				f.Regs++
			}
			inner[l] = append(inner[l], in.Rounds.Loops[i+1:]...)
		}
	}
	f.RegNames = append(f.RegNames, make([]string, f.Regs-len(f.RegNames))...)
	for pc := range f.Code {
		if in := &f.Code[pc]; in.Rounds != nil {
			in.Rounds = in.rounds(regs, inner)
		}
	}
}

// rounds returns what Link makes of the instruction's Rounds. Work-items that meet as a sub-group only
// need not be in the same rounds as others of the work-group (rule 11.5).
func (in *Instr) rounds(regs map[counter]int32, inner map[int32][]int32) *Rounds {
	r := &Rounds{Loops: in.Rounds.Loops}
	collect := func(list *[]int32, loops []int32, sub bool) {
		for _, l := range loops {
			if c, ok := regs[counter{l, sub}]; ok && !slices.Contains(*list, c) {
				*list = append(*list, c)
			}
		}
	}
	if in.Op == OpRound {
		for _, sub := range []bool{false, true} {
			collect(&r.Counts, r.Loops, sub)
			collect(&r.Clears, inner[r.Loops[0]], sub)
		}
		return r
	}
	collect(&r.Counts, r.Loops, in.SubGroup)
	collect(&r.Clears, r.Loops, true)
	if !in.SubGroup {
		collect(&r.Clears, r.Loops, false)
	}
	return r
}

// findIdles tells the counters of rounds that leave no trace from the others.
func (f *Func) findIdles() {
	var back flow.Edges // once it is needed
	for pc := range f.Code {
		in := &f.Code[pc]
		if in.Op != OpRound || len(in.Rounds.Counts) == 0 {
			continue
		}
		if back == nil {
			back = f.Flow().Reverse(len(f.Code))
		}
		r := in.Rounds
		counts := r.Counts
		r.Counts = nil
		for _, c := range counts {
			if f.leavesTrace(back, pc, c) {
				r.Counts = append(r.Counts, c)
			} else {
				r.Idles = append(r.Idles, c)
			}
		}
	}
}

// leavesTrace reports whether the round that begins at pc may, before the next one
// begins or counter c becomes 0, do more than read: whether it may change a register that
// matters then, or what others can see.
func (f *Func) leavesTrace(reverse flow.Edges, pc int, c int32) bool {
	over := func(at int) bool {
		in := &f.Code[at]
		return at == pc || in.Rounds != nil && slices.Contains(in.Rounds.Clears, c)
	}
	round := f.Flow().Reach(len(f.Code), pc, over) // what the unit may come to
	back := reverse.Reach(len(f.Code), pc, func(at int) bool { return over(at) || !round[at] })
	for at := range f.Code { // and what leads to the next round
		if round[at] && back[at] && !over(at) && f.traced(&f.Code[at], pc) {
			return true
		}
	}
	return false
}

// traced reports whether an instruction changes what others can see, or a register
// that matters at pc.
func (f *Func) traced(in *Instr, pc int) bool {
	switch in.Op {
	case OpNop, OpJump, OpBranch, OpCheck, OpAssert, OpAssume, OpRound, OpFence:
		return false
	case OpMove, OpBin, OpUn, OpConv, OpQuery, OpLoad, OpChoose:
		return in.Dst >= 0 && f.LiveAt(pc, int(in.Dst))
	}
	return true
}

// String returns the notation of the loops and what counts them.
func (r *Rounds) String() string {
	if r == nil {
		return ""
	}
	s := fmt.Sprintf(", loops %v", r.Loops)
	for _, l := range []struct {
		what string
		regs []int32
	}{{"counts", r.Counts}, {"idles", r.Idles}, {"clears", r.Clears}} {
		if len(l.regs) > 0 {
			s += fmt.Sprintf(" %s %v", l.what, l.regs)
		}
	}
	return s
}
