package proofs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kernelText draws kernels: ids, sizes and scalars in affine and other indices, loops whose counters have a form and some
// whose have none, barriers with either flag under conditions that are uniform or not, atomic operations of several scopes, values that come out of memory,
// memory that is seen at two types, a variable that may not have been set, asynchronous copies, and rounds of loops of which few have a barrier.
type kernelText struct {
	*rand.Rand
	b     strings.Builder
	depth int
	vars  []string // of the work-item, that may stand in expressions
	loops int
	parts map[string]bool // what the kernel has, for counting
}

func drawKernel(seed uint64) (text string, parts map[string]bool) {
	g := &kernelText{Rand: rand.New(rand.NewPCG(seed, 46)), vars: []string{"l", "g", "w"}, parts: map[string]bool{}}
	g.b.WriteString("kernel void k(global int *a, global int *out, global atomic_int *c, local int *t, int n, uint m) {\n" +
		"  int l = get_local_id(0), g = get_global_id(0), w = get_group_id(0), L = get_local_size(0), x = 0;\n" +
		"  local int q[32], k; int p[4] = {0, 1, 2, 3}, u;\n")
	if g.IntN(3) > 0 {
		drawCareful(g)
	} else {
		for range 2 + g.IntN(5) {
			g.statement()
		}
	}
	g.b.WriteString("}\n")
	return g.b.String(), g.parts
}

func (g *kernelText) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("  ", g.depth+1))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

func (g *kernelText) pick(list ...string) string { return list[g.IntN(len(list))] }

// expr is small and not negative, for ids and scalars below 8.
func (g *kernelText) expr(deep int) string {
	if deep <= 0 || g.IntN(3) == 0 {
		return g.pick(append([]string{"l", "l", "l", "g", "g", "0", "1", "2", "n", "(int)m", "L", "x", "x", "u"}, g.vars...)...)
	}
	a := g.expr(deep - 1)
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s + %s)", a, g.expr(deep-1))
	case 1:
		return fmt.Sprintf("(%s + %d)", a, 1+g.IntN(3))
	case 2:
		return fmt.Sprintf("(%d * %s)", 2+g.IntN(2), a)
	case 3:
		return fmt.Sprintf("(%s %% %d)", a, 1+g.IntN(4))
	case 4:
		return fmt.Sprintf("(%s / 2)", a)
	case 5:
		return fmt.Sprintf("(%s ^ 1)", a)
	case 6:
		return "(L - 1 - l)"
	case 7:
		return fmt.Sprintf("(%s & %d)", a, 1+g.IntN(7))
	case 8:
		return fmt.Sprintf("min(%s, %s)", a, g.expr(deep-1))
	case 9:
		return fmt.Sprintf("(%s ? %s : %s)", g.cond(), a, g.expr(deep-1))
	case 10:
		return fmt.Sprintf("p[%s & 3]", a)
	}
	return a
}

func (g *kernelText) cond() string {
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("l == %d", g.IntN(3))
	case 1:
		return "l < " + g.pick("n", "1", "2", "L / 2", "(int)m")
	case 2:
		return "n > " + g.pick("0", "1", "2")
	case 3:
		return "m == 1u"
	case 4:
		return g.pick("l", "g") + " % 2 == 0"
	case 5:
		return "g < " + g.pick("n", "2 * n")
	}
	return g.expr(1) + " < " + g.expr(1)
}

// place is memory, with its name.
func (g *kernelText) place() string {
	i := g.expr(2)
	if g.IntN(3) > 0 {
		i = g.pick("l", "l", "l + L", "l + 1", "2 * l", "2 * l + 1", "L - 1 - l", "l ^ 1", "g", "w * L + l", "g + n", "l * n", "w", "0", "l / 2", "l + n", "l + 2 * L", "(l + 1) % L")
	}
	switch g.IntN(10) {
	case 0, 1, 2, 3:
		return "t[" + i + "]"
	case 4:
		return "q[" + i + " & 31]"
	case 5:
		g.parts["views"] = true
		return g.pick("((local short *)t)["+i+"]", "((global short *)out)["+i+"]", "((local char *)t)["+i+" + 1]")
	}
	return "out[" + i + "]"
}

func (g *kernelText) value() string {
	switch g.IntN(5) {
	case 0:
		g.parts["read"] = true
		return g.place()
	case 1:
		return "a[" + g.expr(1) + "]"
	}
	return g.expr(1)
}

