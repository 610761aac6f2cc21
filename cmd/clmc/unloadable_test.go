package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestUnloadable runs a list of which many checks cannot be loaded, each for its own reason: all are told, each in a line, and the others are
// run within the budget.
func TestUnloadable(t *testing.T) {
	const good, bad = 20, 689
	model := write(t, "model.go", "package main\n\nconst n = 2\n\nfunc main() {}\n")
	broken := write(t, "broken.go", "package main\n\nfunc main() {\n")
	var list strings.Builder
	list.WriteString("checks:\n")
	for i := range good + bad {
		switch {
		case i%36 == 0 && i/36 < good:
			fmt.Fprintf(&list, "  - {model: \"@mp_relaxed\", expect: CL1001, name: good %d}\n", i)
		case i%3 == 0:
			fmt.Fprintf(&list, "  - {model: %s, name: bad %d}\n", broken, i)
		case i%3 == 1:
			fmt.Fprintf(&list, "  - {model: %s, define: {m%d: 1}, name: bad %d}\n", model, i, i)
		default:
			fmt.Fprintf(&list, "  - {model: \"@kernel_dot\", define: {n: none%d}, name: bad %d}\n", i, i)
		}
	}
	o := run(t, "run", "--progress", "never", "--budget", "5m", write(t, "list.yaml", list.String()))
	if o.code != 2 {
		t.Errorf("exit code %d, want 2\n%.2000s%.2000s", o.code, o.stdout, o.stderr)
	}
	told, ok := map[string]bool{}, 0
	for line := range strings.Lines(o.stdout) {
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "ERROR":
			told[strings.TrimSpace(rest)] = true
		case "ok":
			ok++
		}
	}
	if len(told) != bad || ok != good {
		t.Errorf("%d are told to be in error, want %d; %d are run, want %d\n%.2000s", len(told), bad, ok, good, o.stdout)
	}
	for name := range told {
		if !strings.HasPrefix(name, "bad ") {
			t.Errorf("in error: %s", name)
		}
	}
	if want := fmt.Sprintf("%d checks: %d as expected, %d in error", good+bad, good, bad); !strings.Contains(o.stdout, want) {
		t.Errorf("want %q: %s", want, o.stdout[max(0, len(o.stdout)-300):])
	}
}
