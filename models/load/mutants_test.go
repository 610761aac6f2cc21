package load

import (
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants lets through what a rule refuses, and sees the test of what is refused fail.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestRefuse$/^("+m.Tell+")$", ".")
	})
}

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) {
	mutant.Apply(t, slices.Concat(mutants, programMutants, pipeMutants, hostMutants, regionMutants, subBufferMutants))
}

// TestProgramMutants breaks how models and their kernel files are put together.
func TestProgramMutants(t *testing.T) {
	mutant.Try(t, programMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestProgram(Race|Null|Refused|Layout)?$", ".")
	})
}

// TestPipeMutants breaks what only kernels that run at the same time notice of pipes.
func TestPipeMutants(t *testing.T) {
	mutant.Try(t, pipeMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestPipes$", ".")
	})
}

// TestHostMutants breaks what the host's variables are to commands.
func TestHostMutants(t *testing.T) {
	mutant.Try(t, hostMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^Test(HostVariables|AddressOfPointee)$", ".")
	})
}

var hostMutants = mutant.List([][5]string{
	{"commands reach variables of the host's functions", "models/load/memory.go",
		" && commanded(a, map[ssa.Value]bool{}) {", " && false {"},
	{"through helpers, too", "models/load/stack.go",
		"			if commanded(fn.Params[i], seen) {", "			if false {"},
	{"through variables", "models/load/stack.go",
		"			if commanded(r, seen) {", "			if false {"},
	{"in each round they hold zeros", "models/load/stack.go",
		"	if f.inLoop(a.Block()) {", "	if false {"},
	{"12.20 kernels do not capture them", "models/load/kernel.go",
		"at == ir.SegPrivate || c.isOnStack(k) {", "at == ir.SegPrivate {"},
	{"host threads have no copies of them", "models/load/kernel.go",
		"	if k, ok := c.Known(p.regs[0]); ok && c.isOnStack(k) {", "	if false {"},
	{"&*p reads nothing", "models/load/memory.go",
		"	if f.pointedTo[pos] {", "	if false {"},
	{"*p reads", "models/load/notes.go",
		"ok && n.Op == token.AND {", "ok {"},
})

// TestRegionMutants breaks which elements commands on regions touch.
func TestRegionMutants(t *testing.T) {
	mutant.Try(t, regionMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestRegions$", ".")
	})
}

// TestSubBufferMutants breaks what a kernel may do with a buffer and its sub-buffers.
func TestSubBufferMutants(t *testing.T) {
	mutant.Try(t, subBufferMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestSubBuffers", ".")
	})
}

var subBufferMutants = mutant.List([][5]string{
	{"a kernel may only read two objects of one memory", "models/load/kernel.go",
		"	c.disjointViews(fn.fn, cap)\n", ""},
	{"two objects of one memory may be read", "models/load/subbuffer.go",
		"a.writes || b.writes {", "true {"},
	{"one object is one, though it has two names", "models/load/subbuffer.go",
		"	same := c.times(", "	same := c.less1(c.plus(c.Constant(1), c.Constant(0))) // "},
	{"an object that begins behind another one may overlap it", "models/load/subbuffer.go",
		"distance, c.less1(cells(a)))", "distance, c.Constant(0))"},
	{"an object that begins before another one may overlap it", "models/load/subbuffer.go",
		"distance), c.less1(cells(b)))", "distance), c.Constant(0))"},
	{"slices of package level are used, too", "models/load/subbuffer.go",
		"			w.global(fn, g, p.path, map[*ssa.Function]bool{})\n", ""},
	{"a slice in a struct is used, too", "models/load/subbuffer.go",
		"	case *ssa.FieldAddr:\n		field(r, r.Field)\n", "	case *ssa.FieldAddr:\n"},
	{"a slice in an array is used, too", "models/load/subbuffer.go",
		"	case *ssa.IndexAddr:\n		element(r, r.Index)\n", "	case *ssa.IndexAddr:\n"},
	{"what a helper does to a slice is done", "models/load/subbuffer.go",
		"				follow(fn.Params[i])\n", "				_ = i\n"},
	{"what is done by an address is done", "models/load/subbuffer.go",
		"			w.address(r)\n		case *ssa.Slice:", "			_ = r\n		case *ssa.Slice:"},
	{"a pointer to const is only read", "models/load/subbuffer.go",
		"!slices.Contains(words, \"const\") && ", ""},
	{"it is said what is not looked at", "models/load/builtin_rect.go",
		"		c.p.Notes = append(c.p.Notes, subBufferNote)\n", ""},
})

