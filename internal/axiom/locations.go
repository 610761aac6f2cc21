package axiom

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// location is one cell of memory that threads share.
type location struct {
	name   string
	region memmodel.Region
	kind   memmodel.Kind
	atomic bool
	mapped bool // the host may touch it only while it is mapped
	init   int64
	uninit bool
	owner  *ir.Thread // one of those that share the group segment; nil in the shared one
	addr   int64
}

// locations lists the cells of the shared segment and of the local objects of
// each work-group.
func (e *enumerator) locations() error {
	for i := range e.prog.Objects {
		if o := &e.prog.Objects[i]; o.Func < 0 {
			e.addCells(o, nil)
		}
	}
	for i, t := range e.threads {
		if t.Place.Host || slices.ContainsFunc(e.threads[:i], func(u ir.Thread) bool { return sharesSegment(u, t) }) {
			continue
		}
		for k := range e.prog.Objects {
			if o := &e.prog.Objects[k]; o.Func == t.Func {
				e.addCells(o, &e.threads[i])
			}
		}
	}
	if len(e.locs) > 1000 {
		return fmt.Errorf("axiom: %d cells are too many", len(e.locs))
	}
	return nil
}

// sharesSegment reports whether two threads have the same group segment.
func sharesSegment(t, u ir.Thread) bool { return t.Func == u.Func && t.Place.SameGroup(u.Place) }

func (e *enumerator) addCells(o *ir.Object, owner *ir.Thread) {
	for i := range o.Layout.Cells() {
		cell, path := o.Layout.Cell(i)
		l := location{name: o.Name + path, region: o.Region, kind: o.Kind, atomic: cell.Atomic, mapped: o.HostMaps,
			uninit: o.Init == nil, owner: owner, addr: int64(o.Base) + int64(i)}
		if o.Init != nil {
			l.init = o.Init[i]
		}
		e.locs = append(e.locs, l)
	}
}

// locate returns the location that a thread's pointer refers to, or -1.
func (e *enumerator) locate(t *ir.Thread, pointer int64) int {
	segment, addr := pointer&ir.SegMask, pointer&^ir.SegMask
	for i := range e.locs {
		l := &e.locs[i]
		if l.addr != addr {
			continue
		}
		if segment == ir.SegShared && l.owner == nil ||
			segment == ir.SegGroup && l.owner != nil && sharesSegment(*l.owner, *t) {
			return i
		}
	}
	return -1
}

// sharedCell returns the location of a cell of the shared segment, which must
// exist.
func (e *enumerator) sharedCell(addr int32) int {
	for i := range e.locs {
		if e.locs[i].owner == nil && e.locs[i].addr == int64(addr) {
			return i
		}
	}
	panic("axiom: final value of a cell that does not exist")
}
