package explore

import (
	"testing"

	"github.com/clmc/clmc/por"
)

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
