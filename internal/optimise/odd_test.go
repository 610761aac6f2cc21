package optimise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/model"
)

// oddHead launches a message passing between two work-groups; the kernel sends and receives as a case says.
const oddHead = `//clmc:launch k global=2 local=1 f=atomic_int[2]{0,0} c=atomic_int[1]{0} d=zero[1] o=zero[2]
`

const oddKernel = `
kernel void k(global atomic_int *f, global atomic_int *c, global int *d, global int *o) {
  if (get_group_id(0) == 0) {
    *d = 1;
    SEND
  } else if (RECEIVE) {
    o[0] = *d;
  }
  REST
}
`

const (
	sends    = "atomic_store_explicit(f, 1, memory_order_seq_cst, memory_scope_device);"
	receives = "atomic_load_explicit(f, memory_order_seq_cst, memory_scope_device) == 1"
)

// TestOdd goes through sites that are no calls where they are made: uses of macros, and operators. What is found costs a release and an acquire, and what
// the rest costs when relaxed; what cannot be rewritten says why.
func TestOdd(t *testing.T) {
	const both = 2 * 36800
	for _, c := range []struct {
		name, head, send, receive, rest string
		cost                            int64
		want                            string // in the patch or the report
	}{
		{"a macro", "#define SEND1(p) atomic_store_explicit(p, 1, memory_order_seq_cst, memory_scope_device)\n", "SEND1(f);", receives, "", both,
			"+#define SEND1(p) atomic_store_explicit(p, 1, memory_order_release, memory_scope_device)"},
		{"two uses", "#define GET(p) atomic_load_explicit(p, memory_order_seq_cst, memory_scope_device)\n", sends, "GET(f) == 1", "int more = GET(f + 1);", both + 36800,
			"+#define GET(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)"},
		{"a macro in a macro", "#define PUT(p, v) atomic_store_explicit((p), (v), memory_order_seq_cst, memory_scope_device)\n#define RAISE(p) PUT(p, 1)\n", "RAISE(f);", receives, "", both,
			"+#define PUT(p, v) atomic_store_explicit((p), (v), memory_order_release, memory_scope_device)"},
		{"lines that go on", "#define PUT(p) do { \\\n  atomic_store_explicit(p, 1, memory_order_seq_cst, \\\n    memory_scope_device); \\\n} while (0)\n", "PUT(f);", receives, "", both,
			"+  atomic_store_explicit(p, 1, memory_order_release, \\"},
		{"the order is passed", "#define PUT(p, o) atomic_store_explicit(p, 1, o, memory_scope_device)\n", "PUT(f, memory_order_seq_cst);", receives, "", both, "+    PUT(f, memory_order_release);"},
		{"orders are passed", "#define PUT(p, v, o) atomic_store_explicit(p, v, o, memory_scope_device)\n", "PUT(f, 1, memory_order_seq_cst);", receives,
			"PUT(f + 1, 2, memory_order_seq_cst);", both + 800, "+  PUT(f + 1, 2, memory_order_relaxed);"},
		{"the call is passed", "#define ONCE(x) ((x) == 1)\n", sends, "ONCE(atomic_load_explicit(f, memory_order_seq_cst, memory_scope_device))", "", both,
			"+  } else if (ONCE(atomic_load_explicit(f, memory_order_acquire, memory_scope_device))) {"},
		{"no parameters", "#define ALL atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device)\n", sends, receives, "ALL;", both, "+#define ALL \n"},
		{"an order by name", "#define STRONG memory_order_seq_cst\n#define PUT(p) atomic_store_explicit(p, 1, STRONG, memory_scope_device)\n", "PUT(f);", receives, "", both,
			"+#define PUT(p) atomic_store_explicit(p, 1, memory_order_release, memory_scope_device)"},
		{"defined twice", "#ifdef WIDE\n#define PUT(p) atomic_store(p, 1)\n#else\n#define PUT(p) atomic_store_explicit(p, 1, memory_order_seq_cst, memory_scope_device)\n#endif\n", "PUT(f);", receives, "",
			36800, "kept: the macro PUT is defined more than once"},
		{"fixed at a use", "#define GET(p) atomic_load_explicit(p, memory_order_seq_cst, memory_scope_device)\n", sends, "GET(f) == 1", "int more = GET(f + 1); //clmc:fixed\n", 36800,
			"kept: //clmc:fixed in line"},
		{"pasted", "#define OP(what) atomic_##what##_explicit(f, 1, memory_order_seq_cst, memory_scope_device)\n", "OP(store);", receives, "", 36800, "kept: it comes of the macro OP"},
		{"an assignment", "", "*f = 1;", "*f == 1", "", both, "+    atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);"},
		{"an index", "", "f[0] = 1;", "f[0] == 1", "", both, "+  } else if (atomic_load_explicit(&f[0], memory_order_acquire, memory_scope_device) == 1) {"},
		{"all operators", "", sends, receives, "c[0]++; --*c; (*c) += 2; *c -= f[1] = 3; *c |= 1; c[0] ^= 2; (*c)--;", -1, "kept: its value is used"},
		{"additions", "", sends, receives, "c[0]++;\n  --*c;\n  (*c) += 2 + (1);\n  *c |= 1; c[0] ^= 2;\n  int before = (*c)--;", both + 6*800, "+  atomic_fetch_add_explicit(c, 2 + (1), memory_order_relaxed, memory_scope_device);"},
		{"the value is used", "", sends, receives, "int after = ++*c;\n  after = (c[0] += 2);", both, "kept: its value is used"},
		{"a statement in two lines", "", sends, receives, "*c =\n    5;", both, "kept: it goes on in another line"},
		{"in a loop's head", "", sends, receives, "for (int i = 0; i < 2; i++, (*c)++) ;", both + 800, "i++, atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device)"},
		{"mem_fence", "", sends, receives, "mem_fence(CLK_GLOBAL_MEM_FENCE);", both, "-  mem_fence(CLK_GLOBAL_MEM_FENCE);"},
		{"without order", "", "atomic_store(f, 1);", "atomic_load(f) == 1", "", both, "+    atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);"},
		{"a macro that reads", "#define FLAG (*f)\n", sends, "FLAG == 1", "", 36800, "kept: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := oddHead + c.head + strings.NewReplacer("SEND\n", c.send+"\n", "RECEIVE)", c.receive+")", "REST\n", c.rest+"\n").Replace(oddKernel)
			name := filepath.Join(t.TempDir(), "odd.cl")
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			opt := options()
			r, err := Run(t.Context(), model.Target(name), opt)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			fresh(t, r, opt)
			if r.Verdict != Optimised || c.cost >= 0 && r.Cost != c.cost || !strings.Contains(r.Text(true), c.want) {
				t.Errorf("want cost %s and %q\n%s\n%s", Cost(c.cost), c.want, r.Text(true), text)
			}
		})
	}
}

