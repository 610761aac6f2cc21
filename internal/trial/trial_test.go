package trial

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
)

const (
	released = `//clmc:launch mp global=2 local=1 data=zero[1] flag=atomic_int[1]{0} out=zero[1]
kernel void mp(global int *data, global atomic_int *flag, global int *out) {
  if (get_group_id(0) == 0) {
    *data = 42;
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
  } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
    *out = *data;
}
`
	// Mended by a release, there is still the race on b.
	two = `//clmc:launch mp global=2 local=1 data=zero[1] b=zero[1] flag=atomic_int[1]{0} out=zero[1]
kernel void mp(global int *data, global int *b, global atomic_int *flag, global int *out) {
  if (get_group_id(0) == 0) {
    *data = 42;
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    *b = 1;
  } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
    *out = *data;
    *b = 2;
  }
}
`
)

// told explores a text, changes the report, and has its repairs tried.
func told(t *testing.T, name, text string, within time.Duration, change func(*trace.Trace)) *report.Report {
	t.Helper()
	m, err := model.Target(name).Parse([]byte(text), model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := m.Explore(t.Context(), explore.Options{})
	if err != nil || len(rep.Traces) == 0 || !rep.Traces[0].Mechanical() {
		t.Fatal(rep, err)
	}
	if change != nil {
		change(rep.Traces[0])
	}
	states := 1000
	if within == 0 {
		states, within = 1, time.Minute
	}
	Repairs(context.Background(), m, rep, Options{States: states, Each: time.Minute, All: within})
	return rep
}

// repair is the last repair of a report, as it is printed.
func repair(rep *report.Report) (out string) {
	for _, w := range rep.Traces[0].Why {
		if w.Repair != "" {
			out = rep.Traces[0].Advice() + ": " + w.Advised()
		}
	}
	return out
}

// TestRepairs tries repairs of each kind: what verifies, what mends a part, what does not help, what cannot be made, and what is not tried to the end.
func TestRepairs(t *testing.T) {
	if got := repair(told(t, "mp.cl", released, time.Minute, nil)); !strings.HasSuffix(got, "line 5. (verified)") {
		t.Errorf("verified: %q", got)
	}
	got := repair(told(t, "mp.cl", two, time.Minute, nil))
	if !strings.HasSuffix(got, "(this race only; CL1001 at line 9 remains)") && !strings.HasSuffix(got, "(this race only; CL1001 at line 6 remains)") {
		t.Errorf("a part: %q", got)
	}
	useless := func(tr *trace.Trace) { // the store is relaxed already
		for i := range tr.Why {
			for j := range tr.Why[i].Changes {
				tr.Why[i].Changes[j].Order = "memory_order_relaxed"
			}
		}
	}
	if got := repair(told(t, "mp.cl", released, time.Minute, useless)); got != "" {
		t.Errorf("useless: %q", got)
	}
	for _, line := range []int{1000, 4, 1} { // no such line, no such call, no call at all
		wrong := func(tr *trace.Trace) {
			for i := range tr.Why {
				for j := range tr.Why[i].Changes {
					tr.Why[i].Changes[j].Line = line
				}
			}
		}
		if got := repair(told(t, "mp.cl", released, time.Minute, wrong)); !strings.HasPrefix(got, "Idea: ") || strings.HasSuffix(got, ")") {
			t.Errorf("line %d: %q", line, got)
		}
	}
	if got := repair(told(t, "mp.cl", released, 0, nil)); !strings.HasSuffix(got, NotToEnd) {
		t.Errorf("no time: %q", got)
	}
}
