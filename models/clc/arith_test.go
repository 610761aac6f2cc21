//go:build ccompiler

package clc_test

import (
	"context"
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
	arithSeeds = flag.Int("arith-seeds", 20, "programs of random expressions to compare with those of a C compiler")
	arithSeed  = flag.Uint64("arith-seed", 1, "the first seed of the random expressions")
)

// TestArithmetic computes random expressions in OpenCL C and, as the specification defines them, in C.
func TestArithmetic(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		if cc, err = exec.LookPath("clang"); err != nil {
			t.Skip("there is no gcc and no clang to compare with")
		}
	}
	for n := range uint64(*arithSeeds) {
		g := newArithmetic(*arithSeed + n)
		results := compute(t, cc, g)
		var body strings.Builder
		for i, e := range g.list {
			fmt.Fprintf(&body, "  { %s r = %s; __assert(%s == %sUL); }\n", e.typ, e.cl, bitsOf(e.typ), results[i])
		}
		text := "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + g.launch() + "\n" + g.kernelHead() + body.String() + "}\n"
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil {
			t.Fatalf("-arith-seed %d: %v", *arithSeed+n, err)
		}
		r := explore.Run(context.Background(), p, explore.Options{All: true})
		if r.Verdict == explore.Verified {
			continue
		}
		lines := strings.Split(text, "\n")
		for _, v := range r.Violations {
			var line, col int
			_, _ = fmt.Sscanf(strings.TrimPrefix(v.Line, "k.cl:"), "%d:%d", &line, &col)
			t.Errorf("-arith-seed %d: %s %s\n%s\n%s", *arithSeed+n, v.Kind.ID(), v.Line, lines[max(line-1, 0)], g.launch())
		}
		if len(r.Violations) == 0 {
			t.Errorf("-arith-seed %d: %v", *arithSeed+n, r.Verdict)
		}
	}
}

// compute has the C compiler's program print the bits of all results.
func compute(t *testing.T, cc string, g *arithmetic) []string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "a.c"), filepath.Join(dir, "a")
	if err := os.WriteFile(source, []byte(g.c()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-O0", "-fwrapv", "-ffp-contract=off", "-fexcess-precision=16", "-w", "-o", program, source, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, g.c())
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	results := strings.Fields(string(out))
	if len(results) != len(g.list) {
		t.Fatalf("%d results of %d expressions", len(results), len(g.list))
	}
	return results
}

// number is a type: its name in OpenCL C and in C, and its bits.
type number struct {
	name, c string
	bits    int
	signed  bool
	float   bool
}

var numbers = []number{{"char", "signed char", 8, true, false}, {"uchar", "unsigned char", 8, false, false}, {"short", "short", 16, true, false},
	{"ushort", "unsigned short", 16, false, false}, {"int", "int", 32, true, false}, {"uint", "unsigned", 32, false, false},
	{"long", "long", 64, true, false}, {"ulong", "unsigned long", 64, false, false},
	{"half", "_Float16", 16, true, true}, {"float", "float", 32, true, true}, {"double", "double", 64, true, true}}

// expression is an expression in both languages; its type is that in OpenCL C.
type expression struct{ typ, cl, c string }

// arithmetic is random expressions over some inputs of all types.
type arithmetic struct {
	r      *rand.Rand
	inputs [][]string // by type
	list   []expression
}

const arithInputs = 6

func newArithmetic(seed uint64) *arithmetic {
	g := &arithmetic{r: rand.New(rand.NewPCG(seed, 3))}
	for i := range numbers {
		var list []string
		for range arithInputs {
			list = append(list, g.input(&numbers[i]))
		}
		g.inputs = append(g.inputs, list)
	}
	for range 25 {
		g.list = append(g.list, g.result(g.scalar(3)), g.vector(), g.integerFunction(), g.conversion(), g.floatFunction())
	}
	return g
}

func (g *arithmetic) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *arithmetic) input(t *number) string {
	switch {
	case t.float:
		return g.pick("0", "1", "-1.5", "2.5", "0.1", "-7.75", "100.5", "-300", "1e4", "3.3e-3", fmt.Sprint(g.r.IntN(2000)-1000), fmt.Sprintf("%.3f", g.r.NormFloat64()*50))
	case t.signed:
		v := int64(g.r.Uint64()) >> (64 - t.bits)
		return g.pick(fmt.Sprint(v), fmt.Sprint(v), fmt.Sprint(v>>(g.r.IntN(t.bits))), "0", "-1", "1", fmt.Sprint(int64(1)<<(t.bits-1)-1), fmt.Sprint(-int64(1)<<(t.bits-2)))
	}
	v := g.r.Uint64() >> (64 - t.bits)
	return g.pick(fmt.Sprint(v), fmt.Sprint(v), fmt.Sprint(v>>(g.r.IntN(t.bits))), "0", "1", fmt.Sprint(^uint64(0)>>(64-t.bits)), fmt.Sprint(uint64(1)<<(t.bits-1)))
}