var regionMutants = mutant.List([][5]string{
	{"a row pitch is taken", "models/load/builtin_rect.go",
		"row: c.either(rowPitch, r[0])}", "row: r[0]}"},
	{"a slice pitch is taken", "models/load/builtin_rect.go",
		"	b.slice = c.either(slicePitch, least)\n", "	b.slice = least\n"},
	{"a region begins at its origin", "models/load/builtin_rect.go",
		"	first := c.plus(c.plus(c.times(origin[2], b.slice), c.times(origin[1], b.row)), origin[0])\n", "	first := c.plus(c.times(origin[2], b.slice), c.times(origin[1], b.row))\n"},
	{"rows of an image are as long as the image is wide", "models/load/builtin_rect.go",
		"	b := box{row: image[imageSize], slice", "	b := box{row: image[imageSize+1], slice"},
})

var pipeMutants = mutant.List([][5]string{
	{"14.2 a kernel has one end of a pipe", "models/clc/internal/code/pipe.go",
		"o != nil && o.writes != (v.Type.Access == tree.WriteOnly)", "o != nil && false"},
	{"14.4 a reader takes what is committed only", "models/clc/internal/code/pipe.go",
		"		ok = c.Bin(ir.Le, ir.U64, n, c.there(state))\n", "		ok = c.Bin(ir.Lt, ir.U64, at, c.field(state, ir.PipeUsedBit))\n"},
	{"14.6 pipes order no memory", "memmodel/fence.go",
		"	case from.unit == to.unit, region == Pipe: // rule 14.6\n", "	case from.unit == to.unit:\n"},
	{"a packet is read when it has been written", "models/clc/internal/code/pipe.go",
		"			c.full(v)\n			parts", "			parts"},
	{"a packet is written when its slot has been read", "models/clc/internal/code/pipe.go",
		"			c.empty(c.modify(c.cell(slot, i), ir.Xchg, v))\n", "			c.modify(c.cell(slot, i), ir.Xchg, v)\n"},
})

var mutants = mutant.List([][5]string{
	{"1.2 the host reaches global memory only", "models/internal/lower/sync.go",
		"	case s.Host && s.Flags != memmodel.GlobalFence:\n", "	case false:\n", "host_fence"},
	{"1.6 atomic variables are not in private memory", "models/load/memory.go",
		"	if hasAtomic(t) && f.where != inInit {\n		f.fault(a.Pos()", "	if false {\n		f.fault(a.Pos()", "private_atomic"},
	{"1.6 nor are those that the functions of OpenCL 1.x work on", "models/load/builtin_atomic.go",
		"	if v.at != nil {\n		c.fault(c.pos, \"put the variable in global", "	if v.at != nil && atomic {\n		c.fault(c.pos, \"put the variable in global", "legacy_private"},
	{"3.3 work_item scope is for fences on images", "models/internal/lower/sync.go",
		"	case s.Scope == memmodel.ScopeWorkItem && s.Op.Access():\n", "	case false:\n", "scopes"},
	{"4.1 a load does not release", "models/internal/lower/sync.go",
		"	case s.Op == ir.OpLoad && (s.Order == memmodel.Release || s.Order == memmodel.AcqRel):\n", "	case false:\n", "orders"},
	{"4.1 a store does not acquire", "models/internal/lower/sync.go",
		"	case s.Op == ir.OpStore && (s.Order == memmodel.Acquire || s.Order == memmodel.AcqRel):\n", "	case false:\n", "orders"},
	{"4.2 a compare-exchange that fails does not release", "models/internal/lower/sync.go",
		"	case s.Op == ir.OpCmpXchg && (s.Fail == memmodel.Release || s.Fail == memmodel.AcqRel):\n", "	case false:\n", "orders"},
	{"4.2 nor is it stronger than one that does not fail", "models/internal/lower/sync.go",
		"	case s.Op == ir.OpCmpXchg && !atLeast(s.Order, s.Fail):\n", "	case false:\n", "orders"},
	{"4.3 a fence has flags", "models/internal/lower/sync.go",
		"	case !barrier && s.Flags == 0:\n", "	case false:\n", "fences"},
	{"4.5 a barrier on images is one of work-group scope", "models/internal/lower/sync.go",
		"	case barrier && !s.SubGroup && s.Flags&memmodel.ImageFence != 0 && s.Scope != memmodel.ScopeWorkGroup:\n", "	case false:\n", "fences"},
	{"4.6 atomic variables are not copied", "models/load/memory.go",
		"	case hasAtomic(t) && f.where != inInit:\n		f.fault(pos, \"write instead: cl.AtomicLoad", "	case false:\n		f.fault(pos, \"write instead: cl.AtomicLoad", "copy_atomic"},
	{"4.8 cl.AtomicVarInit is for initial values", "models/load/builtin.go",
		"	case where == inInit:\n", "	case false:\n", "init_atomic"},
	{"12.20 a kernel captures no private variable", "models/load/kernel.go",
		"		} else if at := k & ir.SegMask; at == ir.SegPrivate || c.isOnStack(k) {\n", "		} else if at := k & ir.SegMask; false {\n", "capture_pointer|capture_slice"},
})

