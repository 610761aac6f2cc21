package explore

import (
	"testing"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
)

// Where units may go on for ever, a worker in another order than the first takes no turns ahead: alone, it performs as many steps as the
// first would, as the sleep sets allow in any order, and looks for no way out but where the first does, which is nowhere.
func TestNoTurnsAheadInLoops(t *testing.T) {
	p := must(load.File("../models/bench/sensebarrier", load.Options{Defines: map[string]string{"n": "4"}}))
	one := Run(t.Context(), p, Options{})
	other := Run(t.Context(), p, Options{Links: []share.Link{share.NewLocal().Link(1)}})
	if other.Verdict != one.Verdict || other.Stats.Steps > one.Stats.Steps+one.Stats.Steps/10 || other.Stats.Probed != one.Stats.Probed {
		t.Errorf("%d steps and %d probes in the first order, %d and %d in another", one.Stats.Steps, one.Stats.Probed, other.Stats.Steps, other.Stats.Probed)
	}
	t.Logf("%d steps and %d probes in the first order, %d and %d in another", one.Stats.Steps, one.Stats.Probed, other.Stats.Steps, other.Stats.Probed)
}

// Of a turn that was taken ahead, what it wrote and what it led back to stays with the state, and nothing
// that the turns in their order decide. Otherwise the state would be told of as done while what it leads
// back to is open, or its writes would be missing further up.
func TestEndAhead(t *testing.T) {
	s, f := &search{}, &frame{}
	f.dpor.reset()
	d := &f.dpor
	d.stage = outOfTurn
	d.Full, d.moved, d.leads, d.waits, f.fate.back = true, true, true, true, true
	d.Below.Add(por.Write{Unit: 1, Loc: 2})
	d.Below.Any, d.low = true, 3
	s.endAhead(f)
	if len(d.effects.Writes) != 1 || !d.effects.Any || d.low != 3 {
		t.Errorf("forgotten: %+v, low %d", d.effects, d.low)
	}
	if d.stage != inTurn || d.Full || d.moved || d.leads || d.waits || f.fate.back || len(d.Below.Writes) > 0 || d.Below.Any {
		t.Errorf("decided: %+v", d)
	}
}
