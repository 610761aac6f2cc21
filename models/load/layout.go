package load

import (
	"go/types"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Limits on the size of what a model declares, in cells.
const (
	maxObject  = 1 << 20 // one object in shared memory
	maxPrivate = 1 << 12 // private memory that pointers reach, of one work-item
	maxByValue = 1 << 10 // a value that is copied as a whole
)

// shapes computes how values of Go types are laid out in cells.
type shapes struct {
	leavesOf map[types.Type][]leaf
}

// leaf is one cell of a value.
type leaf struct {
	t      ir.Type
	atomic bool
}

var scalarTypes = map[types.BasicKind]ir.Type{
	types.Bool: ir.Bool, types.UntypedBool: ir.Bool,
	types.Int8: ir.I8, types.Int16: ir.I16, types.Int32: ir.I32, types.Int64: ir.I64, types.Int: ir.I64,
	types.UntypedInt: ir.I64, types.UntypedRune: ir.I32,
	types.Uint8: ir.U8, types.Uint16: ir.U16, types.Uint32: ir.U32, types.Uint64: ir.U64, types.Uint: ir.U64,
	types.Uintptr: ir.U64,
	types.Float32: ir.F32, types.Float64: ir.F64, types.UntypedFloat: ir.F64,
	types.UntypedNil: ir.Ptr,
}

// layout returns the shape of t, or the type within t that memory cannot hold.
func (s *shapes) layout(t types.Type) (*ir.Layout, types.Type) {
	if elem, ok := atomicOf(t); ok {
		return ir.Scalar(elem, true), nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if st, ok := scalarTypes[u.Kind()]; ok {
			return ir.Scalar(st, false), nil
		}
	case *types.Pointer:
		return ir.Scalar(ir.Ptr, false), nil
	case *types.Slice:
		return &ir.Layout{Fields: []ir.Field{{Layout: ir.Scalar(ir.Ptr, false)},
			{Name: " (length)", Layout: ir.Scalar(ir.I64, false)}, {Name: " (capacity)", Layout: ir.Scalar(ir.I64, false)}}}, nil
	case *types.Array:
		elem, bad := s.layout(u.Elem())
		if bad != nil {
			return nil, bad
		}
		return &ir.Layout{Elem: elem, Len: int(u.Len())}, nil
	case *types.Struct:
		l := &ir.Layout{Fields: []ir.Field{}}
		for f := range u.Fields() {
			fl, bad := s.layout(f.Type())
			if bad != nil {
				return nil, bad
			}
			name := f.Name()
			if handle := handleOf(t); handle != "" && fl.Elem == nil && fl.Fields == nil {
				name, fl.Handle = "", handle
			}
			l.Fields = append(l.Fields, ir.Field{Name: name, Layout: fl})
		}
		return l, nil
	}
	return nil, t
}

// size returns the number of cells of t. Types that memory cannot hold have
// none; sizes above maxObject are not told apart.
func (s *shapes) size(t types.Type) int {
	if _, ok := atomicOf(t); ok {
		return 1
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if _, ok := scalarTypes[u.Kind()]; ok {
			return 1
		}
	case *types.Pointer:
		return 1
	case *types.Slice:
		return 3
	case *types.Array:
		elem := s.size(u.Elem())
		if elem > 0 && u.Len() > int64(maxObject/elem) {
			return maxObject + 1
		}
		return int(u.Len()) * elem
	case *types.Struct:
		n := 0
		for f := range u.Fields() {
			n = min(n+s.size(f.Type()), maxObject+1)
		}
		return n
	}
	return 0
}

// leaves returns the cells of t in order. The size of t must have been checked.
func (s *shapes) leaves(t types.Type) []leaf {
	if l, ok := s.leavesOf[t]; ok {
		return l
	}
	var l []leaf
	if layout, bad := s.layout(t); bad == nil {
		l = appendLeaves(nil, layout)
	}
	s.leavesOf[t] = l
	return l
}

func appendLeaves(to []leaf, l *ir.Layout) []leaf {
	switch {
	case l.Elem != nil:
		if l.Elem.Cells() == 0 {
			return to // whatever the length
		}
		for range l.Len {
			to = appendLeaves(to, l.Elem)
		}
	case l.Fields != nil:
		for _, f := range l.Fields {
			to = appendLeaves(to, f.Layout)
		}
	default:
		to = append(to, leaf{l.Type, l.Atomic})
	}
	return to
}

// fieldOffset returns the cell at which field i of struct type t starts.
func (s *shapes) fieldOffset(t *types.Struct, i int) int {
	n := 0
	for j := range i {
		n += s.size(t.Field(j).Type())
	}
	return n
}

// scalar returns the type of a value of one cell.
func (s *shapes) scalar(t types.Type) ir.Type {
	if l := s.leaves(t); len(l) == 1 {
		return l[0].t
	}
	return ir.I64
}

// atomicOf tells whether t is an atomic type of package cl, and of which cell.
func atomicOf(t types.Type) (ir.Type, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != vocabularyPath {
		return 0, false
	}
	switch n.Obj().Name() {
	case "AtomicFlag":
		return ir.I32, true
	case "Atomic":
		if n.TypeArgs().Len() != 1 {
			return 0, false
		}
		b, ok := n.TypeArgs().At(0).Underlying().(*types.Basic)
		if !ok {
			return 0, false
		}
		return scalarTypes[b.Kind()], true
	}
	return 0, false
}

// hasAtomic reports whether a value of type t contains an atomic variable.
func hasAtomic(t types.Type) bool {
	if _, ok := atomicOf(t); ok {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return hasAtomic(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasAtomic(f.Type()) {
				return true
			}
		}
	}
	return false
}

// kindOf returns the kind of memory that a directive gives v.
func (m *model) kindOf(v *types.Var) memmodel.Kind { return m.kinds[v].kind }
