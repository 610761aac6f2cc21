package facts

import "github.com/clmc/clmc/state/ir"

// sharedNames finds the names, of hosts and of kernels, under which several functions
// may observe.
func sharedNames(p *ir.Program) [2][]bool {
	var all [2][]bool
	for i := range all {
		first := make([]*ir.Func, len(p.Strings))
		all[i] = make([]bool, len(p.Strings))
		for _, f := range p.Funcs {
			for pc := range f.Code {
				in := &f.Code[pc]
				if in.Op != ir.OpObserve || in.PerItem != (i == 1) {
					continue
				}
				if first[in.Str] == nil {
					first[in.Str] = f
				}
				all[i][in.Str] = all[i][in.Str] || first[in.Str] != f
			}
		}
	}
	return all
}
