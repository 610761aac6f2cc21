package facts

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// chained reports whether happens-before orders all seq_cst operations that modification order or reads-from does, so that S exists in each execution
// that is consistent without it: they are read-modify-writes that synchronise with each other, of memory of one region.
// docs/exploration/relaxing.md, "Where all seq_cst operations are read-modify-writes".
func (facts *Facts) chained() bool {
	if !facts.oneAtATime() || slices.ContainsFunc(facts.Program.Threads, func(t ir.Thread) bool { return t.Place.Device != 0 }) {
		return false
	}
	c := chain{Facts: facts, region: -1, links: facts.Program.NoObjects(), others: facts.Program.NoObjects()}
	for fn, f := range facts.Program.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == ir.OpFence && in.Order == memmodel.SeqCst || in.Op.Access() && in.Order != memmodel.NonAtomic && !c.add(fn, in) {
				return false
			}
		}
	}
	return !c.links.Meets(c.others)
}

// chain is what atomic operations access.
type chain struct {
	*Facts
	region        int          // of all of it; -1 before there is any
	links, others ir.ObjectSet // by read-modify-writes that are seq_cst, and by other operations
}

// add notes an atomic access. It reports whether it is to the same region as those before, and, if it is seq_cst, a read-modify-write whose scope includes
// all units that share what it accesses.
func (c *chain) add(fn int, in *ir.Instr) bool {
	objects, _, _ := c.Points[fn].Address(in)
	sc := in.Order == memmodel.SeqCst || in.Op == ir.OpCmpXchg && in.FailOrder == memmodel.SeqCst
	for i := range c.Program.Objects {
		if !objects.Has(i) {
			continue
		}
		o := &c.Program.Objects[i]
		if c.OnHost[fn] { // what it does comes before a kernel or behind it, or they race
			if o.Kind.SVMAtomics() {
				return false
			}
			continue
		}
		if c.region >= 0 && c.region != int(o.Region) || sc && !includesAll(in.Scope, o) {
			return false
		}
		c.region = int(o.Region)
	}
	switch {
	case c.OnHost[fn]:
	case sc:
		c.links.Union(objects)
		return in.Op == ir.OpRMW
	default:
		c.others.Union(objects)
	}
	return true
}

// includesAll reports whether a scope includes all work-items of one device that share an object which the host does not share with them.
func includesAll(s memmodel.Scope, o *ir.Object) bool {
	switch o.Region {
	case memmodel.Local:
		return s >= memmodel.ScopeWorkGroup
	case memmodel.Global:
		return s >= memmodel.ScopeDevice && !o.Kind.SVMAtomics()
	}
	return false
}
