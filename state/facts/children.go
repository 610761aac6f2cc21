package facts

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Children says what a kernel can enqueue.
type Children struct {
	Any        bool  // any command, be it a marker
	WaitKernel bool  // some with WAIT_KERNEL
	WaitGroup  bool  // some with WAIT_WORK_GROUP
	Funcs      []int // the kernels, with those that they enqueue in turn
	Spins      bool  // the kernel may wait in a loop for a value, perhaps a child's
}

// offspring finds what each function of the program can enqueue or start.
func (facts *Facts) offspring() []Children {
	p := facts.Program
	all := make([]Children, len(p.Funcs))
	for fn, f := range p.Funcs {
		all[fn].Spins = spins(f)
		for pc := range f.Code {
			in := &f.Code[pc]
			all[fn].Any = all[fn].Any || in.Op == ir.OpEnqueueKernel || in.Op == ir.OpEnqueueMarker
			if !in.Op.Starts() {
				continue
			}
			if !slices.Contains(all[fn].Funcs, int(in.Target)) {
				all[fn].Funcs = append(all[fn].Funcs, int(in.Target))
			}
			if in.Op == ir.OpEnqueueKernel {
				all[fn].WaitGroup = all[fn].WaitGroup || mayHaveFlags(f, in, ir.WaitWorkGroup)
				all[fn].WaitKernel = all[fn].WaitKernel || mayHaveFlags(f, in, ir.WaitKernel)
			}
		}
	}
	for grown := true; grown && !facts.spent(); {
		grown = false
		for fn := range all {
			for _, g := range all[fn].Funcs {
				for _, h := range all[g].Funcs {
					if !slices.Contains(all[fn].Funcs, h) {
						all[fn].Funcs = append(all[fn].Funcs, h)
						grown = true
					}
				}
			}
		}
	}
	return all
}

// mayHaveFlags reports whether the flags of an enqueue are not known to differ.
func mayHaveFlags(f *ir.Func, in *ir.Instr, flags int64) bool {
	a := in.Args[1]
	return a >= 0 || f.Consts[^a] == flags
}

// spins reports whether a function has a loop with an atomic read.
func spins(f *ir.Func) bool {
	back := f.ComesBack()
	for pc := range f.Code {
		in := &f.Code[pc]
		if in.Op.Access() && in.Op != ir.OpStore && in.Order != memmodel.NonAtomic && back[pc] {
			return true
		}
	}
	return false
}
