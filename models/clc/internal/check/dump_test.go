package check

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// TestDump compares the typed trees of kernels with what they are known to be.
func TestDump(t *testing.T) {
	paths, err := filepath.Glob("testdata/dump/*.cl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		u, err := parse(string(text), tree.CL30)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		verify(t, u)
		golden := strings.TrimSuffix(path, ".cl") + ".tree"
		got := u.String()
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s: got\n%s", path, got)
		}
	}
}
