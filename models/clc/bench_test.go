package clc_test

import (
	"os"
	"testing"

	"github.com/clmc/clmc/models/clc"
)

// BenchmarkLoad measures parsing, checking and lowering a kernel file of 500 lines.
func BenchmarkLoad(b *testing.B) {
	text, err := os.ReadFile("internal/check/testdata/long.cl")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := clc.Source("k.cl", text, clc.Options{Global: "4", Local: "2", Args: []string{"n=2", "w={1,2,3,4}"}}); err != nil {
			b.Fatal(err)
		}
	}
}
