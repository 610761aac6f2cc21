package state

import (
	"encoding/binary"
	"sync"

	"github.com/clmc/clmc/memmodel"
)

// abstainer tells which locations a unit does not write from a point of its code on, as long as it reads there what it does not want.
// docs/exploration/canonical-form.md, "What is said twice".
type abstainer struct {
	codePoint
	of sync.Map // what is known, by location and values
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
	return !w.enqueues() && w.m.Abstains(w.unit.Func, w.pc, values, func(pc int) (some, only bool) { return w.accesses(pc, x) })
}
