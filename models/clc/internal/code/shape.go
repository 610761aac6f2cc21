package code

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// leaf is a scalar within a value.
type leaf struct {
	off    int // in cells, from the start of the value in memory
	t      ir.Type
	atomic bool
}

// Parts of a pointer, in the order of its operands.
const (
	ptrBase = iota // address of the object, 0 for a null pointer
	ptrOff         // distance from there, in cells
	ptrSize        // cells of the object
	ptrParts
)

var scalarTypes = [...]ir.Type{tree.Bool: ir.Bool, tree.Char: ir.I8, tree.UChar: ir.U8, tree.Short: ir.I16, tree.UShort: ir.U16,
	tree.Int: ir.I32, tree.UInt: ir.U32, tree.Long: ir.I64, tree.ULong: ir.U64, tree.Half: ir.F16, tree.Float: ir.F32, tree.Double: ir.F64}

// scalar returns the type of a value of one operand.
func scalar(t *tree.Type) ir.Type {
	switch {
	case t.IsArithmetic():
		return scalarTypes[t.Kind]
	case t.Kind == tree.Atomic || t.Kind == tree.Vector:
		return scalarTypes[t.Elem.Kind]
	}
	return ir.I64
}

// shapes knows how types are laid out in cells.
type shapes struct {
	leavesOf map[*tree.Type][]leaf
	// raw: cells of so many bits hold bits that are accessed as several types, and are of the
	// unsigned type of that width.
	raw map[int]bool
}

// maxCells bounds the size of one object, in cells.
const maxCells = 1 << 20

// size returns the number of cells that t takes in memory, at most maxCells+1.
func (s *shapes) size(t *tree.Type) int {
	switch t.Kind {
	case tree.Void, tree.Function:
		return 0
	case tree.Vector:
		if t.Len == 3 {
			return 4
		}
		return int(t.Len)
	case tree.Pointer:
		return ptrParts
	case tree.Array:
		n := s.size(t.Elem)
		if n > 0 && t.Len > int64(maxCells/n) {
			return maxCells + 1
		}
		return int(t.Len) * n
	case tree.Struct:
		n := 0
		for _, f := range t.Record.Fields {
			n = min(n+s.size(f.Type), maxCells+1)
		}
		return n
	case tree.Union:
		n := 0
		for _, f := range t.Record.Fields {
			n = max(n, s.size(f.Type))
		}
		return n
	}
	return 1
}

// leaves returns the scalars of t, in the order of memory. The size of t must be at most maxCells.
// Those of a union are of its largest member.
func (s *shapes) leaves(t *tree.Type) []leaf {
	if l, ok := s.leavesOf[t]; ok {
		return l
	}
	l := s.makeLeaves(t)
	s.leavesOf[t] = l
	return l
}

func (s *shapes) makeLeaves(t *tree.Type) (list []leaf) {
	add := func(at int, t *tree.Type) {
		for _, l := range s.leaves(t) {
			l.off += at
			list = append(list, l)
		}
	}
	switch t.Kind {
	case tree.Void, tree.Function:
	case tree.Vector:
		for i := range int(t.Len) {
			add(i, t.Elem)
		}
	case tree.Pointer:
		return []leaf{{off: ptrBase, t: ir.Ptr}, {off: ptrOff, t: ir.I64}, {off: ptrSize, t: ir.I64}}
	case tree.Array:
		n := s.size(t.Elem)
		for i := range int(t.Len) {
			add(i*n, t.Elem)
		}
	case tree.Struct:
		at := 0
		for _, f := range t.Record.Fields {
			add(at, f.Type)
			at += s.size(f.Type)
		}
	case tree.Union:
		if f := s.largest(t); f != nil {
			add(0, f)
		}
	case tree.Atomic:
		return []leaf{{t: scalar(t), atomic: true}}
	default:
		return []leaf{{t: scalar(t)}}
	}
	return list
}

