//go:build !unix && !windows

package cputime

import "time"

// Spent returns the processor time that the process has taken, if the system tells.
func Spent() (d time.Duration, ok bool) { return 0, false }
