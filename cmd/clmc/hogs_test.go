package main

import (
	"fmt"
	"strings"
	"sync"
)

// hog is an input that asks for much more than it is long: time or memory of whatever reads it, analyses it or explores it.
type hog struct {
	name string // of the file, whose end says what it is
	text string
	says string // what clmc explore, or what else it is for, says among other things; "" if that depends on the machine
}

// goHog is a model in Go of declarations and the body of a kernel k, which n work-items execute.
func goHog(name, says string, n int, declarations, body string) hog {
	const text = "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n//clmc:expect verified\n%s\nvar x cl.AtomicInt\n\nfunc k() {\ni := int32(cl.GetGlobalID(0))\n%s\ncl.AtomicStore(&x, i)\n}\n\n" +
		"func main() {\ncl.EnqueueNDRangeKernel(k, cl.NDRange1D(%d, 1))\ncl.Finish()\n}\n"
	return hog{name + ".go", fmt.Sprintf(text, declarations, body, n), says}
}

// clHog is a kernel file whose kernel k two work-items execute.
func clHog(name, says, text string) hog {
	return hog{name + ".cl", "//clmc:expect verified\n//clmc:launch k global=2 local=1\n" + text + "\n", says}
}

// each repeats a format with the numbers from 0 to n-1, of which each verb takes the next one modulo n.
func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "@", fmt.Sprint((i+n-1)%n)).Replace(format))
	}
	return b.String()
}

// nested is n times open, what is inside, and n times shut.
func nested(n int, open, inside, shut string) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(shut, n)
}

// hogs are inputs of all kinds, tens of megabytes of them, which are made once.
var hogs = sync.OnceValue(func() (all []hog) {
	for _, some := range [][]hog{goHogs(), largeGoHogs(), preprocessorHogs(), kernelHogs(), launchHogs(), litmusHogs(), listHogs(), traceHogs(), lateHogs(), tableHogs(), captureHogs()} {
		all = append(all, some...)
	}
	return all
})

// goHogs are models in Go that are refused, or take long to be loaded.
func goHogs() []hog {
	doubling := "func f0(v int32) int32 { return v + 1 }\n"
	types := "type t0 struct{ a, b [2]int32 }\n"
	for i := 1; i < 40; i++ {
		doubling += fmt.Sprintf("func f%d(v int32) int32 { return f%d(v) + f%d(v) }\n", i, i-1, i-1)
	}
	for i := 1; i < 16; i++ {
		types += fmt.Sprintf("type t%d struct{ a, b t%d }\n", i, i-1)
	}
	return []hog{
		goHog("huge", "a is too large: a model has at most", 2, "var a [1<<30]int32", "a[i] = 1"),
		goHog("doubling", "is too large", 2, doubling, "cl.AtomicStore(&x, f39(i))"),
		goHog("nest", "", 2, "", nested(5000, "if i == 0 {\n", "i++", "\n}")),
		goHog("brackets", "", 2, "", "i = "+nested(50_000, "(", "1", ")")),
		goHog("switch", "is too large", 2, "", "switch i {\n"+each(20_000, "case #:\ni = #\n")+"}"),
		goHog("numbers", "", 2, "const c = 1 << 400\nconst d = c*c*c*c*c*c*c*c", "i = int32(d >> 3200)"),
		goHog("copy", "too large to be copied", 2, types+"var t, u t15", "t = u"),
		goHog("generic", "", 2, "type box[A any] struct{ x [2]A }\nfunc g[A any](a A, n int32) {\nif n > 0 {\ng(box[A]{}, n-1)\n}\n}", "g(i, 50)"),
		goHog("choose", "too many values", 2, "", "i = int32(cl.Choose(1 << 20))"),
		goHog("variables", "", 2, "", each(4000, "v# := cl.AtomicLoad(&x) + i\n")+"s := int32(0)\n"+each(4000, "s += v#\n")+"cl.AtomicStore(&x, s)"),
		goHog("globals", "is too large", 2, each(6000, "var g# [3]int32\n"), each(5000, "g#[i] = g@[i+1]\n")),
		{"items.go", strings.Replace(goHog("", "", 100_000, "var a [100_000]int32", "a[i] = i").text, "100000, 1)", "100000, 100)", 1), "work-items are too many"},
		{"letters.go", "package main\n\nfunc main() { " + strings.Repeat("a", 900_000) + "() }\n", ""},
		{"comments.go", "package main\n" + strings.Repeat("/**/", 200_000) + "\nfunc main() {}\n", ""},
	}
}

