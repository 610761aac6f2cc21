package code

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// leaf is a scalar within a value.
type leaf struct {
	off    int // in bytes, from the start of the value in memory
	t      ir.Type
	part   int // of a pointer, which is three operands at one place
	ptr    bool
	atomic bool
}

// bytes returns how many bytes a leaf takes.
func (l leaf) bytes() int { return bytesOf(l.t) }

func bytesOf(t ir.Type) int { return max(t.Bits(), 8) / 8 }

// held says what a cell is that holds the leaf.
func (l leaf) held() lower.Held {
	if l.ptr {
		return lower.Held{Type: l.t, Part: 1 + l.part}
	}
	return lower.Held{Type: l.t}
}

// Parts of a pointer, in the order of its operands.
const (
	ptrBase = iota // address of the object's first cell, 0 for a null pointer
	ptrOff         // distance from there, in bytes
	ptrSize        // bytes of the object
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
	case t.Kind == tree.Sampler:
		return ir.I32
	}
	return ir.I64
}

// shapes knows how types are laid out.
type shapes struct {
	leavesOf map[*tree.Type][]leaf
}

// maxCells bounds the size of one object, in cells, and maxBytes in bytes.
const (
	maxCells = 1 << 20
	maxBytes = 8 * maxCells
)

// size returns the number of bytes that t takes in memory, at most maxBytes+1.
func (s *shapes) size(t *tree.Type) int {
	switch t.Kind {
	case tree.Void, tree.Function:
		return 0
	case tree.Array:
		n := s.size(t.Elem)
		if n > 0 && t.Len > int64(maxBytes/n) {
			return maxBytes + 1
		}
		return int(t.Len) * n
	}
	return int(min(t.Size(), maxBytes+1))
}

// tooLarge reports whether a type has more cells than an object may.
func (s *shapes) tooLarge(t *tree.Type) bool {
	if root := rootElem(t); s.size(t) <= maxBytes && s.size(root) > 0 {
		return s.size(t)/s.size(root)*len(s.leaves(root)) > maxCells
	}
	return s.size(t) > maxBytes
}

// rootElem returns what an array of arrays is made of.
func rootElem(t *tree.Type) *tree.Type {
	for t.Kind == tree.Array {
		t = t.Elem
	}
	return t
}

// leaves returns the scalars of t, in the order of memory. Type t must not be too large. Those of a union are
// the pieces that its members have in common.
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
			add(i*s.size(t.Elem), t.Elem)
		}
	case tree.Pointer:
		return []leaf{{t: ir.Ptr, ptr: true, part: ptrBase}, {t: ir.I64, ptr: true, part: ptrOff}, {t: ir.I64, ptr: true, part: ptrSize}}
	case tree.Array:
		n := s.size(t.Elem)
		for i := range int(t.Len) {
			add(i*n, t.Elem)
		}
	case tree.Struct:
		for _, f := range t.Record.Fields {
			add(int(f.Offset), f.Type)
		}
	case tree.Union:
		return s.unionLeaves(t)
	case tree.Atomic:
		return []leaf{{t: scalar(t), atomic: true}}
	case tree.NDRange:
		for i := range 10 {
			list = append(list, leaf{off: 8 * i, t: ir.I64})
		}
	default:
		return []leaf{{t: scalar(t)}}
	}
	return list
}

// unionLeaves returns the pieces of a union: each scalar of each member is a whole number of them.
func (s *shapes) unionLeaves(t *tree.Type) (list []leaf) {
	var needs []need
	for _, f := range t.Record.Fields {
		for _, l := range s.leaves(f.Type) {
			needs = append(needs, need{rem: l.off, leaf: l})
		}
	}
	cells, clash := cut(s.size(t), needs, false)
	if clash != nil {
		return nil
	}
	for _, c := range cells {
		list = append(list, leaf{off: c.off, t: c.t, part: c.part, ptr: c.ptr})
	}
	return list
}

// member returns where the first byte of a member is.
func (s *shapes) member(t *tree.Type, field int) int { return int(t.Record.Fields[field].Offset) }

// within returns which of the scalars of whole, starting at byte at, are those of part, of which each is one. A scalar
// that is none of them is -1.
func (s *shapes) within(whole *tree.Type, at int, part *tree.Type) []int {
	type place struct{ off, part, bytes int }
	index := map[place]int{}
	for i, l := range s.leaves(whole) {
		index[place{l.off, l.part, l.bytes()}] = i
	}
	var list []int
	for _, l := range s.leaves(part) {
		i, ok := index[place{at + l.off, l.part, l.bytes()}]
		if !ok {
			i = -1
		}
		list = append(list, i)
	}
	return list
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

// cellBits returns the width of a scalar in memory; one of bool has 8 bits.
func cellBits(t ir.Type) int { return max(t.Bits(), 8) }

// hasUnion reports whether a value of type t has parts that are seen as several types.
func hasUnion(t *tree.Type) bool {
	switch t.Kind {
	case tree.Array:
		return hasUnion(t.Elem)
	case tree.Union:
		return true
	case tree.Struct:
		for _, f := range t.Record.Fields {
			if hasUnion(f.Type) {
				return true
			}
		}
	}
	return false
}
