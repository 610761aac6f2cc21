package check_test

import (
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/check"
)

// TestScope goes through kernels, and what each verdict covers by the kernel's text: a value that reaches no branch, address or
// atomic operation decides nothing.
func TestScope(t *testing.T) {
	const head = "//clmc:launch k global=2 local=2 n=2\n__kernel void k(__global int *a, __global int *out, int n) { int i = get_global_id(0); "
	for i, c := range []struct {
		body string
		fail []string // what a test of all data says
	}{
		{"out[i] = a[i] * n; }", nil},
		{"out[a[i] & 0] = 1; }", []string{"depends on a: it used in an address at k.cl:2"}},
		{"if (i < n) out[i] = a[i]; }", []string{"depends on n: it decides a branch at k.cl:2"}},
		{"if (a[i] < n) out[i] = 1; }", []string{"on a:", "on n:"}},
		{"out[0] = 1; }", nil}, // a race: nothing is covered, and that is told elsewhere
	} {
		r := newRecorder(context.Background())
		got, err := check.Run(t.Context(), "k.cl", check.Source(head+c.body))
		if err != nil {
			t.Fatal(err)
		}
		if got.Verdict == check.Violated {
			if got.Scope != nil {
				t.Errorf("%d: a violation has a scope: %+v", i, got.Scope)
			}
			continue
		}
		check.AllData(r, got)
		if len(r.failed) != len(c.fail) || got.Scope.AllData() != (c.fail == nil) || got.Scope.AllSizes {
			t.Errorf("%d: %q, want %q; %+v", i, r.failed, c.fail, got.Scope)
			continue
		}
		for j, want := range c.fail {
			if !strings.Contains(r.failed[j], want) {
				t.Errorf("%d: %q, want %q", i, r.failed[j], want)
			}
		}
	}
	r := newRecorder(context.Background())
	got, err := check.Run(t.Context(), "@ticketlock")
	if err != nil {
		t.Fatal(err)
	}
	if check.AllData(r, got); len(r.failed) != 1 || !strings.Contains(r.failed[0], "not known") {
		t.Errorf("of a model in Go: %q", r.failed)
	}
}
