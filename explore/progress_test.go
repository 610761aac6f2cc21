package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// progressFacts are tests in the form of those of T. Sorensen and others, "Specifying
// and Testing GPU Workgroup Progress Models" (OOPSLA 2021), and whether they can hang for
// certain: their verdict under strong fairness with every thread scheduled fairly, computed
// from the definitions on their sequentially consistent graphs, without clmc. Threads
// are separated by |, instructions by ;. x0=1 stores 1 in cell 0; r0 1 2 reads cell
// 0, and goes to 2 if it finds 1; e0 1 2 0 does so and stores 0 in the same step.
var progressFacts = []struct {
	hangs bool
	text  string
}{
	{true, "e1 0 0 1; e0 0 0 1 | e1 1 0 1"},
	{true, "r1 0 2; e0 0 0 0 | e1 1 0 1; e1 1 0 0"},
	{true, "x1=0; r0 1 1 | x0=1; r1 1 0"},
	{true, "x0=1; r1 1 0 | r1 0 0 | r0 1 0"},
	{true, "x1=0; r0 0 0 | r1 1 0; e1 1 0 0"},
	{true, "r0 0 1; r1 0 1 | x1=1; e1 1 2 0; e0 0 2 0"},
	{true, "x1=0; e1 0 0 1; e1 0 1 0 | e0 1 1 1 | r1 1 2; e1 1 2 0"},
	{true, "x1=1 | e0 1 1 0 | r0 0 2; e1 1 2 1; e0 1 1 1 | x0=1"},
	{true, "r0 1 0 | x1=1; x0=0; e1 0 0 1 | e0 0 2 1; r0 1 3; e0 1 1 1"},
	{true, "x0=0; r0 1 3; e0 1 3 1 | e0 0 2 1; r0 1 0; x0=0 | x0=0"},
	{true, "e1 0 0 0; e1 0 2 0 | e1 1 3 1; x1=0; e0 1 2 1 | e1 1 0 1; r1 1 1"},
	{true, "x1=0; r1 0 0; e1 1 1 1 | r0 0 1; e1 0 2 0 | r1 0 2; r1 0 1"},
	{true, "e0 0 1 0; x1=1 | r0 0 2; x1=0 | r0 1 0; r0 0 1; x0=0 | e1 0 0 0"},
	{true, "x1=0 | x0=1; r0 0 0; e0 1 1 1 | e0 1 0 0 | r1 1 1; e1 1 2 1; e0 1 2 0"},
	{true, "x0=0; e1 1 3 0; r1 0 1 | r1 0 0; e1 0 1 0 | e0 1 1 0"},
	{false, "x0=1 | e1 0 1 1"},
	{false, "r1 0 0 | x1=1; x1=1"},
	{false, "r1 0 0; e0 1 2 1 | x1=1"},
	{false, "x1=1; r1 1 2; x0=0 | r0 1 1"},
	{false, "r0 0 1; e1 1 0 1; r1 0 1 | r0 0 1"},
	{false, "r1 1 2; e0 1 1 1 | r1 0 1; e1 1 1 0"},
	{false, "r1 1 0; x0=1; e0 1 2 0 | x0=1; e0 0 1 1"},
	{false, "x0=1 | x0=0 | e0 1 0 0; x1=1 | e0 0 0 1"},
	{false, "x0=0; r0 1 2 | r1 0 2; x1=0; x0=1 | x1=0"},
	{false, "r0 1 1; e0 1 0 1; r0 0 0 | x1=0; r0 0 0; x0=0"},
	{false, "x0=0; r0 1 1; r1 1 2 | r0 1 1; x0=0; r0 1 0"},
	{false, "r0 1 1; x0=1 | r0 0 1 | e0 1 1 1 | x1=0; x1=0; e0 0 2 0"},
}

// progressProgram builds the program of such a test.
func progressProgram(text string) *ir.Program {
	b := randprog.NewBuilder(text)
	cells := []*randprog.Var{b.Atomic("m0"), b.Atomic("m1")}
	for i, code := range strings.Split(text, " | ") {
		t := b.Code()
		pc, list := t.Reg(), strings.Split(code, "; ")
		t.Set(pc, t.Int(0))
		t.While(func() randprog.Val { return t.Bin(ir.Ne, pc, t.Int(int64(len(list)))) }, func() {
			progressCode(t, pc, cells, list, 0)
		})
		b.Run(t, memmodel.Place{Group: uint16(i)})
	}
	return b.Program()
}

// progressCode writes a step of an interpreter of such code, from instruction n on.
func progressCode(t *randprog.Thread, pc randprog.Val, cells []*randprog.Var, list []string, n int) {
	if n == len(list) {
		return
	}
	t.If(t.Bin(ir.Eq, pc, t.Int(int64(n))), func() {
		var cell, check, jump, value int64
		next := t.Int(int64(n + 1))
		if k, _ := fmt.Sscanf(list[n], "x%d=%d", &cell, &value); k == 2 {
			t.Store(cells[cell], t.Int(value), memmodel.SeqCst, dev)
			t.Set(pc, next)
			return
		}
		k, _ := fmt.Sscanf(list[n][1:], "%d %d %d %d", &cell, &check, &jump, &value)
		r := t.Reg()
		if k == 4 {
			t.RMWInto(r, ir.Xchg, cells[cell], t.Int(value), memmodel.SeqCst, dev)
		} else {
			t.LoadInto(r, t.Addr(cells[cell], 0), memmodel.SeqCst, dev)
		}
		t.If(t.Bin(ir.Eq, r, t.Int(check)), func() { t.Set(pc, t.Int(jump)) }, func() { t.Set(pc, next) })
	}, func() { progressCode(t, pc, cells, list, n+1) })
}

// TestNoWayOutFacts compares searches with verdicts from elsewhere.
func TestNoWayOutFacts(t *testing.T) {
	for _, f := range progressFacts {
		p := progressProgram(f.text)
		for _, opt := range []Options{{POR: por.DPOR}, {POR: por.DPOR, Workers: 2}, {POR: por.DPOR, All: true}, {POR: por.Sleep}} {
			r := Run(context.Background(), p, opt)
			if got := r.Has(state.NoWayOut) || r.Has(state.Deadlock); got != f.hangs || !f.hangs && r.Verdict != Verified {
				t.Errorf("%s, %+v: %v %v %v", f.text, opt, r.Verdict, kinds(r), r.Incomplete)
			}
		}
	}
}
