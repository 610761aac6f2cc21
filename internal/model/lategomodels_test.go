package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/prove"
	"github.com/clmc/clmc/models/clc"
)

// TestLateGoRandom compares random models in Go whose variables are any with the same whose values the host chooses beforehand.
func TestLateGoRandom(t *testing.T) { compareLate(t, "m.go", randomLateGo) }

// lateGo makes a model in Go.
type lateGo struct {
	*lateRandom
}

func randomLateGo(seed uint64) lateKernel {
	r := &lateGo{&lateRandom{Rand: rand.New(rand.NewPCG(seed, 4647))}}
	types := []string{"int32", "uint32", "uint8", "int16"}
	r.typ = types[r.IntN(len(types))]
	cells := 1 + r.IntN(3)
	fmt.Fprintf(&r.b, "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar a = cl.Any[[%d]%s]()\nvar n = cl.Any[int32]()\nvar h [4]cl.AtomicInt\nvar out [4]int32\nvar flag [2]cl.AtomicInt\n\n", cells, r.typ)
	r.b.WriteString("func k() {\n\tt := cl.Local[[4]int32]()\n\ti := cl.GetGlobalID(0)\n\tl := cl.GetLocalID(0)\n\tt[l] = int32(l)\n\t_ = i\n")
	r.vars = []string{"int32(i)", "n"}
	for range 2 + r.IntN(4) {
		r.goStatement(cells)
	}
	fmt.Fprintf(&r.b, "}\n\nfunc main() {\n\tcl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, %d))\n\tcl.Finish()\n", 1+r.IntN(2))
	if r.IntN(2) == 0 {
		fmt.Fprintf(&r.b, "\tcl.Assert(out[%d] <= %d, \"out\")\n", r.IntN(4), r.IntN(3))
	}
	r.b.WriteString("}\n")
	values := map[string]string{"int32": "0|1|2|3|4|5|-1|-4", "uint32": "0|1|2|3|4|5|255", "uint8": "0|1|2|3|4|5|127|255", "int16": "0|1|2|3|4|5|-1|300"}
	return lateKernel{r.b.String(), []string{fmt.Sprintf("a=%s[%d]{%s}", r.typ, cells, values[r.typ]), "n=0|1|2|3|-1"}}
}

// goValue is a number.
func (r *lateGo) goValue(cells int) string {
	load := "int32(a[" + r.index(cells) + "])"
	switch r.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s %% %d)", load, 2+r.IntN(3))
	case 1:
		return fmt.Sprintf("(%s & %d)", load, 1+r.IntN(3))
	case 2:
		return fmt.Sprintf("(%s %s %d)", load, r.pick("+", "-", "^", "|"), r.IntN(3))
	case 3:
		return r.pick(r.vars...)
	case 4:
		return fmt.Sprintf("(%s + %s)", load, r.pick(r.vars...))
	case 5:
		return "t[" + fmt.Sprint(r.IntN(2)) + "]"
	}
	return load
}

func (r *lateGo) goCond(cells int) string {
	return fmt.Sprintf("%s %s %d", r.goValue(cells), r.pick("<", ">", "==", "!=", ">="), r.IntN(5))
}

func (r *lateGo) goStatement(cells int) {
	r.depth++
	defer func() { r.depth-- }()
	pad := strings.Repeat("\t", r.depth)
	block := func(head string) {
		fmt.Fprintf(&r.b, "%s%s {\n", pad, head)
		was := len(r.vars)
		r.goStatement(cells)
		r.vars = r.vars[:was]
		fmt.Fprintf(&r.b, "%s}\n", pad)
	}
	switch k := r.IntN(11); {
	case k < 3 && r.depth < 3:
		block("if " + r.goCond(cells))
	case k == 3:
		fmt.Fprintf(&r.b, "%scl.AtomicFetchAddExplicit(&h[uint32(%s)%%4], 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\n", pad, r.goValue(cells))
	case k == 4:
		fmt.Fprintf(&r.b, "%sout[%s&3] = %s\n", pad, r.goValue(cells), r.goValue(cells))
	case k == 5:
		r.n++
		fmt.Fprintf(&r.b, "%sv%d := %s\n%s_ = v%d\n", pad, r.n, r.goValue(cells), pad, r.n)
		r.vars = append(r.vars, fmt.Sprintf("v%d", r.n))
	case k == 6:
		fmt.Fprintf(&r.b, "%st[l] = %s\n", pad, r.goValue(cells))
	case k == 7 && r.depth < 3:
		block("for range 2")
	case k == 8:
		fmt.Fprintf(&r.b, "%scl.AtomicStoreExplicit(&flag[%d], %s, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\n", pad, r.IntN(2), r.goValue(cells))
	case k == 9:
		fmt.Fprintf(&r.b, "%sout[i] = %s\n", pad, r.goValue(cells))
	default:
		fmt.Fprintf(&r.b, "%sif cl.AtomicLoadExplicit(&flag[%d], cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == %d {\n%s\tout[i] = 2\n%s}\n", pad, r.IntN(2), r.IntN(3), pad, pad)
	}
}

const goHead = "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n"

func goMain(items, size int, more string) string {
	return fmt.Sprintf("\n\nfunc main() {\n\tcl.EnqueueNDRangeKernel(k, cl.NDRange1D(%d, %d))\n\tcl.Finish()\n%s}\n", items, size, more)
}

