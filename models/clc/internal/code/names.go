package code

import (
	"fmt"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// Reports name a cell as the kernel names what is there, although memory may be divided in another way than it was declared.

// nameAt names some bytes of an object of type t, behind the object's name: "[2].key". Of a part of a scalar it says which byte.
func (s *shapes) nameAt(t *tree.Type, at, bytes int) string {
	switch t.Kind {
	case tree.Array, tree.Vector:
		if n := s.size(t.Elem); n > 0 {
			return fmt.Sprintf("[%d]", at/n) + s.nameAt(t.Elem, at%n, bytes)
		}
	case tree.Struct, tree.Union:
		if f := s.memberAt(t, at, bytes); f != nil && f.Name == "" {
			return s.nameAt(f.Type, at-int(f.Offset), bytes)
		} else if f != nil {
			return "." + f.Name + s.nameAt(f.Type, at-int(f.Offset), bytes)
		}
	case tree.NDRange:
		return ""
	}
	if at == 0 && bytes >= s.size(t) {
		return ""
	}
	return fmt.Sprintf(" byte %d", at)
}

// memberAt returns the member of a struct or union in which some bytes are, nil if they fill a gap. Of a union it is the first that
// has just these bytes as a scalar, or else the first that has them.
func (s *shapes) memberAt(t *tree.Type, at, bytes int) (found *tree.Field) {
	for i := range t.Record.Fields {
		f := &t.Record.Fields[i]
		from := at - int(f.Offset)
		if from < 0 || from >= s.size(f.Type) {
			continue
		}
		if s.isScalar(f.Type, from, bytes) {
			return f
		}
		if found == nil {
			found = f
		}
	}
	return found
}

// isScalar reports whether some bytes of a type are one of its scalars.
func (s *shapes) isScalar(t *tree.Type, at, bytes int) bool {
	switch t.Kind {
	case tree.Array, tree.Vector:
		n := s.size(t.Elem)
		return n > 0 && s.isScalar(t.Elem, at%n, bytes)
	case tree.Struct, tree.Union:
		f := s.memberAt(t, at, bytes)
		return f != nil && s.isScalar(f.Type, at-int(f.Offset), bytes)
	}
	return at == 0 && bytes == s.size(t)
}

// partNames are what reports call the cells of a pointer, behind its name.
var partNames = [...]string{ptrBase: "", ptrOff: " (its offset)", ptrSize: " (its size)"}

// maxNamed bounds the cells that have a name each, of an array of arrays whose rows are divided in different ways.
const maxNamed = 4096

// namedCells returns the shape of n cells of a grid, from the start of an element of type t on, several of which may be in the unit.
func (g *grid) namedCells(s *shapes, t *tree.Type, n int) *ir.Layout {
	size := max(s.size(t), 1)
	if n == 1 {
		return ir.Scalar(g.cells[0].t, g.cells[0].atomic)
	}
	part := &ir.Layout{Fields: make([]ir.Field, 0, n)}
	for i := range n {
		c := g.cells[i%len(g.cells)]
		at := i/len(g.cells)*g.period + c.off
		name := s.nameAt(t, at%size, c.bytes)
		if c.ptr {
			name += partNames[c.part]
		}
		part.Fields = append(part.Fields, ir.Field{Name: name, After: at / size, Layout: ir.Scalar(c.t, c.atomic)})
	}
	return part
}
