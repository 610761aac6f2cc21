package code

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// grid says how the bytes of an object are divided into cells: in each period alike. Every access of the program is to
// whole cells.
type grid struct {
	period int
	cells  []cell
	first  []int32 // by byte of the period: the cell that begins there, or -1
	// Of a grid that has the scalars that were declared as its cells: which widths hold bits of several
	// types. Otherwise declared is false.
	declared bool
	raw      map[int]bool
	rows     bool // pointers into the rows of structs must stay in them
}

// cell is a part of memory that is accessed as a whole.
type cell struct {
	off    int // in bytes, from the start of the period
	bytes  int
	t      ir.Type
	part   int // of a pointer, which takes three cells at one place
	ptr    bool
	atomic bool
}

// need is scalars that an access is to: those which begin at bytes rem, rem+mod, rem+2*mod and so on of an object,
// or, if mod is 0, the one at rem.
type need struct {
	mod, rem int
	leaf
	use *use // who accesses them, or nil
	// The pointer is in a span, so many bytes before the scalar; it is relied upon if stays is set.
	span   *span
	inSpan int
	stays  bool
}

// clash is two accesses for which there are no cells: the first must have one, and the second divides it.
type clash struct{ whole, divides *need }

// starts calls f with the bytes of a period where the scalars of a need begin.
func (n *need) starts(period int, f func(at int)) {
	step := period
	if n.mod != 0 {
		step = gcd(n.mod, period)
	}
	for at := ((n.rem % step) + step) % step; at < period; at += step {
		if !n.stays || n.mod == 0 || n.span.has(at-n.inSpan, period) {
			f(at)
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// cut divides a period into the largest cells such that each need is whole ones, and one that is of an
// atomic operation or a pointer is one. If fill is set, what nobody needs has cells, too.
func cut(period int, needs []need, fill bool) ([]cell, *clash) {
	edges := make([]*need, period+1)
	covered := make([]bool, period)
	var none need
	edges[0], edges[period] = &none, &none
	for i := range needs {
		n := &needs[i]
		n.starts(period, func(at int) {
			edges[at] = n
			for b := range n.bytes() {
				covered[(at+b)%period] = true
			}
			if end := (at + n.bytes()) % period; edges[end] == nil {
				edges[end] = n
			}
		})
	}
	for i := range needs {
		n := &needs[i]
		if bad := n.divided(period, edges); bad != nil {
			return nil, bad
		}
	}
	var cells []cell
	for at := 0; at < period; {
		end := at + 1
		for edges[end] == nil {
			end++
		}
		for at < end {
			n := largestPiece(at, end)
			if covered[at] || fill {
				cells = append(cells, cell{off: at, bytes: n, t: ir.Bool})
			}
			at += n
		}
	}
	return typed(period, cells, needs)
}

// divided reports an edge within scalars that must be cells of their own.
func (n *need) divided(period int, edges []*need) (bad *clash) {
	if !n.atomic && !n.ptr {
		return nil
	}
	n.starts(period, func(at int) {
		for b := 1; b < n.bytes(); b++ {
			if e := edges[(at+b)%period]; e != nil && bad == nil {
				bad = &clash{n, e}
			}
		}
	})
	return bad
}

// largestPiece returns the width of the first cell between two edges: all, if it is that of a scalar.
func largestPiece(at, end int) int {
	switch n := end - at; n {
	case 1, 2, 4, 8:
		return n
	}
	for n := 8; n > 1; n /= 2 {
		if at%n == 0 && at+n <= end {
			return n
		}
	}
	return 1
}

// typed gives the cells the types that they are accessed as: if those differ, they hold bits.
func typed(period int, cells []cell, needs []need) ([]cell, *clash) {
	index := make([]int, period)
	for i, c := range cells {
		for b := range c.bytes {
			index[c.off+b] = i
		}
	}
	seen := make([]*need, len(cells))
	var bad *clash
	for i := range needs {
		n := &needs[i]
		n.starts(period, func(at int) {
			for b := 0; b < n.bytes(); b++ {
				k := index[(at+b)%period]
				c, was := &cells[k], seen[k]
				exact := c.off == at && c.bytes == n.bytes()
				switch {
				case was != nil && (was.ptr != n.ptr) && bad == nil:
					bad = &clash{was, n}
					if n.ptr {
						bad = &clash{n, was}
					}
				case was == nil && exact:
					c.t = n.t
				case !exact || c.t != n.t:
					c.t = unsigned(8 * c.bytes)
				}
				if n.ptr {
					c.ptr, c.t = true, ir.Ptr
				}
				c.atomic = c.atomic || n.atomic
				seen[k] = n
			}
		})
	}
	if bad != nil {
		return nil, bad
	}
	var list []cell
	for i, c := range cells {
		if seen[i] == nil {
			c.t = unsigned(8 * c.bytes)
		}
		if !c.ptr {
			list = append(list, c)
			continue
		}
		for part := range ptrParts {
			d := c
			if d.part = part; part != ptrBase {
				d.t = ir.I64
			}
			list = append(list, d)
		}
	}
	return list, nil
}

// newGrid makes a grid of cells; of cells that are all alike, one is the period.
func newGrid(period int, cells []cell) *grid {
	uniform := len(cells) > 0
	for i, c := range cells {
		uniform = uniform && c.bytes == cells[0].bytes && c.t == cells[0].t && !c.ptr && c.atomic == cells[0].atomic && c.off == i*c.bytes
	}
	if uniform && len(cells)*cells[0].bytes == period {
		period, cells = cells[0].bytes, cells[:1]
	}
	g := &grid{period: period, cells: cells, first: make([]int32, period)}
	for i := range g.first {
		g.first[i] = -1
	}
	for i, c := range cells {
		if c.part == 0 {
			g.first[c.off] = int32(i)
		}
	}
	return g
}

// declaredGrid returns the grid whose cells are the scalars of type t.
func (s *shapes) declaredGrid(t *tree.Type, raw map[int]bool) *grid {
	t = rootElem(t)
	cells := s.declaredCells(0, t, raw)
	if len(cells) == 0 {
		cells = []cell{{bytes: 1, t: ir.U8}} // see newObject
	}
	g := newGrid(max(s.size(t), 1), cells)
	g.declared, g.raw = true, raw
	return g
}

// declaredCells returns a cell for each scalar of t, and for the fourth lane of three.
func (s *shapes) declaredCells(at int, t *tree.Type, raw map[int]bool) (list []cell) {
	switch t.Kind {
	case tree.Array:
		for i := range int(t.Len) {
			list = append(list, s.declaredCells(at+i*s.size(t.Elem), t.Elem, raw)...)
		}
		return list
	case tree.Struct:
		for _, f := range t.Record.Fields {
			list = append(list, s.declaredCells(at+int(f.Offset), f.Type, raw)...)
		}
		return list
	}
	for _, l := range s.leaves(t) {
		list = append(list, cell{off: at + l.off, bytes: l.bytes(), t: cellType(l.t, raw), part: l.part, ptr: l.ptr, atomic: l.atomic})
	}
	if t.Kind == tree.Vector && t.Len == 3 {
		last := list[2]
		last.off += last.bytes
		list = append(list, last)
	}
	return list
}

// cellType returns the type of the cells of memory that hold values of type t. Floating-point numbers are held as their
// bits in any case.
func cellType(t ir.Type, raw map[int]bool) ir.Type {
	if t.Float() || t == ir.Ptr || !raw[cellBits(t)] {
		return t
	}
	return unsigned(cellBits(t))
}

// equal reports whether two grids divide memory alike.
func (g *grid) equal(h *grid) bool {
	if g.period != h.period || len(g.cells) != len(h.cells) {
		return false
	}
	for i := range g.cells {
		if g.cells[i] != h.cells[i] {
			return false
		}
	}
	return true
}

// admits reports whether needs are whole cells, and those of atomic operations and pointers one. It adds to raw the
// widths of cells that are accessed as what they are not.
func (g *grid) admits(needs []need, raw map[int]bool) bool {
	ok := true
	for i := range needs {
		n := &needs[i]
		n.starts(g.period, func(at int) {
			cs := g.at(at, n.bytes())
			switch {
			case cs == nil, (n.atomic || n.ptr) && cs[0].bytes != n.bytes(), cs[0].ptr != n.ptr:
				ok = false
			case n.ptr:
			default:
				for _, c := range cs {
					if len(cs) > 1 || c.t != n.t {
						raw[8*c.bytes] = true
					}
				}
			}
			for _, c := range cs {
				ok = ok && c.ptr == n.ptr
			}
		})
		if !ok {
			return false
		}
	}
	return true
}

// at returns the cells of some bytes of a period, or of what follows it; nil if they are not whole ones.
func (g *grid) at(from, bytes int) (list []cell) {
	for b := 0; b < bytes; {
		k := g.first[(from+b)%g.period]
		if k < 0 {
			return nil
		}
		c := g.cells[k]
		if b += c.bytes; b > bytes {
			return nil
		}
		list = append(list, c)
	}
	return list
}

// mod returns the remainder of a division that rounds down, at least 0 and below m.
func mod(at, m int) int { return (at%m + m) % m }

// index returns the number of the cell at a byte of an object, from the start of its period q*period, q being known or
// left out: of a byte before that it is negative. It returns false if no cell begins there.
func (g *grid) index(at int) (int, bool) {
	k := g.first[mod(at, g.period)]
	return floorDiv(at, g.period)*len(g.cells) + int(k), k >= 0
}

func floorDiv(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// count returns how many cells an object of type t has: those of whole periods, and, where reports tell its elements apart, of whole elements.
func (g *grid) count(s *shapes, t *tree.Type) int {
	bytes, unit := s.size(t), g.period
	if !g.declared {
		unit = g.unit(s, t)
	}
	return (bytes + unit - 1) / unit * (unit / g.period * len(g.cells))
}

// unit returns the bytes of some elements of an object of type t that are whole periods, too, or, if there are less, of all
// periods.
func (g *grid) unit(s *shapes, t *tree.Type) int {
	bytes, elem := s.size(t), max(s.size(rootElem(t)), 1)
	unit := elem / gcd(elem, g.period) * g.period
	if unit > bytes {
		unit = max((bytes+g.period-1)/g.period, 1) * g.period
	}
	return unit
}

// layout returns the shape of an object of type t in this grid.
func (g *grid) layout(s *shapes, t *tree.Type) *ir.Layout {
	if s.size(t) == 0 {
		return ir.Scalar(ir.U8, false) // see newObject
	}
	if g.declared {
		return s.declaredLayout(t, g.raw)
	}
	bytes, elem, unit := s.size(t), max(s.size(rootElem(t)), 1), g.unit(s, t)
	if t.Kind == tree.Array && t.Elem.Kind == tree.Array {
		if s.size(t.Elem)%unit == 0 {
			return &ir.Layout{Elem: g.layout(s, t.Elem), Len: int(t.Len)}
		}
		if n := g.count(s, t); n <= maxNamed {
			return g.namedCells(s, t, n)
		}
	}
	part := g.namedCells(s, rootElem(t), unit/g.period*len(g.cells))
	return &ir.Layout{Elem: part, Len: (bytes + unit - 1) / unit, Step: unit / elem}
}

// declaredLayout returns the shape of an object of type t whose cells are its scalars.
func (s *shapes) declaredLayout(t *tree.Type, raw map[int]bool) *ir.Layout {
	one := func(t ir.Type) *ir.Layout { return ir.Scalar(cellType(t, raw), false) }
	switch t.Kind {
	case tree.Vector:
		n := int(t.Len)
		if n == 3 {
			n = 4
		}
		return &ir.Layout{Elem: one(scalar(t)), Len: n}
	case tree.Pointer:
		return &ir.Layout{Fields: []ir.Field{{Name: partNames[ptrBase], Layout: one(ir.Ptr)},
			{Name: partNames[ptrOff], Layout: ir.Scalar(ir.I64, false)}, {Name: partNames[ptrSize], Layout: ir.Scalar(ir.I64, false)}}}
	case tree.Array:
		return &ir.Layout{Elem: s.declaredLayout(t.Elem, raw), Len: int(t.Len)}
	case tree.Struct:
		l := &ir.Layout{Fields: []ir.Field{}}
		for _, f := range t.Record.Fields {
			l.Fields = append(l.Fields, ir.Field{Name: f.Name, Layout: s.declaredLayout(f.Type, raw)})
		}
		return l
	case tree.Atomic:
		return ir.Scalar(cellType(scalar(t), raw), true)
	}
	leaves := s.leaves(t)
	if len(leaves) == 1 {
		l := one(leaves[0].t)
		l.Handle = handles[t.Kind]
		return l
	}
	l := &ir.Layout{Fields: []ir.Field{}}
	for _, f := range leaves {
		l.Fields = append(l.Fields, ir.Field{Name: s.nameAt(t, f.off, f.bytes()), Layout: one(f.t)})
	}
	return l
}