func (g *arithmetic) launch() string {
	line := "//clmc:launch k global=1 local=1"
	for i, t := range numbers {
		line += fmt.Sprintf(" %s_=%s[%d]{%s}", t.name, t.name, arithInputs, strings.Join(g.inputs[i], ","))
	}
	return line
}

func (g *arithmetic) kernelHead() string {
	var list []string
	for _, t := range numbers {
		list = append(list, fmt.Sprintf("global const %s *%s_", t.name, t.name))
	}
	return "kernel void k(" + strings.Join(list, ", ") + ") {\n"
}

// leaf is an input. Floating-point numbers in C are those that the OpenCL side rounds to.
func (g *arithmetic) leaf(t *number) expression {
	s := fmt.Sprintf("%s_[%d]", t.name, g.r.IntN(arithInputs))
	return expression{t.name, s, s}
}

func (g *arithmetic) any(floats bool) *number {
	if floats {
		return &numbers[g.r.IntN(len(numbers))]
	}
	return &numbers[g.r.IntN(8)]
}

// scalar is an expression of whatever type C's rules give it: both languages have the same ones.
func (g *arithmetic) scalar(depth int) expression {
	if depth == 0 || g.r.IntN(5) == 0 {
		return g.leaf(g.any(g.r.IntN(3) == 0))
	}
	a := g.scalar(depth - 1)
	both := func(format string, list ...expression) expression {
		var cl, c []any
		for _, e := range list {
			cl, c = append(cl, e.cl), append(c, e.c)
		}
		return expression{"", fmt.Sprintf(format, cl...), fmt.Sprintf(format, c...)}
	}
	i, j := g.integer(depth-1), g.integer(depth-1)
	switch g.r.IntN(9) {
	case 0, 1:
		return both("(%s "+g.pick("+", "-", "*")+" %s)", a, g.scalar(depth-1))
	case 2:
		return both("(%s "+g.pick("&", "|", "^")+" %s)", i, j)
	case 3: // OpenCL C counts modulo the width
		op := g.pick("<<", ">>")
		return expression{"", fmt.Sprintf("(%s %s %s)", i.cl, op, j.cl), fmt.Sprintf("(%s %s (%s & (8 * sizeof(+(%s)) - 1)))", i.c, op, j.c, i.c)}
	case 4:
		return both("(%s "+g.pick("/", "%%")+" ((%s & 7) "+g.pick("+ 1", "- 9")+"))", i, j)
	case 5:
		return both("(%s "+g.pick("<", "<=", "==", "!=", ">", ">=")+" %s)", a, g.scalar(depth-1))
	case 6:
		return both("(%s ? %s : %s)", i, a, g.scalar(depth-1))
	case 7:
		t := g.any(false)
		return expression{"", fmt.Sprintf("((%s)%s)", t.name, i.cl), fmt.Sprintf("((%s)%s)", t.c, i.c)}
	}
	return both("(%s%s)", expression{"", g.pick("-", "+", "!"), ""}.same(), a)
}

func (e expression) same() expression { return expression{"", e.cl, e.cl} }

// integer is an expression of integer type.
func (g *arithmetic) integer(depth int) expression {
	a, b := g.leaf(g.any(false)), g.leaf(g.any(false))
	if depth <= 0 {
		return a
	}
	op := g.pick("+", "-", "*", "^")
	return expression{"", fmt.Sprintf("(%s %s %s)", a.cl, op, b.cl), fmt.Sprintf("(%s %s %s)", a.c, op, b.c)}
}

// result is the value as a double where it may be a floating-point number, or as a long.
func (g *arithmetic) result(e expression) expression {
	return expression{"double", "(double)" + e.cl, "(double)" + e.c}
}

