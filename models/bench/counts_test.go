package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/golden"
)

// performance is the page whose tables these tests keep.
const performance = "../../docs/performance.md"

// fewStates is how many states a size may have for the table of counts: the larger ones take more than a moment.
const fewStates = 1500

// slow are sizes of few states that take a second or more all the same.
var slow = map[string]bool{"groupsum n=16384": true, "slots n=1024": true, "carry n=1024 b=8": true}

// TestCounts keeps the table of what each family comes to.
func TestCounts(t *testing.T) {
	var b strings.Builder
	b.WriteString("| family | size | verdict | states | steps |\n|---|---|---|--:|--:|\n")
	for _, f := range all() {
		for _, size := range f.sizes {
			if slow[f.name+" "+size] {
				continue
			}
			p, err := f.program(size)
			if err != nil {
				t.Fatal(err)
			}
			r := explore.Run(context.Background(), p, explore.Options{MaxStates: fewStates, KeepSchedule: true})
			if r.Verdict == explore.Inconclusive {
				fmt.Fprintf(&b, "| %s | %s | more than %d states | | |\n", f.name, size, fewStates)
				break
			}
			if err := f.check(r); err != nil {
				t.Errorf("%s %s: %v", f.name, size, err)
			}
			verdict := r.Verdict.String()
			if len(r.Violations) > 0 {
				verdict = r.Violations[0].Kind.ID()
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %d | %d |\n", f.name, size, verdict, r.Stats.States, r.Stats.Steps)
		}
	}
	golden.Part(t, performance, "<!-- counts: go test ./models/bench -run TestCounts -update -->\n\n", "\n<!-- end -->\n", b.String())
}