func (g *kernelText) barrier() {
	g.parts["barrier"] = true
	g.line("barrier(%s);", g.pick("CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "0"))
}

func (g *kernelText) statement() {
	if g.depth > 2 {
		g.line("x = %s;", g.expr(1))
		return
	}
	switch g.IntN(16) {
	case 0:
		g.line("%s = %s;", g.place(), g.value())
	case 1, 2:
		g.line("%s = %s;", g.pick("t[l]", "t[l]", "out[g]", "t[2 * l]", "t[L - 1 - l]", "q[l]", "t[l + L]", "t[l ^ 1]", "out[w * L + l]", "t[l * 2 + 1]", "t[(l + 1) % L]"), g.value())
	case 3:
		g.line("%s = %s;", g.pick("x", "x", "u"), g.value())
	case 4:
		g.line("if (%s) %s = %s;", g.pick("x > 0", "l == 0", "l < L / 2", "g < n"), g.pick("t[l]", "out[g]", "t[0]", "out[w]", "t[l + L / 2]", g.place()), g.value())
	case 5, 6, 7:
		g.barrier()
	case 8, 9:
		g.line("if (%s) {", g.cond())
		g.body(2)
		if g.IntN(3) == 0 {
			g.line("} else {")
			g.body(2)
		}
		g.line("}")
	case 10, 11, 12, 13:
		g.loop()
	case 14:
		g.atomic()
	case 15:
		if g.IntN(3) == 0 {
			g.copy()
			return
		}
		if g.IntN(2) == 0 {
			g.line("if (%s) return;", g.cond())
			return
		}
		g.line("switch (%s) { case 0: %s = 1; break; case 1: x = 1; default: x += 1; }", g.pick("n", "l", "w"), g.place())
	}
}

func (g *kernelText) body(n int) {
	g.depth++
	for range 1 + g.IntN(n) {
		g.statement()
	}
	g.depth--
}

// copy draws an asynchronous copy, with something before it is waited for.
func (g *kernelText) copy() {
	g.parts["copy"] = true
	to, from := g.pick("t", "t + L", "t + n"), g.pick("a", "out", "out + w * L")
	if g.IntN(3) == 0 {
		to, from = g.pick("out + w * L", "out", "out + w"), g.pick("t", "t + L")
	}
	g.line("{ event_t e = async_work_group_copy(%s, %s, %s, 0);", to, from, g.pick("L", "1", "n"))
	if g.IntN(2) == 0 {
		g.depth++
		g.statement()
		g.depth--
	}
	g.line("wait_group_events(1, &e); }")
}

func (g *kernelText) atomic() {
	g.parts["atomic"] = true
	if g.IntN(3) == 0 {
		if g.IntN(2) == 0 {
			g.line("if (l == 0) k = 0;")
			g.barrier()
		}
		g.line("%s[atomic_inc(&k)] = 1;", g.pick("t", "t", "q", "out"))
		return
	}
	at := g.pick("c[0]", "c[l]", "c[n]", "c[w]")
	scope := g.pick("memory_scope_device", "memory_scope_device", "memory_scope_work_group")
	switch g.IntN(4) {
	case 0:
		g.line("x = atomic_load_explicit(&%s, memory_order_relaxed, %s);", at, scope)
	case 1:
		g.line("atomic_store_explicit(&%s, 1, memory_order_relaxed, %s);", at, scope)
	default:
		g.line("x = atomic_fetch_add_explicit(&%s, 1, memory_order_relaxed, %s);", at, scope)
		if g.IntN(2) == 0 {
			g.line("%s[x & 63] = 1;", g.pick("out", "t"))
		}
	}
}

// loop draws one of at most a few rounds.
func (g *kernelText) loop() {
	g.loops++
	i := fmt.Sprintf("i%d", g.loops)
	g.parts["loop"] = true
	switch g.IntN(10) {
	case 0:
		g.line("for (int %s = 0; %s < n; %s++) {", i, i, i)
	case 1:
		g.line("for (int %s = l; %s < %s; %s += L) {", i, i, g.pick("8", "2 * n", "L + n"), i)
	case 2:
		g.line("for (uint %s = L / 2; %s > 0; %s >>= 1) {", i, i, i)
	case 3:
		g.line("for (int %s = 1; %s < L; %s *= 2) {", i, i, i)
	case 4:
		g.line("for (int %s = L / 2; %s > 0; %s /= 2) {", i, i, i)
	case 5:
		g.line("for (uint %s = m; %s > 0; %s--) {", i, i, i)
	case 6:
		g.line("int %s = 0; do {", i)
		g.vars = append(g.vars, i)
		g.body(3)
		g.line("  %s += 2; } while (%s < n);", i, i)
		return
	case 7:
		g.line("int %s = n; while (%s > 0) { %s = %s - 1 - (%s & 1);", i, i, i, i, i)
	case 8:
		g.line("for (int %s = 0; %s < 3; %s++) {", i, i, i)
		g.line("  if (%s) %s;", g.cond(), g.pick("break", "continue"))
	case 9:
		g.line("for (int %s = 0; %s < %s; %s++) {", i, i, g.pick("3", "n"), i)
		g.line("  if (%s == %d) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); %s = %s; }", i, g.IntN(3), g.place(), g.value())
	}
	g.vars = append(g.vars, "(int)"+i)
	g.body(3)
	if g.IntN(3) == 0 {
		g.depth++
		g.barrier()
		g.depth--
	}
	g.vars = g.vars[:len(g.vars)-1]
	g.line("}")
}
