package clc_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// kernel is a random kernel, and the values that it is launched with.
type kernel struct {
	r      *rand.Rand
	body   string
	values map[string]string // by argument
	assert bool
	depth  int
}

// randomKernel makes a kernel of a few statements over buffers, local and private memory and scalars. Most values reach
// nothing that decides.
func randomKernel(seed uint64) *kernel {
	k := &kernel{r: rand.New(rand.NewPCG(seed, 2)), values: map[string]string{}}
	k.assert = k.chance(8)
	k.values["a"], k.values["b"], k.values["f"], k.values["s"] = k.contents("int"), k.contents("int"), k.contents("float"), k.contents("S")
	for _, name := range []string{"n", "alpha", "x"} {
		k.values[name] = fmt.Sprint(k.r.IntN(5))
	}
	k.body = k.statements(2+k.r.IntN(7), "  ")
	return k
}

func (k *kernel) chance(n int) bool { return k.r.IntN(n) == 0 }

func (k *kernel) pick(list ...string) string { return list[k.r.IntN(len(list))] }

func (k *kernel) contents(elem string) string {
	var list []string
	for range 8 {
		list = append(list, fmt.Sprint(k.r.IntN(6)-1))
	}
	n := 4
	if elem == "S" {
		return "{" + strings.Join(list, ",") + "}"
	}
	return fmt.Sprintf("%s[%d]{%s}", elem, n, strings.Join(list[:n], ","))
}

// change gives other values to arguments: those of buffers or scalars.
func (k *kernel) change(names []string) {
	for _, name := range names {
		switch name {
		case "a", "b":
			k.values[name] = k.contents("int")
		case "f":
			k.values[name] = k.contents("float")
		case "s":
			k.values[name] = k.contents("S")
		case "n", "alpha", "x":
			k.values[name] = fmt.Sprint(k.r.IntN(60) - 20)
		}
	}
}

func (k *kernel) launch() string {
	line := "//clmc:launch k global=4 local=2 out=zero[4] c=zero[2]"
	var names []string
	for name := range k.values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line += " " + name + "=" + k.values[name]
	}
	if k.assert {
		line += "\n//clmc:assert out[0] >= 0"
	}
	return line
}

func (k *kernel) text() string {
	return k.launch() + `
typedef struct { int i; float f; } S;
int twice(int v) { return v + v; }
int at(const int *p, int i) { return p[i & 1]; }
__kernel void k(__global int *a, __global int *b, __global float *f, __global S *s, __global int *out, __global int *c, int n, int alpha, float x) {
  __local int t[2];
  int g = get_global_id(0), l = get_local_id(0), v = 0, w = alpha, none;
  int p[2] = {1, n}, q[2];
  float y = x;
  int4 z = (int4)(alpha, 2, 3, 4);
  S r;
` + k.body + "}\n"
}

func (k *kernel) statements(n int, indent string) string {
	var out strings.Builder
	for range n {
		out.WriteString(indent + k.statement(indent) + "\n")
	}
	return out.String()
}

