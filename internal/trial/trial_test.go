package trial

import (
	"context"
	"fmt"
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
	// Mended by a release, there is still the race on b, which has nothing to do with the flag.
	two = `//clmc:launch mp global=2 local=1 data=zero[1] b=zero[1] flag=atomic_int[1]{0} out=zero[1]
kernel void mp(global int *data, global int *b, global atomic_int *flag, global int *out) {
  if (get_group_id(0) == 0) {
    *data = 42;
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
  } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
    *out = *data;
  *b += 1;
}
`
	// Mended by a release, there is still the race on b, which is written behind the store to the flag.
	behind = `//clmc:launch mp global=2 local=1 data=zero[1] b=zero[1] flag=atomic_int[1]{0} out=zero[1]
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
	if err != nil || len(rep.Traces) == 0 {
		t.Fatal(rep, err)
	}
	if change != nil {
		change(rep.Traces[0])
	}
	if !rep.Traces[0].Mechanical() {
		t.Fatal(rep)
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
	if !strings.HasSuffix(got, "(this race only; CL1001 at line 8 remains)") && !strings.HasSuffix(got, "(this race only; CL1001 at line 7 remains)") {
		t.Errorf("a part: %q", got)
	}
	// The two are in different work-groups, for which no barrier waits: it is tried, and taken back.
	const apart = "//clmc:launch k global=2 local=1 a=zero[1]\nkernel void k(global int *a) {\n  int g = get_group_id(0);\n  a[0] = g;\n}\n"
	useless := func(tr *trace.Trace) {
		tr.Why[0].Repair = "Put a barrier before line 4."
		tr.Why[0].Changes = []trace.Change{{Kind: trace.AddBarrier, File: "k.cl", Line: 4, Function: "barrier", Flags: "CLK_GLOBAL_MEM_FENCE"}}
	}
	rep := told(t, "k.cl", apart, time.Minute, useless)
	if got, idea := repair(rep), rep.Traces[0].Why[0].Idea; got != "" || !strings.HasSuffix(idea, "Not enough, as was tried, for the race remains: Put a barrier before line 4.") {
		t.Errorf("useless: %q, %q", got, idea)
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

// locks are programs whose repair is one change for each of several operations. In each the first race is between operations that take the lock.
var locks = map[string]string{
	"store": `//clmc:launch add global=2 local=1 lock=zero[1] sum=zero[1]
kernel void add(global atomic_int *lock, global int *sum) {
  int e = 0;
  while (!atomic_compare_exchange_weak_explicit(lock, &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_work_group))
    e = 0;
  sum[0]++;
  atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
}
`,
	"flag": `//clmc:launch add global=2 local=1 lock=zero[1] sum=zero[1]
kernel void add(volatile global atomic_flag *lock, global int *sum) {
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_work_group))
    ;
  sum[0]++;
  atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_work_group);
}
`,
	"ticket": `//clmc:launch add global=2 local=1 lock=zero[2] sum=zero[1]
kernel void add(global atomic_uint *lock, global int *sum) {
  uint t = atomic_fetch_add_explicit(&lock[0], 1, memory_order_relaxed, memory_scope_work_group);
  while (atomic_load_explicit(&lock[1], memory_order_acquire, memory_scope_work_group) != t)
    ;
  sum[0]++;
  atomic_store_explicit(&lock[1], t + 1, memory_order_release, memory_scope_work_group);
}
`,
}

// A flag is handed over between two barriers of two work-groups that order the wrong memory: neither repair alone verifies, and it is said of both together.
func TestBothOfOneTrace(t *testing.T) {
	rep := told(t, "k.cl", `//clmc:launch k global=4 local=2 buf=zero[2] flag=zero[1] out=zero[2]
