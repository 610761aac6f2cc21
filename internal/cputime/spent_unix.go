//go:build unix

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Spent returns the processor time that the process has taken, if the system tells.
func Spent() (d time.Duration, ok bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
