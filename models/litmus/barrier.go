package litmus

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// barriers is what a function knows of its barriers while it is lowered.
type barriers struct {
	loops      int32           // loops with barriers seen so far
	around     []int32         // those of them around the statement, outermost first
	labels     map[string]bool // labels used on the way to the statement
	unlabelled int             // barriers without a label seen so far
}

// enterLoop begins a round of a loop; its result ends it.
func (f *function) enterLoop(s *whileStmt) (leave func()) {
	if !containsBarrier(s.body) {
		return func() {}
	}
	f.emit(s.pos, ir.Instr{Op: ir.OpRound, Rounds: &ir.Rounds{Loops: []int32{f.loops}}})
	f.around = append(f.around, f.loops)
	f.loops++
	return func() { f.around = f.around[:len(f.around)-1] }
}

// barrier emits a barrier.
func (f *function) barrier(c *callExpr, label string, in ir.Instr) {
	in.Str = f.prog.Str(f.identity(c, label))
	if len(f.around) > 0 {
		in.Rounds = &ir.Rounds{Loops: slices.Clone(f.around)}
	}
	f.emit(c.pos, in)
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
