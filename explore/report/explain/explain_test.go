package explain

import (
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// TestExamples explores the example of each page and expects the violation
// that the page is about.
func TestExamples(t *testing.T) {
	for _, k := range state.Kinds() {
		t.Run(k.ID(), func(t *testing.T) {
			page, ok := Explain(strings.ToLower(k.ID()))
			if !ok {
				t.Fatal("no page")
			}
			if title := "# " + k.ID() + ": " + k.String() + "\n"; !strings.HasPrefix(page, title) {
				t.Errorf("the page does not begin with %q", title)
			}
			for _, section := range []string{"## The rule", "## Example", "## How to repair it"} {
				if !strings.Contains(page, section) {
					t.Errorf("no section %q", section)
				}
			}
			_, example, ok := strings.Cut(page, "```go\n")
			if !ok {
				if k != state.InvalidAccess {
					t.Error("no example")
				}
				return
			}
			example, _, _ = strings.Cut(example, "```")
			p, err := load.Source("example.go", []byte(example), load.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := explore.Run(context.Background(), p, explore.Options{All: true, Liveness: obe()})
			if !r.Has(k) {
				t.Errorf("the example's verdict is %v, %v", r.Verdict, r.Violations)
			}
			told(t, p, r, k)
		})
	}
}

// obe asks whether executions end if work-groups are scheduled occupancy-bound.
func obe() *explore.Liveness {
	q := liveness.Question{Levels: liveness.Whole(liveness.OBE)}
	return &explore.Liveness{Asked: []liveness.Question{q}, Required: []liveness.Question{q}}
}

// told checks that there are words for what went wrong, beside who did it and where.
func told(t *testing.T, p *ir.Program, r *explore.Result, k state.Kind) {
	for _, v := range r.Violations {
		if v.Kind != k {
			continue
		}
		tr, err := trace.Build(p, r.Spec, v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(tr.Message, "  ") {
			t.Errorf("explore/trace has no words for this kind: %q", tr.Message)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, id := range []string{"", "CL9999", "../CL1001", "CL1001.md"} {
		if _, ok := Explain(id); ok {
			t.Errorf("there is a page for %q", id)
		}
	}
}

// TestLoadBuffering explores the example of the page: its assertion fails only
// with promises.
func TestLoadBuffering(t *testing.T) {
	page, ok := Explain("Load-Buffering")
	_, example, found := strings.Cut(page, "```go\n")
	example, _, _ = strings.Cut(example, "```")
	p, err := load.Source("example.go", []byte(example), load.Options{})
	if !ok || !found || err != nil {
		t.Fatal(ok, found, err)
	}
	for promises, want := range map[int]explore.Verdict{0: explore.Violated, explore.NoPromises: explore.Verified} {
		if r := explore.Run(context.Background(), p, explore.Options{Promises: promises}); r.Verdict != want {
			t.Errorf("with promises %s: %v", explore.FormatPromises(promises), r.Verdict)
		}
	}
}
