package loadbuffering

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

type cellState struct {
	object        int                    // index into Program.Objects
	symbolic      bool                   // no decision depends on its values; one stands for all
	uninitialised bool                   // atomic and without an initial value; a thread that reads it stops nobody goes on who reads that
	values        map[int64]*cellContent // those that may be in it
	list          []int64                // the keys of values, in the order in which they were found
	bound         int                    // number of changing writes that all threads together can perform
	version       int                    // changes with the rest
}

// cellContent is what is known of a value that may be in a cell.
type cellContent struct {
	by   []int // the threads that may write it
	free bool  // readable without a known writer
	// row is how few writes that change the cell, this one included, it takes, each
	// by a thread that knows of the one before.
	row int
}

// readable reports whether a thread may read a value at a node. It also returns the write that it reads from, if
// only one can be that; otherwise from.thread is -1.
func (a *threadModular) readable(t *thread, n *node, v int64) (from threadWrite, ok bool) {
	from.thread = -1
	c := a.cells[n.cell].values[v]
	if c.free {
		return from, true
	}
	a.work += len(c.by)
	several := false
	for _, u := range c.by {
		by := a.threads[u]
		w := threadWrite{u, by.writes[cellValue{n.cell, v}]}
		switch {
		case !by.once:
			return threadWrite{-1, 0}, true
		case u == t.number:
			if n.wrote.Holds(w.write) {
				return threadWrite{-1, 0}, true
			}
		case a.onePath(n.readFrom, w):
			several = ok
			from, ok = w, true
		default:
			n.refused = true
		}
		if several {
			return threadWrite{-1, 0}, true
		}
	}
	return from, ok
}

// onePath reports whether a write may be on one path of its thread with those writes of the same thread that have
// been read from.
func (a *threadModular) onePath(saw []threadWrite, w threadWrite) bool {
	t := a.threads[w.thread]
	for _, o := range saw {
		if o.thread == w.thread && o.write != w.write && !t.before[w.write].Holds(o.write) && !t.before[o.write].Holds(w.write) {
			return false
		}
	}
	return true
}

// write records that a thread may write a value to a cell, as the last of row writes of which each knows the one
// before.
func (a *threadModular) write(t *thread, cell int, v int64, row int) {
	c := a.cells[cell]
	if row > c.bound {
		return
	}
	w := c.values[v]
	if w == nil {
		c.list = append(c.list, v)
		a.failed = a.failed || len(c.list) > maxModularValues
		w = &cellContent{row: unbounded}
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

// resolve returns the cell that a thread's pointer points to, or nowhere if the instruction must not access it.
func (a *threadModular) resolve(t *thread, ptr int64, in *ir.Instr) int {
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

// newCell adds a cell with its initial value. An uninitialised cell has a value that nobody may read or, if it is
// atomic, none: a thread that reads it goes no further.
func (a *threadModular) newCell(fn, addr int) int {
	o := a.m.Program.ObjectAt(fn, int32(addr))
	if o == nil {
		return nowhere
	}
	c := &cellState{values: map[int64]*cellContent{}}
	for i := range a.m.Program.Objects {
		if o == &a.m.Program.Objects[i] {
			c.object = i
		}
	}
	first := int64(0)
	c.symbolic = !a.dependencies.objects.Has(c.object)
	if o.Init != nil && !c.symbolic {
		first = o.Init[addr-int(o.Base)]
	}
	scalar, _ := o.Layout.Cell(addr - int(o.Base))
	if c.uninitialised = o.Init == nil && scalar.Atomic && !c.symbolic; !c.uninitialised {
		c.list, c.values[first] = []int64{first}, &cellContent{free: true}
	}
	a.cells = append(a.cells, c)
	return len(a.cells) - 1
}
