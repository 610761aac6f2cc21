package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/models/clc"
)

// What makes kernel files and lists of checks most of which are read to their end, so that what comes behind the parsers is tried, too.

// isKernelFile reports whether a kernel file is read to its end: no word and no type in it is wrong, nor how it is launched.
func isKernelFile(path string, text []byte) bool {
	_, err := clc.OpenKernels(path, text, clc.Options{})
	return err == nil
}

// isList reports whether a list of checks is one.
func isList(path string, text []byte) bool {
	_, err := checks.Parse(path, text)
	return err == nil
}

// exchangeable are words of OpenCL C each of which may stand where another of its group does.
var exchangeable = [][]string{
	{"+", "-", "*", "&", "|", "^"}, {"<", ">", "<=", ">=", "==", "!="}, {"&&", "||"}, {"+=", "-=", "*=", "|=", "&=", "^="}, {"/", "%"}, {"<<", ">>"},
	{"memory_order_relaxed", "memory_order_acquire", "memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst"},
	{"memory_scope_work_group", "memory_scope_device", "memory_scope_all_svm_devices", "memory_scope_sub_group"},
	{"CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"},
	{"get_global_id", "get_local_id", "get_group_id", "get_local_size", "get_num_groups", "get_global_size"},
	{"atomic_fetch_add", "atomic_fetch_sub", "atomic_fetch_or", "atomic_fetch_xor", "atomic_fetch_and", "atomic_fetch_min", "atomic_fetch_max", "atomic_exchange"},
	{"atomic_fetch_add_explicit", "atomic_fetch_sub_explicit", "atomic_fetch_or_explicit", "atomic_fetch_max_explicit", "atomic_exchange_explicit"},
	{"atomic_add", "atomic_sub", "atomic_or", "atomic_xor", "atomic_and", "atomic_min", "atomic_max", "atomic_xchg"},
	{"atomic_inc", "atomic_dec"}, {"int", "uint", "long", "short"}, {"min", "max"},
}

// numbers stand where a number does, most of them small.
var numbers = []string{"0", "1", "2", "3", "4", "7", "8", "16", "63", "255", "65536", "2147483647", "0x80000000u", "4294967295u"}

var number = regexp.MustCompile(`\d+`)

// statementsAdded may stand behind any statement.
var statementsAdded = []string{
	" barrier(CLK_LOCAL_MEM_FENCE);", " barrier(CLK_GLOBAL_MEM_FENCE);", " if (get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE);", " mem_fence(CLK_GLOBAL_MEM_FENCE);",
	" atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);", " if (get_global_id(0) > 1) return;", " while (get_global_id(0) > 100) ;",
	" { int zz[3]; zz[get_local_id(0) % 3] = 1; }", " for (int zz = 0; zz < 3; zz++) { if (zz == 1) continue; }",
}

// careful changes a few words of a kernel file into others that may stand there.
func careful(r *rand.Rand, texts [][]string) string {
	list := slices.Clone(texts[r.IntN(len(texts))])
	for range 1 + r.IntN(3) {
		for range 50 { // until something is there to be changed
			if i := r.IntN(len(list)); carefully(r, list, i) {
				break
			}
		}
	}
	return strings.Join(list, "")
}

// carefully changes a word, if it is one of those for which another is known.
func carefully(r *rand.Rand, list []string, i int) bool {
	w := list[i]
	for _, group := range exchangeable {
		if slices.Contains(group, w) {
			list[i] = group[r.IntN(len(group))]
			return list[i] != w
		}
	}
	switch {
	case strings.HasPrefix(w, "//clmc:launch"):
		list[i] = number.ReplaceAllStringFunc(w, func(n string) string {
			if r.IntN(4) > 0 {
				return n
			}
			return numbers[r.IntN(7)]
		})
	case sort(w) == 2 && !strings.Contains(strings.Join(list[max(i-3, 0):i], ""), "#"):
		list[i] = numbers[r.IntN(len(numbers))]
	case w == ";" && inBody(list, i):
		list[i] += statementsAdded[r.IntN(len(statementsAdded))]
	default:
		return false
	}
	return true
}

// inBody reports whether a semicolon ends a statement in the body of a function, as far as brackets tell.
func inBody(list []string, i int) bool {
	braces, round := 0, 0
	for _, w := range list[:i] {
		switch w {
		case "{":
			braces++
		case "}":
			braces--
		case "(":
			round++
		case ")":
			round--
		}
	}
	return braces == 1 && round == 0
}

// kernelFile is a kernel file by a grammar, with or without a line that launches it.
func (g *grammar) kernelFile() string {
	required := ""
	if !g.odds(3) {
		items := g.of("1", "2", "2", "3", "4")
		g.line("//clmc:launch k global=%s local=%s a=zero[%d] x=zero[2] n=%s l=local[%d]", items, g.of("1", items), 1+g.r.IntN(8), g.of("1", "2", "3", "0..2"), 1+g.r.IntN(4))
	} else {
		required = g.of("", "", "__attribute__((reqd_work_group_size(2, 1, 1))) ")
	}
	if g.odds(3) {
		g.line("//clmc:expect %s", g.of("verified", "CL1001", "violated"))
	}
	g.line("%skernel void k(global int *a, global atomic_int *x, int n, local int *l) {", required)
	g.line("int i = %s, s = 0;", g.clID())
	g.clBlock(2 + g.r.IntN(5))
	g.line("a[i] = s;\n}")
	return g.b.String()
}

func (g *grammar) clID() string {
	return g.of("get_global_id(0)", "get_local_id(0)", "get_group_id(0)", "get_local_id(0) % 2", "get_global_id(0) + get_group_id(0)", "n")
}

