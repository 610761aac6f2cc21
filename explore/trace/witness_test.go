package trace

import (
	"context"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
)

// TestWitnesses checks on random programs that what is kept as an execution with an outcome is one: the
// program performs it to its end, and there has the outcome. Where units are told apart, each outcome has one.
func TestWitnesses(t *testing.T) {
	styles := randprog.Styles()
	all, kept := 0, 0
	for seed := range uint64(150) {
		style := styles[seed%uint64(len(styles))]
		p := locate(style.Program(seed))
		for _, same := range []bool{true, false} {
			r := explore.Run(context.Background(), p, explore.Options{MaxStates: 2000, Witnesses: 1000, NoSymmetry: same})
			for _, o := range r.Outcomes {
				all++
				schedule, ok := r.Witnesses[explore.OutcomeKey(o)]
				if !ok && same {
					t.Errorf("seed %d: no execution with %v is kept", seed, o)
				}
				if !ok {
					continue
				}
				tr, values, err := Repeat(p, memmodel.Specs[0], schedule, time.Time{})
				if err != nil {
					t.Errorf("seed %d, %v: %v", seed, o, err)
					continue
				}
				kept++
				if tr.Message != "" || len(tr.Accesses) > 0 {
					t.Errorf("seed %d, %v: the execution goes wrong: %s", seed, o, tr.Message)
				}
				for _, v := range values {
					short, isShort := o[v.Name]
					long, isLong := o[v.Long]
					if !(isShort && short == v.Value || isLong && long == v.Value) {
						t.Errorf("seed %d: the execution with %v ends in %s = %d", seed, o, v.Name, v.Value)
					}
				}
			}
		}
	}
	if kept < 200 {
		t.Errorf("only %d outcomes were looked at", kept)
	}
	t.Logf("%d outcomes", all)
}
