package daily

import (
	"testing"
	"time"
)

// A day begins at midnight and not before, wherever the machine is.
func TestNumber(t *testing.T) {
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
		if got := number(c.t) == number(noon); got != c.same {
			t.Errorf("%v is the day of %v: %v", c.t, noon, got)
		}
	}
}

// The day changes if that is asked for, and only then.
func TestDay(t *testing.T) {
	for day, want := range map[string]uint64{"": number(time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)), "20001": 20001} {
		t.Setenv("CLMC_DAY", day)
		if got := Day(); got != want {
			t.Errorf("with CLMC_DAY=%s it is day %d, want %d", day, got, want)
		}
	}
	t.Setenv("CLMC_DAY", "today")
	before, day, after := number(time.Now()), Day(), number(time.Now())
	if day < before || day > after {
		t.Errorf("today is day %d, want %d to %d", day, before, after)
	}
}
