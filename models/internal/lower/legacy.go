package lower

import "github.com/clmc/clmc/state/ir"

// NoteLegacy remembers that an OpenCL 1.x atomic accesses ordinary cells of a type:
// all of that type if the address is not known. Such cells take atomic operations
// (rule 3.9).
func (f *Func) NoteLegacy(addr int32, t ir.Type) {
	p := f.prog
	if a, ok := f.Known(addr); ok {
		fn := -1
		if a&ir.SegMask == ir.SegGroup {
			fn = f.number
		}
		if o := p.ObjectAt(fn, int32(a&^ir.SegMask)); o != nil {
			leaf, _ := o.Layout.Cell(int(int32(a&^ir.SegMask) - o.Base))
			leaf.Atomic = true
			return
		}
	}
	p.legacy[t] = true
}

// markLegacy makes the cells that OpenCL 1.x atomics may access atomic.
func (p *Program) markLegacy() {
	for i := range p.Objects {
		markAtomic(p.Objects[i].Layout, p.legacy)
	}
}

func markAtomic(y *ir.Layout, which map[ir.Type]bool) {
	switch {
	case y.Elem != nil:
		markAtomic(y.Elem, which)
	case y.Fields != nil:
		for _, f := range y.Fields {
			markAtomic(f.Layout, which)
		}
	default:
		y.Atomic = y.Atomic || which[y.Type]
	}
}
