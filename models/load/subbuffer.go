package load

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// A buffer and its sub-buffers, and sub-buffers that overlap, are objects of one memory. "Concurrent reading from, writing to and copying between" such
// objects "is undefined", and "only reading from" them "is defined" (API, clCreateSubBuffer). A kernel that is given two of them and writes to one does both
// concurrently, whatever its work-items do in which order: an argument that is not allowed, as an image that is read and written is. Commands in no order are
// looked at as all accesses are: they race where they touch the same elements. A pointer is no memory object, and counts for none.

// subBufferNote says what is not looked at, of programs that have sub-buffers.
const subBufferNote = "A buffer and its sub-buffers are looked at as one memory: commands in no order race where they touch the same elements. The API leaves it undefined also where one writes to a buffer, and another one uses " +
	"a sub-buffer of it, or one that overlaps, in other elements (clCreateSubBuffer)."

// use is what a kernel does with the elements of a slice.
type use struct{ reads, writes bool }

func (u *use) both()     { u.reads, u.writes = true, true }
func (u *use) any() bool { return u.reads || u.writes }

// memoryView is a slice of global memory that a kernel uses.
type memoryView struct {
	name string
	span
	use
}

// disjointViews emits, where the host enqueues a kernel, a test that what it uses are not two objects of one memory of which it writes one.
func (c *call) disjointViews(fn *ssa.Function, cap *captured) {
	if !c.subBuffers || cap == nil || c.where != inHost {
		return
	}
	views := c.views(fn, cap)
	for i := range views {
		for k := range views[:i] {
			if a, b := &views[k], &views[i]; a.writes || b.writes {
				c.oneObject(a, b)
			}
		}
	}
}

// oneObject emits a test that two slices are the same, or share no element.
func (c *call) oneObject(a, b *memoryView) {
	if !a.writes {
		a, b = b, a
	}
	cells := func(v *memoryView) int32 { return c.times(v.length, c.Constant(int64(v.size))) }
	distance := c.Bin(ir.Sub, ir.I64, b.addr, a.addr)
	behind := c.Bin(ir.Gt, ir.I64, distance, c.less1(cells(a)))
	before := c.Bin(ir.Gt, ir.I64, c.Bin(ir.Sub, ir.I64, c.Constant(0), distance), c.less1(cells(b)))
	same := c.times(c.Bin(ir.Eq, ir.I64, distance, c.Constant(0)), c.Bin(ir.Eq, ir.I64, cells(a), cells(b)))
	c.Check(ir.CheckArgument, c.Bin(ir.Or, ir.I64, same, c.Bin(ir.Or, ir.I64, before, behind)),
		fmt.Sprintf("the kernel writes to %s and uses %s, which overlap: a buffer and its sub-buffer, or two sub-buffers, may only be read at a time", a.name, b.name))
}

// sliceIn is a slice within a variable: how the code comes to it, and where it is among the variable's cells.
type sliceIn struct {
	name string
	path []int // fields of structs, and ^i for element i of an array
	at   int
	elem types.Type
}

// partsOf lists the slices within a variable of a type.
func (c *call) partsOf(name string, t types.Type) (out []sliceIn) {
	inside := func(more string, step, at int, t types.Type) {
		for _, p := range c.partsOf(name+more, t) {
			out = append(out, sliceIn{p.name, append([]int{step}, p.path...), at + p.at, p.elem})
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return []sliceIn{{name: name, elem: u.Elem()}}
	case *types.Array:
		for i := range min(int(u.Len()), maxByValue) {
			inside(fmt.Sprintf("[%d]", i), ^i, i*c.size(u.Elem()), u.Elem())
		}
	case *types.Struct:
		at := 0
		for i := range u.NumFields() {
			inside("."+u.Field(i).Name(), i, at, u.Field(i).Type())
			at += c.size(u.Field(i).Type())
		}
	}
	return out
}

// views lists the slices that a kernel captures, and those of package level that it uses.
func (c *call) views(fn *ssa.Function, cap *captured) []memoryView {
	var out []memoryView
	view := func(p sliceIn, regs []int32, w *useWalker) {
		if w.any() && p.at+3 <= len(regs) {
			out = append(out, memoryView{p.name, span{regs[p.at], regs[p.at+1], c.size(p.elem)}, w.use})
		}
	}
	for i, v := range cap.free {
		for _, p := range c.partsOf(cap.names[i], cap.types[i]) {
			w := c.walker()
			w.part(fn.FreeVars[i], p.path, cap.by)
			view(p, v.regs, w)
		}
	}
	var globals []*ssa.Global
	for g := range c.globals {
		globals = append(globals, g)
	}
	for g := range c.fixed { // which need no memory
		if _, ok := c.globals[g]; !ok {
			globals = append(globals, g)
		}
	}
	slices.SortFunc(globals, func(a, b *ssa.Global) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for _, g := range globals {
		t := deref(g.Type())
		if g.Object() == nil { // of the compiler
			continue
		}
		for _, p := range c.partsOf(g.Name(), t) {
			w := c.walker()
			w.global(fn, g, p.path, map[*ssa.Function]bool{})
			if !w.any() {
				continue
			}
			v, fixed := c.constGlobal(g)
			if !fixed {
				v = c.read(c.Constant(c.globals[g]), t, c.pos)
			}
			view(p, v.regs, w)
		}
	}
	return out
}

// useWalker finds out what becomes of the elements of a slice. What it does not know, reads and writes.
type useWalker struct {
	*lowering
	use
	seen map[ssa.Value]bool
}

func (c *call) walker() *useWalker {
	return &useWalker{lowering: c.lowering, seen: map[ssa.Value]bool{}}
}

// each goes through what uses a value, which is looked at once.
func (w *useWalker) each(v ssa.Value, look func(ssa.Instruction)) {
	if w.seen[v] || v.Referrers() == nil {
		return
	}
	w.seen[v] = true
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.DebugRef); !ok {
			look(r)
		}
	}
}

