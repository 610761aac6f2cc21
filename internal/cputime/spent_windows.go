package cputime

import (
	"time"

	"golang.org/x/sys/windows"
)

// Spent returns the processor time that the process has taken, if the system tells.
func Spent() (d time.Duration, ok bool) {
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user); err != nil {
		return 0, false
	}
	return interval(kernel) + interval(user), true
}

// interval is what a time says that is an interval, in tenths of a microsecond.
func interval(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
