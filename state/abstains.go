package state

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
)

// abstainer tells which locations a unit does not write from a point of its code on, as long as it reads there what it does not want.
// docs/exploration/canonical-form.md, "What is said twice".
type abstainer struct {
	m    *Machine // whose code it is
	cast *Cast    // and the unit's,
	unit *Role    // which this is
	pc   int      // the point
	of   sync.Map // what is known, by location and values
}

// abstains is memmodel.Future.Abstains. Kernels that the unit may enqueue may write.
func (w *abstainer) abstains(x memmodel.Loc, values []int64) bool {
	key := binary.AppendVarint(nil, int64(x))
	for _, v := range values {
		key = binary.AppendVarint(key, v)
	}
	known, ok := w.of.Load(string(key))
	if !ok {
		known = w.find(x, values)
		if !w.m.Halted() {
			w.of.Store(string(key), known)
		}
	}
	return known.(bool)
}

func (w *abstainer) find(x memmodel.Loc, values []int64) bool {
	onward := &w.m.Onward[w.unit.Func][facts.Ever][w.pc]
	if slices.ContainsFunc(onward.Kernels, func(word uint64) bool { return word != 0 }) {
		return false
	}
	return w.m.Abstains(w.unit.Func, w.pc, values, func(pc int) (some, only bool) {
		if !onward.Accesses.Has(pc) {
			return false, false
		}
		n := 0
		w.m.eachLocation(w.cast, w.unit, pc, func(y memmodel.Loc) {
			n++
			some = some || x == y
		})
		return some, n == 1
	})
}
