//go:build !linux

package busy

import "time"

var started = time.Now()

// spent returns the time since the process has started, which is at least what it has had.
func spent() time.Duration { return time.Since(started) }
