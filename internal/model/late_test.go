package model

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/prove"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/por"
)

var lateSeeds = flag.Int("late", 60, "so many random kernels whose data are decided late")

// TestLateRandom compares random kernels whose data are decided late with the same whose data the host chooses beforehand, from
// values that are likely to matter.
func TestLateRandom(t *testing.T) { compareLate(t, "k.cl", randomLate) }

// compareLate compares random models whose data are decided late with the same whose data the host chooses beforehand. What is verified late is verified
// there. What is violated late has data, which a search without any reduction finds to go wrong.
func compareLate(t *testing.T, name Target, random func(seed uint64) lateKernel) {
	tally := map[string]int{}
	search := func(opt explore.Options) Search {
		return func(m *Model) *explore.Result {
			m.Sets(&opt)
			return explore.Run(t.Context(), m.Program, opt)
		}
	}
	for seed := range uint64(*lateSeeds) {
		k := random(seed)
		m, err := name.Parse([]byte(k.text), Options{Kernels: clc.Options{Classes: prove.Classes}})
		if err != nil {
			if !strings.Contains(err.Error(), "cannot be decided late") {
				t.Fatalf("seed %d: %v\n%s", seed, err, k.text)
			}
			tally["refused"]++
			continue
		}
		with, r, err := m.DecideLate(search(explore.Options{MaxStates: 300_000}))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.text)
		}
		tally[fmt.Sprint(r.Verdict)]++
		if r.Verdict == explore.Violated {
			if r := search(explore.Options{POR: por.None, MaxStates: 300_000})(with); len(with.Data) == 0 || with.Program.Late != nil || r.Verdict == explore.Verified {
				t.Errorf("seed %d: with %v it is %v\n%s", seed, with.Data, r.Verdict, k.text)
			}
			continue
		}
		host, err := m.given(k.host, false)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.text)
		}
		o := search(explore.Options{MaxStates: 300_000})(host)
		if r.Verdict == explore.Verified && o.Verdict == explore.Violated {
			t.Errorf("seed %d: verified late, and violated with data of the host\n%s", seed, k.text)
		}
		if r.Verdict == explore.Inconclusive && m.Program.Late.Exact {
			t.Errorf("seed %d: exact, and %v\n%s", seed, r.Incomplete, k.text)
		}
	}
	t.Log(tally)
	if n := *lateSeeds; tally["verified"] < n/6 || tally["violated"] < n/6 || tally["inconclusive"]+tally["refused"] > n/2 {
		t.Errorf("%s: the programs are not worth much", name)
	}
}

// lateKernel is a kernel with data that are any, and what the host may choose for them.
type lateKernel struct {
	text string
	host []string
}

// lateRandom makes a kernel.
type lateRandom struct {
	*rand.Rand
	b     strings.Builder
	typ   string // of the data
	vars  []string
	depth int
	n     int
}

func randomLate(seed uint64) lateKernel {
	r := &lateRandom{Rand: rand.New(rand.NewPCG(seed, 4646))}
	types := []string{"int", "uint", "uchar", "short", "float"}
	r.typ = types[r.IntN(len(types))]
	cells := 1 + r.IntN(3)
	fmt.Fprintf(&r.b, "//clmc:launch k global=2 local=%d a=any[%d] n=%s h=zero[4] out=zero[4] flag=zero[2]\n", 1+r.IntN(2), cells, []string{"any", "2"}[r.IntN(2)])
	switch r.IntN(3) {
	case 0:
		fmt.Fprintf(&r.b, "//clmc:assert out[%d] <= %d\n", r.IntN(4), r.IntN(3))
	case 1:
		fmt.Fprintf(&r.b, "//clmc:assert h[0]+h[1]+h[2]+h[3] <= %d\n", 1+r.IntN(4))
	}
	fmt.Fprintf(&r.b, "kernel void k(global %s *a, int n, global int *h, global int *out, global atomic_int *flag) {\n  local int t[4];\n  int i = get_global_id(0);\n  int l = get_local_id(0);\n  t[l] = l;\n", r.typ)
	r.vars = []string{"i", "n"}
	for range 2 + r.IntN(4) {
		r.statement(cells)
	}
	r.b.WriteString("}\n")
	values := map[string]string{"int": "0|1|2|3|4|5|-1|-4", "uint": "0|1|2|3|4|5|255", "uchar": "0|1|2|3|4|5|127|255", "short": "0|1|2|3|4|5|-1|300", "float": "0|1|2|3.5|-1|NaN"}
	text := r.b.String()
	k := lateKernel{text: text, host: []string{fmt.Sprintf("a=%s[%d]{%s}", r.typ, cells, values[r.typ])}}
	if strings.Contains(text, "n=any") {
		k.host = append(k.host, "n=0|1|2|3|-1")
	}
	return k
}

