package code

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// value is what an expression computes: an operand for each of its type's leaves.
type value []int32

// program is the program under construction.
type program struct {
	shapes
	p       *lower.Program
	src     *tree.Unit
	first   int32 // the number of its first file in Program.Sources
	call    int32 // the call of the other language that is being lowered, as ir.Pos.Call
	legacy  memmodel.Scope
	found   diag.Diagnostics
	asked   int     // dimensions of the index space that the code asks for, whether or not anything needs the answers
	known   *survey // what the first lowering has found; nil in it
	uses    []*use  // what it has come to
	images  map[*tree.Var]image
	seen    map[token.Position]bool
	globals map[*tree.Var]*object
	files   map[string][]string // lines, by name
	strings map[string]*object
	// children are the kernels that blocks make, and what stands for their launches.
	children      map[childKey]int
	childLaunches map[*tree.BlockLit]*Launch
	// anyScalars: kernels take arguments that are passed by value as what may have any; scalars are those that they take so.
	anyScalars bool
	named      bool // see Plan.Names
	scalars    []Scalar
	reserves   bool // somebody reserves packets of pipes
	units      []*unit
	shared     []*object // the memory that all share
	sent       bool      // pointers are sent through pipes
	// sharedCells are the cells of the memory that all share so far.
	sharedCells int
	// literals are what made them.
	literals []*tree.StringLit
}

// object is memory that a front end has given out: its address and what is in it.
type object struct {
	addr   int64
	key    objectKey
	typ    *tree.Type
	grid   *grid
	bytes  int
	cells  int
	dims   []int // of an image: its sizes
	pipe   *pipe // of a pipe
	writes bool  // of a pipe of another language: the kernel has the end to write to
	name   string
	origin string // what to say of it where a pointer leaves it, or ""
	index  int    // in Program.Objects, of one that all share
	fixed  bool   // it keeps its initial value
	rights Rights // of kernels
	// allocated: the host allocates it, or an argument does. Such memory has no declared type, so that it may be seen as atomic objects (C99 6.5p6).
	allocated bool
}

// pointer returns a pointer to the object's start.
func (f *frame) pointer(o *object) value {
	return value{f.Constant(o.addr), f.Constant(0), f.Constant(int64(o.bytes))}
}

// fault reports what stands in the way of lowering. One fault a place is enough.
func (p *program) fault(at tree.Pos, hint, format string, args ...any) {
	pos := p.position(at)
	if p.seen[pos] {
		return
	}
	p.seen[pos] = true
	p.found = append(p.found, diag.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint,
		Line: diag.Quote(p.lines(pos.Filename), pos.Line)})
}

// notYet reports a part of OpenCL C that clmc cannot lower.
func (p *program) notYet(at tree.Pos, what string) {
	p.fault(at, "docs/opencl-c.md lists what is supported", "%s: clmc does not support it yet", what)
}

func (p *program) position(at tree.Pos) token.Position {
	if int(at.File) >= len(p.src.Files) || at.Line == 0 {
		return token.Position{}
	}
	return token.Position{Filename: p.src.Files[at.File].Name, Line: int(at.Line), Column: int(at.Col)}
}

func (p *program) lines(file string) []string {
	for _, f := range p.src.Files {
		if f.Name == file && p.files[file] == nil {
			p.files[file] = strings.Split(f.Text, "\n")
		}
	}
	return p.files[file]
}

func (p *program) pos(at tree.Pos) int32 {
	return p.p.Position(ir.Pos{File: p.first + at.File, Line: at.Line, Col: at.Col, Call: p.call})
}

// site writes a place as text, for the identity of barriers.
func (p *program) site(at tree.Pos) string {
	pos := p.position(at)
	return fmt.Sprintf("%s:%d:%d", filepath.Base(pos.Filename), pos.Line, pos.Column)
}

// unit is one function of the program: a kernel with all it calls.
type unit struct {
	*program
	*lower.Func
	sites   map[string]tree.Expr // barriers by their names
	objects []*object            // what constant addresses may point to
	pinned  []int32              // registers, by private address
	locals  map[*tree.Var]*object
	launch  *Launch
	lin     map[int32]linear // how numbers of bytes were computed
	rows    map[int32]*row   // of the pointers with such a distance
	quiet   bool             // accesses say nothing of how memory is seen
	writing bool             // the access is a store
	// localCells are the cells of its local memory so far.
	localCells int
	here       tree.Pos // where At is
	// reserved are the reservations of pipes that are active, 0 where there is none.
	reserved []int32
}

// mark makes a place that of what is emitted.
func (u *unit) mark(at tree.Pos) {
	u.here, u.At = at, u.pos(at)
}

