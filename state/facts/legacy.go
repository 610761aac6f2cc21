package facts

import "github.com/clmc/clmc/memmodel"

// The atomic functions of OpenCL 1.x have no scope argument, and no text says
// what scope they have (rule 3.9). It makes no difference where only one
// work-group uses them on a location.

// callsLegacy reports whether a function may call one on global memory.
func (facts *Facts) callsLegacy(fn int) bool {
	f := facts.Program.Funcs[fn]
	for pc := range f.Code {
		in := &f.Code[pc]
		if !in.Legacy {
			continue
		}
		objects, _, _ := facts.Points[fn].Address(in)
		for i := range facts.Program.Objects {
			if objects.Has(i) && facts.Program.Objects[i].Region == memmodel.Global {
				return true
			}
		}
	}
	return false
}