// largest returns the member type of a union that has the most scalars.
func (s *shapes) largest(t *tree.Type) *tree.Type {
	var most *tree.Type
	for _, f := range t.Record.Fields {
		if most == nil || len(s.leaves(f.Type)) > len(s.leaves(most)) {
			most = f.Type
		}
	}
	return most
}

// member returns where the first cell of a member is.
func (s *shapes) member(t *tree.Type, field int) int {
	if t.Kind == tree.Union {
		return 0
	}
	at := 0
	for _, f := range t.Record.Fields[:field] {
		at += s.size(f.Type)
	}
	return at
}

// within returns which of the scalars of whole, starting at cell at, are those of part.
func (s *shapes) within(whole *tree.Type, at int, part *tree.Type) []int {
	index := map[int]int{}
	for i, l := range s.leaves(whole) {
		index[l.off] = i
	}
	var list []int
	for _, l := range s.leaves(part) {
		list = append(list, index[at+l.off])
	}
	return list
}

// cell returns the type that the cells of memory have which hold values of type t. Floating-point
// numbers are held as their bits in any case.
func (s *shapes) cell(t ir.Type) ir.Type {
	if t.Float() || t == ir.Bool || t == ir.Ptr || !s.raw[t.Bits()] {
		return t
	}
	return unsigned(t.Bits())
}

// unsigned returns the unsigned type of a width.
func unsigned(bits int) ir.Type {
	switch bits {
	case 8:
		return ir.U8
	case 16:
		return ir.U16
	case 32:
		return ir.U32
	}
	return ir.U64
}

// layout returns the shape of an object of type t.
func (s *shapes) layout(t *tree.Type) *ir.Layout {
	one := func(t ir.Type) *ir.Layout { return ir.Scalar(s.cell(t), false) }
	switch t.Kind {
	case tree.Vector:
		return &ir.Layout{Elem: one(scalar(t)), Len: s.size(t)}
	case tree.Pointer:
		return &ir.Layout{Fields: []ir.Field{{Name: "object", Layout: one(ir.Ptr)}, {Name: "cell", Layout: one(ir.I64)}, {Name: "cells", Layout: one(ir.I64)}}}
	case tree.Array:
		return &ir.Layout{Elem: s.layout(t.Elem), Len: int(t.Len)}
	case tree.Struct:
		l := &ir.Layout{Fields: []ir.Field{}}
		for _, f := range t.Record.Fields {
			l.Fields = append(l.Fields, ir.Field{Name: f.Name, Layout: s.layout(f.Type)})
		}
		return l
	case tree.Union:
		if f := s.largest(t); f != nil {
			return s.layout(f)
		}
		return &ir.Layout{Fields: []ir.Field{}}
	case tree.Atomic:
		return ir.Scalar(s.cell(scalar(t)), true)
	}
	return one(scalar(t))
}

// widths returns the width that all scalars of t have, or 0 if they differ.
func (s *shapes) width(t *tree.Type) int {
	w := -1
	for _, l := range s.leaves(t) {
		if bits := cellBits(l.t); w < 0 {
			w = bits
		} else if bits != w {
			return 0
		}
	}
	return max(w, 0)
}

// cellBits returns the width of a cell; one of bool has 8 bits.
func cellBits(t ir.Type) int { return max(t.Bits(), 8) }

// alike reports whether memory that holds a can be accessed as b: their scalars are of one
// width, or of the same ones in the same order.
func (s *shapes) alike(a, b *tree.Type) bool {
	if w := s.width(a); w != 0 && w == s.width(b) {
		return true
	}
	la, lb := s.leaves(a), s.leaves(b)
	if len(la) != len(lb) || s.size(a) != s.size(b) {
		return false
	}
	for i := range la {
		if la[i].off != lb[i].off || cellBits(la[i].t) != cellBits(lb[i].t) {
			return false
		}
	}
	return true
}
