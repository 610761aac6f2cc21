package loadbuffering

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// FindDependencies finds the reads whose value matters to what their unit can certify. Such a read modifies what
// it reads, or acquires it, or reads what an address, a branch or a promised write depends on. In place of any
// other read the unit may read again what it has seen last. It also finds the registers on which addresses and
// branches depend.
// docs/exploration/promises.md, "Help", and docs/exploration/certifying.md, "Certifying".
func FindDependencies(machine *state.Machine, where *state.Promisable) {
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
	where.ValueMatters, where.Decides = make([][]bool, len(d.before)), d.before
	for fn, f := range m.Program.Funcs {
		where.ValueMatters[fn] = make([]bool, len(f.Code))
		for pc := range f.Code {
			in := &f.Code[pc]
			acquired := in.Order.Acquires() || in.Order != memmodel.NonAtomic && m.Traits.Fences
			where.ValueMatters[fn][pc] = in.Op.Access() && in.Op != ir.OpStore && (in.Op != ir.OpLoad || acquired || in.Dst >= 0 && d.after(fn, pc).Has(int(in.Dst)))
		}
	}
}
