package optimise

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/testkit/thorough"
)

// mendText repairs a text, and has each repair explored again by a search of its own.
func mendText(t *testing.T, name, text string) *Repairs {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	opt := options()
	r, err := Repair(t.Context(), model.Target(path), opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Found {
		fresh(t, &Result{Model: path, Texts: m.Texts, p: &problem{original: r.p.original}}, options())
	}
	return r
}

// TestRepairWeakened takes each algorithm as clmc optimise leaves it, weakens one order, scope or flag, or takes out one fence: where that goes wrong it is
// repaired, at a cost that is not above that of the algorithm.
func TestRepairWeakened(t *testing.T) {
	repaired := 0
	for n, name := range []string{"mp_global.go", "mp_local.go", "seqlock.go", "spin.cl", "red.cl", "spin.go", "ticket.go", "lastblock.go", "mp.cl"} {
		if n >= thorough.Of(5, 9) {
			break
		}
		r := find(t, name, strongest)
		for i, w := range r.Singles {
			if w.verdict != violated || !thorough.Asked() && i%2 == 1 {
				continue
			}
			x := slices.Clone(r.best)
			x[w.d] = w.v
			text := r.p.rewritten(r.p.strengths(x))["testdata/"+name]
			got := mendText(t, name, text)
			if got.Verdict != Repaired || shown(got.Cost) > shown(r.Cost) {
				t.Errorf("%s with %s: want a repair of at most %s:\n%s\n%s", name, r.p.value(w.d, w.v), Cost(r.Cost), got.Text(true), text)
			}
			repaired++
		}
	}
	if repaired < thorough.Of(6, 20) {
		t.Errorf("only %d were repaired", repaired)
	}
}

// TestRepairBarrier takes one barrier out: where that races, one comes back, at a cost that is not above that of the whole.
func TestRepairBarrier(t *testing.T) {
	n := 0
	for name, call := range map[string]string{"lastblock.go": "WorkGroupBarrier(", "red.cl": "barrier("} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if !strings.Contains(line, call) {
				continue
			}
			without := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n")
			if r := mendText(t, name, without); r.Verdict != Repaired && r.Verdict != NoFault {
				t.Errorf("%s without line %d: %s", name, i+1, r.Text(true))
			} else if r.Verdict == Repaired {
				n++
			}
		}
	}
	if n < 4 {
		t.Errorf("only %d were repaired", n)
	}
}

const buffering = `//clmc:launch sb global=2 local=1 x=atomic_int[1]{0} y=atomic_int[1]{0} r=zero[2]
//clmc:assert r[0] == 1 || r[1] == 1
kernel void sb(global atomic_int *x, global atomic_int *y, global int *r) {
  if (get_group_id(0) == 0) {
    atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
    r[0] = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  } else {
    atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
    r[1] = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  }
}
`

const plain = `//clmc:launch k global=2 local=1 x=zero[1]
kernel void k(global int *x) {
  x[0] = 1;
}
`

const wrong = `//clmc:launch k global=2 local=1 x=atomic_int[1]{0}
//clmc:assert x[0] == 3
kernel void k(global atomic_int *x) {
  atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}
`

const failing1 = `//clmc:launch k global=2 local=1 f=atomic_int[1]{0} data=zero[1]
kernel void k(global atomic_int *f, global int *data) {
  int e = 5;
  if (get_group_id(0) == 0) {
    data[0] = 1;
    atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
  } else {
    atomic_compare_exchange_strong_explicit(f, &e, 9, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
    if (e == 1)
      data[0] = 2;
  }
}
`

// TestRepairKinds: what a repair is made of, and where there is none.
func TestRepairKinds(t *testing.T) {
	// Store buffering needs an order in S of all four: two fences cost 2*(12*9+0.8+1.5) and what is relaxed 4*0.8; four seq_cst operations cost 4*(8*9+0.8).
	// A fence and two seq_cst operations do not do: a read before the fence of another unit is ordered by 8.4 to 8.7, so that they do cost 110.3+2*72.8+2*0.8.
	r := mendText(t, "sb.cl", buffering)
	if r.Verdict != Repaired || r.Cost > 2*110300+4*800 {
		t.Errorf("store buffering: %s", r.Text(true))
	}
	// A race of plain accesses in two work-groups, and an assertion that no execution meets: nothing mends them.
	for name, text := range map[string]string{"plain.cl": plain, "wrong.cl": wrong} {
		if r := mendText(t, name, text); r.Verdict != NoRepair || !strings.Contains(r.Line(), "no change of orders, scopes, flags or barriers mends it") {
			t.Errorf("%s: %s", name, r.Text(true))
		}
	}
	// A compare-exchange that fails must acquire: that its success does, too, is rule 4.2.
	if r := mendText(t, "fail.cl", failing1); r.Verdict != Repaired || !strings.Contains(fmt.Sprint(r.Found[0].Changes), "failure acquire") {
		t.Errorf("failure: %s", r.Text(true))
	}
	// What verifies needs no repair.
	text, _ := os.ReadFile("testdata/spin.cl")
	if r := mendText(t, "spin.cl", string(text)); r.Verdict != NoFault {
		t.Errorf("%s", r.Text(true))
	}
}