func (g *grammar) clValue() string {
	return g.of("0", "1", "n", "i", "s", "a[i]", "a[0]", "l[0]", "i * n", "i ^ 1", "s << 1", "-1", "a[i + 1]", "get_local_size(0)", "(i & 1 ? s : n)", "min(i, n)")
}

func (g *grammar) clOrder() string {
	return g.of("memory_order_relaxed", "memory_order_acquire", "memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst")
}

func (g *grammar) clAtomic() string {
	return g.of("atomic_fetch_add(x, "+g.clValue()+")", "atomic_load_explicit(x, "+g.of("memory_order_relaxed", "memory_order_acquire", "memory_order_seq_cst")+")",
		"atomic_fetch_max_explicit(x + 1, "+g.clValue()+", "+g.clOrder()+")", "atomic_exchange(&x[i & 1], 1)", "atomic_inc(a)", "atomic_cmpxchg(&a[i], 0, "+g.clValue()+")",
		"work_group_reduce_add(i)", "atomic_fetch_sub_explicit(x, 1, "+g.clOrder()+", "+g.of("memory_scope_work_group", "memory_scope_device")+")")
}

func (g *grammar) clBlock(n int) {
	g.depth++
	for range n {
		g.clStatement()
	}
	g.depth--
}

func (g *grammar) clStatement() {
	nested := func(head string) {
		g.line("%s {", head)
		g.clBlock(1 + g.r.IntN(2))
		g.line("}")
	}
	switch k := g.r.IntN(13); {
	case k <= 1:
		g.line("%s = %s;", g.of("a[i]", "a[i + n]", "l[i]", "l[get_local_id(0)]", "a[i * 2]", "s"), g.clValue())
	case k == 2:
		g.line("s += %s;", g.clValue())
	case k <= 4:
		g.line("s = %s;", g.clAtomic())
	case k == 5:
		g.line("barrier(%s);", g.of("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"))
	case k == 6:
		g.line("atomic_store_explicit(x, %s, %s);", g.clValue(), g.of("memory_order_relaxed", "memory_order_release", "memory_order_seq_cst"))
	case k <= 8 && g.depth < 4:
		nested(fmt.Sprintf("if (%s %s %s)", g.clValue(), g.of("==", "<", "!=", ">="), g.clValue()))
	case k == 9 && g.depth < 4:
		g.names++
		j := fmt.Sprintf("j%d", g.names)
		nested("for (int " + j + " = " + g.of("0", "i", "get_local_size(0) / 2") + "; " + j + g.of(" < n", " < 3", " > 0", " < a[0]") + "; " + j + g.of("++", " >>= 1", " += 2") + ")")
	case k == 10:
		g.line("while (%s == %s) ;", g.of("atomic_load(x)", "atomic_exchange(x, 1)", "a[0]"), g.of("0", "1", "5"))
	case k == 11:
		g.line("assert(%s %s %s);", g.clValue(), g.of("==", "<", "!=", ">="), g.clValue())
	default:
		g.line("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, %s, memory_scope_device);", g.clOrder())
	}
}

// list is a list of checks by a grammar.
func (g *grammar) list() string {
	for _, top := range []string{"budget: " + g.of("300ms", "1s"), "keep: 720h", "store: list.store", "defaults: {" + g.keys(2) + "}"} {
		if g.odds(2) {
			g.line("%s", top)
		}
	}
	g.line("checks:")
	for range 1 + g.r.IntN(3) {
		g.line("  - {model: %s%s, %s}", g.of(`"@kernel_dot"`, `"@mp_relaxed"`, `"@sb_relaxed"`, "model.go", "kernel.cl", "sound.cl", "."), g.of("", "", fmt.Sprintf(", name: n%d", g.r.IntN(3))), g.keys(1+g.r.IntN(4)))
	}
	return g.b.String()
}

// keys are some keys of a check, each once, with values; one in 25 is odd.
func (g *grammar) keys(n int) string {
	all := map[string][]string{
		"spec": {`"3.0"`, `"2.0"`, "popl16", `"3.1"`}, "por": {"none", "sleep", "dpor"}, "promises": {"0", "1", "auto"}, "promises-time": {"10x", "1s", "unlimited"},
		"legacy-atomics": {"device", "work_group"}, "define": {"{n: 2}", "{N: 4, M: 1}", "{}"}, "global": {`"4"`, `"8,2"`}, "local": {`"2"`, `"4,1"`}, "args": {`[n=8]`, `["in=int[4]{1..4}"]`, "[]"},
		"kernel": {"sum", "k"}, "cl-std": {"CL2.0", "CL3.0"}, "keep-values": {"true", "false"}, "unwritten": {"any", "local-any"}, "undefined": {"any"}, "all": {"true", "false"},
		"exact": {"true", "false"}, "max-states": {"100", "1", "100000"}, "time-limit": {"100ms", "1s"}, "cpu-limit": {"50ms"}, "expect": {"verified", "[CL1001]", "violated CL1003", "verified all-data"},
		"liveness": {"all", "gpu", "fair", "opencl", `"device=obe,group=fair"`}, "known": {`["CL1001 model.go:3 it is known"]`, "[]"},
	}
	var names []string
	for k := range all {
		names = append(names, k)
	}
	slices.Sort(names)
	g.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var parts []string
	for _, k := range names[:n] {
		v := g.of(all[k]...)
		if g.odds(25) {
			v = odd[g.r.IntN(len(odd))]
		}
		parts = append(parts, k+": "+v)
	}
	return strings.Join(parts, ", ")
}