// largeGoHogs are models in Go whose analysis, or whose states, take long and much.
func largeGoHogs() []hog {
	return []hog{
		goHog("cells", "cells of memory, which take about", 2, "var a [1_000_000]int32", "a[i] = 1"),
		goHog("fewercells", "", 2, "var a [500_000]int32", "for j := int32(0); j < 500_000; j++ {\na[j] = i\n}"),
		goHog("loops", "", 2, "var a [64]int32", each(1500, "for cl.AtomicLoad(&x) < # {\ni++\nif i == # {\nbreak\n}\ncl.AtomicFetchAdd(&x, a[i&63])\n}\n")),
		goHog("long", "", 2, "var a [64]int32", each(2300, "if i > # {\ncl.AtomicStore(&x, i+#)\n} else {\na[(i+#)&63] = cl.AtomicLoad(&x)\n}\n")),
		goHog("observe", "", 2, "", each(5000, "cl.Observe(\"r#\", cl.AtomicLoad(&x))\n")),
		goHog("reach", "", 2, "", each(4000, "if cl.AtomicLoad(&x) == # {\ncl.Reachable(\"r#\")\n}\n")),
		goHog("steps", "", 2, "", "for j := 0; j < 50_000; j++ {\ncl.AtomicFetchAdd(&x, 1)\n}\ncl.Assert(cl.AtomicLoad(&x) != 7, \"seven\")"),
		goHog("private", "", 256, "", "for j := 0; j < 2_000_000_000; j++ {\ni++\n}"),
		goHog("workitems", "", 16_384, "var y [16_384]cl.AtomicInt\nvar a [16_384]int32", "cl.AtomicFetchAdd(&y[i], 1)\ncl.WorkGroupBarrier(cl.CLKGlobalMemFence)\na[i] = cl.AtomicLoad(&y[(i*7)%16_384])"),
		goHog("barriers", "", 64, "var a [64]int32", each(2500, "cl.WorkGroupBarrier(cl.CLKGlobalMemFence)\na[(i+#)&63] = cl.AtomicLoad(&x)\n")),
		{"kernels.go", "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n//clmc:expect verified\nvar x cl.AtomicInt\nvar a [64]int32\n" +
			each(400, "func k#() {\nfor i := int32(0); i < 4; i++ {\ncl.AtomicFetchAdd(&x, i)\na[(i+#)&63] = cl.AtomicLoad(&x)\n}\n}\n") +
			"func main() {\n" + each(400, "cl.EnqueueNDRangeKernel(k#, cl.NDRange1D(2, 1))\n") + "cl.Finish()\n}\n", ""},
		{"threads.go", "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n//clmc:expect verified\nvar x cl.AtomicInt\n" +
			each(60, "func t#() {\ncl.AtomicFetchAdd(&x, #)\ncl.AtomicStore(&x, #)\n}\n") + "func main() {\n" + each(60, "go t#()\n") + "}\n", ""},
	}
}

