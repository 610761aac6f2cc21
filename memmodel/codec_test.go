package memmodel

import (
	"bytes"
	"testing"
)

// Clocks are encoded of those units only whose events are on record, and come back.
func TestTimekeepers(t *testing.T) {
	const n = 500
	units := make([]Place, n)
	for u := range units {
		units[u] = Place{Kernel: 1}
	}
	l := NewLayout(Specs[0], Traits{Fences: true}, units, []Location{{Region: Global, Initialised: true}, {Region: Global, Atomic: true, Initialised: true}})
	var m, back Memory
	var c Canon
	m.Reset(l)
	for writers := range 3 {
		c.Normalise(&m)
		text := m.Append(nil)
		if most := (10 + writers) * n; len(text) > most {
			t.Errorf("%d writers: %d bytes, where %d should do", writers, len(text), most)
		}
		if rest, err := back.Decode(l, text); err != nil || len(rest) > 0 {
			t.Fatalf("%d writers: %v, %d bytes left", writers, err, len(rest))
		}
		if !bytes.Equal(back.Append(nil), text) || len(back.recs) != writers || len(timekeepersOf(&back)) != writers {
			t.Errorf("%d writers: another state comes back, with %d records", writers, len(back.recs))
		}
		m.Touch(Unit(100*writers+7), 0, false)
	}
}

func timekeepersOf(m *Memory) []int32 { return m.L.timekeepers(m.count, []int32{}) }