var programMutants = mutant.List([][5]string{
	{"a field has as many parameters as its kernel", "models/load/program.go",
		"	if params.Len() != len(k.Params) {\n", "	if false {\n"},
	{"pointers are slices", "models/load/program.go",
		"		if isSlice != p.Pointer || isPipe", "		if isPipe"},
	{"elements have the types of the kernel's", "models/load/program.go",
		"	return a.Type == b.Type && a.Atomic == b.Atomic\n", "	return a.Atomic == b.Atomic\n"},
	{"atomic ones are", "models/load/program.go",
		"	return a.Type == b.Type && a.Atomic == b.Atomic\n", "	return a.Type == b.Type\n"},
	{"arrays have the lengths of the kernel's", "models/load/program.go",
		" && a.Len == b.Len && sameShape(a.Elem, b.Elem)\n", " && sameShape(a.Elem, b.Elem)\n"},
	{"structs have its members", "models/load/program.go",
		"func(x, y ir.Field) bool { return sameShape(x.Layout, y.Layout) }", "func(x, y ir.Field) bool { return true }"},
	{"a kernel is only called", "models/load/program.go",
		"		f.fault(v.Pos(), \"write: func() { kernels.Name(...) }\", \"a kernel of //cl:program can only be called, not used as a value\")\n", ""},
	{"a kernel is called where it is enqueued", "models/load/program.go",
		"	if f.where != inKernel {\n		f.fault(c.Pos(), \"write: cl.Enqueue", "	if false {\n		f.fault(c.Pos(), \"write: cl.Enqueue"},
	{"files are in the folder of the model", "models/load/program.go",
		"		if !filepath.IsLocal(name) {\n", "		if false {\n"},
	{"macros of the directive are set", "models/load/program.go",
		"			opt.Defines = append(opt.Defines, value)\n", ""},
	{"the version of the directive is taken", "models/load/program.go",
		"			opt.Std = strings.TrimPrefix(w, \"-cl-std=\")\n", ""},
	{"the second time it is known how memory is seen", "models/clc/embed.go",
		"	e.source.known = known\n", "	_ = known\n"},
	{"memory of the model keeps the cells that were declared", "models/clc/internal/code/embed.go",
		"			if e.given[o.key] != nil && !", "			if false && !"},
	{"scalars that are passed are those of the members", "models/clc/internal/code/embed.go",
		"			if c.off == l.off && c.part == l.part {\n", "			if c.off >= l.off && len(v) <= i {\n"},
	{"it is known which memory a pointer is to", "models/clc/internal/code/embed.go",
		"	case !known || !sized:\n", "	case !known && !sized && false:\n"},
	{"what a kernel is called with is memory that it may access", "models/clc/internal/code/embed.go",
		"	f.objects = append(f.objects, o)\n", ""},
})
