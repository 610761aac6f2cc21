package scaffold

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/models/load"
)

const single = `//go:build ignore

package main

import "github.com/clmc/clmc/models/cl"

func main() { cl.Finish() }
`

// TestEditor sees that gopls, go vet and clmc agree about what Module writes, without a network:
// the module's own model, and models of one file beside it that a build constraint makes programs of their own.
// gopls has to find the mistake in a file that has one, so that its silence means something.
func TestEditor(t *testing.T) {
	dir := written(t)
	for _, name := range []string{"alone.go", "other.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(single), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	models := []string{"model.go", "alone.go", "other.go"}
	for _, name := range models {
		if _, err := load.File(filepath.Join(dir, name), load.Options{}); err != nil {
			t.Errorf("clmc: %v", err)
		}
		if out := tool(t, dir, "go", "vet", name); out != "" {
			t.Errorf("go vet %s: %s", name, out)
		}
	}
	if out := tool(t, dir, "go", "vet", "./..."); out != "" {
		t.Errorf("go vet ./...: %s", out)
	}
	for _, name := range models {
		if out := tool(t, dir, "gopls", "check", name); out != "" {
			t.Errorf("gopls: %s", out)
		}
	}
	wrong := strings.Replace(single, "cl.Finish()", "cl.Finnish()", 1)
	if err := os.WriteFile(filepath.Join(dir, "wrong.go"), []byte(wrong), 0o666); err != nil {
		t.Fatal(err)
	}
	out := ""
	for try := range time.Duration(8) { // under load it may end before it has looked
		time.Sleep(try * 500 * time.Millisecond)
		if out = tool(t, dir, "gopls", "check", "wrong.go"); strings.Contains(out, "Finnish") {
			return
		}
	}
	t.Errorf("gopls says of a mistake: %q", out)
}

// written is a folder with what Module writes.
func written(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kernels")
	all, err := Module(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, all, false); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tool runs a tool without a network and returns what it says.
func tool(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: go install golang.org/x/tools/gopls@latest", name)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Errorf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(out)
}

// TestWorkflow checks that docs/nightly.md shows the workflow that is written, and that it builds clmc from a checkout: the
// module is not published.
func TestWorkflow(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	yml := text("clmc.yml")
	if !strings.Contains(string(page), "```yaml\n"+yml+"```\n") {
		t.Error("docs/nightly.md shows another workflow than clmc init writes")
	}
	for _, file := range []string{yml, text("model.go.txt"), string(page), goMod(".")} {
		if strings.Contains(file, "github.com/clmc/clmc/cmd/clmc@") {
			t.Errorf("the module is not published, so that go install cannot find it:\n%s", file)
		}
	}
}

// The name of a folder may be anything; that of a module may not.
func TestModuleName(t *testing.T) {
	for dir, want := range map[string]string{
		"/a/My Kernels": "example.com/my-kernels", "/a/käse": "example.com/k-se", "/": "example.com/kernels", "/x/v1.2": "example.com/v1.2",
	} {
		if got := moduleName(dir); got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}
