package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestBOM lists the modules of the test's own binary: the standard library, and
// twice the same.
func TestBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	var once, twice bytes.Buffer
	if err := write(&once, []string{self}); err != nil {
		t.Fatal(err)
	}
	if err := write(&twice, []string{self, self}); err != nil || once.String() != twice.String() {
		t.Errorf("%v: %s", err, &twice)
	}
	var b bom
	if err := json.Unmarshal(once.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Components) != len(info.Deps)+1 || b.Metadata.Component.Name != info.Main.Path || b.Format != "CycloneDX" {
		t.Errorf("%s", &once)
	}
	if !strings.Contains(once.String(), `"pkg:golang/std@`+strings.TrimPrefix(info.GoVersion, "go")) {
		t.Errorf("the standard library is not there: %s", &once)
	}
	if err := write(&once, nil); err == nil {
		t.Error("a bill of nothing")
	}
}
