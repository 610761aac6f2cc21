package state

import (
	"sync"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
)

// firsts are the accesses of locations that a unit may come to first from a point of its code on.
type firsts struct {
	m    *Machine // whose code it is
	cast *Cast    // and the unit's,
	unit *Role    // which this is
	pc   int      // the point
	of   sync.Map // by location, once somebody has asked: the instructions, as []int
}

// wait is memmodel.Future.Waits. A kernel that the unit may enqueue need not wait where it does.
func (w *firsts) wait(x memmodel.Loc, v int64, taken bool) bool {
	list, ok := w.of.Load(x)
	if !ok {
		list = w.find(x)
		if !w.m.Halted() {
			w.of.Store(x, list)
		}
	}
	for _, pc := range list.([]int) {
		if pc < 0 || !w.m.WaitsAt(w.unit.Func, pc, v, taken) {
			return false
		}
	}
	return true
}

// find finds the first accesses of a location; -1 among them says that there may be others.
func (w *firsts) find(x memmodel.Loc) []int {
	onward := &w.m.Onward[w.unit.Func][facts.Ever][w.pc]
	for _, word := range onward.Kernels {
		if word != 0 {
			return []int{-1}
		}
	}
	return w.m.Firsts(w.unit.Func, w.pc, func(pc int) bool { return onward.Accesses.Has(pc) && w.at(pc, x) })
}

// at reports whether the instruction at pc may access a location.
func (w *firsts) at(pc int, x memmodel.Loc) (is bool) {
	w.m.eachLocation(w.cast, w.unit, pc, func(y memmodel.Loc) { is = is || x == y })
	return is
}