// preprocessorHogs are kernel files whose text becomes larger.
func preprocessorHogs() []hog {
	doubling, twice, pasting, strung := "#define A0 v+v\n", "#define F0(v) v v\n", "#define P(a,b) a##b\n#define Q0(a,b) P(P(a,b),P(b,a))\n", "#define S0(v) #v\n"
	for i := 1; i < 30; i++ {
		doubling += fmt.Sprintf("#define A%d A%d+A%d\n", i, i-1, i-1)
		twice += fmt.Sprintf("#define F%d(v) F%d(F%d(v))\n", i, i-1, i-1)
		pasting += fmt.Sprintf("#define Q%d(a,b) Q%d(Q0(a,b),Q0(b,a))\n", i, i-1)
		strung += fmt.Sprintf("#define S%d(v) S%d(v v)\n", i, i-1)
	}
	kernel := "kernel void k(global int *p) { p[0] = 1; }"
	return []hog{
		clHog("objectmacros", "tokens in a row", doubling+"kernel void k(global int *p) { int v = p[0]; p[0] = A27; }"),
		clHog("functionmacros", "", twice+"kernel void k(global int *p) { F29(p[0] += 1;) }"),
		clHog("pasting", "", pasting+"kernel void k(global int *p) { int Q19(a,b) = 1; p[0] = 1; }"),
		clHog("strings", "", strung+"kernel void k(global int *p) { printf(S24(a)); p[0] = 1; }"),
		clHog("arguments", "", "#define A(v) B(v, v)\n#define B(v, w) C(v, w, v)\n#define C(v, w, z) v + w + z\nkernel void k(global int *p) { p[0] = "+nested(12, "A(", "1", ")")+"; }"),
		clHog("includeself", "more than 500 files are included", "#include \"includeself.cl\"\n"+kernel),
		clHog("conditions", "nested more than 2048 deep", "#if "+nested(50_000, "(", "1", ")")+"\n#endif\n"+kernel),
		clHog("ifdefs", "nested more than 1024 deep", strings.Repeat("#ifdef A\n", 100_000)+strings.Repeat("#endif\n", 100_000)+kernel),
		clHog("comment", "more than 4194304 bytes", "/*"+strings.Repeat("*", 15_000_000)+"*/"+kernel),
		clHog("token", "", "kernel void k(global int *p) { int "+strings.Repeat("a", 3_000_000)+" = 1; p[0] = 1; }"),
		clHog("constant", "", "constant int c[200000] = {"+each(200_000, "#,")+"};\nkernel void k(global int *p) { p[0] = c[p[1] & 1023]; }"),
	}
}

// kernelHogs are kernel files that are refused, or take long to be checked.
func kernelHogs() []hog {
	structs := "struct s0 { int a[2]; };\n"
	for i := 1; i < 30; i++ {
		structs += fmt.Sprintf("struct s%d { struct s%d a[2]; };\n", i, i-1)
	}
	return []hog{
		clHog("private", "a is too large", "kernel void k(global int *p) { int a[1<<28]; a[p[0]] = 1; p[1] = a[2]; }"),
		clHog("local", "a is too large", "kernel void k(global int *p) { local int a[1<<26]; a[get_local_id(0)] = 1; barrier(1); p[get_global_id(0)] = a[0]; }"),
		clHog("largeprivate", "", "kernel void k(global int *p) { int a[32768]; for (int j = 0; j < 32768; j++) a[j] = j; p[0] = a[p[1] & 32767]; }"),
		clHog("structs", "a is too large", structs+"kernel void k(global struct s29 *p) { p[0] = p[1]; }"),
		clHog("fields", "", "struct s {"+each(50_000, "int a#;")+"};\nkernel void k(global struct s *p) { p[0] = p[1]; }"),
		clHog("statements", "nested more than 2048 deep", "kernel void k(global int *p) { "+nested(20_000, "if (p[0]) {", "p[1] = 1;", "}")+" }"),
		clHog("sum", "tokens in a row", "kernel void k(global int *p) { p[0] = "+strings.TrimSuffix(each(60_000, "p[#]+"), "+")+"; }"),
		clHog("cases", "", "kernel void k(global int *p) { switch (p[0]) {"+each(50_000, "case #: p[1] = #; break;\n")+"} }"),
		clHog("pointers", "tokens in a row", "kernel void k(global int *p) { int "+strings.Repeat("*", 20_000)+"q; p[0] = 1; }"),
		clHog("vectors", "", "kernel void k(global float16 *p) { float16 a = p[0];"+strings.Repeat("a = a*a+a.s0123456789abcdef;", 5000)+" p[1] = a; }"),
		clHog("loops", "", "kernel void k(global int *p) { int i = 0;\n"+each(300, "for (int a# = 0; a# < 3; a#++)\n")+"i++; p[0] = i; }"),
		clHog("enum", "", "enum e {"+each(100_000, "a#,")+"};\nkernel void k(global int *p) { p[0] = a77; }"),
		clHog("types", "", each(30_000, "struct s# { int a, b, c; };\n")+"kernel void k(global struct s5 *p) { p[0].a = 1; }"),
		clHog("functions", "", each(20_000, "void f#(global int *p);\n")+"kernel void k(global int *p) { p[0] = 1; }"),
		clHog("kernels", "", each(3000, "kernel void k#(global int *p, global atomic_int *q) { for (int i = 0; i < 4; i++) { atomic_fetch_add(q, i); p[i] = atomic_load(q) + p[i+#]; } }\n")+"kernel void k(global int *p) { p[0] = 1; }"),
		clHog("parameters", "", "kernel void k("+strings.TrimSuffix(each(5000, "global int *p#,"), ",")+") {"+each(5000, "p#[0] = p@[1];")+"}"),
	}
}

