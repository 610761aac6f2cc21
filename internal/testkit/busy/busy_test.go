package busy

import (
	"runtime"
	"testing"
	"time"
)

// Waiting is not over, computing is.
func TestOver(t *testing.T) {
	w := Start()
	if time.Sleep(50 * time.Millisecond); runtime.GOOS == "linux" && w.Over(40*time.Millisecond) {
		t.Errorf("waiting has taken %v", w)
	}
	if w.Over(time.Hour) {
		t.Errorf("it has taken %v", w)
	}
	for began := time.Now(); !w.Over(60*time.Millisecond) && time.Since(began) < time.Minute; {
	}
	if !w.Over(60 * time.Millisecond) {
		t.Errorf("computing has taken %v", w)
	}
}
