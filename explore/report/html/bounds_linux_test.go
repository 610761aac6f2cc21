package html

import (
	"io"
	"syscall"
	"testing"
	"time"
)

// maxMaking is the processor time that a page may take to be made: on a machine that does nothing else, less than a second.
const maxMaking = 2 * time.Second

// TestBoundsTime checks that a page of a hundred thousand steps of a thousand work-items is made soon.
func TestBoundsTime(t *testing.T) {
	rep := enormous(100_000, 1000, 40)
	best := time.Hour
	for range 3 {
		used := processor(t)
		if err := Write(io.Discard, rep); err != nil {
			t.Fatal(err)
		}
		best = min(best, processor(t)-used)
	}
	t.Logf("%v of processor time", best)
	if best > maxMaking {
		t.Errorf("it takes %v", best)
	}
}

// processor is the time that processors have spent on the test so far.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
