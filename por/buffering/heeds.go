package buffering

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// heeds finds, of the reads that may see a promise, those that make a difference to what their unit can
// certify: that modify what they read, or acquire it, or read what decides, an address or a branch say, or what a
// promised write writes. Of any other read the unit might as well read again what it has seen last.
// docs/exploration.md, "Help".
func (m *program) heeds(looks, writes [][]bool) [][]bool {
	d := m.undecided()
	d.owed = writes
	for fn, f := range m.Program.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op.Access() {
				objects, _, _ := m.Points[fn].Address(in)
				d.touched[fn][pc].Union(facts.Set(objects))
			}
		}
	}
	d.learn()
	heeds := make([][]bool, len(looks))
	for fn, f := range m.Program.Funcs {
		heeds[fn] = make([]bool, len(f.Code))
		for pc := range f.Code {
			in := &f.Code[pc]
			heeds[fn][pc] = looks[fn][pc] && (in.Op != ir.OpLoad || in.Order != memmodel.Relaxed || m.Traits.Fences || in.Dst >= 0 && d.after(fn, pc).Has(int(in.Dst)))
		}
	}
	return heeds
}
