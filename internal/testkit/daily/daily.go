// Package daily has what tests change from day to day, where they are asked to. By default all
// days are one, so that what a run says is of the change and not of its date; with
//
//	CLMC_DAY=today
//
// as make nightly has it, or with a day's number, each day has its own: whoever runs the tests on one
// day runs the same, and within weeks others have been run.
//
// It is part of clmc and not of its Go API.
package daily

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// fixed is the day that it is by default: 23 November 2026.
const fixed = 20780

// number numbers the days, by UTC.
func number(t time.Time) uint64 { return uint64(t.Unix() / (24 * 60 * 60)) }

// Day returns the day's number, which is the same on all days unless CLMC_DAY says otherwise. It panics if CLMC_DAY is none.
func Day() uint64 {
	if os.Getenv("CLMC_DAY") == "" {
		return fixed
	}
	return Today()
}

// Today returns the number of the day that it is or, if CLMC_DAY has one, that.
func Today() uint64 {
	switch day := os.Getenv("CLMC_DAY"); day {
	case "", "today":
		return number(time.Now())
	default:
		n, err := strconv.ParseUint(day, 10, 32)
		if err != nil {
			panic(fmt.Sprintf("CLMC_DAY=%s: want today, or a day's number", day))
		}
		return n
	}
}

// Seed is that of the day's random tests. It is as large as those of a clock, and days are
// further from each other than any test counts.
func Seed() uint64 { return Day() * uint64(24*time.Hour) }
