package cli

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/shipped"
)

// TestReadme checks the first screen of README.md. What it shows of the shipped model handover is that model, in
// OpenCL C and in Go, and what it shows of the report is what clmc prints. TestPages runs its other commands.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	t.Chdir(t.TempDir())
	kernel := shippedSource(t, "handover.cl")
	if block(t, readme, "```c kernel.cl\n") != kernel {
		t.Error("README.md shows another kernel than clmc models handover.cl")
	}
	_, model, _ := strings.Cut(shippedSource(t, "handover"), "package main\n") // the head derives the verdict
	if block(t, readme, "```go model.go\n") != "package main\n"+model {
		t.Error("README.md shows another model than clmc models handover")
	}
	printed := lines(explored(t, kernel, exitViolation))
	for _, line := range lines(block(t, readme, "$ clmc explore kernel.cl    # exits 1\n")) {
		if line == "..." {
			continue
		}
		at := slices.Index(printed, line)
		if at < 0 {
			t.Fatalf("README.md shows, but clmc does not print there:\n%s\nIt prints\n%s", line, strings.Join(printed, "\n"))
		}
		printed = printed[at+1:]
	}
}

// TestReadmeRepair applies the repair that README.md names, and looks for the verdict that it shows.
func TestReadmeRepair(t *testing.T) {
	text, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const named = "With `memory_order_release` in line 7, as the report says, the last line is\n\n```text\n"
	t.Chdir(t.TempDir())
	code := lines(shippedSource(t, "handover.cl"))
	if !strings.Contains(code[6], "memory_order_relaxed") {
		t.Fatalf("line 7 of the kernel is %q", code[6])
	}
	code[6] = strings.Replace(code[6], "memory_order_relaxed", "memory_order_release", 1)
	printed := lines(explored(t, strings.Join(code, "\n")+"\n", exitVerified))
	if last, shown := printed[len(printed)-1], block(t, string(text), named); last+"\n" != shown {
		t.Errorf("README.md shows %q, clmc prints %q", shown, last)
	}
}

// shippedSource is the text of a shipped model.
func shippedSource(t *testing.T, name string) string {
	all := shipped.All()
	i := slices.IndexFunc(all, func(m shipped.Model) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("there is no shipped model %s", name)
	}
	return all[i].Source
}

// block is what follows some words in a page, up to the end of that block.
func block(t *testing.T, page, after string) string {
	_, rest, found := strings.Cut(page, after)
	text, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("README.md does not have %q", after)
	}
	return text
}

// explored returns what clmc explore prints of a kernel.
func explored(t *testing.T, kernel string, code int) string {
	if err := os.WriteFile("kernel.cl", []byte(kernel), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if got := Main([]string{"explore", "kernel.cl"}, &stdout, &stderr); got != code {
		t.Fatalf("exit code %d\n%s", got, &stderr)
	}
	return stdout.String()
}

func lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }
