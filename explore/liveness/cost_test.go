package liveness_test

import (
	"context"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/state/ir"
)

// published loads the published facts.
func published(t testing.TB) (all []*ir.Program) {
	for _, f := range readFacts(t, "progress.txt") {
		all = append(all, program(t, f.source()))
	}
	return all
}

// askAll searches programs, and asks about all models of work-groups.
func askAll(all []*ir.Program) {
	for _, p := range all {
		explore.Run(context.Background(), p, explore.Options{Liveness: explore.AboutAll(liveness.Weak)})
	}
}

// TestFactsCost: all models are asked about in all published facts in a second of CPU time. Whoever else uses the machine may make that more at times, not each time.
func TestFactsCost(t *testing.T) {
	all := published(t)
	least := time.Duration(0)
	for range 3 {
		began, _ := cputime.Spent()
		askAll(all)
		ended, _ := cputime.Spent()
		if took := ended - began; least == 0 || took < least {
			least = took
		}
	}
	t.Logf("%d programs in %v", len(all), least)
	if least > time.Second {
		t.Errorf("%d programs take %v", len(all), least)
	}
}

// BenchmarkFacts asks about all models of work-groups in all published facts.
func BenchmarkFacts(b *testing.B) {
	all := published(b)
	for b.Loop() {
		askAll(all)
	}
}
