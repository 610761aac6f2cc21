package trace

import (
	"fmt"

	"github.com/clmc/clmc/state/ir"
)

// plainFlag explains a race on a variable that the one sets and the other looks at to find out whether to go on, with
// accesses that are not atomic. In a work-group that is so only of a loop that waits: else a barrier is what is missing.
func (q *stranger) plainFlag() (Reason, bool) {
	read, write := q.a, q.b
	if read.Writes() {
		read, write = write, read
	}
	a, b := &q.lanes[q.a.Lane], &q.lanes[q.b.Lane]
	if read.Kind != Load || read.Atomic || write.Kind != Store && !write.Atomic || !q.sameCode() {
		return Reason{}, false
	}
	f := q.p.Funcs[q.funcs[read.Lane]]
	steers, waits := steered(f, indexOf(f, read.instr))
	if !steers || a.place.SameGroup(b.place) && !waits {
		return Reason{}, false
	}
	scope, _ := q.narrowest(a.place, b.place, q.l)
	out := Reason{Kind: "order", Rule: "9.1, 6.1; OpenCL 3.0 sections 3.3.7 and 3.3.7.1", Steps: []int{q.a.ID, q.b.ID},
		Text: fmt.Sprintf("%s looks at %s%s to find out how to go on, and %s writes it%s, but ",
			q.lanes[read.Lane].Name, q.l.Name, line(read), q.lanes[write.Lane].Name, line(write))}
	load := fmt.Sprintf("with atomic_load_explicit (memory_order_acquire, %s)%s", scope, line(read))
	if !write.Atomic {
		out.Text += "neither access is atomic: nothing synchronises, whatever fences there are, and volatile changes nothing about it."
		out.Repair = fmt.Sprintf("Make %s atomic: write it with atomic_store_explicit (memory_order_release, %s)%s, and read it %s.", q.l.Name, scope, line(write), load)
		return out, true
	}
	out.Text += "only the write is: the read is not atomic and races with it, whatever fences there are, and volatile changes nothing about it."
	out.Repair = fmt.Sprintf("Make %s atomic for all: read it %s", q.l.Name, load)
	switch {
	case write.order.Releases():
	case write.instr.Legacy:
		out.Repair += fmt.Sprintf(", and write it%s with a function of OpenCL 2.0, such as atomic_fetch_add_explicit, and memory_order_release", line(write))
	default:
		out.Repair += fmt.Sprintf(", and give the %s%s memory_order_release", write.Kind.noun(), line(write))
	}
	out.Repair += "."
	return out, true
}

// steered reports whether what is read at pc is compared with a constant to decide a branch, before anything else
// happens, and whether that is what a loop around the read alone waits for.
func steered(f *ir.Func, pc int) (steers, waits bool) { return decides(f, pc, false) }

// decides is steered, with what else the value may be compared with: with others, too, any that the lane has.
func decides(f *ir.Func, pc int, others bool) (steers, waits bool) {
	if pc < 0 {
		return false, false
	}
	of := map[int32]bool{f.Code[pc].Dst: true}
	for at := pc + 1; at < len(f.Code); at++ {
		in := &f.Code[at]
		switch in.Op {
		case ir.OpNop, ir.OpRound, ir.OpJump:
		case ir.OpBranch:
			return of[in.A], of[in.A] && (comesBack(f, int(in.Target), pc) || comesBack(f, int(in.Else), pc))
		case ir.OpBin:
			if !others && (of[in.A] && in.B >= 0 && !of[in.B] || of[in.B] && in.A >= 0 && !of[in.A]) {
				return false, false // it is one of two values that are compared
			}
			of[in.Dst] = of[in.A] || of[in.B]
		case ir.OpMove, ir.OpUn, ir.OpConv:
			of[in.Dst] = of[in.A]
		default:
			return false, false
		}
	}
	return false, false
}

// comesBack reports whether the code from `at` on leads to pc before anything else happens.
func comesBack(f *ir.Func, at, pc int) bool {
	for range maxWay {
		in := &f.Code[at]
		switch {
		case at == pc:
			return true
		case in.Op == ir.OpJump:
			at = int(in.Target)
		case in.Op == ir.OpBranch || in.Op == ir.OpEnd || in.Op.Visible():
			return false
		default:
			at++
		}
	}
	return false
}

// maxWay bounds the instructions between two looks at what a loop waits for.
const maxWay = 20

// onlyFences says that a fence between the accesses does not order them by itself.
func (q *stranger) onlyFences() string {
	for _, s := range append(q.between(q.a.Lane, q.a.ID, len(q.t.Steps)), q.between(q.b.Lane, 1, q.b.ID)...) {
		if s.Kind == Fence {
			return fmt.Sprintf(" The fence%s waits for nobody: it orders only by way of atomic operations beside it.", line(s))
		}
	}
	return ""
}
