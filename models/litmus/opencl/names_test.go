package opencl

import (
	"testing"

	"github.com/clmc/clmc/state/ir"
)

// noInstruction are the read-modify-writes that PTX has no instruction for, so that tests with them are not emitted.
var noInstruction = map[ir.Alu]bool{}

// TestModificationsHaveNames demands a name in each mapping for all that a read-modify-write of a test can do. (Tests have no pipes.)
func TestModificationsHaveNames(t *testing.T) {
	t.Parallel()
	for _, a := range ir.Modifications() {
		if a == ir.Pipe {
			continue
		}
		if a != ir.Xchg && fetches[a] == "" {
			t.Errorf("fetches has no name for %v", a)
		}
		if (ptxOps[a] == "") != noInstruction[a] {
			t.Errorf("%v: ptxOps has %q, and it is in noInstruction: %v", a, ptxOps[a], noInstruction[a])
		}
	}
}
