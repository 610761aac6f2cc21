package facts

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// traits finds which mechanisms of the memory model the program can need. Of one
// unit alone, seq_cst accesses are in S as they are in program order, which
// constrains nothing: such as those of a host that looks at results.
func (facts *Facts) traits() memmodel.Traits {
	if t := facts.traitsBut(facts.loneHost()); !t.SeqCst {
		return t
	}
	t := facts.traitsBut(-1)
	if t.SeqCst && facts.chained() {
		t.SeqCst, t.MixedSC, t.Gaps = false, false, false
	}
	return t
}

// loneHost returns the function that the host executes, if it has one thread, else -1.
func (facts *Facts) loneHost() int {
	fn := -1
	for _, t := range facts.Program.Threads {
		if t.Place.Host && fn >= 0 || facts.Threaded {
			return -1
		}
		if t.Place.Host {
			fn = t.Func
		}
	}
	for _, t := range facts.Program.Threads {
		if !t.Place.Host && t.Func == fn {
			return -1
		}
	}
	return fn
}

// traitsBut is traits as if the accesses of one function were not seq_cst.
func (facts *Facts) traitsBut(lone int) memmodel.Traits {
	var t memmodel.Traits
	var fine, device, atomics bool
	scLoads := make([]bool, len(facts.Program.Objects))
	scWrites := make([]bool, len(facts.Program.Objects))
	otherWrites := make([]bool, len(facts.Program.Objects))
	for fn, f := range facts.Program.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			switch {
			case facts.spent():
				return t
			case in.Op == ir.OpBarrier:
				t.Fences = true
				continue
			case in.Op == ir.OpFence:
				t.Fences = t.Fences || in.Order != memmodel.Relaxed
			case !in.Op.Access():
				continue
			}
			atomics = atomics || in.Op.Access() && in.Order != memmodel.NonAtomic
			sc := in.Order == memmodel.SeqCst || in.Op == ir.OpCmpXchg && in.FailOrder == memmodel.SeqCst
			if sc = sc && (fn != lone || in.Op == ir.OpFence); sc {
				t.SeqCst = true
				f, d, other := facts.scClass(fn, in)
				fine, device, t.MixedSC = fine || f, device || d, t.MixedSC || other
			}
			if in.Op == ir.OpFence {
				t.SCFences = t.SCFences || sc
				continue
			}
			objects, _, _ := facts.Points[fn].Address(in)
			for i := range facts.Program.Objects {
				if objects.Has(i) {
					scLoads[i] = scLoads[i] || sc && (in.Op == ir.OpLoad || in.Op == ir.OpCmpXchg && in.FailOrder == memmodel.SeqCst)
					scWrites[i] = scWrites[i] || sc && in.Op != ir.OpLoad
					otherWrites[i] = otherWrites[i] || in.Order != memmodel.SeqCst && in.Order != memmodel.NonAtomic && in.Op != ir.OpLoad
				}
			}
		}
	}
	t.Fences = t.Fences && atomics // by which alone fences order anything (rules 6.3 to 6.7)
	t.MixedSC = t.MixedSC || fine && device
	t.Local = slices.ContainsFunc(facts.Program.Objects, func(o ir.Object) bool { return o.Region == memmodel.Local })
	t.Grains = facts.DeviceQueue || facts.grains()
	for i := range scLoads {
		t.Gaps = t.Gaps || scLoads[i] && scWrites[i] && otherWrites[i]
	}
	return t
}

// grains reports whether atomics may synchronise the host with a device, or
// devices with each other, in a program that has coarse-grained memory as well.
func (facts *Facts) grains() bool {
	var coarse, shared, acrossDevices bool
	for i := range facts.Program.Objects {
		o := &facts.Program.Objects[i]
		coarse = coarse || o.Region == memmodel.Global && !o.Kind.Fine()
		shared = shared || o.Region == memmodel.Global && o.Kind.SVMAtomics()
	}
	for fn := range facts.OnHost {
		acrossDevices = acrossDevices || facts.OnHost[fn] && facts.atomics(fn)
	}
	first := -1
	for i, t := range facts.Program.Threads {
		if t.Place.Host {
			continue
		}
		if first < 0 {
			first = i
		}
		acrossDevices = acrossDevices || !t.Place.SameDevice(facts.Program.Threads[first].Place)
	}
	return coarse && shared && acrossDevices && !facts.Spec.Kindless
}

// atomics reports whether a function has an atomic access.
func (facts *Facts) atomics(fn int) bool {
	for _, in := range facts.Program.Funcs[fn].Code {
		if in.Op.Access() && in.Order != memmodel.NonAtomic {
			return true
		}
	}
	return false
}

// scClass says which classes of rule 8.1's condition a seq_cst operation may
// belong to: all_svm_devices scope on fine-grained memory with atomics, device
// scope elsewhere, or neither.
func (facts *Facts) scClass(fn int, in *ir.Instr) (fine, device, other bool) {
	onFine, elsewhere := false, in.Op == ir.OpFence
	if in.Op != ir.OpFence {
		objects, _, _ := facts.Points[fn].Address(in)
		for i := range facts.Program.Objects {
			if o := &facts.Program.Objects[i]; objects.Has(i) {
				f := o.Region == memmodel.Global && o.Kind.SVMAtomics()
				onFine, elsewhere = onFine || f, elsewhere || !f
			}
		}
	}
	switch in.Scope {
	case memmodel.ScopeAllSVMDevices:
		if facts.OnHost[fn] {
			return onFine, elsewhere, false // the host's atomics have no scope of their own
		}
		exempt := in.Op == ir.OpFence && facts.Spec.SCFencesExempt
		return onFine, false, elsewhere && !exempt
	case memmodel.ScopeDevice:
		return false, elsewhere, onFine
	}
	return false, false, true
}
