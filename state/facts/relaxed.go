package facts

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Relaxed returns the facts of the program in which the atomic operations of kernels that only count are relaxed: their order makes no difference.
// Where some kernel needs the order of its operations, it returns f.
// docs/exploration/relaxing.md, "Counting".
func (f *Facts) Relaxed() *Facts {
	if !f.oneAtATime() || f.Maps || slices.ContainsFunc(f.Program.Threads, func(t ir.Thread) bool { return !t.Place.Host }) {
		return f
	}
	p, changed := *f.Program, false
	p.Funcs = slices.Clone(p.Funcs)
	for fn, code := range p.Funcs {
		if f.OnHost[fn] {
			continue
		}
		c := counting{Facts: f, fn: fn, f: code}
		if !c.counts() {
			return f
		}
		if len(c.syncs) > 0 {
			own := *code
			own.Code = slices.Clone(code.Code)
			for _, pc := range c.syncs {
				own.Code[pc].Order = memmodel.Relaxed
			}
			p.Funcs[fn], changed = &own, true
		}
	}
	if !changed {
		return f
	}
	return f.Again(&p)
}

// oneAtATime reports whether the host only enqueues kernels on its default queue and waits for them, and no kernel enqueues another one, so that one command
// runs after the other. Where a scope means the same on all memory, host and kernels synchronise otherwise.
func (f *Facts) oneAtATime() bool { return !f.Beyond && !f.DeviceQueue && !f.Spec.Kindless }

// counting is a kernel of which is asked whether it only counts. Its counters are the objects that its operations access which acquire or release.
// docs/exploration/relaxing.md, "Counting".
type counting struct {
	*Facts
	fn       int          // its number
	f        *ir.Func     // its code
	syncs    []int        // the operations that acquire or release, by pc
	counters ir.ObjectSet // what they access
	crosses  bool         // some counter is shared by the work-groups
	heads    []int        // where the code begins, and goes on behind a barrier that orders local memory
}

// counts reports whether the kernel only counts.
func (c *counting) counts() bool {
	c.counters, c.heads = c.Program.NoObjects(), []int{0}
	for pc := range c.f.Code {
		in := &c.f.Code[pc]
		if NearLocal.Ends(in) {
			c.heads = append(c.heads, pc+1)
		}
		switch {
		case in.Op.Access():
			if synchronises(in) && !c.add(pc) {
				return false
			}
		case in.Op == ir.OpFence && in.Order != memmodel.Relaxed, in.Op == ir.OpBarrier && (in.SubGroup || in.Scope > memmodel.ScopeWorkGroup), in.Op.Visible() && !quiet(in.Op):
			return false
		}
	}
	if len(c.syncs) == 0 {
		return true
	}
	for i := range c.Program.Objects {
		if sites := c.sites(i); c.counters.Has(i) && !c.unordered(i, sites) || !c.untold(i, sites) {
			return false
		}
	}
	return true
}

// quiet reports whether an operation that is no access synchronises no more than barriers of a work-group do.
func quiet(o ir.Op) bool {
	return o == ir.OpFence || o == ir.OpBarrier || o == ir.OpCollective || o == ir.OpChoose
}

// synchronises reports whether an access acquires or releases.
func synchronises(in *ir.Instr) bool {
	return in.Order.Acquires() || in.Order.Releases() || in.Op == ir.OpCmpXchg && in.FailOrder.Acquires()
}

// add notes an operation that acquires or releases. It reports whether its scope includes all work-items that share what it accesses.
func (c *counting) add(pc int) bool {
	in := &c.f.Code[pc]
	objects, _, _ := c.Points[c.fn].Address(in)
	for i := range c.Program.Objects {
		if o := &c.Program.Objects[i]; objects.Has(i) {
			if !includesAll(in.Scope, o) {
				return false
			}
			c.crosses = c.crosses || o.Region != memmodel.Local
		}
	}
	c.counters.Union(objects)
	c.syncs = append(c.syncs, pc)
	return true
}

// sites returns the accesses that may be to object i, by pc.
func (c *counting) sites(i int) (list []int) {
	for pc := range c.f.Code {
		if in := &c.f.Code[pc]; in.Op.Access() && !c.Points[c.fn].Private(in) {
			if objects, _, _ := c.Points[c.fn].Address(in); objects.Has(i) {
				list = append(list, pc)
			}
		}
	}
	return list
}

// unordered reports whether each two accesses of a counter that may come at a time, in either order, leave the same, and find the same.
func (c *counting) unordered(i int, sites []int) bool {
	local := c.Program.Objects[i].Region == memmodel.Local
	for n, s := range sites {
		for _, t := range sites[:n+1] {
			if !c.commute(s, t) && !c.race(s, t) && (!local || c.meet(s, t)) {
				return false
			}
		}
	}
	return true
}

// race reports whether two accesses are a data race if nothing orders them.
func (c *counting) race(s, t int) bool {
	return c.f.Code[s].Order == memmodel.NonAtomic && c.f.Code[t].Order == memmodel.NonAtomic
}

// commute reports whether two accesses commute: they only read, or modify in the same way and nobody uses what they have read.
func (c *counting) commute(s, t int) bool {
	a, b := &c.f.Code[s], &c.f.Code[t]
	if a.Op == ir.OpLoad && b.Op == ir.OpLoad {
		return true
	}
	class := unusedClass(c.f, s)
	return class != ir.Ordered && class == unusedClass(c.f, t) && a.Type == b.Type && a.Scope == b.Scope
}

// meet reports whether work-items of a group may be at two accesses without a barrier between them that orders local memory.
func (c *counting) meet(s, t int) bool {
	onward := c.Onward[c.fn][NearLocal]
	return slices.ContainsFunc(c.heads, func(pc int) bool { return onward[pc].Accesses.Has(s) && onward[pc].Accesses.Has(t) })
}

// untold reports whether no work-item can learn by a counter of an access to object i by another one that matters to its own accesses.
func (c *counting) untold(i int, sites []int) bool {
	onward := c.Onward[c.fn][c.extent(i)]
	releases, behind := make(Set, (len(c.f.Code)+63)/64), make(Set, (len(c.f.Code)+63)/64)
	for _, pc := range c.syncs {
		if in := &c.f.Code[pc]; in.Op != ir.OpLoad && in.Order.Releases() {
			releases.Add(pc)
		}
		if in := &c.f.Code[pc]; in.Op != ir.OpStore && in.Order.Acquires() {
			behind.Union(onward[pc+1].Accesses)
		}
	}
	before := slices.DeleteFunc(slices.Clone(sites), func(pc int) bool { return !onward[pc].Accesses.Meets(releases) })
	after := slices.DeleteFunc(slices.Clone(sites), func(pc int) bool { return !behind.Has(pc) })
	written := slices.ContainsFunc(sites, func(pc int) bool { return c.f.Code[pc].Op != ir.OpLoad && c.f.Code[pc].Order != memmodel.NonAtomic })
	for _, a := range before {
		for _, b := range after {
			if !c.commute(a, b) || written && !c.counters.Has(i) {
				return false
			}
		}
	}
	return true
}

// extent returns how far what a work-item knows of object i, and a barrier does not tell, can come.
func (c *counting) extent(i int) Extent {
	switch r := c.Program.Objects[i].Region; {
	case r == memmodel.Local:
		return NearLocal
	case r == memmodel.Global && !c.crosses:
		return NearGlobal
	}
	return Ever
}
