package trace

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
)

// scopes says why the scopes of two steps that meet on location x are not
// inclusive, and gives the reason which to use instead.
//
// It speaks of the first of the two that does not reach the other; if both
// do, of their not being the same.
func (q *mender) scopes(out *Reason, f, t *Step, x int) (cause string) {
	l := &q.locs[x]
	a, b := q.lanes[f.Lane].place, q.lanes[t.Lane].place
	q.widen(out, f, t, l)
	s, r := f.instr.Scope, t.instr.Scope
	if s == memmodel.ScopeWorkItem || r == memmodel.ScopeWorkItem {
		return "memory_scope_work_item reaches no other work-item."
	}
	includesS, includesR := q.includes(a, b, s, l), q.includes(a, b, r, l)
	switch {
	case includesS && includesR: // each would do if both had it
		return fmt.Sprintf("before OpenCL 3.1 both must name the same scope, but step %d has %s and step %d has %s.", f.ID, s, t.ID, r)
	case !includesS && !includesR && s == r:
		return fmt.Sprintf("%s %s.", s, q.tooFar(f, t, s, l))
	case !includesS:
		return fmt.Sprintf("%s of step %d %s.", s, f.ID, q.tooFar(f, t, s, l))
	}
	return fmt.Sprintf("%s of step %d %s.", r, t.ID, q.tooFar(f, t, r, l))
}

// widen gives a reason the scope that two steps, and what is like them in other work-items of the launch, need.
func (q *mender) widen(out *Reason, f, t *Step, l *Location) {
	scope, ok := q.narrowest(q.lanes[f.Lane].place, q.lanes[t.Lane].place, l)
	if !ok {
		out.Repair = q.advice(q.lanes[f.Lane].place, q.lanes[t.Lane].place, l)
		return
	}
	if a, b := q.lanes[f.Lane].place, q.lanes[t.Lane].place; q.includes(a, b, f.instr.Scope, l) && q.includes(a, b, t.instr.Scope, l) {
		scope = max(scope, min(f.instr.Scope, t.instr.Scope)) // they only have to be the same
	}
	var changes []Change
	possible := true
	for _, s := range []*Step{f, t} {
		if s.instr.Scope == scope {
			continue
		}
		c := change(SetScope, s)
		if c.Scope = scope.String(); s.Kind == Fence && legacyFence.MatchString(s.Source) {
			c = change(SetFence, s)
			c.Flags, c.Order, c.Scope = s.instr.Flags.String(), s.instr.Order.String(), scope.String()
		}
		possible = possible && !s.instr.Legacy
		changes = append(changes, c)
	}
	out.mends(changes...)
	if len(out.Changes) == 1 && changes[0].Kind == SetScope {
		out.Repair = fmt.Sprintf("Use %s in both: it is missing for the %s in line %d.", scope, changes[0].What, changes[0].Line)
	}
	if !possible {
		out.Repair, out.Changes = fmt.Sprintf("Use %s in both.", scope), nil
	}
}

// includes reports whether two operations of one scope include each other.
func (q *accessPair) includes(a, b memmodel.Place, s memmodel.Scope, l *Location) bool {
	return within(q.m.Spec, a, s, b, s, l)
}

// tooFar says how two lanes are too far apart for a scope.
func (q *accessPair) tooFar(f, t *Step, s memmodel.Scope, l *Location) string {
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

// narrowest returns the narrowest scope by which operations at two places include each other, and those of all others of their kernel who may come to the
// location: a lock that two work-items of one group have taken is taken by the other groups, too.
func (q *accessPair) narrowest(a, b memmodel.Place, l *Location) (memmodel.Scope, bool) {
	first := memmodel.ScopeWorkGroup
	if q.subGroups() {
		first = memmodel.ScopeSubGroup
	}
	for s := first; s <= memmodel.ScopeAllSVMDevices; s++ {
		if q.includes(a, b, s, l) && q.includesOthers(a, s, l) && q.includesOthers(b, s, l) {
			return s, true
		}
	}
	return 0, false
}

// includesOthers reports whether a scope reaches from a place to the other work-items of its kernel that share a location.
func (q *accessPair) includesOthers(a memmodel.Place, s memmodel.Scope, l *Location) bool {
	for i := range q.lanes {
		o := q.lanes[i].place
		shared := !o.Host && !a.Host && o.Kernel == a.Kernel && o.Device == a.Device && (l.region != memmodel.Local || o.SameGroup(a))
		if shared && !q.includes(a, o, s, l) {
			return false
		}
	}
	return true
}

// advice says what to do where no scope does: to have the memory of another kind, the one that asks the least of a device.
func (q *mender) advice(a, b memmodel.Place, l *Location) string {
	if l.region == memmodel.Local {
		return "Use an atomic variable in global memory: local memory is shared by one work-group only."
	}
	for _, k := range []struct {
		kind memmodel.Kind
		how  string
	}{{memmodel.CoarseSVM, "coarse-grained SVM (clSVMAlloc)"}, {memmodel.FineSVMAtomics, "fine-grained SVM with atomics (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)"}} {
		other := *l
		other.kind = k.kind
		if s, ok := q.narrowest(a, b, &other); ok {
			return fmt.Sprintf("No scope reaches so far where %s is %s: allocate it as %s and use %s in both, or order the commands.", l.Name, memoryNames[l.kind], k.how, s)
		}
	}
	return fmt.Sprintf("No scope reaches so far where %s is %s: order the commands.", l.Name, memoryNames[l.kind])
}

// inclusive reports whether two steps, meeting through location x, have
// inclusive scopes.
func (q *accessPair) inclusive(f, t *Step, x int) bool { return q.inclusiveAt(f, t, &q.locs[x]) }

func (q *accessPair) inclusiveAt(f, t *Step, l *Location) bool {
	return within(q.m.Spec, q.lanes[f.Lane].place, f.instr.Scope, q.lanes[t.Lane].place, t.instr.Scope, l)
}

// within asks the memory model about two units at these places.
func within(spec memmodel.Spec, a memmodel.Place, s memmodel.Scope, b memmodel.Place, r memmodel.Scope, l *Location) bool {
	loc := []memmodel.Location{{Region: l.region, Kind: l.kind, Atomic: true}}
	layout := memmodel.NewLayout(spec, memmodel.Traits{}, []memmodel.Place{a, b}, loc)
	return layout.Inclusive(0, s, 1, r, 0)
}
