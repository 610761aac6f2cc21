package trace

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
)

// scopes says why the scopes of two steps that meet on location x are not
// inclusive, and which to use instead.
//
// It speaks of the first of the two that does not reach the other; if both
// do, of their not being the same.
func (q *inquiry) scopes(f, t *Step, x int) (cause, repair string) {
	l := &q.locs[x]
	a, b := q.lanes[f.Lane].place, q.lanes[t.Lane].place
	advice := q.advice(a, b, l)
	s, r := f.instr.Scope, t.instr.Scope
	if s == memmodel.ScopeWorkItem || r == memmodel.ScopeWorkItem {
		return "memory_scope_work_item reaches no other work-item.", advice
	}
	includesS, includesR := q.includes(a, b, s, l), q.includes(a, b, r, l)
	switch {
	case includesS && includesR: // each would do if both had it
		return fmt.Sprintf("before OpenCL 3.1 both must name the same scope, but step %d has %s and step %d has %s.", f.ID, s, t.ID, r),
			fmt.Sprintf("Use %s in both.", min(s, r))
	case !includesS && !includesR && s == r:
		return fmt.Sprintf("%s %s.", s, q.tooFar(f, t, s, l)), advice
	case !includesS:
		return fmt.Sprintf("%s of step %d %s.", s, f.ID, q.tooFar(f, t, s, l)), advice
	}
	return fmt.Sprintf("%s of step %d %s.", r, t.ID, q.tooFar(f, t, r, l)), advice
}

// includes reports whether two operations of one scope include each other.
func (q *inquiry) includes(a, b memmodel.Place, s memmodel.Scope, l *Location) bool {
	return within(q.m.Spec, a, s, b, s, l)
}

// tooFar says how two lanes are too far apart for a scope.
func (q *inquiry) tooFar(f, t *Step, s memmodel.Scope, l *Location) string {
	a, b := &q.lanes[f.Lane], &q.lanes[t.Lane]
	verdict := fmt.Sprintf("does not reach from %s (%s) to %s (%s)", a.Name, where(a, b), b.Name, where(b, a))
	p, r := a.place, b.place
	switch {
	case s == memmodel.ScopeAllSVMDevices && l.region == memmodel.Global && !l.kind.SVMAtomics():
		return fmt.Sprintf("means memory_scope_device on %s, which is not SVM with atomics, and %s", l.Name, verdict)
	case s == memmodel.ScopeDevice && l.kind == memmodel.Buffer && p.Device == r.Device && !p.SameFamily(r) && !p.Host && !r.Host:
		return fmt.Sprintf("covers only one kernel-instance on %s, which is a cl_mem buffer, and %s and %s belong to two", l.Name, a.Name, b.Name)
	}
	return verdict
}

// where says at what place l is, as far as that tells it from m.
func where(l, m *Lane) string {
	p, q := l.place, m.place
	switch {
	case p.Host:
		return "the host"
	case q.Host, p.Device != q.Device:
		return fmt.Sprintf("device %d", l.Device)
	case p.Kernel != q.Kernel:
		return fmt.Sprintf("kernel-instance %d", l.Kernel)
	case p.Group != q.Group:
		return fmt.Sprintf("work-group %d", l.Group)
	}
	return fmt.Sprintf("sub-group %d", l.SubGroup)
}

// narrowest returns the narrowest scope by which operations at two places include each other, if there is one.
func (q *inquiry) narrowest(a, b memmodel.Place, l *Location) (memmodel.Scope, bool) {
	first := memmodel.ScopeWorkGroup
	if q.subGroups() {
		first = memmodel.ScopeSubGroup
	}
	for s := first; s <= memmodel.ScopeAllSVMDevices; s++ {
		if q.includes(a, b, s, l) {
			return s, true
		}
	}
	return 0, false
}

// advice names the narrowest scope that both operations could use.
func (q *inquiry) advice(a, b memmodel.Place, l *Location) string {
	if s, ok := q.narrowest(a, b, l); ok {
		return fmt.Sprintf("Use %s in both.", s)
	}
	if l.region == memmodel.Local {
		return "Use an atomic variable in global memory: local memory is shared by one work-group only."
	}
	return fmt.Sprintf("No scope reaches so far on %s memory: allocate %s as fine-grained SVM with atomics and use memory_scope_all_svm_devices in both.",
		l.kind, l.Name)
}

// inclusive reports whether two steps, meeting through location x, have
// inclusive scopes.
func (q *inquiry) inclusive(f, t *Step, x int) bool {
	scope := func(s *Step) memmodel.Scope { return s.instr.Scope }
	return within(q.m.Spec, q.lanes[f.Lane].place, scope(f), q.lanes[t.Lane].place, scope(t), &q.locs[x])
}

// within asks the memory model about two units at these places.
func within(spec memmodel.Spec, a memmodel.Place, s memmodel.Scope, b memmodel.Place, r memmodel.Scope, l *Location) bool {
	loc := []memmodel.Location{{Region: l.region, Kind: l.kind, Atomic: true}}
	layout := memmodel.NewLayout(spec, memmodel.Traits{}, []memmodel.Place{a, b}, loc)
	return layout.Inclusive(0, s, 1, r, 0)
}
