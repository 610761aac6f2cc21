package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
)

// early has work-group 0 read y, then wait by read-modify-writes of x that write what they read; work-group 1 changes x and then sets y by a release. POLL is how it waits,
// and r what it goes on by. The first look at x writes 0 whatever was read of y, so that group 1 may see that write early (rule 7.8): y is 1, and x was 0 yet.
const early = `//clmc:launch k global=2 local=1 x={0,2} y=zero[1] k1=zero[1] r1=zero[1]
//clmc:assert !(k1[0] == 1 && r1[0] == SEEN)
kernel void k(global atomic_int *x, global atomic_int *y, global int *k1, global int *r1) {
  if (get_group_id(0) == 0) {
    int k = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device), r = 7;
    POLL
    k1[0] = k;
    r1[0] = r;
  } else {
    atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);
  }
}
`

// anderson is an array lock of OpenCL 1.x, whose polls write what they read.
const anderson = `//clmc:launch k global=N local=N tail=zero[1] flags={1,0,0} count=zero[1]
//clmc:assert count[0] == N
kernel void k(volatile global uint *tail, volatile global int *flags, global int *count) {
  uint slot = atomic_inc(tail) % N;
  while (POLL == 0);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  count[0]++;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(&flags[slot], 0);
  atomic_xchg(&flags[(slot + 1) % N], 1);
}
`

// TestWaitsInVain has waits by read-modify-writes that write what they read. Of a lock whose slots are polled so nothing need be seen early, which the search finds to the
// end. Where it matters what was read before, or what comes behind, the early write is not lost.
func TestWaitsInVain(t *testing.T) {
	run := func(text string) *explore.Result {
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil {
			t.Fatal(err, text)
		}
		return explore.Run(t.Context(), p, explore.Options{MaxStates: 5000})
	}
	for _, n := range []string{"2", "3"} {
		for _, poll := range []string{"atomic_or(&flags[slot], 0)", "atomic_add(&flags[slot], 0)", "atomic_max(&flags[slot], 0)"} {
			if r := run(strings.NewReplacer("=N", "="+n, "== N", "== "+n, "% N", "% "+n, "POLL", poll).Replace(anderson)); r.Verdict != explore.Verified {
				t.Errorf("%s items, %s: %v %v", n, poll, r.Verdict, r.Incomplete)
			}
		}
	}
	look := func(at string) string {
		return "atomic_fetch_or_explicit(" + at + ", 0, memory_order_relaxed, memory_scope_device)"
	}
	for what, c := range map[string][2]string{
		"another branch writes back":  {"0", "if (k == 0) while (" + look("x") + " == 0); else r = atomic_fetch_add_explicit(x, 0, memory_order_relaxed, memory_scope_device);"},
		"what was read before":        {"0", "do r = " + look("x") + "; while (r == 2 * k);"},
		"the next cell":               {"2", "int i = 0; while ((r = " + look("&x[i]") + ") == 0) i = k;"},
		"another way to the next one": {"2", "global atomic_int *p; goto in; top: if (r == 0) { p = &x[k]; goto poll; } in: p = x; poll: r = " + look("p") + "; if (r == 0 || r == 5) goto top;"},
	} {
		if r := run(strings.NewReplacer("SEEN", c[0], "POLL", c[1]).Replace(early)); r.Verdict != explore.Violated || r.Violations[0].Kind != state.AssertionFailed {
			t.Errorf("%s: %v %v", what, r.Verdict, r.Incomplete)
		}
	}
}
