package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// grammar makes models that are right as far as the language goes, most of them: some
// kernels of a few work-items over a few variables, with all that the vocabulary has for
// ordering them, loops and branches, and a host that starts them in some way.
type grammar struct {
	r     *rand.Rand
	b     strings.Builder
	depth int
	names int
}

func newGrammar(r *rand.Rand) *grammar { return &grammar{r: r} }

func (g *grammar) model() string {
	g.line("package main")
	g.line("import \"github.com/clmc/clmc/models/cl\"")
	g.line("var (\n\ta, b int32\n\tv [%d]int32\n\tx, y cl.AtomicInt\n\tu cl.AtomicUint\n\tf cl.AtomicFlag\n)", 1+g.r.IntN(4))
	kernels := 1 + g.r.IntN(2)
	for k := range kernels {
		g.line("func k%d() {", k)
		if g.odds(3) {
			g.line("l := cl.Local[[%d]int32]()", 1+g.r.IntN(3))
			g.line("l[%s] = %s", g.id(), g.value())
			g.line("if l[0] == 7 {\na = 1\n}")
		}
		g.line("i := int32(%s)\n_ = i", g.id())
		g.block(2 + g.r.IntN(4))
		g.line("}")
	}
	g.line("func main() {")
	for range 1 + g.r.IntN(3) {
		g.host(kernels)
	}
	g.line("cl.Finish()")
	if g.odds(2) {
		g.line("cl.Assert(%s, \"it holds\")", g.condition("a"))
	}
	g.line("}")
	return g.b.String()
}

func (g *grammar) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func (g *grammar) odds(n int) bool { return g.r.IntN(n) == 0 }

func (g *grammar) of(words ...string) string { return words[g.r.IntN(len(words))] }

func (g *grammar) id() string {
	return g.of("cl.GetGlobalID(0)", "cl.GetLocalID(0)", "cl.GetGroupID(0)", "cl.GetLocalID(0)%2", "0")
}

func (g *grammar) value() string {
	return g.of("0", "1", "2", "int32("+g.id()+")", "a", "b+1", "v[0]", "-1", "1<<30", "int32(cl.Choose(2))")
}

func (g *grammar) condition(of string) string {
	return of + g.of(" == ", " != ", " < ", " > ") + g.of("0", "1", "2", "3")
}

func (g *grammar) order() string {
	return g.of("cl.MemoryOrderRelaxed", "cl.MemoryOrderAcquire", "cl.MemoryOrderRelease", "cl.MemoryOrderAcqRel", "cl.MemoryOrderSeqCst")
}

func (g *grammar) scope() string {
	return g.of("cl.MemoryScopeWorkGroup", "cl.MemoryScopeDevice", "cl.MemoryScopeDevice", "cl.MemoryScopeAllSVMDevices", "cl.MemoryScopeSubGroup")
}

func (g *grammar) flags() string {
	return g.of("cl.CLKLocalMemFence", "cl.CLKGlobalMemFence", "cl.CLKLocalMemFence|cl.CLKGlobalMemFence", "0")
}

func (g *grammar) atomic() string { return g.of("&x", "&y") }

// access is an atomic operation with a value.
func (g *grammar) access() string {
	load := g.of("cl.MemoryOrderRelaxed", "cl.MemoryOrderAcquire", "cl.MemoryOrderSeqCst")
	switch g.r.IntN(5) {
	case 0:
		return fmt.Sprintf("cl.AtomicFetchAddExplicit(%s, %s, %s, %s)", g.atomic(), g.of("1", "2", "-1"), g.order(), g.scope())
	case 1:
		return fmt.Sprintf("cl.AtomicExchangeExplicit(%s, %s, %s, %s)", g.atomic(), g.of("0", "1", "2"), g.order(), g.scope())
	case 2:
		return g.of("cl.AtomicInc(&a)", "cl.AtomicLoad(&x)", "cl.AtomicFetchAdd(&y, 1)", "cl.AtomicExchange(&x, 1)")
	}
	return fmt.Sprintf("cl.AtomicLoadExplicit(%s, %s, %s)", g.atomic(), load, g.scope())
}

func (g *grammar) block(n int) {
	g.depth++
	for range n {
		g.statement()
	}
	g.depth--
}

func (g *grammar) statement() {
	g.names++
	n := g.names
	switch k := g.r.IntN(14); {
	case k == 0:
		g.line("%s = %s", g.of("a", "b", "v[0]", "v["+g.id()+"]"), g.value())
	case k <= 2:
		store := g.of("cl.MemoryOrderRelaxed", "cl.MemoryOrderRelease", "cl.MemoryOrderSeqCst")
		g.line("cl.AtomicStoreExplicit(%s, %s, %s, %s)", g.atomic(), g.of("0", "1", "2"), store, g.scope())
	case k <= 4:
		g.line("r%d := %s\n_ = r%d", n, g.access(), n)
	case k == 5:
		g.line("cl.AtomicWorkItemFence(%s, %s, %s)", g.of("cl.CLKLocalMemFence", "cl.CLKGlobalMemFence", "cl.CLKLocalMemFence|cl.CLKGlobalMemFence"), g.order(), g.scope())
	case k == 6:
		g.line("cl.WorkGroupBarrier(%s)", g.flags())
	case k == 7 && g.depth < 4:
		g.line("if r := %s; %s {", g.access(), g.condition("r"))
		g.block(1 + g.r.IntN(2))
		g.line("}")
	case k == 8 && g.depth < 4:
		g.line("for j := range %d {\n_ = j", g.r.IntN(4))
		g.block(1 + g.r.IntN(2))
		g.line("}")
	case k == 9:
		g.line("for %s {\n}", g.of("cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0",
			"cl.AtomicExchangeExplicit(&y, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1", "cl.AtomicFlagTestAndSet(&f)", "a == 0"))
	case k == 10:
		g.line("cl.Observe(\"o%d\", %s)", n, g.access())
	case k == 11:
		g.line("if cl.GetLocalID(0) == 0 {")
		g.block(1)
		g.line("}")
	case k == 12:
		g.line("cl.Assert(%s, \"s%d\")", g.condition(g.of("a", "v[0]", g.access())), n)
	default:
		g.line("e%d := int32(%s)\nif cl.AtomicCompareExchangeStrong(%s, &e%d, %s) {\nb = 1\n}", n, g.of("0", "1"), g.atomic(), n, g.of("1", "2"))
	}
}

func (g *grammar) host(kernels int) {
	g.names++
	items := g.of("1", "2", "2", "3", "4")
	local := g.of("1", items)
	switch g.r.IntN(6) {
	case 0:
		g.line("a = %d", g.r.IntN(3))
	case 1:
		g.line("cl.Finish()")
	case 2:
		g.line("cl.AtomicStore(%s, %d)", g.atomic(), g.r.IntN(2))
	default:
		g.line("cl.EnqueueNDRangeKernel(k%d, cl.NDRange1D(%s, %s))", g.r.IntN(kernels), items, local)
	}
}
