package explore

import (
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
)

// byHand says, by the rules, what the axioms must find in some named programs of
// the host and of images, with which TestNamed compares the machine: an outcome that
// is possible, one that is not, that the program has a race or, if nothing is said,
// that it uses memory against its mapping.
var byHand = map[string]struct {
	possible, impossible string
	race                 bool
}{
	// Two threads map one region for reading, each for itself: neither's unmap
	// command ends the mapping of the other.
	"map-two-readers": {possible: "0:r0=5 T:r0=5 x=5"},
	// On an out-of-order queue the unmap command may come first; 12.21.
	"map-after-unmap": {}, "map-before-unmap": {}, "map-twice": {},
	// The host does not wait for the unmap command.
	"map-read-behind-unmap": {},
	// 2.7: the map command follows K and may undo what L writes, nothing else.
	"map-lost-update": {possible: "0:r0=1 x=1", impossible: "0:r0=0 x=0"},
	// The rules let clFinish order what it waits for before what its thread does
	// next, and nothing before what another thread enqueues later.
	"finish-orders-its-thread": {possible: "0:K:r0=0 T:r0=1 x=1 y=1"},
	// 5.1: the call that sets the status comes before the one that asks.
	"status-own": {possible: "0:r0=0 x=0", impossible: "0:r0=2 x=0"},
	// A command that is complete stays so.
	"status-again": {possible: "0:r0=3 0:r1=1 0:r2=0 x=1", impossible: "0:r0=0 0:r1=1 0:r2=0 x=1"},
	// API 5.11: the device does not run what waits for an event, nor what is terminated for one.
	"status-gated":  {possible: "0:r0=2 0:r1=1 x=0", impossible: "0:r0=1 0:r1=1 x=0"},
	"status-native": {possible: "0:r0=2 0:r1=1 x=1", impossible: "0:r0=1 0:r1=1 x=1"},
	"status-failed": {possible: "0:r0=-5 x=0", impossible: "0:r0=1 x=0"},
	// Nor is anybody told that it runs.
	"callback-failed":       {possible: "F:r0=-5 x=0", impossible: "F:r0=1 x=0"},
	"callback-failed-early": {possible: "F:r0=-5 x=0", impossible: "F:r0=1 x=0"},
	// Where K runs when it is asked for, E has ended before the host stores to y.
	"status-before-its-end": {possible: "0:E:r0=0 0:r0=1 x=1 y=1", impossible: "0:E:r0=1 0:r0=1 x=1 y=1"},
	// 12.1: the callback was enqueued behind the store, and C11 7.26.5.1: the thread started.
	"callback-registered": {possible: "F:r0=1 d=1"}, "thread-starts": {possible: "T:r0=1 d=1"},
	// 12.5: an out-of-order queue orders nothing, whoever has ended; 12.8: clFinish does.
	"callback-late-enqueues": {race: true}, "callback-late-finishes": {possible: "F:r0=1 d=1"},
	// 12.1: C may read what x has been at any time.
	"enq-count-look": {possible: "0:C:r1=2 x=3"},
	// 3.7: the scopes are the same, but not inclusive; 9.1.
	"work-item-scope": {race: true},
	// 3.2, 3.5: nor do they lie in one sub-group.
	"sub-group-scope": {race: true},
	// 11.3, 4.4: barriers with the image flag order images, and no others.
	"image-barrier": {possible: "1:r0=1 i=1"}, "image-barrierLG": {race: true},
}

func TestByHand(t *testing.T) {
	for _, p := range randprog.Named() {
		v, ok := byHand[p.Name]
		if !ok {
			continue
		}
		r, err := axiom.Run(p, memmodel.Specs[0], axiom.Options{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", p.Name, err)
		case v.race != r.Race, v.possible == "" && !v.race && !r.Mapping:
			t.Errorf("%s: not found wrong: %v", p.Name, r.List())
		case v.possible != "" && (r.Undefined() || !slices.Contains(r.List(), v.possible) || slices.Contains(r.List(), v.impossible)):
			t.Errorf("%s: %+v", p.Name, r)
		}
	}
}
