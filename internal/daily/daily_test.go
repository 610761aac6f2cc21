package daily

import (
	"testing"
	"time"
)

// A day begins at midnight and not before, wherever the machine is.
func TestDay(t *testing.T) {
	east := time.FixedZone("east", 9*60*60)
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		t    time.Time
		same bool
	}{
		{noon.Add(12*time.Hour - 1), true},
		{noon.Add(-12 * time.Hour), true},
		{noon.In(east).Add(6 * time.Hour), true},
		{noon.Add(12 * time.Hour), false},
		{noon.Add(-12*time.Hour - 1), false},
	} {
		if got := Day(c.t) == Day(noon); got != c.same {
			t.Errorf("%v is the day of %v: %v", c.t, noon, got)
		}
	}
}
