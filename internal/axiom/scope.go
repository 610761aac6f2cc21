package axiom

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// inclusive reports whether two actions have inclusive scope (rules 3.5 to
// 3.7). They meet at location loc, or, if loc is -1, nowhere in particular.
func (c *candidate) inclusive(a, b, loc int) bool {
	x, y := &c.events[a], &c.events[b]
	s, t := c.effective(x.scope, loc), c.effective(y.scope, loc)
	if s != t && c.e.spec.Inclusion == memmodel.SameScope {
		return false
	}
	return c.together(min(s, t), &c.e.threads[x.thread], &c.e.threads[y.thread], loc)
}

// effective reduces a scope to what it means at a location (rules 2.4, 3.4). On
// coarse-grained SVM a scope keeps its name, so that device and
// all_svm_devices are not the same scope (rule 3.5), but see together.
func (c *candidate) effective(s memmodel.Scope, loc int) memmodel.Scope {
	if loc < 0 || c.e.spec.Kindless {
		return s
	}
	l := &c.e.locs[loc]
	switch {
	case l.region == memmodel.Local:
		return min(s, memmodel.ScopeWorkGroup)
	case l.kind == memmodel.Buffer:
		return min(s, memmodel.ScopeDevice)
	}
	return s
}

// together reports whether two units of execution lie within one instance of
// the scope. On a buffer without SVM the device scope extends over one
// kernel-instance only (rules 2.9, 3.5).
func (c *candidate) together(s memmodel.Scope, a, b *ir.Thread, loc int) bool {
	if s == memmodel.ScopeAllSVMDevices && loc >= 0 && !c.e.spec.Kindless && !c.e.locs[loc].kind.SVMAtomics() {
		s = memmodel.ScopeDevice // rule 2.4
	}
	switch s {
	case memmodel.ScopeSubGroup:
		return sameSubGroup(a, b)
	case memmodel.ScopeWorkGroup:
		return sameWorkGroup(a, b)
	case memmodel.ScopeDevice:
		if a.Place.Host && b.Place.Host {
			return true // the host's atomics have no scope; they work between its threads
		}
		same := !a.Place.Host && !b.Place.Host && a.Place.Device == b.Place.Device
		if loc >= 0 && !c.e.spec.Kindless && c.e.locs[loc].region == memmodel.Global && c.e.locs[loc].kind == memmodel.Buffer {
			same = same && family(a) == family(b)
		}
		return same
	case memmodel.ScopeAllSVMDevices:
		return true
	}
	return a == b
}
