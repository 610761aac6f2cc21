package buffering

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Weigh finds the reads that make a difference to what their unit can certify: that modify what they read, or acquire
// it, or read what decides, an address or a branch say, or what a promised write writes. Of any other read the unit
// might as well read again what it has seen last. And it finds the registers that decide.
// docs/exploration/promises.md, "Help", and docs/exploration/certifying.md, "Certifying".
func Weigh(machine *state.Machine, where *state.Promisable) {
	m := of(machine)
	d := m.undecided()
	d.owed, d.alone = where.Writes, true
	for fn, f := range m.Program.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op.Access() {
				objects, _, _ := m.Points[fn].Address(in)
				d.touched[fn][pc].Union(facts.Set(objects))
			}
		}
	}
	d.learn()
	where.Heeds, where.Decides = make([][]bool, len(d.before)), d.before
	for fn, f := range m.Program.Funcs {
		where.Heeds[fn] = make([]bool, len(f.Code))
		for pc := range f.Code {
			in := &f.Code[pc]
			acquired := in.Order.Acquires() || in.Order != memmodel.NonAtomic && m.Traits.Fences
			where.Heeds[fn][pc] = in.Op.Access() && in.Op != ir.OpStore && (in.Op != ir.OpLoad || acquired || in.Dst >= 0 && d.after(fn, pc).Has(int(in.Dst)))
		}
	}
}