const misnamed = `//clmc:launch k global=2 local=2 a=zero[2] out=zero[2]
kernel void k(global int *a, global int *out) {
  int l = get_local_id(0);
  a[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int m = 1 - l;
  m = m + 0;
  m = m + 0;
  m = m + 0;
  out[l] = a[m];
}
`

// TestRepairNarrow: a barrier that names the wrong memory names the right one alone. That costs 3, and another barrier 1 + 3, of which there are more than are told.
func TestRepairNarrow(t *testing.T) {
	if r := mendText(t, "misnamed.cl", misnamed); r.Verdict != Repaired || shown(r.Cost) != 3 || len(r.Found) != 1 || !strings.Contains(fmt.Sprint(r.Found[0].Changes), "LOCAL -> GLOBAL") {
		t.Errorf("%s", r.Text(true))
	}
}

const shifted = `//clmc:launch sh global=3 local=3 in=int[3]{1,2,3} out=zero[3]
kernel void sh(global const int *in, global int *out) {
  local int t[3];
  int l = get_local_id(0);
  t[l] = in[l];
  int x = t[(l + 1) % 3];
  t[l] = x;
  out[l] = t[(l + 2) % 3];
}
`

// TestRepairSeveral: where one barrier does not do, several come, with as few flags as it takes: each local one costs 1.
func TestRepairSeveral(t *testing.T) {
	if r := mendText(t, "shift.cl", shifted); r.Verdict != Repaired || shown(r.Cost) != 3 || len(r.Found[0].Changes) != 3 {
		t.Errorf("%s", r.Text(true))
	}
	// A fourth is more than there may be.
	four := strings.Replace(shifted, "  out[l]", "  int y = t[(l + 1) % 3];\n  t[l] = y;\n  out[l]", 1)
	if r := mendText(t, "four.cl", four); r.Verdict != NoRepair {
		t.Errorf("%s", r.Text(true))
	}
}

const branched = `//clmc:launch k global=4 local=4 in=int[4]{1,2,3,4} out=zero[4]
kernel void k(global int *in, global int *out) {
  local int t[4];
  int l = get_local_id(0);
  if (l < 3) {
    t[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    t[l] = 0;
  }
  out[l] = t[3 - l];
}
`

// TestRepairBranched: a barrier to which not all come moves, also where a race comes before who waits there for ever. It costs what it did.
func TestRepairBranched(t *testing.T) {
	r := mendText(t, "k.cl", branched)
	if r.Verdict != Repaired || shown(r.Cost) != 1 || !strings.Contains(r.Found[0].Changes[0], "the barrier moves") {
		t.Errorf("%s", r.Text(true))
	}
}

const unbraced = `//clmc:launch mp global=2 local=2 data=zero[1] out=zero[1]
kernel void mp(global int *data, global int *out) {
  local atomic_int flag;
  int id = get_local_id(0);
  if (id == 0)
    atomic_init(&flag, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) {
    data[0] = 42;
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  } else if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 1)
    out[0] = data[0]; // what was sent
}
`

// TestRepairUnbraced: a fence comes into a branch that has no braces, and nothing is left of those that are not needed.
func TestRepairUnbraced(t *testing.T) {
	r := mendText(t, "mp.cl", unbraced)
	if r.Verdict != Repaired || len(r.Found[0].Changes) != 2 {
		t.Fatalf("%s", r.Text(true))
	}
	for name, text := range r.Found[0].Texts {
		if n := strings.Count(text, "{"); n != strings.Count(unbraced, "{")+1 || !strings.Contains(text, "    out[0] = data[0]; } // what was sent\n") || !strings.Contains(text, "if (id == 0)\n    atomic_init(&flag, 0);\n") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
