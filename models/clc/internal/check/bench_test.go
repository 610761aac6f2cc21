package check

import (
	"os"
	"testing"
	"time"
)

// BenchmarkParse measures parsing and checking a kernel of 500 lines.
func BenchmarkParse(b *testing.B) {
	text, err := os.ReadFile("testdata/long.cl")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Parse(Options{loud: true, Path: "k.cl", Source: text}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSpeed sees that a kernel of 500 lines takes 20 ms, and on a busy machine ten times as long at most.
func TestSpeed(t *testing.T) {
	text, err := os.ReadFile("testdata/long.cl")
	if err != nil {
		t.Fatal(err)
	}
	best := time.Hour
	for try := 0; try < 10 || try < 100 && best > 200*time.Millisecond; try++ {
		begin := time.Now()
		if _, _, err := Parse(Options{loud: true, Path: "k.cl", Source: text}); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(begin))
	}
	if t.Logf("%v", best); best > 200*time.Millisecond {
		t.Errorf("500 lines take %v", best)
	}
}