// vector is an operation on vectors of one type, which are not promoted, of which one lane is looked at.
func (g *arithmetic) vector() expression {
	t := g.any(true)
	n := []int{2, 3, 4, 8, 16}[g.r.IntN(5)]
	a, b := g.leaf(t), g.leaf(t)
	op := g.pick("+", "-", "*", "&", "^", "<<", ">>", "<", "==", "~")
	if t.float {
		op = g.pick("+", "-", "*", "<", "==")
	}
	vec := func(s string) string { return fmt.Sprintf("(%s%d)(%s)", t.name, n, s) }
	lane := fmt.Sprintf(".s%x", g.r.IntN(n))
	switch op {
	case "<", "==":
		to := map[int]string{8: "char", 16: "short", 32: "int", 64: "long"}[t.bits]
		return expression{to, fmt.Sprintf("(%s %s %s)%s", vec(a.cl), op, vec(b.cl), lane), fmt.Sprintf("-(%s %s %s)", a.c, op, b.c)}
	case "~":
		return expression{t.name, fmt.Sprintf("(~%s)%s", vec(a.cl), lane), fmt.Sprintf("(%s)~%s", t.c, a.c)}
	case "<<", ">>":
		return expression{t.name, fmt.Sprintf("(%s %s %s)%s", vec(a.cl), op, vec(b.cl), lane), fmt.Sprintf("(%s)(%s %s (%s & %d))", t.c, a.c, op, b.c, t.bits-1)}
	}
	return expression{t.name, fmt.Sprintf("(%s %s %s)%s", vec(a.cl), op, vec(b.cl), lane), fmt.Sprintf("(%s)(%s %s %s)", t.c, a.c, op, b.c)}
}

