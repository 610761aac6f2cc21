package clc_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/models/clc"
)

// loweredFile has, for each construct of OpenCL C, a kernel (NAME.cl) and the program that is made of it (NAME.ir).
const loweredFile = "testdata/lowered.txtar"

// constructs is how many there are.
const constructs = 37

// TestLowered compares what kernels are lowered to with what it is known to be. The code is as it is executed, with all
// values kept; the host, which only enqueues the kernel, is left out.
func TestLowered(t *testing.T) {
	text, err := os.ReadFile(loweredFile)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(text)
	want := map[string]string{}
	out := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	for _, f := range archive.Files {
		name, ok := strings.CutSuffix(f.Name, ".cl")
		if !ok {
			continue
		}
		got := lowered(t, f.Name, f.Data)
		if old, ok := want[name+".ir"]; !golden.Update() && (!ok || old != got) {
			t.Errorf("%s: want\n%s\ngot\n%s", f.Name, old, got)
		}
		delete(want, f.Name)
		delete(want, name+".ir")
		out.Files = append(out.Files, f, txtar.File{Name: name + ".ir", Data: []byte(got)})
	}
	for name := range want {
		if !golden.Update() {
			t.Errorf("%s belongs to no kernel", name)
		}
	}
	if len(out.Files) < 2*constructs {
		t.Errorf("%d kernels: some constructs have none", len(out.Files)/2)
	}
	if golden.Update() && !t.Failed() {
		if err := os.WriteFile(loweredFile, txtar.Format(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// lowered returns the objects and kernels of a program as text.
func lowered(t *testing.T, name string, text []byte) string {
	p, err := clc.Source(name, text, clc.Options{KeepValues: true})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return ""
	}
	var kept []string
	for i, part := range strings.Split(p.String(), "\n\n") {
		if i == 0 {
			_, objects, _ := strings.Cut(part, "\n")
			part, _, _ = strings.Cut(objects, "thread host")
			part = strings.TrimSpace(part)
		} else if strings.HasPrefix(part, "func host") {
			continue
		}
		kept = append(kept, strings.TrimSpace(part))
	}
	return strings.TrimSpace(strings.Join(kept, "\n\n")) + "\n"
}