func (r *lateRandom) pick(list ...string) string { return list[r.IntN(len(list))] }

// index is an index that may depend on the work-item.
func (r *lateRandom) index(cells int) string {
	if cells > 1 && r.IntN(3) > 0 {
		return "i"
	}
	return fmt.Sprint(r.IntN(cells))
}

// value is an integer.
func (r *lateRandom) value(cells int) string {
	load := "a[" + r.index(cells) + "]"
	if r.typ == "float" {
		return r.pick("("+load+" > 2.0f)", "("+load+" == 1.0f)", "("+load+" <= 0.0f)", "i", "n")
	}
	switch r.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s %% %d)", load, 2+r.IntN(3))
	case 1:
		return fmt.Sprintf("(%s & %d)", load, 1+r.IntN(3))
	case 2:
		return fmt.Sprintf("(%s %s %d)", load, r.pick("+", "-", "^", "|"), r.IntN(3))
	case 3:
		return fmt.Sprintf("(%s %s %d)", load, r.pick("<", ">", "==", "!="), r.IntN(5))
	case 4:
		return r.pick(r.vars...)
	case 5:
		return fmt.Sprintf("(%s %s %s)", load, r.pick("<", "==", "+"), r.pick(r.vars...))
	case 6:
		return "t[" + fmt.Sprint(r.IntN(2)) + "]"
	}
	return load
}

func (r *lateRandom) cond(cells int) string {
	return fmt.Sprintf("%s %s %d", r.value(cells), r.pick("<", ">", "==", "!=", ">="), r.IntN(5))
}

func (r *lateRandom) statement(cells int) {
	r.depth++
	defer func() { r.depth-- }()
	pad := strings.Repeat("  ", r.depth)
	switch k := r.IntN(11); {
	case k < 3 && r.depth < 3:
		fmt.Fprintf(&r.b, "%sif (%s) {\n", pad, r.cond(cells))
		was := len(r.vars)
		r.statement(cells)
		r.vars = r.vars[:was]
		fmt.Fprintf(&r.b, "%s}\n", pad)
	case k == 3:
		fmt.Fprintf(&r.b, "%satomic_inc(&h[(uint)%s %% 4]);\n", pad, r.value(cells))
	case k == 4:
		fmt.Fprintf(&r.b, "%sout[%s & 3] = %s;\n", pad, r.value(cells), r.value(cells))
	case k == 5:
		r.n++
		v := fmt.Sprintf("v%d", r.n)
		fmt.Fprintf(&r.b, "%sint %s = %s;\n", pad, v, r.value(cells))
		r.vars = append(r.vars, v)
	case k == 6:
		fmt.Fprintf(&r.b, "%st[l] = %s;\n", pad, r.value(cells))
	case k == 7 && r.depth < 3:
		fmt.Fprintf(&r.b, "%sfor (int j = 0; j < 2; j++) {\n", pad)
		was := len(r.vars)
		r.statement(cells)
		r.vars = r.vars[:was]
		fmt.Fprintf(&r.b, "%s}\n", pad)
	case k == 8:
		fmt.Fprintf(&r.b, "%satomic_store_explicit(&flag[%d], %s, memory_order_relaxed, memory_scope_device);\n", pad, r.IntN(2), r.value(cells))
	case k == 9:
		fmt.Fprintf(&r.b, "%sout[i] = %s;\n", pad, r.value(cells))
	default:
		fmt.Fprintf(&r.b, "%sif (atomic_load_explicit(&flag[%d], memory_order_relaxed, memory_scope_device) == %d) out[i] = 2;\n", pad, r.IntN(2), r.IntN(3))
	}
}

