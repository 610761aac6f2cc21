//go:build ccompiler

package clc_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
)

var (
	pointerSeeds = flag.Int("pointer-seeds", 60, "programs with pointers in memory to compare with those of a C compiler")
	pointerSeed  = flag.Uint64("pointer-seed", 1, "the first seed of programs with pointers")
)

// TestPointersAsInC runs random kernels of one work-item, which keep pointers in memory and cast them, and asserts what the same
// text computes as a program in C.
func TestPointersAsInC(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc to compare with")
	}
	refused := 0
	for n := range uint64(*pointerSeeds) {
		seed := *pointerSeed + n
		g := &pointing{r: rand.New(rand.NewPCG(seed, 7))}
		g.program()
		text := g.kernels(g.compute(t, cc))
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil && (strings.Contains(err.Error(), "two ways that have no model") || strings.Contains(err.Error(), "too irregularly")) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("-pointer-seed %d: %v\n%s", seed, err, text)
		}
		r := explore.Run(t.Context(), p, explore.Options{})
		if r.Verdict != explore.Verified {
			where := ""
			for _, v := range r.Violations {
				where += v.Kind.ID() + " " + v.Line + "\n"
			}
			t.Fatalf("-pointer-seed %d: %v %s\n%s", seed, r.Verdict, where, text)
		}
	}
	t.Log(refused, "refused")
	if refused > *pointerSeeds/5 {
		t.Errorf("%d of %d are refused", refused, *pointerSeeds)
	}
}

// thing is memory: an array of scalars or structs.
type thing struct {
	name  string
	space string // global, local or private
	elem  string
	size  int // of an element
	n     int
	from  int // the kernel that has it, or 0: both
}

// pointerVar is a pointer that is kept somewhere, and where it points to, as far as the program has run.
type pointerVar struct {
	name  string // as it is written
	space string // of what it points to
	elem  string
	size  int
	to    *thing // nil: it has not been set
	at    int    // in bytes
	lo    int    // it stays between these bytes: a pointer into a member array in that
	hi    int
	from  int
}

// pointing makes a program: two kernels of straight lines. It knows where each pointer points to at each place, and so writes accesses only
// that stay in bounds and are aligned.
type pointing struct {
	r        *rand.Rand
	things   []*thing
	pointers []*pointerVar
	globals  strings.Builder
	bodies   [2]strings.Builder
	kernel   int
	checks   []string // expressions of which both languages know the value
	in       []int    // the kernel of each
}

func (g *pointing) pick(list ...string) string { return list[g.r.IntN(len(list))] }