// launchHogs are launches, of kernel files and by simulator files.
func launchHogs() []hog {
	file := func(name, says, lines string) hog {
		return hog{name + ".cl", "//clmc:expect verified\n" + lines + "\nkernel void k(global int *p, int n) { p[get_global_id(0)] += n; }\n", says}
	}
	return []hog{
		file("buffer", "does not describe", "//clmc:launch k global=1 local=1 p=int[2000000000] n=1"),
		file("range", "is not a value", "//clmc:launch k global=1 local=1 n=0..2000000000 p=int[4]"),
		file("choices", "", "//clmc:launch k global=1 local=1 n=1 p=int[30]{"+strings.TrimSuffix(strings.Repeat("0|1|2,", 30), ",")+"}"),
		file("sizes", "is not a global size", "//clmc:launch k global=4000000000,4000000000 local=1 n=1"),
		file("launches", "//clmc: lines, the limit of clmc", strings.Repeat("//clmc:launch k global=2 local=1 p=int[4] n=1\n", 20_000)),
		file("thousand", "", strings.Repeat("//clmc:launch k global=2 local=1 p=int[4] n=1\n", 900)),
		{"size.sim", "launches.cl\nk\n4000000000 1 1\n1 1 1\n<size=8000000000 fill=0>\n4\n", "is not a size"},
		{"arguments.sim", "launches.cl\nk\n4 1 1\n1 1 1\n" + strings.Repeat("<size=16 fill=0>\n", 100_000), ""},
	}
}

// litmusHogs are litmus tests.
func litmusHogs() []hog {
	test := func(name, says, condition string) hog {
		return hog{name + ".litmus", "OpenCL t\n{ [x]=0; }\nP0 (global atomic_int* x) { atomic_store(x, 1); }\n" + condition + "\n", says}
	}
	return []hog{
		{"threads.litmus", "OpenCL t\n{ [x]=0; }\n" + each(60, "P# (global atomic_int* x) {\n  atomic_store_explicit(x, #, memory_order_seq_cst, memory_scope_device);\n"+
			"  int r0 = atomic_load_explicit(x, memory_order_seq_cst, memory_scope_device);\n}\n") + "exists (0:r0=1)\n", ""},
		{"locations.litmus", "OpenCL t\n{ " + each(3000, "[x#]=0; ") + "}\nP0 (" + strings.TrimSuffix(each(3000, "global atomic_int* x#, "), ", ") + ") {\n" + each(3000, "  atomic_store(x#, 1);\n") + "}\nexists (x1=1)\n", "more than 1000 locations"},
		test("brackets", "nested too deeply", "exists "+nested(3000, "(", "x=1", ")")),
		test("not", "nested too deeply", "exists "+strings.Repeat("~", 60_000)+"x=1"),
		test("or", "", "exists ("+strings.Repeat("x=1 \\/ ", 60_000)+"x=2)"),
	}
}

