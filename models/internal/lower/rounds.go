package lower

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// dropRounds removes the rounds of loops in which no work-items meet.
func (f *Func) dropRounds() {
	blocks := f.order()
	meets := map[int32]bool{}
	for _, b := range blocks {
		for _, in := range b.ins {
			if in.Op.Meets() && in.Rounds != nil {
				for _, l := range in.Rounds.Loops {
					meets[l] = true
				}
			}
		}
	}
	for _, b := range blocks {
		b.ins = slices.DeleteFunc(b.ins, func(in ir.Instr) bool { return in.Op == ir.OpRound && !meets[in.Rounds.Loops[0]] })
	}
}
