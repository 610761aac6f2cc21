package bench

import (
	"context"
	"testing"

	"github.com/clmc/clmc/explore"
)

// Without visited states, the search completes each execution graph once: as
// many as GenMC 0.10.3 counts under RC11 (program order, reads-from and
// modification order), measured by others on the same programs. The families
// have no seq_cst operations, on which RC11 and OpenCL would differ.
func TestExecutionCounts(t *testing.T) {
	for _, c := range []struct {
		family, size string
		want         int
		long         bool
	}{
		{"ainc", "n=4", 24, false},
		{"ainc", "n=6", 720, false},
		{"ainc", "n=8", 40_320, true},
		{"binc", "n=3", 36, false},
		{"binc", "n=5", 14_400, true},
		{"casrot", "n=10", 38_486, true},
		{"indexer", "n=11", 1, false},
		{"indexer", "n=14", 512, true},
		{"lastzero", "n=10", 3_328, false},
		{"readers", "n=8", 1 << 8, false},
		{"readers", "n=13", 1 << 13, false},
		{"nwriters", "n=5", 120, false},
		{"fib", "n=4 bound=144", 34_205, true},
		{"big0", "n=3", 82_472, true},
	} {
		if c.long && testing.Short() {
			continue
		}
		for _, f := range all() {
			if f.name != c.family {
				continue
			}
			p, err := f.program(c.size)
			if err != nil {
				t.Fatal(err)
			}
			r := explore.Run(context.Background(), p, explore.Options{NoCache: true, Promises: explore.NoPromises})
			if r.Stats.Ends != c.want || r.Verdict != explore.Verified {
				t.Errorf("%s %s: %d executions, %d redundant explorations, %v; want %d executions", c.family, c.size, r.Stats.Ends, r.Stats.Redundant, r.Verdict, c.want)
			}
			t.Logf("%s %s: %d states, %d executions, %d redundant, %d given up, %v", c.family, c.size, r.Stats.States, r.Stats.Ends, r.Stats.Redundant, r.Stats.Blocked, r.Stats.Elapsed)
			break
		}
	}
}
