package trace

import (
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// cellKey identifies a location across casts.
type cellKey struct {
	fn    int
	addr  int32
	group memmodel.Place
}

// shadow keeps the modification order of each location by steps, which the
// machine forgets as soon as it can.
type shadow struct {
	m     *state.Machine
	locs  []Location
	index map[cellKey]int
	keys  []cellKey // by index
	cast  *state.Cast
	here  []int // by location of cast: its index, or -1
}

func keyOf(c *state.Cast, x memmodel.Loc) cellKey {
	cell := c.Cell(x)
	p := cell.Owner.Place
	p.Sub = 0
	return cellKey{cell.Func, cell.Addr, p}
}

// key returns what identifies the location of an index.
func (s *shadow) key(loc int) cellKey { return s.keys[loc] }

// at returns the index of location x of a cast.
func (s *shadow) at(c *state.Cast, x memmodel.Loc) int {
	if i := s.known(c, x); i >= 0 {
		return i
	}
	i, k := len(s.locs), keyOf(c, x)
	s.index[k], s.here[x] = i, i
	s.locs, s.keys = append(s.locs, s.location(c, x)), append(s.keys, k)
	return i
}

// known returns the index of location x of a cast, or -1 if it has none yet.
func (s *shadow) known(c *state.Cast, x memmodel.Loc) int {
	if s.cast != c {
		s.cast, s.here = c, make([]int, len(c.Layout.Locs))
		for y := range s.here {
			i, ok := s.index[keyOf(c, memmodel.Loc(y))]
			if !ok {
				i = -1
			}
			s.here[y] = i
		}
	}
	return s.here[x]
}

func (s *shadow) location(c *state.Cast, x memmodel.Loc) Location {
	cell := c.Cell(x)
	loc := &c.Layout.Locs[x]
	name := s.m.Program.CellName(cell.Func, cell.Addr)
	l := Location{Name: name, Region: loc.Region.String(), Atomic: loc.Atomic, region: loc.Region, kind: loc.Kind, Order: []int{}}
	if o := s.m.Program.ObjectAt(cell.Func, cell.Addr); o != nil {
		scalar, _ := o.Layout.Cell(int(cell.Addr - o.Base))
		l.typ, l.Sliced, l.handle, l.pipe = scalar.Type, o.Sliced, scalar.Handle, pipeAt(o, int(cell.Addr-o.Base))
	}
	if loc.Region == memmodel.Global {
		l.Kind = loc.Kind.String()
	}
	if cell.Func >= 0 {
		g, k := int(cell.Owner.Place.Group), int(cell.Owner.Place.Kernel)
		l.Group, l.Kernel = &g, &k
	}
	if loc.Initialised {
		l.Order, l.cells = append(l.Order, 0), append(l.cells, loc.Init)
	}
	return l
}

// text writes a value of the location.
func (l *Location) text(p *ir.Program, v int64) string {
	switch {
	case l.Sliced:
		return unknown
	case l.pipe != nil:
		return l.pipe.text(v)
	case l.handle != "" && v == 0:
		return "no " + l.handle
	case l.handle != "":
		return an(l.handle)
	}
	return value(p, l.typ, v)
}

// an puts the right article before a noun.
func an(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// read returns the value `back` before the newest, and the step that wrote it.
func (l *Location) read(back int) (val int64, from int, ok bool) {
	i := len(l.Order) - 1 - back
	if i < 0 || i >= len(l.Order) {
		return 0, 0, false
	}
	return l.cells[i], l.Order[i], true
}

// insert puts the store of a step behind the newest `back` ones.
func (l *Location) insert(back, step int, val int64) {
	i := max(len(l.Order)-back, 0)
	l.Order = slices.Insert(l.Order, i, step)
	l.cells = slices.Insert(l.cells, i, val)
}
