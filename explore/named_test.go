package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
)

// TestNamed compares the machine with the axioms on the named litmus tests,
// which separate the readings and hold the known traps.
func TestNamed(t *testing.T) {
	t.Parallel()
	for _, p := range append(randprog.Named(), traps()...) {
		for _, spec := range memmodel.Specs {
			for _, mode := range por.Modes() {
				if d := difference(p, spec, mode); d != "" {
					t.Errorf("%s, spec %s, reduction %s: %s\n%s", p.Name, spec.Name, mode, d, randprog.Format(p))
				}
			}
		}
	}
}
