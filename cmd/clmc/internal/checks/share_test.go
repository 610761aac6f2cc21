package checks

import (
	"slices"
	"testing"
	"time"
)

// simulate shares a budget between searches that need some seconds each, and
// returns the order of those that ended, the turns, and the time that went by.
func simulate(budget time.Duration, resume bool, needs ...int) (ended, turns []int, took time.Duration) {
	clock := time.Unix(0, 0)
	now := func() time.Time { return clock }
	left := make([]time.Duration, len(needs))
	for i, n := range needs {
		left[i] = time.Duration(n) * time.Second
	}
	Share(budget, len(needs), resume, now, func(i int, share time.Duration) bool {
		turns = append(turns, i)
		if budget == 0 && share != 0 {
			panic("a bound where none was asked for")
		}
		if share == 0 || share >= left[i] {
			clock = clock.Add(left[i])
			ended = append(ended, i)
			return true
		}
		clock = clock.Add(share)
		if resume {
			left[i] -= share
		}
		return false
	})
	return ended, turns, clock.Sub(time.Unix(0, 0))
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		name         string
		budget       time.Duration
		resume       bool
		needs        []int
		ended, turns []int
		took         time.Duration
	}{
		{"no budget: one turn each", 0, false, []int{5, 3}, []int{0, 1}, []int{0, 1}, 8 * time.Second},
		{"enough for all", 100 * time.Second, false, []int{5, 3}, []int{0, 1}, []int{0, 1}, 8 * time.Second},
		// The first gets a quarter of 100, the others a third of 75, half of 70 and
		// all of 40. The 10 s that are left over are no use to it.
		{"the long one does not starve the others", 100 * time.Second, false, []int{1000, 5, 30, 30}, []int{1, 2, 3}, []int{0, 1, 2, 3}, 90 * time.Second},
		// 10 of 40 are spent in vain, 3 by the three others; 27 are left for another try.
		{"what is left over serves the long one", 40 * time.Second, false, []int{20, 1, 1, 1}, []int{1, 2, 3, 0}, []int{0, 1, 2, 3, 0}, 33 * time.Second},
		// Resumed, the second turn has only 10 s to do.
		{"resumed, nothing is done twice", 40 * time.Second, true, []int{20, 1, 1, 1}, []int{1, 2, 3, 0}, []int{0, 1, 2, 3, 0}, 23 * time.Second},
		// A second turn of at most 10 s could do no more than the first.
		{"no turn in vain", 20 * time.Second, false, []int{60, 60}, nil, []int{0, 1}, 20 * time.Second},
	} {
		ended, turns, took := simulate(c.budget, c.resume, c.needs...)
		if !slices.Equal(ended, c.ended) || !slices.Equal(turns, c.turns) || took != c.took {
			t.Errorf("%s: ended %v, turns %v, %v; want %v, %v, %v", c.name, ended, turns, took, c.ended, c.turns, c.took)
		}
	}
}

// TestShareEnds checks that sharing keeps to the budget and comes to an end.
func TestShareEnds(t *testing.T) {
	for _, resume := range []bool{false, true} {
		_, turns, took := simulate(time.Hour, resume, 100000, 1, 100000, 700, 100000, 3)
		if took > time.Hour || len(turns) > 1000 {
			t.Errorf("resume %v: %v in %d turns", resume, took, len(turns))
		}
	}
}