// global follows a variable of package level in a function, and in what that calls.
func (w *useWalker) global(fn *ssa.Function, g *ssa.Global, path []int, seen map[*ssa.Function]bool) {
	if fn == nil || seen[fn] || isVocabulary(fn) {
		return
	}
	seen[fn] = true
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if slices.ContainsFunc(in.Operands(nil), func(o *ssa.Value) bool { return *o == ssa.Value(g) }) {
				w.through(in, g, path, true)
			}
			switch in := in.(type) {
			case ssa.CallInstruction:
				w.global(in.Common().StaticCallee(), g, path, seen)
			case *ssa.MakeClosure:
				w.global(in.Fn.(*ssa.Function), g, path, seen)
			}
		}
	}
}

// part follows a variable, or with !pointer a value, that the slice is a part of.
func (w *useWalker) part(v ssa.Value, path []int, pointer bool) {
	if len(path) == 0 && !pointer {
		w.slice(v)
		return
	}
	w.each(v, func(r ssa.Instruction) { w.through(r, v, path, pointer) })
}

// through looks at one instruction that uses the variable or value.
func (w *useWalker) through(r ssa.Instruction, v ssa.Value, path []int, pointer bool) {
	field := func(r ssa.Value, n int) {
		if len(path) > 0 && path[0] == n {
			w.part(r, path[1:], pointer)
		}
	}
	element := func(r, index ssa.Value) {
		if k, ok := index.(*ssa.Const); ok {
			field(r, ^int(k.Int64()))
		} else if len(path) > 0 {
			field(r, path[0]) // it may be each
		}
	}
	switch r := r.(type) {
	case *ssa.DebugRef:
	case *ssa.UnOp:
		w.part(r, path, false)
	case *ssa.FieldAddr:
		field(r, r.Field)
	case *ssa.Field:
		field(r, r.Field)
	case *ssa.IndexAddr:
		element(r, r.Index)
	case *ssa.Index:
		element(r, r.Index)
	case *ssa.MakeClosure:
		for i, b := range r.Bindings {
			if b == v {
				w.part(r.Fn.(*ssa.Function).FreeVars[i], path, pointer)
			}
		}
	case *ssa.Store:
		if a, ok := r.Addr.(*ssa.Alloc); ok && r.Val == v && !pointer {
			w.part(a, path, true)
		} else if r.Val == v {
			w.both()
		}
	case *ssa.Call:
		w.passed(r, v, func(p ssa.Value) { w.part(p, path, pointer) })
	default:
		w.both()
	}
}

// slice follows the slice itself.
func (w *useWalker) slice(v ssa.Value) {
	w.each(v, func(r ssa.Instruction) {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			w.address(r)
		case *ssa.Slice:
			w.slice(r)
		case *ssa.ChangeType:
			w.slice(r)
		case *ssa.Phi:
			w.slice(r)
		case *ssa.Call:
			w.passed(r, v, w.slice)
		case *ssa.Store:
			if a, ok := r.Addr.(*ssa.Alloc); ok {
				w.part(a, nil, true)
			} else {
				w.both()
			}
		default:
			w.both()
		}
	})
}

// address follows a pointer to an element, or into one.
func (w *useWalker) address(v ssa.Value) {
	w.each(v, func(r ssa.Instruction) {
		switch r := r.(type) {
		case *ssa.UnOp:
			w.reads = true
		case *ssa.Store:
			w.writes = true
			w.reads = w.reads || r.Val == v
		case *ssa.FieldAddr:
			w.address(r)
		case *ssa.IndexAddr:
			w.address(r)
		case *ssa.Call:
			w.passed(r, v, w.address)
		default:
			w.both()
		}
	})
}

// argument looks at the parameters of a kernel of a //cl:program that are given the value.
func (w *useWalker) argument(params []clc.Param, args []ssa.Value, v ssa.Value) {
	for i, a := range args {
		if a != v {
			continue
		}
		w.reads = true
		pointed, _, ok := strings.Cut(params[i].Type, "*")
		if words := strings.Fields(pointed); !ok || !slices.Contains(words, "const") && !slices.Contains(words, "__constant") {
			w.writes = true
		}
	}
}

// passed looks at a call that is passed the value.
func (w *useWalker) passed(c *ssa.Call, v ssa.Value, follow func(ssa.Value)) {
	com := c.Common()
	if _, ok := com.Value.(*ssa.Builtin); ok {
		if name := com.Value.Name(); name != "len" && name != "cap" {
			w.both()
		}
		return
	}
	if load, ok := com.Value.(*ssa.UnOp); ok {
		if field, ok := load.X.(*ssa.FieldAddr); ok {
			if k, ok := w.kernelField(field); ok {
				w.argument(k.Params, com.Args, v)
				return
			}
		}
	}
	fn := com.StaticCallee()
	switch {
	case fn == nil:
		w.both()
	case isVocabulary(fn) && (strings.HasPrefix(fn.Name(), "AtomicLoad") || strings.HasPrefix(fn.Name(), "Vload")):
		w.reads = true
	case isVocabulary(fn), len(fn.Params) != len(com.Args):
		w.both()
	default:
		for i, a := range com.Args {
			if a == v {
				follow(fn.Params[i])
			}
		}
	}
}