// TestLateByHand explores kernels with data that are any, whose verdicts were derived by hand: see the line above each.
func TestLateByHand(t *testing.T) {
	for _, k := range []struct {
		name, text string
		verdict    explore.Verdict
		id, data   string // of what goes wrong, and with what
		most       int    // states
	}{
		// n work-items that add to a counter or not: how many have ended, and how many of these have added.
		{"compaction", "//clmc:launch k global=32 local=2 a=any[32] out=zero[32] c=atomic_int[1]{0}\n" + compaction, explore.Verified, "", "", 32*32 + 1},
		// One element fewer than work-items: it overflows if all are kept.
		{"compaction into too little", "//clmc:launch k global=3 local=1 a=any[3] out=zero[2] c=atomic_int[1]{0}\n" + compaction, explore.Violated, "CL1005", "a=int[3]{4,4,4}", 0},
		// Ten items in four bins: how many are in each, C(14, 4) = 1001, and some between a choice and an addition.
		{"histogram", "//clmc:launch k global=10 local=2 a=any[10] h=zero[4]\nkernel void k(global const uint *a, global int *h) { atomic_inc(&h[a[get_global_id(0)] % 4]); }\n", explore.Verified, "", "", 2700},
		// A remainder takes the sign of what is divided.
		{"signed bins", "//clmc:launch k global=1 local=1 a=any[1] h=zero[4]\nkernel void k(global const int *a, global int *h) { atomic_inc(&h[a[0] % 4]); }\n", explore.Violated, "CL1005", "a=int[1]{-1}", 0},
		// Values are moved through private and local memory.
		{"local memory", "//clmc:launch k global=2 local=2 a=any[2] out=zero[1]\nkernel void k(global const int *a, global int *out) { local int t[2]; int l = get_local_id(0); t[l] = a[l]; barrier(CLK_LOCAL_MEM_FENCE); if (t[1 - l] == 77) out[0] = l; }\n", explore.Violated, "CL1001", "a=int[2]{77,77}", 0},
		// A guard lets all but the last in, so that out[3] is not written; with n > 4 it is.
		{"guard", "//clmc:launch k global=4 local=1 n=any out=zero[3]\nkernel void k(int n, global int *out) { int i = get_global_id(0); if (i < n - 1) out[i] = 1; }\n", explore.Violated, "CL1005", "n=5", 0},
		// A cell that is read twice has one value: no execution writes both.
		{"read twice", "//clmc:launch k global=1 local=1 a=any[1] out=zero[1]\n//clmc:assert out[0] == 1\nkernel void k(global const int *a, global int *out) { if (a[0] > 5) out[0] += 1; if (a[0] <= 5) out[0] += 1; }\n", explore.Verified, "", "", 0},
		// Where it would end with other data, it still hangs with these.
		{"spin on data", "//clmc:launch k global=1 local=1 a=any[1]\nkernel void k(global const int *a) { while (a[0] == 7) ; }\n", explore.Violated, "CL1018", "a=int[1]{7}", 0},
		// One that waits for another that writes only with some data waits for what never happens.
		{"spin on a flag", "//clmc:launch k global=2 local=1 a=any[1] f=zero[1]\nkernel void k(global const int *a, global atomic_int *f) { if (get_global_id(0) == 0) { if (a[0] != 9) atomic_store(f, 1); } else while (atomic_load(f) == 0) ; }\n", explore.Violated, "CL1011", "a=int[1]{9}", 0},
		// A compare-exchange tells values apart that others have stored.
		{"compare-exchange", "//clmc:launch k global=1 local=1 a=any[1] f=zero[1] out=zero[1]\n//clmc:assert out[0] == 0\nkernel void k(global const int *a, global atomic_int *f, global int *out) { atomic_store(f, a[0] & 3); int e = 2; if (atomic_compare_exchange_strong(f, &e, 5)) out[0] = 1; }\n", explore.Violated, "CL1004", "a=int[1]{2}", 0},
		// An address tells all values apart, though each is in bounds.
		{"address", "//clmc:launch k global=1 local=1 a=any[1] out=zero[4]\n//clmc:assert out[3] == 0\nkernel void k(global const int *a, global int *out) { out[a[0] & 3] = 1; }\n", explore.Violated, "CL1004", "a=int[1]{3}", 0},
		// The check of one index says nothing of another one: h[a[1]] strays.
		{"another index", "//clmc:launch k global=1 local=1 a=any[2] h=zero[4]\n//clmc:assert h[2] == 0\nkernel void k(global const int *a, global int *h) { int x = a[0] & 1, y = a[1] & 3; h[x] = 1; h[y] = 1; }\n", explore.Violated, "CL1004", "a=int[2]{0,2}", 0},
		// Nor where the first is in bounds, and its check could fail: the second one is 6 for data of its own.
		{"index behind another", "//clmc:launch k global=1 local=1 a=any[2] h=zero[4] out=zero[8]\n//clmc:assert out[6] == 0\nkernel void k(global const uint *a, global int *h, global int *out) { if (a[0] < 4) { h[a[0]] = 1; out[a[1] & 7] = 1; } }\n", explore.Violated, "CL1004", "", 0},
		// -1037 is what makes it -37.
		{"negative remainder", "//clmc:launch k global=1 local=1 a=any[1] out=zero[1]\n//clmc:assert out[0] == 0\nkernel void k(global const int *a, global int *out) { if ((a[0] + 1000) % 100 == -37) out[0] = 1; }\n", explore.Violated, "CL1004", "", 0},
		// Only 2 is exchanged, which nothing else tells apart.
		{"compare-exchange that nobody asks", "//clmc:launch k global=1 local=1 a=any[1] f=zero[1]\n//clmc:assert f[0] != 5\nkernel void k(global const int *a, global int *f) { atomic_xchg(f, a[0] & 3); atomic_cmpxchg(f, 2, 5); }\n", explore.Violated, "CL1004", "", 0},
		// 2 and one is 3.
		{"counter that data begin", "//clmc:launch k global=1 local=1 a=any[1] c=zero[1] out=zero[1]\n//clmc:assert out[0] == 0\nkernel void k(global const int *a, global atomic_int *c, global int *out) { atomic_store(c, a[0] & 1); atomic_fetch_add(c, 2); if (atomic_load(c) == 3) out[0] = 1; }\n", explore.Violated, "CL1004", "", 0},
		// What is added to a counter is what it holds: 3 is reached by 1 and 2 alone.
		{"sum in memory", "//clmc:launch k global=2 local=1 a=any[2] c=zero[1] out=zero[1]\n//clmc:assert out[0] == 0\nkernel void k(global const int *a, global atomic_int *c, global int *out) { if (atomic_fetch_add(c, a[get_global_id(0)] & 3) == 3) out[0] = 1; }\n", explore.Violated, "CL1004", "", 0},
		// An atomic counter that begins with anything.
		{"any counter", "//clmc:launch k global=1 local=1 c=any[1] out=zero[1]\n//clmc:assert out[0] == 0\nkernel void k(global atomic_int *c, global int *out) { atomic_fetch_add(c, 1); if (atomic_load(c) == 5) out[0] = 1; }\n", explore.Inconclusive, "", "", 0},
		// The buffer is written in between.
		{"written buffer", "//clmc:launch k global=2 local=1 a=any[2]\nkernel void k(global int *a) { int i = get_global_id(0); if (a[i] == 3) a[1 - i] = 4; }\n", explore.Violated, "CL1001", "", 0},
		// In the third round it is 5 if it was 20 at first; that is not among the data that are tried.
		{"halved in rounds", "//clmc:launch k global=1 local=1 a=any[1] out=zero[1]\n//clmc:assert out[0] == 0\nkernel void k(global const uint *a, global int *out) { uint x = a[0]; for (int i = 0; i < 3; i++) { if (i == 2 && x == 5) out[0] = 1; x >>= 1; } }\n", explore.Inconclusive, "", "", 0},
		// The count goes on only where the data say so.
		{"count that data stop", "//clmc:launch k global=1 local=1 a=any[1]\nkernel void k(global const int *a) { for (int i = 0; i < 2; ) if (a[0] == 6) i++; }\n", explore.Violated, "CL1018", "", 0},
		// Barriers order what a bitonic sort does, whatever is compared.
		{"bitonic sort", bitonic, explore.Verified, "", "", 100},
		// One is missing.
		{"bitonic sort without a barrier", strings.Replace(bitonic, "barrier(CLK_LOCAL_MEM_FENCE); //", "//", 1), explore.Violated, "CL1001", "", 0},
		// What is no number is neither less nor equal.
		{"no number", "//clmc:launch k global=1 local=1 a=any[1] out=zero[1]\n//clmc:assert out[0] == 1\nkernel void k(global const float *a, global int *out) { if (a[0] < 1.0f) out[0] = 1; if (a[0] >= 1.0f) out[0] = 1; }\n", explore.Violated, "CL1004", "a=float[1]{NaN}", 0},
		// Any graph of four nodes, by levels.
		{"breadth first", breadthFirst, explore.Verified, "", "", 8300},
		// Nobody can tell which data are ordered so: a[0] < a[1] and a[1] < a[0]. But no data show it.
		{"two comparisons", "//clmc:launch k global=1 local=1 a=any[2] out=zero[1]\n//clmc:assert out[0] != 3\nkernel void k(global const int *a, global int *out) { if (a[0] < a[1]) out[0] = 1; if (a[1] < a[0]) out[0] += 2; }\n", explore.Inconclusive, "", "", 0},
	} {
		t.Run(k.name, func(t *testing.T) {
			m, err := Target("k.cl").Parse([]byte(k.text), Options{Kernels: clc.Options{Classes: prove.Classes}})
			if err != nil {
				t.Fatal(err)
			}
			with, r, err := m.DecideLate(func(m *Model) *explore.Result {
				opt := explore.Options{MaxStates: 300_000}
				if k.most > 0 {
					opt.Promises = explore.NoPromises
				}
				m.Sets(&opt)
				return explore.Run(t.Context(), m.Program, opt)
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != k.verdict || k.most > 0 && r.Stats.States > k.most {
				t.Errorf("%v with %d states, want %v with at most %d", r.Verdict, r.Stats.States, k.verdict, k.most)
			}
			if k.id != "" && (len(r.Violations) == 0 || r.Violations[0].Kind.ID() != k.id) {
				t.Errorf("%v, want %s", r.Violations, k.id)
			}
			if data := strings.Join(with.Data, " "); k.data != "" && data != k.data {
				t.Errorf("with %q, want %q", data, k.data)
			}
		})
	}
}

const compaction = `kernel void k(global const int *a, global int *out, global atomic_int *c) {
  int i = get_global_id(0);
  if (a[i] > 3) out[atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device)] = i;
}
`

const bitonic = `//clmc:launch sort global=4 local=4 a=any[8]
kernel void sort(global int *a) {
  local int t[8];
  uint l = get_local_id(0);
  t[l] = a[l]; t[l + 4] = a[l + 4];
  for (uint k = 2; k <= 8; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE); //
      uint i = 2 * j * (l / j) + l % j;
      bool up = (i & k) == 0;
      if ((t[i] > t[i + j]) == up) { int x = t[i]; t[i] = t[i + j]; t[i + j] = x; }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  a[l] = t[l]; a[l + 4] = t[l + 4];
}
`

const breadthFirst = `//clmc:launch bfs global=4 local=1 edge=any[16] level=atomic_int[4]{1,0,0,0} again=zero[1] cur=1
//clmc:launch bfs global=4 local=1 edge=edge level=level again=again cur=2
//clmc:launch bfs global=4 local=1 edge=edge level=level again=again cur=3
//clmc:launch bfs global=4 local=1 edge=edge level=level again=again cur=4
kernel void bfs(global const int *edge, global atomic_int *level, global atomic_int *again, int cur) {
  int u = get_global_id(0);
  if (atomic_load_explicit(&level[u], memory_order_relaxed, memory_scope_device) == cur)
    for (int v = 0; v < 4; v++)
      if (edge[u * 4 + v] != 0) {
        int e = 0;
        if (atomic_compare_exchange_strong_explicit(&level[v], &e, cur + 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
          atomic_store_explicit(&again[0], 1, memory_order_relaxed, memory_scope_device);
      }
}
`
