package prove

import (
	"context"
	"testing"
	"time"
)

// primes asks for the factors of a product of two large primes, which no solver finds soon.
func primes() *term {
	x := newTerms()
	a, b := x.sym("a", 32, item), x.sym("b", 32, item)
	return x.eq(x.mul(x.ext(a, 64, false), x.ext(b, 64, false)), x.num(64, 2654435761*2246822519))
}

// TestLimit has a solver that has no answer in time. The limit is one of what the process has had of the processors: on a machine that does
// much else the solver goes on until it has had as much.
func TestLimit(t *testing.T) {
	s, asked := newSAT(20*time.Millisecond), 0
	s.spent = func() (time.Duration, bool) { // a process that gets next to nothing
		asked++
		return time.Duration(asked) * 4 * time.Millisecond, true
	}
	if got, _ := s.try(t.Context(), primes(), false); got != unknown {
		t.Fatalf("it says %v", got)
	}
	if asked != 7 { // before, and then until more than the limit has gone by
		t.Errorf("the time was asked for %d times, want 7", asked)
	}

	s.spent = func() (time.Duration, bool) { return 0, false }
	if got, _ := s.try(t.Context(), primes(), false); got != unknown {
		t.Errorf("where the system does not tell, it says %v", got)
	}

	s = newSAT(24 * time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if got, _ := s.try(ctx, primes(), false); got != unknown || ctx.Err() == nil {
		t.Errorf("it says %v, and the context %v", got, ctx.Err())
	}
}
