package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// There is a page for each command, and none speaks of the day on which it was written.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"clmc.1", "clmc-explore.1", "clmc-replay.1"} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(page), ".SH SYNOPSIS") || !strings.Contains(string(page), "1970") {
			t.Errorf("%s: %v\n%.400s", name, err, page)
		}
	}
}
