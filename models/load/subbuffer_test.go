package load_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// A viewed is a part of a buffer of eight elements, what a kernel does to its first element, and how.
type viewed struct {
	from, size    int
	reads, writes bool
}

// uses are ways to read or write the first element of a slice: directly, in a helper, by an address and in a loop.
var uses = map[bool][]string{
	false: {"sink[0] = V[0]", "sink[0] = first(V)", "{ p := &V[0]; sink[0] = *p }", "for _, x := range V[:1] { sink[0] = x }", "look(V, sink)"},
	true:  {"V[0] = 1", "set(V)", "{ p := &V[0]; *p = 1 }", "for i := range 1 { V[i]++ }", "look(sink, V)"},
}

// viewsProgram writes a kernel of one work-item with several parts of a buffer, and says whether the API leaves it undefined: two of them that are not
// the same overlap, and one is written while the other is used (clCreateSubBuffer).
func viewsProgram(rng *rand.Rand) (text string, undefined bool) {
	var b, body strings.Builder
	b.WriteString("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar whole = cl.NewBuffer[int32](8)\nvar sink = cl.NewBuffer[int32](1)\n")
	b.WriteString("func first(s []int32) int32 { return s[0] }\nfunc set(s []int32) { s[0] = 2 }\nfunc look(from, to []int32) { to[0] = from[0] }\n")
	list := []viewed{{from: 0, size: 8}}
	for range 1 + rng.IntN(3) { // some of them the same again
		from := rng.IntN(7)
		next := viewed{from: from, size: 1 + rng.IntN(8-from)}
		if rng.IntN(4) == 0 {
			next = list[len(list)-1]
		}
		list = append(list, next)
	}
	global, held := rng.IntN(2) == 0, rng.IntN(3)
	for i := range list {
		v, name := &list[i], "whole"
		if i > 0 {
			name = fmt.Sprintf("v%d", i)
			if global {
				fmt.Fprintf(&b, "var %s = cl.CreateSubBuffer(whole, %d, %d)\n", name, v.from, v.size)
			}
		}
		if held > 0 && !global && i > 0 { // in an array or a struct
			name = fmt.Sprintf([]string{"", "list[%d]", "all.v%d"}[held], i)
		}
		v.reads, v.writes = rng.IntN(3) == 0, rng.IntN(3) == 0
		for _, writes := range []bool{false, true} {
			if writes && v.writes || !writes && v.reads {
				ways := uses[writes]
				body.WriteString("\t\t" + strings.ReplaceAll(ways[rng.IntN(len(ways))], "V", name) + "\n")
			}
		}
		for _, o := range list[:i] {
			overlap := v.from < o.from+o.size && o.from < v.from+v.size
			same := v.from == o.from && v.size == o.size
			undefined = undefined || overlap && !same && (v.reads || v.writes) && (o.reads || o.writes) && (v.writes || o.writes)
		}
	}
	b.WriteString("func main() {\n")
	for i := range list {
		if i > 0 && !global {
			fmt.Fprintf(&b, "\tv%d := cl.CreateSubBuffer(whole, %d, %d)\n\t_ = v%[1]d\n", i, list[i].from, list[i].size)
		}
	}
	if held > 0 && !global {
		b.WriteString([]string{"", "\tvar list [4][]int32\n", "\tvar all struct{ v1, v2, v3 []int32 }\n"}[held])
		for i := range list[1:] {
			fmt.Fprintf(&b, []string{"", "\tlist[%[1]d] = v%[1]d\n", "\tall.v%[1]d = v%[1]d\n"}[held], i+1)
		}
	}
	fmt.Fprintf(&b, "\tcl.EnqueueNDRangeKernel(func() {\n%s\t}, cl.NDRange1D(1, 1))\n\tcl.Finish()\n}\n", body.String())
	return b.String(), undefined
}

// TestSubBuffers compares random kernels that get a buffer and parts of it with what the API says.
func TestSubBuffers(t *testing.T) {
	t.Parallel()
	count := map[bool]int{}
	for n := range uint64(thorough.Of(120, 600)) {
		text, undefined := viewsProgram(rand.New(rand.NewPCG(n, 8)))
		p, err := load.Source("views.go", []byte(text), load.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r := explore.Run(t.Context(), p, explore.Options{})
		count[undefined]++
		if told := r.Verdict == explore.Violated && r.Violations[0].Kind == state.InvalidArgument; told != undefined || !told && r.Verdict != explore.Verified {
			t.Errorf("%v %v, undefined: %v\n%s", r.Verdict, r.Violations, undefined, text)
		}
		if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "clCreateSubBuffer") {
			t.Errorf("it is not said what is not looked at: %q", p.Notes)
		}
	}
	if count[true] < 20 || count[false] < 20 {
		t.Error(count)
	}
}

// TestSubBuffersOfProgram has kernels of a kernel file: a pointer to const is only read.
func TestSubBuffersOfProgram(t *testing.T) {
	dir := t.TempDir()
	kernels := "kernel void copy(global const int *from, global int *to) { to[0] = from[0]; }\nkernel void sum(const global int *a, constant int *b, global int *to) { to[0] = a[0] + b[0]; }\n"
	for call, want := range map[string]explore.Verdict{
		"copy(a, b)": explore.Violated, "copy(a, c)": explore.Verified, "copy(b, b)": explore.Verified, "sum(a, whole, out)": explore.Verified, "sum(c, out, whole)": explore.Violated,
	} {
		text := "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n//cl:program k.cl\nvar k struct {\n\tcopy func(from, to []int32)\n\tsum func(a, b, to []int32)\n}\n\n" +
			"var whole, out = cl.NewBuffer[int32](8), cl.NewBuffer[int32](8)\n\nfunc main() {\n\ta, b, c := cl.CreateSubBuffer(whole, 0, 4), cl.CreateSubBuffer(whole, 2, 4), cl.CreateSubBuffer(whole, 4, 4)\n\t_, _, _ = a, b, c\n" +
			"\tcl.EnqueueNDRangeKernel(func() { k." + call + " }, cl.NDRange1D(1, 1))\n\tcl.Finish()\n}\n"
		for name, content := range map[string]string{"k.cl": kernels, "main.go": text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p, err := load.File(filepath.Join(dir, "main.go"), load.Options{})
		if err != nil {
			t.Fatal(call, err)
		}
		r := explore.Run(t.Context(), p, explore.Options{})
		if r.Verdict != want || want == explore.Violated && r.Violations[0].Kind != state.InvalidArgument {
			t.Errorf("%s: %v %v", call, r.Verdict, r.Violations)
		}
	}
}
