package clc_test

import (
	"testing"

	"github.com/clmc/clmc/explore/mutant"
)

// TestMutants breaks, one after the other, how OpenCL C is lowered, and sees kernels get another
// verdict than the one that was derived.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m mutant.Mutant) (string, bool) {
		return m.Survives(t, "-run", "^Test(Kernels|Annotations|NotGiven|OverlappingViews)$", ".")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"a pointer stays in its object", "models/clc/internal/code/cells.go",
		"		limit := max(k-int64(n)+1, 0)\n", "		limit := max(k-int64(n)+9, 0)\n"},
	{"a pointer to several objects has the size of its own", "models/clc/internal/code/cells.go",
		"f.Bin(ir.Max, ir.I64, limit, f.Constant(0))", "f.Bin(ir.Max, ir.I64, limit, f.Constant(1<<40))"},
	{"a null pointer is not used", "models/clc/internal/code/cells.go",
		"	if !known || base == 0 {\n		f.Check(", "	if !known {\n		f.Check("},
	{"a variable is unwritten when it is declared", "models/clc/internal/code/stmt.go",
		"	f.fill(p, f.Constant(ir.Unwritten))\n", "	f.fill(p, f.Constant(0))\n"},
	{"what may be unwritten flows through private memory", "models/internal/lower/written.go",
		"		may = f.mayBePrivate(in.A)\n", ""},
	{"a divisor is checked", "models/clc/internal/code/expr.go",
		"			f.Check(ir.CheckDivisor, f.Bin(ir.Ne, st, y, f.Constant(0)), \"\")\n", ""},
	{"loops count rounds for barriers", "models/clc/internal/code/stmt.go",
		"	f.BeginRound(l.number)\n", ""},
	{"loops made by goto count rounds", "models/clc/internal/code/stmt.go",
		"			f.BeginRound(f.gotoLoop(n))\n", "			_ = n\n"},
	{"barriers of two calls are two", "models/clc/internal/code/expr.go",
		"path: \" called at \" + f.site(x.Pos()) + f.path}", "path: f.path}"},
	{"fences have the flags that are chosen", "models/clc/internal/code/builtin.go",
		"		if v&bit != 0 {\n", "		if v&bit != 0 || bit == 1 {\n"},
	{"functions of OpenCL C 2.0 have the order given", "models/clc/internal/code/atomic.go",
		"				s.Order = orders[v]\n			}\n			choose", "			}\n			choose"},
	{"functions of OpenCL C 2.0 have the scope given", "models/clc/internal/code/atomic.go",
		"				s.Scope = scopes[v]\n", ""},
	{"a value that is used later is kept when its variable is assigned", "models/clc/internal/code/place.go",
		"				if p.keep {\n", "				if false {\n"},
	{"memory of two types holds bits", "models/clc/internal/code/grid.go",
		"					if len(cs) > 1 || c.t != n.t {\n", "					if len(cs) > 1 {\n"},
	{"three lanes take the room of four", "models/clc/internal/tree/types.go",
		"		if t.Len == 3 {\n			return 4 * t.Elem.Size()\n		}\n", ""},
	{"the cells of 1.x's atomic functions take them", "models/clc/internal/code/atomic.go",
		"	f.noteLegacy(p, at)\n", ""},
	{"assertions that relate two work-items are ignored", "models/clc/internal/check/annotate.go",
		" && !relation.Match(code[at[1]:end])", ""},
	{"__assume assumes", "models/clc/internal/code/builtin.go",
		"case \"__requires\", \"__assume\", ", "case \"__requires\", "},
	{"who strays is told that the buffer was not given", "models/clc/internal/code/host.go",
		"	b.made, o.origin = o, b.Origin\n", "	b.made = o\n"},
	{"cells end where an access begins", "models/clc/internal/code/grid.go",
		"			edges[at] = n\n", ""},
	{"cells end where an access ends", "models/clc/internal/code/grid.go",
		"edges[end] == nil {\n				edges[end] = n\n", "edges[end] == nil {\n"},
	{"an atomic operation has a cell of its own", "models/clc/internal/code/grid.go",
		"	if !n.atomic && !n.ptr {\n", "	if !n.ptr {\n"},
	{"the cells that were declared are kept only if each access is whole ones", "models/clc/internal/code/grid.go",
		"		if b += c.bytes; b > bytes {\n			return nil\n		}\n", "		b += c.bytes\n"},
	{"cells that one code accesses are alike", "models/clc/internal/code/use.go",
		"		c = merge(c, k)\n", "		c = k\n"},
	{"an access is at any byte that its pointer may have", "models/internal/lower/residue.go",
		"	return residue(gcd(gcd(a.Mod, b.Mod), a.Rem-b.Rem), a.Rem)\n", "	return residue(gcd(a.Mod, b.Mod), a.Rem)\n"},
	{"a sum is known as far as both are", "models/internal/lower/residue.go",
		"	return residue(gcd(a.Mod, b.Mod), a.Rem+b.Rem)\n", "	return residue(max(a.Mod, b.Mod), a.Rem+b.Rem)\n"},
	{"alignment is checked", "models/clc/internal/code/cells.go",
		"		f.Emit(ir.Instr{Op: ir.OpCheck, Check: ir.CheckAligned, A: ok, Str: f.p.Str(p.typ.String())})\n", ""},
	{"vload needs no more alignment than a lane", "models/clc/internal/code/vector.go",
		"		at.align = int(elem.Align())\n", ""},
	{"each scalar that vload reads must have been written", "models/clc/internal/code/vector.go",
		"	at.each = true\n", ""},
	{"a vector must have been written in part", "models/clc/internal/code/place.go",
		"		some := f.Constant(0)\n", "		some := f.Constant(1)\n"},
	{"images have a region of their own", "models/clc/internal/code/host.go",
		"		h.p.Objects[o.index].Region = memmodel.Image\n", ""},
	{"coordinates of an image lie within it", "models/clc/internal/code/imageaccess.go",
		"	for d := range c.dims {\n		c.CheckIndex(at[d], c.Constant(int64(c.o.dims[d])))\n	}\n", ""},
	{"outside of a clamped image is its border", "models/clc/internal/code/imageaccess.go",
		"			if mode == addressClamp {\n", "			if false {\n"},
	{"a copy stays in the objects of its pointers", "models/clc/internal/code/async.go",
		"	c.extent(c.src, n, srcStep)\n", ""},
	{"both sides of a copy have the same cells", "models/clc/internal/code/async.go",
		"	c.noteUse(src, c.leaves(c.elem), false)\n", "	_ = src\n"},
	{"a copy of vectors goes by their lanes", "models/clc/internal/code/async.go",
		"c.scaled(dstStep, per), c.scaled(srcStep, per))\n", "dstStep, srcStep)\n"},
	{"a work-item gets the value that it names", "state/collective.go",
		"			v = given[from]\n", "			v = given[0]\n"},
	{"a product begins with one", "state/ir/eval.go",
		"		return 1, true\n	case op == Min && t.Float()", "		return 0, true\n	case op == Min && t.Float()"},
	{"sub-groups have the size that a kernel requires", "models/clc/internal/code/build.go",
		"	p.p.SubGroupSize, p.subGroups = n, l.Kernel\n", "	p.subGroups = l.Kernel\n"},
	{"a collective of several meetings has names for them", "models/clc/internal/code/collective.go",
		"		name += \"#\" + strconv.Itoa(g.met)\n", "		name += strconv.Itoa(0)\n"},
	{"sub-groups meet by themselves", "models/clc/internal/code/collective.go",
		"SubGroup: g.sub, Dst: r", "Dst: r"},
	{"parts of a wide scalar are put together in order", "models/clc/internal/code/cells.go",
		"		part := f.Bin(ir.Shl, ir.U64, f.bits(c.t, r), f.Constant(int64(8*at)))\n", "		part := f.Bin(ir.Shl, ir.U64, f.bits(c.t, r), f.Constant(int64(4*at)))\n"},
})