var scalarSizes = map[string]int{"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4}

// memberOffsets are those of struct S { short a; int b[2]; uchar c[3]; float f; }, and their types.
var memberOffsets = []struct {
	name, typ string
	at        int
}{{"a", "short", 0}, {"b[0]", "int", 4}, {"b[1]", "int", 8}, {"c[0]", "uchar", 12}, {"c[1]", "uchar", 13}, {"c[2]", "uchar", 14}, {"f", "float", 16}}

const pointingHead = `typedef struct { short a; int b[2]; uchar c[3]; float f; } S;
#define AT(p, i) ((p)[i])
#define CAST(T, p) ((T)(p))
#define ADD(p, n) ((p) + (n))
#define PASTE(a, b) a##b
#define NAME(n) PASTE(g, n)
#define TWICE(x) ((x) + (x))
#define LAST(a, ...) (__VA_ARGS__)
`

func (g *pointing) program() {
	for i := range 3 + g.r.IntN(3) {
		x := &thing{name: fmt.Sprint("g", i), space: "global", elem: g.pick("char", "short", "int", "uint", "long", "S", "S", "float"), n: 2 + g.r.IntN(3)}
		x.size = sizeOf(x.elem)
		var list []string
		for range x.n {
			if x.elem == "S" {
				list = append(list, fmt.Sprintf("{%d, {%d, %d}, {%d}, %d}", g.small(), g.small(), g.small(), g.small(), g.small()))
			} else {
				list = append(list, fmt.Sprint(g.small()))
			}
		}
		fmt.Fprintf(&g.globals, "global %s %s[%d] = {%s};\n", x.elem, x.name, x.n, strings.Join(list, ", "))
		g.things = append(g.things, x)
	}
	for i := range 2 + g.r.IntN(3) {
		g.pointerVariable(fmt.Sprint("p", i), "global", 0)
	}
	fmt.Fprintf(&g.globals, "typedef struct { int n; global int *p; global S *s; } T;\nglobal T tab[2];\n")
	for _, f := range []string{"tab[0].p int", "tab[1].p int", "tab[1].s S"} {
		name, elem, _ := strings.Cut(f, " ")
		g.pointers = append(g.pointers, &pointerVar{name: name, space: "global", elem: elem, size: sizeOf(elem)})
	}
	for k := range 2 {
		g.kernel = k + 1
		g.locals()
		for range 8 + g.r.IntN(12) {
			g.statement()
		}
		g.results()
	}
}

func (g *pointing) small() int { return g.r.IntN(100) }

func sizeOf(elem string) int {
	if elem == "S" {
		return 20
	}
	return scalarSizes[elem]
}

func align(elem string) int {
	if elem == "S" {
		return 4
	}
	return scalarSizes[elem]
}

// pointerVariable declares a pointer to global memory that is kept in some space.
func (g *pointing) pointerVariable(name, space string, kernel int) {
	p := &pointerVar{name: name, space: "global", elem: g.pick("char", "uchar", "short", "int", "int", "uint", "long", "S", "float"), from: kernel}
	p.size = sizeOf(p.elem)
	decl := fmt.Sprintf("global %s *%s %s", p.elem, space, name)
	if kernel == 0 {
		if to := g.things[g.r.IntN(len(g.things))]; to.elem == p.elem && g.r.IntN(3) > 0 {
			p.to, p.at, p.hi = to, g.r.IntN(to.n)*to.size, to.n*to.size
			decl += fmt.Sprintf(" = %s + %d", to.name, p.at/to.size)
		}
		g.globals.WriteString(decl + ";\n")
	} else {
		g.out(decl + ";")
	}
	g.pointers = append(g.pointers, p)
}

func (g *pointing) out(format string, args ...any) {
	fmt.Fprintf(&g.bodies[g.kernel-1], "  "+format+"\n", args...)
}

// locals declares local and private memory of a kernel, and pointers there.
func (g *pointing) locals() {
	for i, space := range []string{"local", "private"} {
		x := &thing{name: fmt.Sprint(space[:1], i, "k", g.kernel), space: space, elem: g.pick("char", "int", "long", "S"), n: 2 + g.r.IntN(2), from: g.kernel}
		x.size = sizeOf(x.elem)
		g.out("%s %s %s[%d];", space, x.elem, x.name, x.n)
		for i := range x.n {
			if x.elem == "S" {
				for _, m := range memberOffsets {
					g.out("%s[%d].%s = %d;", x.name, i, m.name, g.small())
				}
			} else {
				g.out("%s[%d] = %d;", x.name, i, g.small())
			}
		}
		g.things = append(g.things, x)
		p := &pointerVar{name: fmt.Sprint("q", space[:1], g.kernel), space: space, elem: g.pick("char", "int", "S"), from: g.kernel}
		p.size = sizeOf(p.elem)
		g.out("%s %s *%s;", space, p.elem, p.name)
		g.pointers = append(g.pointers, p)
	}
	g.pointerVariable(fmt.Sprint("l", g.kernel), "local", g.kernel)
	g.pointerVariable(fmt.Sprint("v", g.kernel), "private", g.kernel)
}

// usable returns a pointer of this kernel that is set, or nil.
func (g *pointing) usable() *pointerVar {
	for range 20 {
		p := g.pointers[g.r.IntN(len(g.pointers))]
		if p.to != nil && (p.from == 0 || p.from == g.kernel) {
			return p
		}
	}
	return nil
}

func (g *pointing) statement() {
	switch g.r.IntN(6) {
	case 0, 1, 2:
		g.setPointer()
	case 3, 4:
		g.store()
	default:
		if p := g.usable(); p != nil {
			g.note(g.read(p))
		}
	}
}

// index writes a number, perhaps so that nobody knows it before the program runs.
func (g *pointing) index(k int) string {
	if g.r.IntN(3) == 0 {
		return fmt.Sprintf("%d + z", k)
	}
	return fmt.Sprint(k)
}

// setPointer lets a pointer point to some aligned place that its elements fit in.
func (g *pointing) setPointer() {
	p := g.pointers[g.r.IntN(len(g.pointers))]
	if p.from != 0 && p.from != g.kernel {
		return
	}
	x := g.things[g.r.IntN(len(g.things))]
	if x.space != p.space || x.from != 0 && x.from != g.kernel {
		return
	}
	room := (x.size*x.n - p.size) / align(p.elem)
	if room < 0 || align(x.elem) < align(p.elem) {
		return
	}
	at := g.r.IntN(room+1) * align(p.elem)
	if x.from != 0 && x.elem == "S" && g.member(at%20, p.elem) == "" && (p.elem != "S" || at%20 != 0) {
		return // what lies between members has not been written
	}
	expr := ""
	lo, hi := 0, x.size*x.n
	switch q := g.usable(); {
	case x.elem == p.elem && at%x.size == 0 && g.r.IntN(2) == 0:
		expr = fmt.Sprintf("%s + (%s)", x.name, g.index(at/x.size))
	case x.elem == p.elem && at%x.size == 0:
		expr = fmt.Sprintf("&%s[%s]", x.name, g.index(at/x.size))
	case x.elem == "S" && g.member(at%20, p.elem) != "":
		expr = fmt.Sprintf("&%s[%s].%s", x.name, g.index(at/20), g.member(at%20, p.elem))
		lo, hi = at, at+p.size
		if inner := at % 20; inner >= 4 && inner < 12 {
			lo, hi = at/20*20+4, at/20*20+12
		} else if inner >= 12 && inner < 15 {
			lo, hi = at/20*20+12, at/20*20+15
		}
	case q != nil && q.to == x && q.space == p.space && q.lo <= at && at+p.size <= q.hi:
		lo, hi = q.lo, q.hi
		expr = fmt.Sprintf("CAST(%s %s *, ADD(CAST(%s char *, %s), %s))", p.space, p.elem, p.space, q.name, g.index(at-q.at))
	case strings.HasPrefix(x.name, "g"):
		expr = fmt.Sprintf("CAST(%s %s *, ADD(CAST(%s char *, NAME(%s)), %s))", p.space, p.elem, p.space, x.name[1:], g.index(at))
	default:
		expr = fmt.Sprintf("(%s %s *)((%s uchar *)%s + (%s))", p.space, p.elem, p.space, x.name, g.index(at))
	}
	p.to, p.at, p.lo, p.hi = x, at, lo, hi
	if p.space == "global" && p.elem == "int" && p.from == 0 && g.r.IntN(3) == 0 {
		g.out("put(&%s, %s);", p.name, expr)
		return
	}
	g.out("%s = %s;", p.name, expr)
}

// member returns the member at a distance that has a type, or nothing.
func (g *pointing) member(at int, elem string) string {
	for _, m := range memberOffsets {
		if m.at == at && m.typ == elem {
			return m.name
		}
	}
	return ""
}

// element returns how many elements further a pointer may go, in either direction, as an index.
func (g *pointing) element(p *pointerVar) int {
	lo, hi := -((p.at - p.lo) / p.size), (p.hi-p.at)/p.size-1
	return lo + g.r.IntN(hi-lo+1)
}

// read writes an access by a pointer.
func (g *pointing) read(p *pointerVar) string {
	k := g.element(p)
	if p.elem == "S" {
		m := memberOffsets[g.r.IntN(len(memberOffsets))]
		switch g.r.IntN(3) {
		case 0:
			return fmt.Sprintf("%s[%s].%s", p.name, g.index(k), m.name)
		case 1:
			return fmt.Sprintf("(%s + (%s))->%s", p.name, g.index(k), m.name)
		}
		return fmt.Sprintf("AT(%s, %s).%s", p.name, g.index(k), m.name)
	}
	switch g.r.IntN(3) {
	case 0:
		return fmt.Sprintf("%s[%s]", p.name, g.index(k))
	case 1:
		return fmt.Sprintf("*(%s + (%s))", p.name, g.index(k))
	}
	return fmt.Sprintf("AT(%s, %s)", p.name, g.index(k))
}

func (g *pointing) store() {
	p, q := g.usable(), g.usable()
	if p == nil {
		return
	}
	value := fmt.Sprint(g.small())
	switch {
	case q != nil && !strings.Contains(p.elem, "float") && !g.reads(q) && g.r.IntN(2) == 0:
		value = fmt.Sprintf("(int)(%s) + %d", g.read(q), g.small())
	case g.r.IntN(3) == 0:
		value = fmt.Sprintf("TWICE(LAST(1, %d))", g.small())
	}
	g.out("%s = %s;", g.read(p), value)
}

// reads reports whether what a pointer reads may be bits of no number that fits into an int.
func (g *pointing) reads(p *pointerVar) bool { return p.elem == "float" || p.elem == "S" }

// note takes note of a value that is asserted. Bits are compared, so that those of any number may be.
func (g *pointing) note(expr string) {
	name := fmt.Sprint("r", len(g.checks))
	if strings.HasSuffix(expr, ".f") || strings.HasSuffix(expr, "->f") {
		g.out("float %s = %s;", name, expr)
		name = "FLOATBITS(" + name + ")"
	} else if p := g.floatOf(expr); p {
		g.out("float %s = %s;", name, expr)
		name = "FLOATBITS(" + name + ")"
	} else {
		g.out("long %s = (long)(%s);", name, expr)
	}
	g.checks, g.in = append(g.checks, name), append(g.in, g.kernel)
}

// floatOf reports whether an access is by a pointer to float.
func (g *pointing) floatOf(expr string) bool {
	for _, p := range g.pointers {
		if p.elem == "float" && (strings.HasPrefix(expr, p.name+"[") || strings.HasPrefix(expr, "*("+p.name+" ") || strings.HasPrefix(expr, "AT("+p.name+",")) {
			return true
		}
	}
	return false
}

// results asserts what all global memory holds.
func (g *pointing) results() {
	for _, x := range g.things {
		if x.from != 0 && x.from != g.kernel {
			continue
		}
		for i := range x.n {
			if x.elem == "S" {
				for _, m := range memberOffsets {
					g.note(fmt.Sprintf("%s[%d].%s", x.name, i, m.name))
				}
				continue
			}
			if x.elem == "float" {
				name := fmt.Sprint("r", len(g.checks))
				g.out("float %s = %s[%d];", name, x.name, i)
				g.checks, g.in = append(g.checks, "FLOATBITS("+name+")"), append(g.in, g.kernel)
				continue
			}
			g.note(fmt.Sprintf("%s[%d]", x.name, i))
		}
	}
}

const pointingHelper = "void put(global int *global *to, global int *p) { *to = p; }\n"

// compute has the C compiler's program print the values.
func (g *pointing) compute(t *testing.T, cc string) []string {
	t.Helper()
	var text strings.Builder
	text.WriteString("#include <stdio.h>\n#include <string.h>\n#define global\n#define local\n#define private\n#define kernel\ntypedef unsigned char uchar;\ntypedef unsigned short ushort;\n" +
		"typedef unsigned uint;\ntypedef unsigned long ulong;\nstatic long bits(float f) { unsigned u; memcpy(&u, &f, 4); return u; }\n#define FLOATBITS(f) bits(f)\n")
	text.WriteString(pointingHead + g.globals.String() + pointingHelper)
	for k := range 2 {
		fmt.Fprintf(&text, "void k%d(int z) {\n%s", k+1, g.bodies[k].String())
		for i, c := range g.checks {
			if g.in[i] == k+1 {
				fmt.Fprintf(&text, "  printf(\"%%ld\\n\", (long)%s);\n", c)
			}
		}
		text.WriteString("}\n")
	}
	text.WriteString("int main(void) { k1(0); k2(0); return 0; }\n")
	source := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(source, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	program := strings.TrimSuffix(source, ".c")
	if out, err := exec.Command(cc, "-O0", "-fwrapv", "-fsigned-char", "-fno-strict-aliasing", "-w", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text.String())
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// kernels is the program in OpenCL C, with the values that are expected.
func (g *pointing) kernels(values []string) string {
	var text strings.Builder
	text.WriteString("//clmc:launch k1 global=1 local=1 z=0\n//clmc:launch k2 global=1 local=1 z=0\n#define FLOATBITS(f) (long)as_uint(f)\n" + pointingHead + g.globals.String() + pointingHelper)
	for k := range 2 {
		fmt.Fprintf(&text, "kernel void k%d(int z) {\n%s", k+1, g.bodies[k].String())
		for i, c := range g.checks {
			if g.in[i] == k+1 {
				fmt.Fprintf(&text, "  __assert(%s == %sL);\n", c, values[i])
			}
		}
		text.WriteString("}\n")
	}
	return text.String()
}
