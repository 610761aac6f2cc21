package gen

import (
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/litmus"
)

// check parses a generated test.
func check(t *testing.T, g Test) {
	t.Helper()
	test, err := litmus.Parse(g.Name, []byte(g.Text))
	if err != nil {
		t.Fatalf("%v\n%s", err, g.Text)
	}
	if test.Name != g.Name {
		t.Fatalf("name %q, want %q", test.Name, g.Name)
	}
}

func TestSystematic(t *testing.T) {
	names := map[string]bool{}
	for g := range Systematic() {
		if names[g.Name] {
			t.Fatalf("two tests %s", g.Name)
		}
		names[g.Name] = true
		if len(names)%5 == 0 {
			check(t, g)
		}
	}
	for _, s := range shapes {
		if !slices.ContainsFunc(keysOf(names), func(n string) bool { return strings.HasPrefix(n, s.name+"+") }) {
			t.Errorf("no test of shape %s", s.name)
		}
	}
	t.Log(len(names), "tests")
}

func keysOf(m map[string]bool) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	return list
}

func TestRandom(t *testing.T) {
	var first []Test
	for g := range Random(7, 2000) {
		check(t, g)
		first = append(first, g)
	}
	if again := slices.Collect(Random(7, 2000)); !slices.Equal(first, again) {
		t.Error("the same seed gives other tests")
	}
	if shorter := slices.Collect(Random(7, 10)); !slices.Equal(first[:10], shorter) {
		t.Error("tests depend on how many are asked for")
	}
	if other := slices.Collect(Random(8, 1)); other[0].Text == first[0].Text {
		t.Error("another seed gives the same test")
	}
}

func TestText(t *testing.T) {
	for _, want := range []string{`OpenCL MPg+ra.fra+dev+a,b+gg+LG
{ [x]=0; [y]=0; }

P0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y,1,memory_order_release,memory_scope_device);
}

P1 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y,memory_order_relaxed,memory_scope_device);
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE,memory_order_acq_rel,memory_scope_device);
  int r1 = -1;
  if (r0 == 1) {
    r1 = *x;
  }
}

scopeTree
(device (work_group P0) (work_group P1))
locations [x;y;1:r0;1:r1;]
exists (1:r0=1 /\ 1:r1=0)
`, `OpenCL BMP+wg+ab+l+L
{ [x]=0; }

P0 (local int* x) {
  *x = 1;
  B0: work_group_barrier(CLK_LOCAL_MEM_FENCE,memory_scope_work_group);
}

P1 (local int* x) {
  B0: work_group_barrier(CLK_LOCAL_MEM_FENCE,memory_scope_work_group);
  int r0 = *x;
}

scopeTree
(device (work_group P0 P1))
locations [x;1:r0;]
exists (1:r0=0)
`, `OpenCL 2+2W+rmw.rlx+all+a/b+ff
{ [x]=0; [y]=0; }

P0 (global_fga atomic_int* x, global_fga atomic_int* y) {
  int w0 = atomic_exchange_explicit(x,1,memory_order_acq_rel,memory_scope_all_svm_devices);
  int w1 = atomic_exchange_explicit(y,2,memory_order_acq_rel,memory_scope_all_svm_devices);
}

P1 (global_fga atomic_int* x, global_fga atomic_int* y) {
  atomic_store_explicit(y,1,memory_order_relaxed,memory_scope_all_svm_devices);
  atomic_store_explicit(x,2,memory_order_relaxed,memory_scope_all_svm_devices);
}

scopeTree
(device (work_group P0)) (device (work_group P1))
locations [x;y;0:w0;0:w1;]
exists (x=1 /\ y=1)
`} {
		name, _, _ := strings.Cut(strings.TrimPrefix(want, "OpenCL "), "\n")
		found := false
		for g := range Systematic() {
			if g.Name == name {
				found = true
				if g.Text != want {
					t.Errorf("got:\n%swant:\n%s", g.Text, want)
				}
				break
			}
		}
		if !found {
			t.Errorf("no test %s", name)
		}
	}
}
