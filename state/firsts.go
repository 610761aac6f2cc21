package state

import (
	"slices"
	"sync"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
)

// codePoint is a point of a unit's code.
type codePoint struct {
	m    *Machine // whose code it is
	cast *Cast    // and the unit's,
	unit *Role    // which this is
	pc   int      // the point
}

// enqueues reports whether the unit may enqueue kernels from the point on.
func (w *codePoint) enqueues() bool {
	return slices.ContainsFunc(w.m.Onward[w.unit.Func][facts.Ever][w.pc].Kernels, func(word uint64) bool { return word != 0 })
}

// accesses reports whether the instruction at pc, which the unit may come to, may access a location, and whether it can access no other.
func (w *codePoint) accesses(pc int, x memmodel.Loc) (some, only bool) {
	if !w.m.Onward[w.unit.Func][facts.Ever][w.pc].Accesses.Has(pc) {
		return false, false
	}
	n := 0
	w.m.eachLocation(w.cast, w.unit, pc, func(y memmodel.Loc) {
		n++
		some = some || x == y
	})
	return some, n == 1
}

// firsts are the accesses of locations that a unit may come to first from a point of its code on.
type firsts struct {
	codePoint
	of sync.Map // by location, once somebody has asked: the instructions, as []int
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
	if w.enqueues() {
		return []int{-1}
	}
	return w.m.Firsts(w.unit.Func, w.pc, func(pc int) bool {
		some, _ := w.accesses(pc, x)
		return some
	})
}
