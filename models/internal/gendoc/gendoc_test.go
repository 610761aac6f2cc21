package gendoc

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/models/cl"
)

const (
	page  = "../../../docs/language.md"
	begin = "<!-- Generated from models/cl: go test ./models/internal/gendoc -update -->\n"
	end   = "<!-- End of the generated reference. -->\n"
)

// TestReference checks that docs/language.md has the reference as the
// vocabulary implies it.
func TestReference(t *testing.T) {
	ref, err := Reference()
	if err != nil {
		t.Fatal(err)
	}
	golden.Part(t, page, begin, end, "\n"+ref+"\n")
}

// TestComplete checks that every file is in the reference, and that all names
// but clmc's own say what they are called in OpenCL.
func TestComplete(t *testing.T) {
	own := []string{"Any", "Assert", "Assume", "Atomic", "Choose", "CommandOption", "Coord", "EnqueuesMayFail", "EventWaitList", "Gentype", "Image", "Integer", "Observable", "Observe", "OnQueue", "Pipe", "Reachable", "Scalar", "Texel", "Word"}
	files, err := fs.Glob(cl.SourceFiles, "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		entries, err := Entries(file)
		if err != nil {
			t.Fatal(err)
		}
		listed := false
		for _, s := range sections {
			listed = listed || s.file == file
		}
		if !listed && len(entries) > 0 {
			t.Errorf("%s is in no section", file)
		}
		for _, e := range entries {
			if (e.OpenCL == "") != slices.Contains(own, e.Name) {
				t.Errorf("%s: name in OpenCL: %q", e.Name, e.OpenCL)
			}
			if e.Doc == "" {
				t.Errorf("%s has no comment", e.Name)
			}
		}
	}
}
