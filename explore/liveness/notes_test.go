package liveness_test

import (
	"context"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
)

// TestFactsAreNoted has a search that asks nothing note each fact whose end hangs on the scheduler: all published ones, since unfair promises no more than a step
// of somebody, and who goes round makes one; of the others those that the direct procedure finds not to end then.
func TestFactsAreNoted(t *testing.T) {
	for file, least := range map[string]int{"progress.txt": 241, "random.txt": 70} {
		noted := 0
		for _, f := range readFacts(t, file) {
			p := program(t, f.source())
			depends := file == "progress.txt"
			if !depends {
				a := graph(p, 0, liveness.Options{Starts: true}).Check(context.Background(), liveness.Question{Levels: liveness.Whole(liveness.Unfair)})
				depends = f.strong[4] == 'p' && a.Verdict == liveness.Runs
			}
			r := explore.Run(context.Background(), p, explore.Options{})
			if depends != (len(r.Between) > 0) {
				t.Errorf("%s: its end hangs on the scheduler: %v; %v, noted at %v", f.name, depends, r.Verdict, r.Between)
			}
			if depends {
				noted++
			}
		}
		if noted < least {
			t.Errorf("only %d programs of %s hang on the scheduler", noted, file)
		}
	}
}
