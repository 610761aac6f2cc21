package load

import (
	"cmp"
	"fmt"
	"go/token"
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
// looked at as all accesses are: they race where they touch the same elements.

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

// views lists the slices that a kernel captures, and those of package level that it uses.
func (c *call) views(fn *ssa.Function, cap *captured) []memoryView {
	var out []memoryView
	for i, part := range cap.free {
		t, ok := cap.types[i].Underlying().(*types.Slice)
		if !ok || len(part.regs) != 3 {
			continue
		}
		w := c.walker()
		if cap.by {
			w.variable(fn.FreeVars[i])
		} else {
			w.slice(fn.FreeVars[i])
		}
		if w.any() {
			out = append(out, memoryView{cap.names[i], span{part.regs[0], part.regs[1], c.size(t.Elem())}, w.use})
		}
	}
	globals := map[*ssa.Global]*useWalker{}
	c.globalsUsed(fn, globals, map[*ssa.Function]bool{})
	names := make([]*ssa.Global, 0, len(globals))
	for g := range globals {
		names = append(names, g)
	}
	slices.SortFunc(names, func(a, b *ssa.Global) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for _, g := range names {
		t := deref(g.Type())
		v, fixed := c.constGlobal(g)
		if !fixed {
			v = c.read(c.Constant(c.globals[g]), t, c.pos)
		}
		if globals[g].any() && len(v.regs) == 3 {
			out = append(out, memoryView{g.Name(), span{v.regs[0], v.regs[1], c.size(t.Underlying().(*types.Slice).Elem())}, globals[g].use})
		}
	}
	return out
}

// globalsUsed finds the slices of package level that a function uses, and what it calls.
func (c *call) globalsUsed(fn *ssa.Function, globals map[*ssa.Global]*useWalker, seen map[*ssa.Function]bool) {
	if fn == nil || seen[fn] || isVocabulary(fn) {
		return
	}
	seen[fn] = true
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.UnOp:
				g, ok := in.X.(*ssa.Global)
				if !ok || in.Op != token.MUL {
					continue
				}
				if _, ok := in.Type().Underlying().(*types.Slice); ok {
					if globals[g] == nil {
						globals[g] = c.walker()
					}
					globals[g].slice(in)
				}
			case ssa.CallInstruction:
				c.globalsUsed(in.Common().StaticCallee(), globals, seen)
			case *ssa.MakeClosure:
				c.globalsUsed(in.Fn.(*ssa.Function), globals, seen)
			}
		}
	}
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

// variable follows a variable that holds the slice.
func (w *useWalker) variable(v ssa.Value) {
	w.each(v, func(r ssa.Instruction) {
		switch r := r.(type) {
		case *ssa.UnOp:
			w.slice(r)
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == v {
					w.variable(r.Fn.(*ssa.Function).FreeVars[i])
				}
			}
		case *ssa.Store:
			if r.Val == v {
				w.both()
			}
		default:
			w.both()
		}
	})
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
				w.variable(a)
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
