// Package daily has what tests change from day to day. Whoever runs them on one day runs the same
// tests, so that a failure is of the code and not of the run; and within weeks others have been run.
//
// It is part of clmc and not of its Go API.
package daily

import "time"

// Day numbers the days, by UTC.
func Day(t time.Time) uint64 { return uint64(t.Unix() / (24 * 60 * 60)) }

// Seed is that of the random tests of today. It is as large as those of a clock, and days are
// further from each other than any test counts.
func Seed() uint64 { return Day(time.Now()) * uint64(24*time.Hour) }