kernel void k(global int *buf, global atomic_int *flag, global int *out) {
  int l = get_local_id(0);
  if (get_group_id(0) == 0) {
    buf[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
  } else {
    if (l == 0) while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = buf[l];
  }
}
`, time.Minute, nil)
	if got, n := repair(rep), len(partOf(rep.Traces[0]).words); n != 2 || !strings.HasSuffix(got, "line 10. "+Together) {
		t.Errorf("%d repairs: %q", n, got)
	}
}

// TestLocksOfOldForms has locks of OpenCL 1.x, taken by groups of two: whatever of their fences is missing, and however they are given back, what is advised
// verifies. An ordinary write that gives one back races with who tries (rule 9.1); mem_fence reaches the own work-group only, and the lock is taken by others
// (rules 3.5, 6.2), so that each lacks something.
func TestLocksOfOldForms(t *testing.T) {
	for n := range 16 {
		given := []string{"*lock = 0", "atomic_xchg(lock, 0)"}[n&1]
		fence := func(bit int) string {
			if n&bit == 0 {
				return "  ;\n"
			}
			return "  mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
		}
		groups := []string{"global=4 local=2", "global=2 local=1"}[n>>3]
		text := "//clmc:launch add " + groups + " lock=zero[1] sum=zero[1]\nkernel void add(volatile global int *lock, global int *sum) {\n  while (atomic_cmpxchg(lock, 0, 1) != 0);\n" +
			fence(2) + "  sum[0] += 1;\n" + fence(4) + "  " + given + ";\n}\n"
		rep := told(t, "add.cl", text, time.Minute, nil)
		got := repair(rep)
		if !strings.HasSuffix(got, Verified) && !strings.HasSuffix(got, Together) {
			t.Errorf("%q\n%s", got, text)
		}
		if strings.Contains(got, " Also: ") && n&1 == 1 {
			t.Errorf("one race needs two repairs: %q\n%s", got, text)
		}
	}
}

// TestLastBlock has the reduction of the last work-group with each combination of two barriers. The one is to order the parts before the count, the other the
// parts and the variable in local memory behind it (rules 11.3, 11.4): where they do not, what is advised verifies, and asks for one barrier in one place.
func TestLastBlock(t *testing.T) {
	barriers := []string{";", "barrier(CLK_GLOBAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);"}
	for i, before := range barriers {
		for k, behind := range barriers {
			if i&1 == 1 && k == 3 {
				continue // nothing is missing
			}
			text := `//clmc:launch k global=4 local=2 part=zero[4] done=zero[1] out=zero[2]
kernel void k(global int *part, global atomic_int *done, global int *out) {
  int l = get_local_id(0), g = get_group_id(0);
  local int last;
  part[g * 2 + l] = 1;
  ` + before + `
  if (l == 0)
    last = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == 1;
  ` + behind + `
  if (last)
    out[l] = part[l] + part[2 + l];
}
`
			got := repair(told(t, "k.cl", text, time.Minute, nil))
			if !strings.HasSuffix(got, Verified) && !strings.HasSuffix(got, Together) || strings.Count(got, "before line 10") > 1 {
				t.Errorf("%q\n%s", got, text)
			}
		}
	}
}

// TestTogether sees that repairs which help only together are advised together, and only if they do. Each lock has two operations of a scope that does not
// reach (rules 9.1, 3.5): widening that of what takes it leaves the race with what gives it back.
func TestTogether(t *testing.T) {
	for name, text := range locks {
		rep := told(t, "add.cl", text, time.Minute, nil)
		if got := repair(rep); !strings.Contains(got, " Also: ") || !strings.HasSuffix(got, Together) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		m, err := model.Target("add.cl").Parse([]byte(text), model.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mended, err := made(m, changesOf(rep.Traces[0]), model.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r := searched(context.Background(), mended, Options{}); r.Verdict != explore.Verified {
			t.Errorf("%s: with all changes: %v", name, r.Verdict)
		}
	}
	// What is read in line 7 is written again in line 4 of the next round: one barrier, before line 4, does for it and for line 5.
	got := repair(told(t, "k.cl", `//clmc:launch k global=2 local=2 work=zero[1] out=zero[4]
kernel void k(global atomic_int *work, global int *out) {
  local int at;
  for (;;) {
    if (get_local_id(0) == 0) at = atomic_fetch_add_explicit(work, 1, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at >= 2) break;
    out[at * 2 + get_local_id(0)] = at;
  }
}
`, time.Minute, nil))
	if strings.Contains(got, " Also: ") || !strings.HasSuffix(got, Verified) || !strings.Contains(got, "before line 5") {
		t.Errorf("one barrier is enough: %q", got)
	}
	// Two messages by two flags: what is wrong with the one is its scope, with the other its order.
	const grouped = `//clmc:launch mp global=2 local=1 data=zero[2] flag=zero[2] out=zero[2]
kernel void mp(global int *data, global atomic_int *flag, global int *out) {
  if (get_group_id(0) == 0) {
    data[0] = 42;
    atomic_store_explicit(&flag[0], 1, memory_order_release, memory_scope_work_group);
    data[1] = 43;
    atomic_store_explicit(&flag[1], 1, memory_order_relaxed, memory_scope_device);
    return;
  }
  if (atomic_load_explicit(&flag[0], memory_order_acquire, memory_scope_work_group) == 1) out[0] = data[0];
  if (atomic_load_explicit(&flag[1], memory_order_acquire, memory_scope_device) == 1) out[1] = data[1];
}
`
	if got := repair(told(t, "mp.cl", behind, time.Minute, nil)); !strings.HasSuffix(got, "line 5. Also: Make the access in line 6 before the store in line 5. "+Together) {
		t.Errorf("what is behind the same flag: %q", got)
	}
	five := "//clmc:launch k global=2 local=1 a=zero[5]\nkernel void k(global atomic_int *a) {\n"
	for i := range maxTogether + 1 {
		five += fmt.Sprintf("  atomic_fetch_add_explicit(&a[%d], 1, memory_order_relaxed, memory_scope_work_group);\n", i)
	}
	for what, text := range map[string]string{
		"more remains than is made together":          five + "}\n",
		"another kind remains, an index out of range": strings.Replace(locks["store"], "sum[0]++;", "sum[0]++;\n  if (sum[0] == 2) sum[0] = sum[1];", 1),
		"a race remains for another reason":           grouped,
	} {
		if got := repair(told(t, "add.cl", text, time.Minute, nil)); !strings.Contains(got, "remains)") || strings.Contains(got, " Also: ") {
			t.Errorf("%s: %q", what, got)
		}
	}
}
