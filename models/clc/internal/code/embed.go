package code

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// Embedded is a kernel file whose kernels a program of another language calls. What the host does is that
// program's affair, and so nothing is known of how kernels are launched. The program is lowered twice, as by Build: the
// second time with what Survey has found.
type Embedded struct {
	p     *program
	given map[objectKey]*object // the memory of the other language
}

// elsewhere stands for the launches of the other language.
var elsewhere = &Launch{Dim: 3, Global: ones, Local: ones, Dynamic: true}

// Survey is what the first lowering has found.
type Survey = survey

// Embed adds the variables and sources of a kernel file to a program.
func Embed(src *tree.Unit, to *lower.Program, legacy memmodel.Scope, known *Survey) (*Embedded, diag.Diagnostics) {
	p := newProgram(src, to, legacy, known)
	p.declareGlobals()
	return &Embedded{p, map[objectKey]*object{}}, p.found
}

// Survey returns what all calls have told of how memory is seen. That of the other language has the cells that were
// declared.
func (e *Embedded) Survey() (*Survey, diag.Diagnostics) {
	p := e.p
	s := p.survey()
	for _, u := range p.uses {
		f := s.findings[u.key]
		if f == nil || f.class == nil || f.class.grid == nil {
			continue
		}
		for _, o := range f.class.objects {
			if e.given[o.key] != nil && !f.class.grid.equal(p.declaredGrid(o.typ, nil)) {
				p.fault(u.key.at, "access it as the type that the model declares; or launch the kernel by itself, with clmc explore",
					"the kernel accesses %s, memory of a model in Go, also as %s: clmc does not support that yet", o.name, u.key.typ)
			}
		}
	}
	return s, p.found
}

// Layout returns the shape in memory of a value of type t.
func (e *Embedded) Layout(t *tree.Type) *ir.Layout { return e.p.declaredLayout(t, nil) }

// Site is where the other language calls a kernel.
type Site struct {
	Call  int32   // as ir.Pos.Call
	Path  string  // for the identity of barriers
	Loops []int32 // around the call, outermost first
}

// Argument is what a kernel is called with.
type Argument struct {
	Cells []int32    // of a pointer the address and the number of elements behind it, else an operand for each cell of the value
	Elem  *ir.Layout // of a pointer: the elements, which the kernel need not know
}

// Call lowers a call of a kernel at the end of a function, and returns what stands in the way.
func (e *Embedded) Call(fn *lower.Func, k *tree.Func, args []Argument, at Site) diag.Diagnostics {
	p := e.p
	p.call = at.Call
	defer func() { p.call = 0 }()
	u := p.unitOf(fn, elsewhere)
	if n := k.ReqdSubGroupSize; n > 0 {
		u.SetSubGroups(n)
	}
	f := &frame{unit: u, fn: k, vars: map[*tree.Var]*variable{}, given: map[*tree.Var]bool{}, blocks: map[*tree.Var]*blockValue{}, ret: lower.NewBlock(), outer: at.Loops, path: at.Path}
	f.mark(k.Pos)
	for i, v := range k.Params {
		switch {
		case !p.fitsMemory(v):
		case v.Type.Kind == tree.Pointer:
			f.bind(v, e.pointer(f, v, args[i]))
		case v.Type.Kind == tree.Pipe:
			f.bind(v, e.givenPipe(f, v, args[i]))
		default:
			f.bind(v, f.scalars(v.Type, args[i].Cells))
		}
	}
	if p.failed() {
		return p.found
	}
	u.reservations()
	f.body()
	u.committed()
	return p.found
}

// scalars returns the scalars of a value of which all cells are given, among them the fourth one of three lanes.
func (f *frame) scalars(t *tree.Type, cells []int32) (v value) {
	for _, l := range f.leaves(t) {
		for i, c := range f.declaredCells(0, t, nil) {
			if c.off == l.off && c.part == l.part {
				v = append(v, cells[i])
			}
		}
	}
	return v
}

// pointer returns the pointer that stands for an address and a number of elements.
func (e *Embedded) pointer(f *frame, v *tree.Var, arg Argument) value {
	addr, known := f.Known(arg.Cells[0])
	n, sized := f.Known(arg.Cells[1])
	switch {
	case !known || !sized:
		f.fault(v.Pos, "pass a variable of the package, or a buffer that the host makes once", "clmc cannot determine at load time which memory %s is", v.Name)
		return f.null()
	case addr == 0:
		return f.null()
	}
	elem := v.Type.Elem
	if elem.Kind == tree.Void {
		if elem = f.elementType(arg.Elem); elem == nil {
			f.fault(v.Pos, "pass a slice of numbers, or of arrays of them", "clmc cannot determine the type of what %s points to", v.Name)
			return f.null()
		}
	}
	key := objectKey{what: [2]int64{-1, addr}}
	if addr&ir.SegMask == ir.SegGroup {
		key.what = [2]int64{int64(f.Number()), addr}
	}
	o := f.newObject(key, v.Name, f.src.Types.Array(elem, n))
	o.addr, o.allocated = addr, true
	e.given[o.key] = o
	f.objects = append(f.objects, o)
	if addr&ir.SegMask == ir.SegShared {
		f.program.shared = append(f.program.shared, o)
	}
	return f.pointer(o)
}

// elementType returns the type in OpenCL C of numbers of the other language, or arrays of them; nil of anything else.
func (f *frame) elementType(l *ir.Layout) *tree.Type {
	if l == nil || l.Fields != nil || l.Atomic {
		return nil
	}
	if l.Elem == nil {
		return map[ir.Type]*tree.Type{ir.I8: tree.TChar, ir.U8: tree.TUChar, ir.I16: tree.TShort, ir.U16: tree.TUShort, ir.I32: tree.TInt,
			ir.U32: tree.TUInt, ir.I64: tree.TLong, ir.U64: tree.TULong, ir.F32: tree.TFloat, ir.F64: tree.TDouble}[l.Type]
	}
	if elem := f.elementType(l.Elem); elem != nil {
		return f.src.Types.Array(elem, int64(l.Len))
	}
	return nil
}