func (k *kernel) statement(indent string) string {
	inner := func() string { return "{\n" + k.statements(1+k.r.IntN(2), indent+"  ") + indent + "}" }
	choice := k.r.IntN(26)
	if k.depth++; k.depth > 3 {
		choice = k.r.IntN(16)
	}
	defer func() { k.depth-- }()
	switch choice {
	case 0, 1, 2:
		return k.pick("v", "w") + k.pick(" = ", " += ", " ^= ") + k.expr(2) + ";"
	case 3, 4, 5:
		return "out[" + k.index() + "] = " + k.expr(2) + ";"
	case 6:
		return k.pick("a", "b") + "[" + k.index() + "] = " + k.expr(2) + ";"
	case 7:
		return "f[" + k.index() + "] = " + k.float(2) + ";"
	case 8:
		return "t[" + k.pick("l", "l", "1 - l") + "] = " + k.expr(1) + ";"
	case 9:
		return "p[" + k.pick("0", "1", "l", "v & 1") + "] = " + k.expr(1) + ";"
	case 10:
		return "y = " + k.float(2) + ";"
	case 11:
		return k.pick("r.i = "+k.expr(1)+";", "r.f = "+k.float(1)+";", "s[g] = r;", "r = s[g];", "s[g].f = "+k.float(1)+";", "r = s[g]; s[g] = r;")
	case 12:
		return k.pick("z.x = ", "z.yw = ", "z = ") + k.pick("alpha", "v", "a[g]") + ";"
	case 13:
		return "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
	case 14:
		return k.pick("q[0] = "+k.expr(1)+";", "if (l) q[1] = w;", "none = "+k.expr(1)+";")
	case 15:
		return k.pick("{ int *e = v ? p : q; *e = "+k.expr(1)+"; }", "{ int *e = &w; *e += "+k.expr(1)+"; }", "{ __global int *e = l ? a : b; e[g] = w; }",
			"{ int *e = l ? (int *)b : p; e[1] = "+k.expr(1)+"; }")
	case 16:
		return k.pick("atomic_add(&c[0], "+k.expr(1)+");", "atomic_inc(&c[1]);", "v = atomic_inc(&c[0]);")
	case 17:
		return "if (" + k.condition() + ") " + inner()
	case 18:
		return "for (int i = 0; i < " + k.pick("2", "2", "(n & 1) + 1") + "; i++) " + inner()
	case 19:
		return "for (int i = 0; i < 2; i++) w = w * 3 + a[(g + i) & 3];"
	case 20:
		return k.pick("{ event_t e = async_work_group_copy(t, a, 2, 0); wait_group_events(1, &e); }", "v = work_group_reduce_add("+k.expr(1)+");", "w = work_group_broadcast(w, 0);")
	case 21:
		return k.pick("w = v / (alpha + 1);", "w = b[g] % 3;", "v = twice(w);", "__assert(v != 3);", "__assert(alpha < 9);")
	case 22:
		return k.pick("vstore2((int2)(w, v), l, out);", "z.xy = vload2(l, a);", "out[g] = z.y;", "vstore2(vload2(l, b), l, out);")
	case 23:
		return "{ __global char *e = (__global char *)b; e[g] = " + k.pick("alpha", "1", "e[g]") + "; }"
	case 24:
		return "switch (" + k.pick("n", "l", "alpha & 1") + ") { case 0: " + k.pick("w = 1;", "out[g] = w;") + " break; default: v = 2; }"
	}
	return "while (v < 2) { v++; w += " + k.expr(1) + "; }"
}

// index is nearly always one that is there.
func (k *kernel) index() string {
	if k.chance(12) {
		return k.pick("a[g] & 3", "n", "alpha & 3", "v", "(int)y & 1")
	}
	return k.pick("g", "g", "g", "g", "g", "3 - g", "l", "g ^ 1")
}

func (k *kernel) condition() string {
	if k.chance(3) {
		return k.expr(1) + k.pick(" > ", " == ", " != ") + k.pick("0", "2", "w", "v")
	}
	return k.pick("l", "g == 0", "g < 2", "n > 1", "l == 1")
}

func (k *kernel) expr(depth int) string {
	if depth > 0 && k.chance(2) {
		a, b := k.expr(depth-1), k.expr(depth-1)
		return k.pick("("+a+" + "+b+")", "("+a+" * "+b+")", "("+a+" - "+b+")", "max("+a+", "+b+")", "("+a+" ^ "+b+")", "twice("+a+")",
			"(int)("+k.float(1)+")", "as_int("+k.float(1)+")", "mad24("+a+", "+b+", 1)")
	}
	return k.pick("1", "l", "g", "v", "w", "alpha", "n", "a[g]", "b[g]", "a[0]", "out[g]", "t[l]", "t[1 - l]", "p[l]", "p[1]", "z.x", "z.w",
		"w", "w", "alpha", "a[g]", "b[g]", "at(p, l)", "r.i", "s[g].i", "q[0]", "none")
}

func (k *kernel) float(depth int) string {
	if depth > 0 && k.chance(2) {
		a, b := k.float(depth-1), k.float(depth-1)
		return k.pick("("+a+" + "+b+")", "("+a+" * "+b+")", "sin("+a+")", "fmax("+a+", "+b+")", "select("+a+", "+b+", isless("+a+", "+b+"))", "(float)("+k.expr(1)+")")
	}
	return k.pick("1.5f", "x", "y", "f[g]", "f[g]", "s[g].f", "x", "r.f")
}
