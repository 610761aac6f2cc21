package explore

import (
	"slices"
	"testing"

	"github.com/clmc/clmc/explore/internal/axiom"
	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
)

// hostVerdicts says, by the rules, what the axioms must find in some named programs
// of the host, with which TestNamed compares the machine: an outcome that is
// possible, one that is not, or that the program is wrong.
var hostVerdicts = map[string]struct{ possible, impossible string }{
	// Two threads map one region for reading, each for itself: neither's unmap
	// command ends the mapping of the other.
	"map-two-readers": {possible: "0:r0=5 T:r0=5 x=5"},
	// On an out-of-order queue the unmap command may come first; 12.21.
	"map-after-unmap": {}, "map-before-unmap": {},
	// The host does not wait for the unmap command.
	"map-read-behind-unmap": {},
	// 2.7: the map command follows K and may undo what L writes, nothing else.
	"map-lost-update": {"0:r0=1 x=1", "0:r0=0 x=0"},
	// The rules let clFinish order what it waits for before what its thread does
	// next, and nothing before what another thread enqueues later.
	"finish-orders-its-thread": {possible: "0:K:r0=0 T:r0=1 x=1 y=1"},
	// 5.1: the call that sets the status comes before the one that asks.
	"status-own": {"0:r0=0 x=0", "0:r0=2 x=0"},
	// A command that is complete stays so.
	"status-again": {"0:r0=3 0:r1=1 0:r2=0 x=1", "0:r0=0 0:r1=1 0:r2=0 x=1"},
}

func TestHostVerdicts(t *testing.T) {
	for _, p := range randprog.Named() {
		v, ok := hostVerdicts[p.Name]
		if !ok {
			continue
		}
		r, err := axiom.Run(p, memmodel.Specs[0], axiom.Options{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", p.Name, err)
		case v.possible == "" && !r.Mapping:
			t.Errorf("%s: not found wrong: %v", p.Name, r.List())
		case v.possible != "" && (r.Undefined() || !slices.Contains(r.List(), v.possible) || slices.Contains(r.List(), v.impossible)):
			t.Errorf("%s: %+v", p.Name, r)
		}
	}
}