const oldFlag = `//clmc:launch k global=2 local=1 f=zero[1] c=zero[2] d=zero[1] o=zero[2]
kernel void k(volatile global int *f, volatile global uint *c, global int *d, global int *o) {
  local int mine[1];
  mine[0] = 0;
  if (get_group_id(0) == 0) {
    *d = 1;
    atomic_xchg(f, 1);
  } else if (atom_or(f, 0) == 1) {
    o[0] = *d;
  }
  atomic_inc(c); atom_dec(&c[1]);
  atomic_max(mine, 2);
  atomic_cmpxchg(c, 2u, 3u);
}
`

// TestModernise: functions of OpenCL 1.x become those that have an order, which a repair can make stronger; without it, it adds fences.
func TestModernise(t *testing.T) {
	without := mendText(t, "old.cl", oldFlag)
	name := filepath.Join(t.TempDir(), "old.cl")
	if err := os.WriteFile(name, []byte(oldFlag), 0o666); err != nil {
		t.Fatal(err)
	}
	opt := options(func(o *Options) { o.Modernise = true })
	r, err := Repair(t.Context(), model.Target(name), opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Repaired || without.Verdict != Repaired || r.Cost > without.Cost {
		t.Fatalf("%s\n%s", r.Text(true), without.Text(true))
	}
	fresh(t, &Result{Model: name, Texts: r.Found[0].Texts, p: r.p}, options())
	for _, want := range []string{"atomic_exchange_explicit((volatile global atomic_int *)(f), 1, memory_order_release, memory_scope_device)",
		"atomic_fetch_sub_explicit((volatile global atomic_uint *)(&c[1]), 1, memory_order_relaxed, memory_scope_device)",
		"atomic_max(mine, 2)", "atomic_cmpxchg(c, 2u, 3u)"} {
		if !strings.Contains(r.Found[0].Texts[name], want) {
			t.Errorf("no %s in\n%s", want, r.Found[0].Texts[name])
		}
	}
}
