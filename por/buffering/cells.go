package buffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// What may be in the cells that threads access, by the thread-modular analysis, and which of that a thread may read.

// cellKey names a cell: of the shared segment, or of a work-group's.
type cellKey struct {
	launch, group int // 0 for the shared segment
	addr          int // in that segment
}

type modularCell struct {
	object  int                     // index into Program.Objects
	carried bool                    // its values decide nothing, and one stands for all
	blank   bool                    // it is an atomic object's, and nothing is in it at first: nobody goes on who reads that
	values  map[int64]*modularValue // those that may be in it
	list    []int64                 // the keys of values, in the order in which they were found
	bound   int                     // how many writes that change the cell all threads together can perform
	version int                     // changes with the rest
}

// modularValue is what is known of a value that may be in a cell.
type modularValue struct {
	by   []int // the threads that may write it
	free bool  // it may be there whatever they do, or they are too many
	// row is how few writes that change the cell, this one included, it takes, each
	// by a thread that knows of the one before.
	row int
}

// readable reports whether a thread may read a value at a node, and whose write that
// is, if it can be only one's: number -1 otherwise.
func (a *modular) readable(t *thread, n *node, v int64) (from own, ok bool) {
	from.thread = -1
	c := a.cells[n.cell].values[v]
	if c.free {
		return from, true
	}
	a.work += len(c.by)
	several := false
	for _, u := range c.by {
		by := a.threads[u]
		w := own{u, by.writes[cellValue{n.cell, v}]}
		switch {
		case !by.once:
			return own{-1, 0}, true
		case u == t.number:
			if n.wrote.Holds(w.write) {
				return own{-1, 0}, true
			}
		case a.onePath(n.saw, w):
			several = ok
			from, ok = w, true
		default:
			n.refused = true
		}
		if several {
			return own{-1, 0}, true
		}
	}
	return from, ok
}

// onePath reports whether a write may be on one path with those of the same thread
// that have been seen.
func (a *modular) onePath(saw []own, w own) bool {
	t := a.threads[w.thread]
	for _, o := range saw {
		if o.thread == w.thread && o.write != w.write && !t.before[w.write].Holds(o.write) && !t.before[o.write].Holds(w.write) {
			return false
		}
	}
	return true
}

// write notes that a thread may write a value to a cell, the last of so many in a row.
func (a *modular) write(t *thread, cell int, v int64, row int) {
	c := a.cells[cell]
	if row > c.bound {
		return
	}
	w := c.values[v]
	if w == nil {
		c.list = append(c.list, v)
		a.failed = a.failed || len(c.list) > maxModularValues
		w = &modularValue{row: unbounded}
		c.values[v] = w
	}
	if row < w.row {
		w.row = row
		c.version++
	}
	if !w.free && !slices.Contains(w.by, t.number) {
		w.by = append(w.by, t.number)
		w.free = len(w.by) > maxModularWriters
		c.version++
	}
}

// resolve returns the cell that a thread's pointer points to, or nowhere if it
// must not be accessed that way.
func (a *modular) resolve(t *thread, ptr int64, in *ir.Instr) int {
	key, fn := cellKey{addr: int(ptr &^ ir.SegMask)}, -1
	switch ptr & ir.SegMask {
	case ir.SegShared:
	case ir.SegGroup:
		if t.launch == 0 {
			return nowhere
		}
		key.launch, key.group, fn = t.launch, int(t.unit.Place.Group), t.unit.Func
	default:
		return nowhere
	}
	i, ok := a.index[key]
	if !ok {
		if i = a.newCell(fn, key.addr); i == nowhere {
			return nowhere
		}
		a.index[key] = i
	}
	o := &a.m.Program.Objects[a.cells[i].object]
	if scalar, _ := o.Layout.Cell(key.addr - int(o.Base)); in.Order != memmodel.NonAtomic && !scalar.Atomic {
		return nowhere
	}
	return i
}

// newCell adds a cell with its first value; if it is not initialised, with one that
// nobody may read, or, if it is of an atomic object, none: who reads that goes no further.
func (a *modular) newCell(fn, addr int) int {
	o := a.m.Program.ObjectAt(fn, int32(addr))
	if o == nil {
		return nowhere
	}
	c := &modularCell{values: map[int64]*modularValue{}}
	for i := range a.m.Program.Objects {
		if o == &a.m.Program.Objects[i] {
			c.object = i
		}
	}
	first := int64(0)
	c.carried = !a.decides.objects.Has(c.object)
	if o.Init != nil && !c.carried {
		first = o.Init[addr-int(o.Base)]
	}
	scalar, _ := o.Layout.Cell(addr - int(o.Base))
	if c.blank = o.Init == nil && scalar.Atomic && !c.carried; !c.blank {
		c.list, c.values[first] = []int64{first}, &modularValue{free: true}
	}
	a.cells = append(a.cells, c)
	return len(a.cells) - 1
}
