package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// longRound is a kernel that computes for long between two looks at what it waits for. Nobody writes that: all wait for ever.
const longRound = `//clmc:launch k global=2 local=1 x=zero[1] o=zero[2]
kernel void k(global atomic_int *x, global int *o) {
  while (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 0) {
    int s = 1;
    for (int i = 0; i < 1400; i++) s = s * 3 + i;
    if (s == 7) o[get_global_id(0)] = 1;
  }
}
`

// TestHaltedAtEachQuestion halts searches at each question whether the machine is halted, and goes on: of a program whose machine is
// asked in the middle of a step whether all wait for each other, and of one whose units are alike.
func TestHaltedAtEachQuestion(t *testing.T) {
	t.Parallel()
	for _, p := range []*ir.Program{must(clc.Source("round.cl", []byte(longRound), clc.Options{})), randprog.Crowds.Program(1)} {
		opt := Options{All: true, KeepSchedule: true}
		want := Run(context.Background(), p, opt)
		_, all := haltedOnce(t, p, opt, 0, 0)
		t.Logf("%s: %v, %d questions, %v", p.Name, kinds(want), all, want.Stats.work())
		if all < 40 || want.Stats.Saved.Symmetric == 0 && want.Verdict != Violated {
			t.Errorf("%s: %d questions, %v, %v", p.Name, all, want.Verdict, want.Stats.work())
		}
		for n := 1; n <= all; n++ {
			if got, _ := haltedOnce(t, p, opt, n, 0); !sameResult(got, want) {
				t.Errorf("%s, halted at question %d of %d:\ngot  %v %v %v %v\nwant %v %v %v %v", p.Name, n, all,
					got.Verdict, kinds(got), got.Stats.work(), got.Incomplete, want.Verdict, kinds(want), want.Stats.work(), want.Incomplete)
			}
		}
	}
}
