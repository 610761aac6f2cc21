package opencl_test

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, one after the other, how tests are written as programs, and sees the program, read
// back, have other outcomes than the test.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^Test(ReadBack|ReadBackMerged|Instances|Constructs|OneAtATime|Unmapped|PTX|Harness)$", ".")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a store has its order", "models/litmus/opencl/mapping.go",
		"atomic_store_explicit(%s, %s, %v, %v)\", p.ident, operand, c.Order,", "atomic_store_explicit(%s, %s, %v, %v)\", p.ident, operand, memmodel.Relaxed,"},
	{"a load has its order", "models/litmus/opencl/mapping.go",
		"atomic_load_explicit(%s, %v, %v)\", p.ident, c.Order,", "atomic_load_explicit(%s, %v, %v)\", p.ident, memmodel.Relaxed,"},
	{"a fence has its scope", "models/litmus/opencl/mapping.go",
		"atomic_work_item_fence(%v, %v, %v)\", c.Flags, c.Order, c.Scope)", "atomic_work_item_fence(%v, %v, %v)\", c.Flags, c.Order, memmodel.ScopeWorkGroup)"},
	{"a fence has its flags", "models/litmus/opencl/mapping.go",
		"atomic_work_item_fence(%v, %v, %v)\", c.Flags,", "atomic_work_item_fence(%v, %v, %v)\", memmodel.LocalFence|memmodel.GlobalFence,"},
	{"a load has its scope", "models/litmus/opencl/mapping.go",
		"atomic_load_explicit(%s, %v, %v)\", p.ident, c.Order, c.Scope)", "atomic_load_explicit(%s, %v, %v)\", p.ident, c.Order, memmodel.ScopeWorkGroup)"},
	{"a barrier has its flags", "models/litmus/opencl/mapping.go",
		"work_group_barrier(%s, %v)\", flagsOf(c.Flags),", "work_group_barrier(%s, %v)\", flagsOf(memmodel.LocalFence),"},
	{"each thread has its role", "models/litmus/opencl/write.go",
		"word, e.role[i])", "word, e.role[i]*0)"},
	{"each work-group plays its own threads", "models/litmus/opencl/kernel.go",
		"		if e.group[i] != g {\n			continue\n		}\n		p, barriers", "		if e.group[i] != (g+1)%e.Groups {\n			continue\n		}\n		p, barriers"},
	{"locations do not share cells", "models/litmus/opencl/kernel.go",
		"		p.index = len(*list)\n", "		p.index = len(*list) / 2\n"},
	{"instances do not share cells", "models/litmus/opencl/source.go",
		"return ((i * (1 + k * turn)", "return ((i * (1 + k * turn + turn / 2)"},
	{"instances of local locations are apart", "models/litmus/opencl/write.go",
		"(it * lanes + lane) * %d + %d", "(it + lane * 0) * %d + %d"},
	{"operands are evaluated from left to right", "models/litmus/opencl/write.go",
		"	w.separate = seen(x) > 1 || seen(x) == 1 && conditional(x)\n", "	w.separate = seen(x) == 1 && conditional(x)\n"},
	{"the right side is evaluated only if it matters", "models/litmus/opencl/write.go",
		"if w.separate && (x.Op ==", "if false && (x.Op =="},
	{"legacy: a release comes after what precedes it", "models/litmus/opencl/mapping.go",
		"fenceIf(c.Order.Releases()), result", "fenceIf(false), result"},
	{"legacy: fences do not reach beyond the work-group", "models/litmus/opencl/mapping.go",
		"	if orders && c.Scope != memmodel.ScopeWorkGroup {\n", "	if false {\n"},
	{"ptx: seq_cst operations are preceded by a fence", "models/litmus/opencl/ptx.go",
		"		lead = fmt.Sprintf(", "		_ = fmt.Sprintf("},
	{"ptx: the scope is that of the operation", "models/litmus/opencl/ptx.go",
		"memmodel.ScopeDevice: \"gpu\"", "memmodel.ScopeDevice: \"cta\""},
	{"outcomes that nobody wants are kept", "models/litmus/opencl/source.go",
		"        if (w == nwanted && at < room)\n", "        if (w == nwanted && at < 0)\n"},
	{"a kernel of many tests plays the one that is asked for", "models/litmus/opencl/merge.go",
		"fmt.Sprintf(\"clmc_play%d\", k.Roles), []uint32{uint32(i),", "fmt.Sprintf(\"clmc_play%d\", k.Roles), []uint32{uint32(i / 2 * 2),"},
	{"a kernel of many tests has as many groups as the one that is played", "models/litmus/opencl/merge.go",
		"part(\"groups\", threads[name])", "part(\"1\", threads[name])"},
	{"a test that needs several devices is refused", "models/litmus/opencl/kernel.go",
		"		case t.Place.Device != first.Device:\n", "		case false:\n"},
})