// frame is one call of a function, inlined.
type frame struct {
	*unit
	fn     *tree.Func
	vars   map[*tree.Var]*variable
	given  map[*tree.Var]bool // scalar parameters of the kernel, and variables that begin with what is computed from them
	ret    *lower.Block       // where a return goes
	result []int32            // registers of the result
	path   string             // positions of the calls that led here, innermost first
	outer  []int32            // loops around the call, outermost first
	loops  []loop             // of the source around the statement, outermost first
	jumps  []jump             // where break and continue go, outermost first
	gotos  *gotos
	at     int // number of the statement, in gotos
	// busy are the variables that the expression assigns which is being evaluated: whoever reads
	// one of them may need its value longer than the variable has it.
	busy    map[*tree.Var]bool
	dropped map[tree.Expr]bool        // calls whose results nobody uses, or nil
	used    bool                      // somebody uses the result of this one
	blocks  map[*tree.Var]*blockValue // variables that blocks were made for
	depth   int                       // of calls
	last    int32                     // line of the scope around the statement
}

// maxDepth bounds the depth of inlined calls: a block may call what encloses it.
const maxDepth = 256

// inner returns the frame of a call.
func (f *frame) inner(fn *tree.Func, x tree.Expr) *frame {
	g := &frame{unit: f.unit, fn: fn, vars: map[*tree.Var]*variable{}, given: map[*tree.Var]bool{}, blocks: map[*tree.Var]*blockValue{}, ret: lower.NewBlock(), outer: f.around(),
		path: " called at " + f.site(x.Pos()) + f.path, depth: f.depth + 1}
	if g.depth > maxDepth {
		f.fault(x.Pos(), "write a loop", "calls are nested too deeply: does a block call the function that it is part of?")
	}
	return g
}

// loop is a loop of the source while its parts are lowered.
type loop struct {
	number int32
	from   int // number of its statement
}

// jump is where break, and continue, go from within a statement.
type jump struct {
	leave, next *lower.Block // next is nil for a switch
}

// variable is where a variable lives: in registers, one a leaf, or in memory.
type variable struct {
	typ  *tree.Type
	decl *tree.Var // nil of one that has no name
	call int32     // the inlined call that it belongs to, as ir.Pos.Call
	last int32     // the last line of its scope
	regs []int32   // nil for one in memory
	mem  value     // a pointer to it
}

// operand returns the only operand of a value.
func (v value) one() int32 {
	if len(v) == 0 {
		return ^0
	}
	return v[0]
}

// maxPrivate bounds the private memory of a work-item that pointers reach, in cells.
const maxPrivate = 1 << 15

// declare makes a variable of the frame. Its registers have no value yet.
func (f *frame) declare(v *tree.Var) *variable {
	if x := f.vars[v]; x != nil {
		return x
	}
	x := f.variable(v)
	f.vars[v] = x
	size := 0
	if f.tooLarge(v.Type) {
		size = maxCells + 1
	} else if inMemory(v) {
		size = f.gridFor(f.keyOf(v), v.Type).count(&f.shapes, v.Type)
	}
	switch {
	case size > maxPrivate:
		f.fault(v.Pos, "make it smaller, or put it in local or global memory", "%s takes %s cells of private memory; the limit of clmc is %d", v.Name, atLeast(size), maxPrivate)
		f.forget(x)
	case inMemory(v) && f.Pinned()+size > maxPrivate:
		f.fault(v.Pos, "make the arrays smaller: all calls are inlined", "the private arrays of the kernel take more than %d cells", maxPrivate)
		f.forget(x)
	case inMemory(v):
		f.pin(x, v.Name, v)
	default:
		for i := range f.leaves(v.Type) {
			x.regs = append(x.regs, f.NewReg(f.leafName(v, i)))
		}
	}
	return x
}

// bind makes a variable with its first value. One that nothing assigns is the constants of that
// value itself: then it is known which object a pointer points to.
func (f *frame) bind(v *tree.Var, val value) {
	if inMemory(v) || v.Assigned || len(val) != len(f.leaves(v.Type)) {
		x := f.declare(v)
		f.write(f.ofVariable(x, v.Name), val)
		return
	}
	x := f.variable(v)
	x.regs = make([]int32, len(val))
	for i := range val {
		x.regs[i] = val[i]
		if _, known := f.Known(x.regs[i]); !known {
			r := f.NewReg(f.leafName(v, i))
			f.Move(r, x.regs[i])
			x.regs[i] = r
		}
	}
	f.vars[v] = x
	f.noted(x)
}

// inMemory reports whether a variable needs an address: somebody takes it, or it has elements that
// are chosen at run time, or parts that are seen as several types.
func inMemory(v *tree.Var) bool { return v.AddrTaken || hasArray(v.Type) || hasUnion(v.Type) }

func hasArray(t *tree.Type) bool {
	switch t.Kind {
	case tree.Array:
		return true
	case tree.Struct, tree.Union:
		for _, f := range t.Record.Fields {
			if hasArray(f.Type) {
				return true
			}
		}
	}
	return false
}

