package checks

import (
	"slices"
	"time"
)

// minShare is the shortest time for which it is worth to begin a search.
const minShare = 100 * time.Millisecond

// Share gives n searches turns until all are done or the budget is used up. A
// turn gets an equal part of the time that is left, and reports whether its
// search is done with; what it leaves over is shared by those after it. Those
// that did not end get another turn while there is time: where they went on if
// searches resume, otherwise only if the new turn is longer than the last.
// A budget of 0 means one turn for each, without a bound.
func Share(budget time.Duration, n int, resume bool, now func() time.Time, turn func(i int, share time.Duration) bool) {
	began := now()
	last := make([]time.Duration, n)
	open := make([]int, n)
	for i := range open {
		open[i] = i
	}
	for taken := true; taken && len(open) > 0; {
		taken = false
		waiting := len(open)
		open = slices.DeleteFunc(open, func(i int) bool {
			share := time.Duration(0)
			if budget > 0 {
				share = (budget - now().Sub(began)) / time.Duration(waiting)
			}
			waiting--
			if budget > 0 && (share < minShare || !resume && share <= last[i]) {
				return false
			}
			taken = budget > 0
			last[i] = share
			return turn(i, share)
		})
	}
}