// integerFunction calls a built-in function of integers. In C they are written as the specification defines them, in 128 bits.
func (g *arithmetic) integerFunction() expression {
	t := g.any(false)
	a, b, c := g.leaf(t), g.leaf(t), g.leaf(t)
	wide := func(e expression) string { return "(__int128)" + e.c }
	sat := func(x string) string {
		least, most := "0", fmt.Sprintf("(((__int128)1 << %d) - 1)", t.bits)
		if t.signed {
			least, most = fmt.Sprintf("(-((__int128)1 << %d))", t.bits-1), fmt.Sprintf("(((__int128)1 << %d) - 1)", t.bits-1)
		}
		return fmt.Sprintf("between(%s, %s, %s)", x, least, most)
	}
	unsigned := map[int]string{8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long"}[t.bits]
	of := func(name string, c string, args ...expression) expression {
		var list []string
		for _, a := range args {
			list = append(list, a.cl)
		}
		return expression{t.name, name + "(" + strings.Join(list, ", ") + ")", "(" + t.c + ")(" + c + ")"}
	}
	switch g.r.IntN(17) {
	case 0:
		return of("hadd", fmt.Sprintf("(%s + %s) >> 1", wide(a), wide(b)), a, b)
	case 1:
		return of("rhadd", fmt.Sprintf("(%s + %s + 1) >> 1", wide(a), wide(b)), a, b)
	case 2:
		return of("add_sat", sat(wide(a)+" + "+wide(b)), a, b)
	case 3:
		return of("sub_sat", sat(wide(a)+" - "+wide(b)), a, b)
	case 4:
		e := of("abs_diff", fmt.Sprintf("%s > %s ? %s - %s : %s - %s", a.c, b.c, wide(a), wide(b), wide(b), wide(a)), a, b)
		return asUnsigned(e, t)
	case 5:
		return asUnsigned(of("abs", fmt.Sprintf("%s < 0 ? -%s : %s", wide(a), wide(a), wide(a)), a), t)
	case 6:
		product := fmt.Sprintf("%s * %s", wide(a), wide(b))
		if !t.signed {
			product = fmt.Sprintf("(unsigned __int128)%s * %s", a.c, b.c)
		}
		return of("mul_hi", fmt.Sprintf("(%s) >> %d", product, t.bits), a, b)
	case 7:
		return of("clz", fmt.Sprintf("count((%s)%s, %d, 0)", unsigned, a.c, t.bits), a)
	case 8:
		return of("popcount", fmt.Sprintf("count((%s)%s, %d, 1)", unsigned, a.c, t.bits), a)
	case 9:
		return of("ctz", fmt.Sprintf("count((%s)%s, %d, 2)", unsigned, a.c, t.bits), a)
	case 10:
		u, n := "(("+unsigned+")"+a.c+")", fmt.Sprintf("(%s & %d)", b.c, t.bits-1)
		return of("rotate", fmt.Sprintf("((unsigned __int128)%s << %s) | ((unsigned __int128)%s >> (%d - %s))", u, n, u, t.bits, n), a, b)
	case 11:
		return of("max", fmt.Sprintf("%s > %s ? %s : %s", a.c, b.c, a.c, b.c), a, b)
	case 12:
		return of("min", fmt.Sprintf("%s < %s ? %s : %s", a.c, b.c, a.c, b.c), a, b)
	case 13:
		product := fmt.Sprintf("%s * %s", wide(a), wide(b))
		if !t.signed {
			return of("mad_hi", fmt.Sprintf("(((unsigned __int128)%s * %s) >> %d) + %s", a.c, b.c, t.bits, c.c), a, b, c)
		}
		return of("mad_hi", fmt.Sprintf("((%s) >> %d) + %s", product, t.bits, wide(c)), a, b, c)
	case 14:
		if t.bits < 64 { // the product of three does not fit 128 bits for 64
			return of("mad_sat", sat(wide(a)+" * "+wide(b)+" + "+wide(c)), a, b, c)
		}
		return of("clamp", fmt.Sprintf("between(%s, 0, 9)", wide(a)), a, expression{"", "(" + t.name + ")0", ""}, expression{"", "(" + t.name + ")9", ""})
	case 15:
		if t.bits == 64 {
			t = &numbers[4]
			a = g.leaf(t)
		}
		low := g.leaf(&numbers[map[int]int{8: 1, 16: 3, 32: 5}[t.bits]])
		to := numbers[0]
		for _, n := range numbers[:8] {
			if n.bits == 2*t.bits && n.signed == t.signed {
				to = n
			}
		}
		return expression{to.name, fmt.Sprintf("upsample(%s, %s)", a.cl, low.cl), fmt.Sprintf("(%s)((%s << %d) | %s)", to.c, wide(a), t.bits, low.c)}
	}
	t = &numbers[4+g.r.IntN(2)] // of 24 bits
	a, b, c = g.leaf(t), g.leaf(t), g.leaf(t)
	cut := func(e expression) expression {
		if t.signed {
			return expression{"", "(" + e.cl + " >> 8)", "(" + e.c + " >> 8)"}
		}
		return expression{"", "(" + e.cl + " & 0xffffff)", "(" + e.c + " & 0xffffff)"}
	}
	a, b = cut(a), cut(b)
	return expression{t.name, fmt.Sprintf("mad24(%s, %s, %s)", a.cl, b.cl, c.cl), fmt.Sprintf("(%s)(%s * %s + %s)", t.c, a.c, b.c, c.c)}
}

func asUnsigned(e expression, t *number) expression {
	if t.signed {
		e.typ, e.c = "u"+t.name, "(unsigned "+strings.TrimPrefix(t.c, "signed ")+")"+e.c
	}
	return e
}

// conversion converts a number, rounding and saturating.
func (g *arithmetic) conversion() expression {
	from, to := g.any(true), g.any(true)
	a := g.leaf(from)
	switch {
	case from.float && !to.float:
		mode := g.r.IntN(5)
		name := []string{"", "_rte", "_rtz", "_rtp", "_rtn"}[mode]
		return expression{to.name, fmt.Sprintf("convert_%s_sat%s(%s)", to.name, name, a.cl),
			fmt.Sprintf("(%s)fromFloat(%s, %d, %d, %d)", to.c, a.c, mode, to.bits, b2i(to.signed))}
	case !from.float && !to.float && g.r.IntN(2) == 0:
		least, most := "0", fmt.Sprintf("(((__int128)1 << %d) - 1)", to.bits)
		if to.signed {
			least, most = fmt.Sprintf("(-((__int128)1 << %d))", to.bits-1), fmt.Sprintf("(((__int128)1 << %d) - 1)", to.bits-1)
		}
		return expression{to.name, fmt.Sprintf("convert_%s_sat(%s)", to.name, a.cl), fmt.Sprintf("(%s)between(%s, %s, %s)", to.c, a.c, least, most)}
	case from.bits > 16 && to.float && to.bits > 16 && g.r.IntN(2) == 0:
		mode := 1 + g.r.IntN(4)
		name := []string{"", "_rte", "_rtz", "_rtp", "_rtn"}[mode]
		return expression{to.name, fmt.Sprintf("convert_%s%s(%s)", to.name, name, a.cl), fmt.Sprintf("({ fesetround(modes[%d]); volatile %s x_ = %s; volatile %s r_ = x_; fesetround(FE_TONEAREST); r_; })", mode, from.c, a.c, to.c)}
	}
	return expression{to.name, fmt.Sprintf("convert_%s(%s)", to.name, a.cl), fmt.Sprintf("(%s)%s", to.c, a.c)}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// floatFunction calls a function whose result the specification rounds correctly.
func (g *arithmetic) floatFunction() expression {
	t := &numbers[9+g.r.IntN(2)]
	a, b, c := g.leaf(t), g.leaf(t), g.leaf(t)
	f := ""
	if t.bits == 32 {
		f = "f"
	}
	switch name := g.pick("floor", "ceil", "trunc", "rint", "round", "fabs", "sqrt", "fmin", "fmax", "copysign", "nextafter", "fmod", "remainder", "fdim", "ldexp", "fma", "/"); name {
	case "fmin", "fmax", "copysign", "nextafter", "fmod", "remainder", "fdim":
		return expression{t.name, fmt.Sprintf("%s(%s, %s)", name, a.cl, b.cl), fmt.Sprintf("%s%s(%s, %s)", name, f, a.c, b.c)}
	case "ldexp":
		n := g.leaf(&numbers[0])
		return expression{t.name, fmt.Sprintf("ldexp(%s, (int)%s)", a.cl, n.cl), fmt.Sprintf("ldexp%s(%s, %s)", f, a.c, n.c)}
	case "fma": // of doubles it is not fused: docs/opencl-c.md
		a, b, c = g.leaf(&numbers[9]), g.leaf(&numbers[9]), g.leaf(&numbers[9])
		t, f = &numbers[9], "f"
		return expression{t.name, fmt.Sprintf("fma(%s, %s, %s)", a.cl, b.cl, c.cl), fmt.Sprintf("fma%s(%s, %s, %s)", f, a.c, b.c, c.c)}
	case "/":
		return expression{t.name, fmt.Sprintf("(%s / %s)", a.cl, b.cl), fmt.Sprintf("(%s / %s)", a.c, b.c)}
	default:
		return expression{t.name, fmt.Sprintf("%s(%s)", name, a.cl), fmt.Sprintf("%s%s(%s)", name, f, a.c)}
	}
}

// bitsOf compares values as bits, of which those of what is not a number are not specified.
func bitsOf(t string) string {
	switch t {
	case "half":
		return "(isnan(r) ? 1UL : (ulong)as_ushort(r))"
	case "float":
		return "(isnan(r) ? 1UL : (ulong)as_uint(r))"
	case "double":
		return "(isnan(r) ? 1UL : as_ulong(r))"
	}
	return "(ulong)r"
}

// c is the program in C.
func (g *arithmetic) c() string {
	var b strings.Builder
	b.WriteString(`#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
typedef __int128 wide;
static int modes[] = {0, FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
static wide between(wide x, wide least, wide most) { return x < least ? least : x > most ? most : x; }
static int count(unsigned long x, int bits, int what) {
  int leading = 0, ones = 0, trailing = 0;
  for (int i = bits - 1; i >= 0 && !(x >> i & 1); i--) leading++;
  for (int i = 0; i < bits; i++) ones += x >> i & 1;
  for (int i = 0; i < bits && !(x >> i & 1); i++) trailing++;
  return what == 0 ? leading : what == 1 ? ones : trailing;
}
static wide fromFloat(double x, int mode, int bits, int isSigned) {
  x = mode == 1 ? rint(x) : mode == 3 ? ceil(x) : mode == 4 ? floor(x) : trunc(x);
  return between((wide)x, isSigned ? -((wide)1 << (bits - 1)) : 0, ((wide)1 << (bits - isSigned)) - 1);
}
#define SHOW(type, bits, x) { type r = x; bits u; memcpy(&u, &r, sizeof u); printf("%lu\n", r != r ? 1UL : (unsigned long)u); }
#define SHOWI(type, x) { type r = x; printf("%lu\n", (unsigned long)r); }
`)
	for i, t := range numbers {
		list := strings.Join(g.inputs[i], "LL, ") + "LL"
		if t.float {
			list = strings.Join(g.inputs[i], ", ")
		} else if !t.signed {
			list = strings.ReplaceAll(list, "LL", "ULL")
		}
		fmt.Fprintf(&b, "static const %s %s_[] = {%s};\n", t.c, t.name, list)
	}
	b.WriteString("int main(void) {\n")
	for _, e := range g.list {
		t := number{}
		for _, n := range numbers {
			if n.name == e.typ {
				t = n
			}
		}
		if t.float {
			fmt.Fprintf(&b, "  SHOW(%s, %s, %s)\n", t.c, map[int]string{16: "unsigned short", 32: "unsigned", 64: "unsigned long"}[t.bits], "("+e.c+")")
		} else {
			fmt.Fprintf(&b, "  SHOWI(%s, %s)\n", t.c, "("+e.c+")")
		}
	}
	b.WriteString("}\n")
	return b.String()
}
