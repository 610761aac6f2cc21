package explore

import (
	"context"
	"testing"
	"time"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// crowd is a program in which each visit takes long: n units take tickets.
func crowd(n int) *ir.Program {
	b := randprog.NewBuilder("crowd")
	x := b.Atomic("x")
	for i := range n {
		t := b.Thread(place(i))
		t.Observe(t.RMW(ir.Add, x, t.Int(1), memmodel.Relaxed, memmodel.ScopeDevice))
	}
	return b.Program()
}

// TestTimeLimit checks that a search whose visits take long ends soon after its
// deadline, and not only when checkEvery of them have passed.
func TestTimeLimit(t *testing.T) {
	p := crowd(60)
	const some = 8
	began := time.Now()
	if r := Run(context.Background(), p, Options{POR: por.Sleep, MaxStates: some}); r.Stats.States != some {
		t.Fatalf("%d states", r.Stats.States)
	}
	visits := time.Since(began) / some * time.Duration(checkEvery)
	const limit = 100 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	began = time.Now()
	Run(ctx, p, Options{POR: por.Sleep})
	if late := time.Since(began) - limit; late > visits/4 {
		t.Errorf("the limit was overrun by %v; %d visits take %v", late, checkEvery, visits)
	} else {
		t.Logf("overrun by %v; %d visits take %v", late, checkEvery, visits)
	}
}
