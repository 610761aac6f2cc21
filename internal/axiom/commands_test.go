package axiom

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
)

// racy says, by the rules of section 12, which of the named programs with
// commands race: those whose name does not say what orders the accesses.
var racy = map[string]bool{
	"enq-coarse-NO_WAIT":                 true, // 12.1: fine-grained memory only
	"enq-after-coarse-NO_WAIT":           true, // the write follows the enqueue
	"enq-after-fine-NO_WAIT":             true,
	"enq-otherwg-coarse-NO_WAIT":         true, // the write is another work-group's
	"enq-otherwg-fine-NO_WAIT":           true,
	"enq-otherwg-coarse-WAIT_WORK_GROUP": true, // 12.12: of the work-group that enqueues
	"enq-otherwg-fine-WAIT_WORK_GROUP":   true,
	"enq-firstwg-WAIT_WORK_GROUP":        true,
	"enq-sibling-WAIT_KERNEL":            true, // 12.12: the parent's work-items, not its other children
	"enq-after-sibling-WAIT_KERNEL":      true, // the same, and the relaxed read in K acquires nothing
	"enq-fine-then-coarse":               true, // 12.1: a fine-grained flag orders no coarse-grained data
	"enq-chain-nowait":                   true, // 12.14: out-of-order
}

func TestNamedCommands(t *testing.T) {
	for _, p := range randprog.Named() {
		if !strings.HasPrefix(p.Name, "enq-") {
			continue
		}
		r, err := Run(p, memmodel.Specs[0], Options{})
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if r.Race != racy[p.Name] || r.Deadlock || r.Abnormal || r.Failed {
			t.Errorf("%s: %+v", p.Name, r)
		}
	}
}
