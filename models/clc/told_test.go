package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/clc"
)

// TestPartingCalls sees that where two work-items wait at one barrier by two calls of the function that has it, the repair
// names these calls: the barrier itself is the same for both.
func TestPartingCalls(t *testing.T) {
	const swap = "int swap(local int *t, int v) {\n  barrier(CLK_LOCAL_MEM_FENCE);\n  return v;\n}\nint twice(local int *t, int v) {\n  return swap(t, v);\n}\n"
	for body, want := range map[string]string{
		"  if (get_local_id(0) == 0)\n    swap(t, 1);\n  else\n    swap(t, 2);\n":                   "Take the calls of swap in line 14 and in line 12 out",
		"  if (get_local_id(0) == 0) swap(t, 1); else swap(t, 2);\n":                                "Take the calls of swap in line 11 out",
		"  if (get_local_id(0) == 0)\n    swap(t, 1);\n  else\n    twice(t, 2);\n":                  "Take the calls in line 14 and in line 12 out",
		"  if (get_local_id(0) == 0)\n    twice(t, 1);\n  else\n    twice(t, 2);\n":                 "Take the calls of twice in line 14 and in line 12 out",
		"  if (get_local_id(0) == 0)\n    barrier(0);\n  else\n    barrier(CLK_LOCAL_MEM_FENCE);\n": "Take the calls in line 14 and in line 12 out",
	} {
		text := "//clmc:launch k global=2 local=2\n" + swap + "kernel void k(void) {\n  local int t[2];\n" + body + "}\n"
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := report.New(p.Name, p, explore.Run(t.Context(), p, explore.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, v := range rep.Document().Violations {
			for _, why := range v.Why {
				told = append(told, why.Repair)
			}
		}
		if got := strings.Join(told, "; "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