func atLeast(size int) string {
	if size > maxCells {
		return fmt.Sprintf("more than %d", maxCells)
	}
	return fmt.Sprint(size)
}

// forget gives a variable that was refused a shape that the rest can go on with.
func (f *frame) forget(x *variable) {
	x.mem = value{f.Constant(0), f.Constant(0), f.Constant(0)}
}

// leafName names a register: v, or v[2] for a lane.
func (f *frame) leafName(v *tree.Var, i int) string {
	if len(f.leaves(v.Type)) == 1 || v.Name == "" {
		return v.Name
	}
	if v.Type.Kind == tree.Pointer {
		return [...]string{"", v.Name, ""}[i]
	}
	if v.Type.Kind == tree.Vector {
		return v.Name + "[" + strconv.Itoa(i) + "]"
	}
	n, _ := f.declaredGrid(v.Type, nil).index(f.leaves(v.Type)[i].off)
	_, path := f.declaredLayout(v.Type, nil).Cell(n)
	return v.Name + path
}

// gridFor returns the cells of an object, as the first lowering found them, or else as it was declared.
func (p *program) gridFor(key objectKey, t *tree.Type) *grid {
	if p.known != nil {
		if g := p.known.grids[key]; g != nil {
			return g
		}
	}
	return p.declaredGrid(t, nil)
}

// keyOf names what the frame has in memory.
func (f *frame) keyOf(what any) objectKey { return objectKey{f.launch, f.path, what} }

// pin puts a variable into private memory.
func (f *frame) pin(x *variable, name string, what any) {
	o := f.newObject(f.keyOf(what), name, x.typ)
	layout := o.grid.layout(&f.shapes, x.typ)
	regs := make([]int32, o.cells)
	for i := range regs {
		path := ""
		if len(regs) > 1 {
			_, path = layout.Cell(i)
		}
		regs[i] = f.NewReg(name + path)
		if n := len(o.grid.cells); n > 0 {
			c := o.grid.cells[i%n]
			f.Hold(regs[i], leaf{t: c.t, ptr: c.ptr, part: c.part}.held())
		}
	}
	o.addr = f.Pin(regs)
	f.pinned = append(f.pinned, regs...)
	f.objects = append(f.objects, o)
	x.mem = f.pointer(o)
}

// newObject makes an object that has no address yet. Every object has one of its own, so that one of no bytes has a cell,
// too.
func (p *program) newObject(key objectKey, name string, t *tree.Type) *object {
	o := &object{key: key, typ: t, grid: p.gridFor(key, t), bytes: p.size(t), name: name}
	o.cells = max(o.grid.count(&p.shapes, t), 1)
	return o
}

// lookup finds a variable of any storage.
func (f *frame) lookup(v *tree.Var) *variable {
	switch v.Storage {
	case tree.Shared:
		o := f.locals[v]
		if o == nil {
			o = f.local(v, v.Type)
			f.locals[v] = o
		}
		return &variable{typ: v.Type, mem: f.pointer(o)}
	case tree.Program:
		if o := f.globals[v]; o != nil {
			return &variable{typ: v.Type, mem: f.pointer(o)}
		}
	}
	return f.declare(v)
}

// local adds an object to the local memory of the kernel.
func (u *unit) local(v *tree.Var, t *tree.Type) *object {
	if u.tooLarge(t) {
		u.fault(v.Pos, "make it smaller", "%s is too large: %s takes more than the %d scalars, or %d bytes, of an object", v.Name, t, maxCells, maxBytes)
		t = u.src.Types.Array(rootElem(t), 1)
	}
	o := u.newObject(objectKey{launch: u.launch, what: v}, v.Name, t)
	o.allocated = v.Storage == tree.Param
	if u.localCells += o.cells; u.localCells > maxCells {
		u.fault(v.Pos, "make the arrays smaller", "the local memory of the kernel takes more than %d scalars, with %s of %d", maxCells, v.Name, o.cells)
		u.localCells = 0
		return &object{typ: t, grid: o.grid, name: v.Name}
	}
	o.addr = u.Local(ir.Object{Name: v.Name, Pos: u.pos(v.Pos), Layout: o.grid.layout(&u.shapes, t)})
	u.objects = append(u.objects, o)
	return o
}

// objectAt returns the object that a known address belongs to.
func (u *unit) objectAt(addr int64) *object {
	for _, o := range u.objects {
		if addr >= o.addr && addr < o.addr+int64(max(o.cells, 1)) {
			return o
		}
	}
	return nil
}

// sharedAt returns the object that all share to which a known address belongs.
func (p *program) sharedAt(addr int64) *object {
	for _, o := range p.shared {
		if addr >= o.addr && addr < o.addr+int64(max(o.cells, 1)) {
			return o
		}
	}
	return nil
}
