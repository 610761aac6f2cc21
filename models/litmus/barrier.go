package litmus

import (
	"fmt"

	"github.com/clmc/clmc/state/ir"
)

// barriers is what a function knows of its barriers while it is lowered.
//
// The items of a work-group must meet at the same barrier in the same
// iteration of every loop around it. A trip register therefore sums up the
// iterations made since the last barrier: the back edge of each loop that
// contains a barrier folds in the loop's number, and barriers reset it.
type barriers struct {
	trip       int32           // -1 when no loop contains a barrier
	loops      int64           // loops with barriers seen so far
	depth      int             // how many of them are around the statement
	labels     map[string]bool // labels used on the way to the statement
	unlabelled int             // barriers without a label seen so far
}

// tripFactor spreads sequences of loop numbers over the values of a trip register.
const tripFactor = 31

// enterLoop begins the body of a loop; its result ends it.
func (f *function) enterLoop(s *whileStmt) (leave func()) {
	if !containsBarrier(s.body) {
		return func() {}
	}
	f.loops++
	f.depth++
	number := f.constant(f.loops)
	return func() {
		f.depth--
		f.emit(s.pos, ir.Instr{Op: ir.OpBin, Alu: ir.Mul, Type: ir.I64, Dst: f.trip, A: f.trip, B: f.constant(tripFactor)})
		f.emit(s.pos, ir.Instr{Op: ir.OpBin, Alu: ir.Add, Type: ir.I64, Dst: f.trip, A: f.trip, B: number})
	}
}

// barrier emits a barrier and, where there is one, resets the trip register.
func (f *function) barrier(c *callExpr, label string, in ir.Instr) {
	in.Str = f.str(f.identity(c, label))
	in.A = f.constant(0)
	if f.depth > 0 {
		in.A = f.trip
	}
	f.emit(c.pos, in)
	if f.trip >= 0 {
		f.emit(c.pos, ir.Instr{Op: ir.OpMove, Dst: f.trip, A: f.constant(0)})
	}
}

// identity names the call site of a barrier: by its label, or by its rank
// among the barriers of the thread that have none.
func (f *function) identity(c *callExpr, label string) string {
	if label == "" {
		f.unlabelled++
		return fmt.Sprintf("barrier %d", f.unlabelled)
	}
	if f.labels[label] {
		f.hintf(c.pos, "give each barrier of a thread its own label", "P%d has passed a barrier %s before this one", f.thread.num, label)
	}
	if len(f.labels) == maxNames {
		f.failf(c.pos, "more than %d labels", maxNames)
	}
	f.labels[label] = true
	return label
}

func isBarrier(s stmt) bool {
	e, ok := s.(*exprStmt)
	return ok && e.value.(*callExpr).operation().op == ir.OpBarrier
}

func containsBarrier(list []stmt) bool {
	found := false
	walk(list, func(s stmt) { found = found || isBarrier(s) })
	return found
}

func barrierInLoop(list []stmt) bool {
	found := false
	walk(list, func(s stmt) {
		if w, ok := s.(*whileStmt); ok {
			found = found || containsBarrier(w.body)
		}
	})
	return found
}
