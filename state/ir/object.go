package ir

import (
	"strconv"
	"strings"

	"github.com/clmc/clmc/memmodel"
)

// Object is a variable or buffer in memory that work-items share. Objects
// with Func < 0 live in the shared segment and exist once; the others are the
// __local variables of a kernel and exist once for each of its work-groups.
type Object struct {
	Name   string          // for reports and outcomes
	Pos    int32           // of its declaration: index into Program.Positions
	Region memmodel.Region // the address space
	Kind   memmodel.Kind   // how the host shares it
	// HostMaps: the host may touch the object only while it is mapped, or, if of
	// program scope, not at all.
	HostMaps bool
	Func     int        // owner of a per-group local object, else -1
	Layout   *Layout    // its shape: which cells it has
	Base     int32      // first cell's address in its segment; set by Program.Link
	Init     []int64    // one value a cell; nil: uninitialised
	Sliced   bool       // for reports: zeros stand for values that nothing depends on
	Pipe     *PipeShape // for reports: what a pipe holds; nil of anything else
}

// Layout is the shape of an object: a tree of arrays and structs whose leaves
// are scalar cells. A cell is the unit of access: there are no mixed-size
// accesses.
type Layout struct {
	Type   Type    // of a scalar
	Atomic bool    // scalar of an atomic type: only such cells take atomic operations
	Handle string  // for reports, of a scalar: what its number is a handle of, such as "event"; the number means nothing then
	Elem   *Layout // of an array
	Len    int     // of an array
	Step   int     // of an array whose elements are named by every so many numbers; 0 is 1
	Fields []Field // of a struct
}

// Field is one member of a struct layout.
type Field struct {
	Name   string  // of the member; one that does not begin with a letter stands behind the object's name as it is
	Layout *Layout // its shape
	After  int     // of what several elements of an array have in common: the elements before the one that it is in
}

// suffix is what the name of a member adds to that of the object that it is in.
func (f *Field) suffix() string {
	switch {
	case f.Name == "", strings.ContainsAny(f.Name[:1], "[ ."):
		return f.Name
	}
	return "." + f.Name
}

// Scalar returns the layout of a single cell.
func Scalar(t Type, atomic bool) *Layout { return &Layout{Type: t, Atomic: atomic} }

// Cells returns the number of cells.
func (l *Layout) Cells() int {
	switch {
	case l.Elem != nil:
		return l.Len * l.Elem.Cells()
	case l.Fields != nil:
		n := 0
		for _, f := range l.Fields {
			n += f.Layout.Cells()
		}
		return n
	}
	return 1
}

// Cell returns the scalar layout of cell i and its name relative to the
// object: "", "[3]", ".next", "[2].key".
func (l *Layout) Cell(i int) (*Layout, string) {
	path := ""
	for {
		switch {
		case l.Elem != nil:
			n := l.Elem.Cells()
			k := i/n*max(l.Step, 1) + l.Elem.elementsBefore(i%n)
			path += "[" + strconv.Itoa(k) + "]"
			l, i = l.Elem, i%n
		case l.Fields != nil:
			for k := range l.Fields {
				f := &l.Fields[k]
				n := f.Layout.Cells()
				if i < n {
					path += f.suffix()
					l = f.Layout
					break
				}
				i -= n
			}
		default:
			return l, path
		}
	}
}

// elementsBefore returns how many elements of an array come before the one that cell i is in, if l is several of them.
func (l *Layout) elementsBefore(i int) int {
	for k := range l.Fields {
		if i < l.Fields[k].Layout.Cells() {
			return l.Fields[k].After
		}
		i -= l.Fields[k].Layout.Cells()
	}
	return 0
}

// Pointers are integers. The upper half names the segment, the lower half is
// an offset in cells; nil is 0.
const (
	SegShift         = 32
	SegShared  int64 = 1 << SegShift // Objects with Func < 0, by address
	SegGroup   int64 = 2 << SegShift // the work-group's local objects
	SegPrivate int64 = 3 << SegShift // the work-item's addressable registers
	SegMask    int64 = -1 << SegShift
)