// listHogs are lists of checks.
func listHogs() []hog {
	return []hog{
		{"deep.yaml", "checks: " + nested(20_000, "[", "", "]") + "\n", "nested deeper than 50 levels"},
		{"flow.yaml", "checks: " + nested(20_000, "{a: ", "1", "}") + "\n", "nested deeper than 50 levels"},
		{"aliases.yaml", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\nchecks: *d\n", "unknown key"},
		{"many.yaml", "checks:\n" + each(10_000, "  - {model: \"@kernel_dot\", name: n#}\n"), ""},
		{"constants.yaml", "checks:\n  - model: \"@kernel_dot\"\n    define: {" + strings.TrimSuffix(each(50_000, "n#: 1, "), ", ") + "}\n", ""},
		{"word.yaml", "checks:\n  - model: \"" + strings.Repeat("a", 900_000) + "\"\n", ""},
	}
}

// traceHogs are traces.
func traceHogs() []hog {
	return []hog{
		{"deep.json", nested(500_000, "[", "", "]"), ""},
		{"objects.json", nested(200_000, `{"a":`, "1", "}"), ""},
		{"moves.json", `{"format": 1, "moves": [` + strings.TrimSuffix(strings.Repeat("{},", 1_000_000), ",") + "]}", ""},
	}
}

// lateHogs are launches with inputs that are decided late.
func lateHogs() []hog {
	file := func(name, says, launch, body string) hog {
		return hog{name + ".cl", "//clmc:expect verified\n//clmc:launch k global=2 local=1 " + launch + "\nkernel void k(global int *p, global int *a, int n) { int i = get_global_id(0); " + body + " }\n", says}
	}
	return []hog{
		file("anylength", "does not describe", "p=zero[4] a=any[2000000000] n=1", "p[i] = a[n];"),
		file("anybuffer", "", "p=zero[4] a=any[100000] n=any", "for (int j = 0; j < 1000; j++) p[i] += a[j];"),
		file("anybranches", "", "p=zero[64] a=any[64] n=1", each(40, "if (a[#] > i) p[#] = #; else p[@] = @;\n")),
		file("anyindex", "", "p=zero[100000] a=any[16] n=1", each(16, "p[a[#] & 65535] = i;\n")),
		file("anyterms", "", "p=zero[64] a=any[64] n=any", "int x = n; for (int j = 0; j < 5000; j++) x = x * x + a[j & 63] / (x | 1); if (x == 77) p[0] = i;"),
		file("anyloop", "", "p=zero[64] a=any[2] n=any", "for (int j = 0; j < n; j++) p[0] = j;"),
	}
}

// tableHogs are tables of costs, for clmc optimise.
func tableHogs() []hog {
	return []hog{
		{"deep.cost", nested(20_000, "{a: ", "1", "}") + "\n", "nested deeper than 50 levels"},
		{"aliases.cost", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nload: *c\n", ""},
		{"word.cost", strings.Repeat("a", 900_000), ""},
	}
}

// captureHogs are what an application writes in the place of the layer of clmc capture.
func captureHogs() (all []hog) {
	program := func(text string) string {
		return fmt.Sprintf(`{"t":"process","pid":1,"cwd":"/"}`+"\n"+`{"t":"program","n":1,"made":"source","options":"","text":%q}`+"\n", text)
	}
	const launch = `{"t":"launch","program":1,"kernel":"k","global":[2],"local":[1],"args":[{"size":8,"mem":1,"bytes":64}]}` + "\n"
	for _, h := range preprocessorHogs() {
		if h.name == "pasting.cl" || h.name == "functionmacros.cl" || h.name == "constant.cl" {
			all = append(all, hog{strings.TrimSuffix(h.name, ".cl") + ".log", program(h.text) + strings.Repeat(launch, 8), ""})
		}
	}
	return append(all,
		hog{"many.log", program("kernel void k(global int *p) { p[0] = 1; }") + strings.Repeat(launch, 100_000), ""},
		hog{"lists.log", program("") + strings.Repeat(`{"t":"launch","kernel":"k","global":[1],"args":[`+strings.Repeat("{},", 4000)+"{}]}\n", 1500), ""},
		hog{"list.log", `{"t":"launch","kernel":"k","global":[1],"args":[` + strings.Repeat("{},", 3_000_000) + "{}]}\n", ""},
		hog{"deep.log", nested(5_000_000, "[", "", "]") + "\n", ""},
		hog{"long.log", strings.Repeat("a", 20_000_000), ""},
		hog{"sizes.log", program("kernel void k(global int *p) { p[0] = 1; }") + strings.Repeat(strings.Replace(launch, "[2]", "[9223372036854775807,9223372036854775807,-1]", 1), 20), ""},
	)
}