// TestLateGoByHand explores models in Go with variables that are any, whose verdicts were derived by hand: see the line above each.
func TestLateGoByHand(t *testing.T) {
	for _, k := range []struct {
		name, text string
		verdict    explore.Verdict
		id, data   string // of what goes wrong, and with what
		most       int    // states
	}{
		// n work-items that add to a counter or not: how many have ended, and how many of these have added.
		{"compaction", "var in = cl.Any[[16]int32]()\nvar out [16]int32\nvar c cl.AtomicInt\n\nfunc k() {\n\tif i := cl.GetGlobalID(0); in[i] > 3 {\n\t\tout[cl.AtomicFetchAddExplicit(&c, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)] = in[i]\n\t}\n}" + goMain(16, 2, ""), explore.Verified, "", "", 16*16 + 1},
		// One slot fewer than work-items: it overflows if all are kept.
		{"compaction into too little", "var in = cl.Any[[3]int32]()\nvar out [2]int32\nvar c cl.AtomicInt\n\nfunc k() {\n\tif in[cl.GetGlobalID(0)] > 3 {\n\t\tout[cl.AtomicFetchAdd(&c, 1)] = 1\n\t}\n}" + goMain(3, 1, ""), explore.Violated, "CL1005", "in=int32[3]{4,4,4}", 0},
		// The index of a remainder of what has no sign is in bounds; that of what has one is not.
		{"bins", "var in = cl.Any[[4]uint8]()\nvar h [4]cl.AtomicInt\n\nfunc k() { cl.AtomicFetchAdd(&h[in[cl.GetGlobalID(0)]%4], 1) }" + goMain(4, 2, ""), explore.Verified, "", "", 0},
		{"signed bins", "var in = cl.Any[[1]int32]()\nvar h [4]cl.AtomicInt\n\nfunc k() { cl.AtomicFetchAdd(&h[in[0]%4], 1) }" + goMain(1, 1, ""), explore.Violated, "CL1005", "in=int32[1]{-1}", 0},
		// A number that is read by several work-items, and by the host, is one number.
		{"bound", "var n = cl.Any[uint32]()\nvar a [4]int32\n\nfunc k() {\n\tif i := cl.GetGlobalID(0); uint32(i) < n {\n\t\ta[i] = 1\n\t}\n}" + goMain(4, 1, "\tcl.Assert(n < 3 || a[2] == 1, \"the first\")\n"), explore.Verified, "", "", 0},
		// n = 2 sets two of them, and not the third.
		{"bound, wrong", "var n = cl.Any[uint32]()\nvar a [4]int32\n\nfunc k() {\n\tif i := cl.GetGlobalID(0); uint32(i) < n {\n\t\ta[i] = 1\n\t}\n}" + goMain(4, 1, "\tcl.Assert(n < 2 || a[2] == 1, \"the first\")\n"), explore.Violated, "CL1004", "n=2", 0},
		// The barrier is passed by all or none, as n is one number; a number of each work-item's own is not.
		{"uniform barrier", "var n = cl.Any[int32]()\n\nfunc k() {\n\tif n > 0 {\n\t\tcl.WorkGroupBarrier(cl.CLKLocalMemFence)\n\t}\n}" + goMain(2, 2, ""), explore.Verified, "", "", 0},
		{"divergent barrier", "var n = cl.Any[[2]int32]()\n\nfunc k() {\n\tif n[cl.GetLocalID(0)] > 0 {\n\t\tcl.WorkGroupBarrier(cl.CLKLocalMemFence)\n\t}\n}" + goMain(2, 2, ""), explore.Violated, "CL1003", "", 0},
		// It goes round for ever if it is not zero.
		{"spin on data", "var n = cl.Any[int16]()\n\nfunc k() {\n\tfor n != 0 {\n\t}\n}" + goMain(1, 1, ""), explore.Violated, "CL1018", "", 0},
		// Assumed to be no more than the length; then the last cell is there.
		{"assumption", "var n = cl.Any[int64]()\nvar a [4]int32\n\nfunc k() { a[n-1] = 1 }\n\nfunc main() {\n\tcl.Assume(n >= 1 && n <= 4)\n\tcl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))\n\tcl.Finish()\n}\n", explore.Verified, "", "", 0},
		// A truth value, and rows of an array.
		{"bool", "var b = cl.Any[bool]()\nvar x int32\n\nfunc k() {\n\tif b == (cl.GetGlobalID(0) == 0) {\n\t\tx = 1\n\t}\n}" + goMain(2, 1, ""), explore.Verified, "", "", 0},
		{"rows", "var m = cl.Any[[2][2]int8]()\nvar x [2]int32\n\nfunc k() {\n\ti := cl.GetGlobalID(0)\n\tif m[i][0] == 5 && m[i][1] == 6 {\n\t\tx[0] = 1\n\t}\n}" + goMain(2, 1, ""), explore.Violated, "CL1001", "m=int8[4]{5,6,5,6}", 0},
	} {
		t.Run(k.name, func(t *testing.T) {
			m, err := Target("m.go").Parse([]byte(goHead+k.text), Options{Kernels: clc.Options{Classes: prove.Classes}})
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
				t.Errorf("%v with %d states, want %v with at most %d: %v", r.Verdict, r.Stats.States, k.verdict, k.most, r.Incomplete)
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
