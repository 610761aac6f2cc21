package clc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// TestSimContent sees what a simulator file gives a kernel: numbers are of the type of the parameter's scalars, unless the
// header names a type, as oclgrind-kernel takes them. Memory is little-endian.
func TestSimContent(t *testing.T) {
	for _, c := range []struct{ params, args, holds, wrong string }{
		{"uint n", "<size=4> 300", "n == 300", ""},
		{"short s", "<size=2> -2", "s == -2", ""},
		{"float f", "<size=4> 1.5", "f == 1.5f", ""},
		{"float4 f", "<size=16> 1 2 3 4", "f.x == 1 && f.w == 4", ""},
		{"ulong n", "<size=8 hex> 11170", "n == 70000", ""},
		{"uint n", "<size=4 uchar> 1 2 0 0", "n == 513", ""},
		{"uint n", "<size=4 float> 1", "n == 0x3F800000", ""},
		{"global int *a", "<size=16> 1 -2 3\n 4", "a[1] == -2 && a[3] == 4", ""},
		{"global int *a", "<size=16 fill=258>", "a[0] == 258 && a[3] == 258", ""},
		{"global int *a", "<size=16 range=5:10:35>", "a[0] == 5 && a[3] == 35", ""},
		{"global int *a", "<size=8 uchar range=1:1:8>", "a[0] == 0x04030201", ""},
		{"global float2 *a", "<size=16 range=0:0.5:1.5 dump>", "a[1].x == 1 && a[1].y == 1.5f", ""},
		{"global uchar *a", "<size=4> 1 2 3 255", "a[3] == 255", ""},
		{"global void *a", "<size=4> 1 2 3 255", "((global uchar *)a)[3] == 255", ""},
		{"global struct s *a", "<size=8> 1 0 0 0 7 0 0 0", "a->x == 1 && a->y == 7", ""},
		{"global struct s *a", "<size=8 int> 1 7", "a->x == 1 && a->y == 7", ""},
		{"local int *a, global int *b", "<size=8>\n<null>", "b == 0", ""},
		{"global int *a", "<size=4 ro> 3", "a[0] == 3", ""},
		{"global int *a, global int *b", "<size=4 ro> 3\n<size=4 wo>", "(b[0] = a[0])", ""},
		{"global int *a", "<size=4 ro> 3", "", "a may only be read, and is written here; (a[0] = 1)"},
		{"global int *a", "<size=4 ro> 3", "", "a may only be read, and is written here; atomic_inc(a) + 1"},
		{"global int *a", "<size=8 ro> 3", "", "a may only be read, and is written here; (((global float *)a + 1)[0] = 1)"},
		{"global int *a", "<size=4 wo> 3", "", "a may only be written, and is read here; a[0]"},
		{"global int *a", "<size=4 wo ro> 3", "", "is given after another access qualifier"},
		{"uint n", "<size=4> 1 2", "", "x.sim:5:1: n: 8 bytes of values do not fit into 4 bytes"},
		{"uint n", "<size=4> x", "", "x.sim:5:1: n: \"x\" is not a value"},
		{"uint n", "<size=4 what> 1", "", "\"what\" cannot stand in the header of an argument"},
		{"uint n", "1", "", "expected the header of an argument"},
		{"uint n", "", "", "the file gives no argument for n"},
	} {
		dir := t.TempDir()
		if wrong, what, ok := strings.Cut(c.wrong, "; "); ok {
			c.wrong, c.holds = wrong, what
		}
		kernel := "struct s { int x, y; };\nkernel void k(" + c.params + ") { __assert(" + c.holds + "); }\n"
		path := filepath.Join(dir, "x.sim")
		for name, text := range map[string]string{"x.cl": kernel, "x.sim": "x.cl\nk\n1 1 1\n1 1 1\n" + c.args + "\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c.wrong != "" {
			os.WriteFile(filepath.Join(dir, "x.cl"), []byte(strings.Replace(kernel, "__assert()", "", 1)), 0o600)
		}
		p, err := clc.File(path, clc.Options{})
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s, %s: the error does not say %s: %v", c.params, c.args, c.wrong, err)
			}
		case err != nil:
			t.Errorf("%s, %s: %v", c.params, c.args, err)
		default:
			if r := explore.Run(t.Context(), p, explore.Options{}); r.Verdict != explore.Verified {
				t.Errorf("%s, %s: %s does not hold", c.params, c.args, c.holds)
			}
		}
	}
}

// sim loads a kernel that does not touch its argument, with a header for it.
func sim(header string) (*ir.Program, error) {
	return clc.Sources([]ir.Source{{Name: "k.sim", Text: "k.cl k 1 1 1 1 1 1 " + header}, {Name: "k.cl", Text: "kernel void k(global int *a) {}\n"}}, clc.Options{})
}
