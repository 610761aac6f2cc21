package clc_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// TestAssertionsWithFlags launches kernels by flags whose files assert something: what can be checked is, and the rest is named in the
// verdict. Each kernel leaves zeros, so that an assertion that something is 1 fails wherever it is checked.
func TestAssertionsWithFlags(t *testing.T) {
	const (
		sum   = "kernel void sum(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)] * 0; }\n"
		other = "kernel void other(global int *out) { out[get_global_id(0)] = 0; }\n"
		line  = "//clmc:launch sum global=2 local=1 in=int[2]{1,2} out=zero[2]\n"
	)
	header := func(flags clc.Options) clc.Options { flags.GPUVerify = true; return flags }
	launch := clc.Options{Kernel: "sum", Global: "2", Local: "1"}
	for _, row := range []struct {
		name, text string
		opt        clc.Options
		wrong      bool
		unchecked  []string // a part of each
	}{
		{"the same launch", line + "//clmc:assert out[1] == 1\n" + sum, launch, true, nil},
		{"the same, and its arguments", line + "//clmc:assert out[1] == 1\n" + sum, clc.Options{Kernel: "sum", Global: "2", Local: "1,1", Args: []string{"in=int[2]{1, 2}", "out=zero[2]"}}, true, nil},
		{"one argument of them", line + "//clmc:assert out[1] == 1\n" + sum, clc.Options{Local: "1", Args: []string{"out=zero[2]"}}, true, nil},
		{"longer zeros", line + "//clmc:assert out[1] == 1\n" + sum, clc.Options{Args: []string{"out=int[7]"}}, true, nil},
		{"other sizes", line + "//clmc:assert out[1] == 1\n" + sum, clc.Options{Global: "4", Local: "2"}, false, []string{"line 2, out[1] == 1: it belongs to the launch in line 1"}},
		{"another offset", line + "//clmc:assert out[1] == 1\n" + sum, clc.Options{Offset: "1", Args: []string{"in=int[4]", "out=zero[4]"}}, false, []string{"other sizes"}},
		{"other data", line + "//clmc:assert out[1] == 1\n" + sum, clc.Options{Args: []string{"in=int[2]{2,3}"}}, false, []string{"other sizes or arguments"}},
		{"assertions without a launch", "//clmc:assert out[0] == 1\n" + sum, launch, true, nil},
		{"what holds", line + "//clmc:assert out[1] == 0\n" + sum, launch, false, nil},
		{"a buffer that is too short", "//clmc:assert out[1] == 1\n//clmc:assert out[0] == 0\n" + sum,
			clc.Options{Kernel: "sum", Global: "1", Local: "1", Args: []string{"out=zero[1]"}}, false, []string{"line 1, out[1] == 1"}},
		{"another kernel", line + "//clmc:assert out[1] == 1\n" + sum + other, clc.Options{Kernel: "other", Global: "2", Local: "1"}, false, []string{"a launch of sum"}},
		{"names that the kernel has not", "//clmc:assert result[1] == 1\n" + other, clc.Options{Global: "2", Local: "1"}, false, []string{"there is no result"}},
		{"the second of two kernels", line + "//clmc:launch other global=2 local=1 out=zero[2]\n//clmc:assert out[1] == 1\n" + sum + other,
			clc.Options{Kernel: "other", Global: "2", Local: "1"}, true, nil},
		{"one of two launches of a kernel", line + "//clmc:assert out[1] == 1\n" + line + "//clmc:assert out[0] == 1\n" + sum, launch, false,
			[]string{"one of several launches of sum", "one of several"}},
		{"a variable of program scope", line + "//clmc:assert v == 1\nglobal int v;\n" + sum, launch, true, nil},
		{"GPUVerify's header", "//pass\n//--local_size=1 --num_groups=2\n//clmc:assert out[1] == 1\n" + sum, header(clc.Options{}), true, nil},
		{"that of two kernels", "//pass\n//--local_size=1 --num_groups=2\n" + line + "//clmc:assert out[1] == 1\n" + other + sum, header(clc.Options{}), true, nil},
		{"that with one kernel of two", "//pass\n//--local_size=1 --num_groups=2\n" + line + "//clmc:assert out[1] == 1\n" + other + sum, header(clc.Options{Kernel: "other"}), false,
			[]string{"a launch of sum"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := clc.Source("k.cl", []byte(row.text), row.opt)
			if err != nil {
				t.Fatal(err)
			}
			r := explore.Run(t.Context(), p, explore.Options{})
			if wrong := r.Verdict == explore.Violated; wrong != row.wrong || !wrong && r.Verdict != explore.Verified {
				t.Errorf("found %v", r.Verdict)
			}
			rep, err := report.New("k.cl", p, r)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(rep.Verdict(), "not checked: "); got != (row.unchecked != nil) {
				t.Errorf("the verdict is %s", rep.Verdict())
			}
			for i, want := range row.unchecked {
				if i >= len(p.Unchecked) || !strings.Contains(p.Unchecked[i], want) {
					t.Errorf("not checked are %q, want %q", p.Unchecked, row.unchecked)
				}
			}
			if len(p.Unchecked) != len(row.unchecked) {
				t.Errorf("not checked are %q, want %q", p.Unchecked, row.unchecked)
			}
		})
	}
}

// TestAssertionsWithSim does so for a file of Oclgrind's.
func TestAssertionsWithSim(t *testing.T) {
	const kernel = "//clmc:assert out[0] == 1\nkernel void k(global int *out) { out[get_global_id(0)] = 0; }\n"
	for _, name := range []string{"k", "missing"} {
		text := strings.Replace(kernel, "out[0] == 1", map[string]string{"k": "out[0] == 1", "missing": "gone[0] == 1"}[name], 1)
		p, err := clc.Sources([]ir.Source{{Name: "k.sim", Text: "k.cl k 1 1 1 1 1 1 <size=4 fill=0>"}, {Name: "k.cl", Text: text}}, clc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := explore.Run(t.Context(), p, explore.Options{})
		if wrong := name == "k"; (r.Verdict == explore.Violated) != wrong || (len(p.Unchecked) == 0) != wrong {
			t.Errorf("%s: found %v, not checked %q", name, r.Verdict, p.Unchecked)
		}
	}
}
