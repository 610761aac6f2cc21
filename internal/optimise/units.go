package optimise

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// toucher is a unit that performs atomic accesses, with those that it may make, as far as the text of its code tells.
type toucher struct {
	place memmodel.Place
	spans map[ir.SiteID][]ir.Span
}

// Bounds on the execution that is followed to see which units a model has: steps, and work as state.Effort counts it.
const (
	maxSteps = 1 << 14
	maxWork  = 1 << 21
)

// maxUnits bounds the units of which all pairs are looked at.
const maxUnits = 512

// findUnits follows one execution of a configuration, and notes of each unit of a device which cells its sites may access.
func (l *launch) findUnits(f *facts.Facts, spent func() bool) {
	m := state.Knowing(f)
	m.Effort.Count(maxWork)
	s := m.Start(nil)
	seen := map[uint64]bool{}
	stuck := 0
	var choices []state.Choice
	for range maxSteps {
		if m.Effort.Tired() || spent() {
			return
		}
		for u := range s.Cast.Count() {
			unit := &s.Cast.Units[u]
			if unit.Func < 0 || unit.Place.Host || unit.Place.Copies() || seen[unit.ID] {
				continue
			}
			seen[unit.ID] = true
			l.cast = append(l.cast, toucher{unit.Place, l.spans(unit.Spans(), unit.Func)})
		}
		moved := false
		for i := range s.Cast.Count() {
			u := (i + memmodel.Unit(stuck)) % s.Cast.Count()
			if choices = por.Moves(m, s, u, choices[:0]); len(choices) == 0 {
				continue
			}
			m.Try(s, u, choices[0])
			moved = true
			stuck++
			break
		}
		if !moved || s.Violation.Kind != state.NoViolation || s.Abandoned {
			l.whole = true
			return
		}
	}
}

// spans tells which cells each site may access.
func (l *launch) spans(by []ir.Span, fn int) map[ir.SiteID][]ir.Span {
	out := map[ir.SiteID][]ir.Span{}
	for _, s := range l.m.Program.Sites() {
		for _, at := range s.At {
			if at.Func == fn && s.ID.Kind != ir.FenceSite && s.ID.Kind != ir.BarrierSite {
				span := ir.Anything
				if by != nil {
					span = by[at.PC]
				}
				out[s.ID] = append(out[s.ID], span)
			}
		}
	}
	return out
}

// floor is the narrowest scope that reaches all units which, in some configuration, may access a cell that a site of the class does, too. On a device
// nothing narrower is seen by them, whatever the text of a reading allows.
func (p *problem) floor(class []int) memmodel.Scope {
	least := memmodel.ScopeSubGroup
	if p.opt.anyScope {
		return least
	}
	for _, l := range p.launches {
		if len(l.cast) > maxUnits || !l.whole {
			return memmodel.ScopeDevice
		}
		ids := p.around(l, class)
		for i := range l.cast {
			for j := range l.cast[:i] {
				a, b := &l.cast[i], &l.cast[j]
				if a.place.Kernel != b.place.Kernel && !l.beside { // one has ended before the other begins
					continue
				}
				if s := common(a.place, b.place); s > least && meet(ids, a, b) {
					least = s
				}
			}
		}
	}
	return least
}

// common is the narrowest scope that two units have in common.
func common(a, b memmodel.Place) memmodel.Scope {
	switch {
	case a.Device != b.Device:
		return memmodel.ScopeAllSVMDevices
	case a.Kernel != b.Kernel || a.Group != b.Group:
		return memmodel.ScopeDevice
	case a.Sub != b.Sub:
		return memmodel.ScopeWorkGroup
	}
	return memmodel.ScopeSubGroup
}

// around are the sites of a class, and those near its fences, which may have scopes of their own.
func (p *problem) around(l *launch, class []int) map[ir.SiteID]bool {
	q := l.m.Program
	ids := map[ir.SiteID]bool{}
	for _, i := range class {
		for _, id := range p.sites[i].ids() {
			ids[id] = true
		}
	}
	byInstr := map[*ir.Instr]ir.SiteID{}
	for _, s := range q.Sites() {
		for _, at := range s.At {
			byInstr[&q.Funcs[at.Func].Code[at.PC]] = s.ID
		}
	}
	for _, s := range q.Sites() {
		if s.ID.Kind != ir.FenceSite || !ids[s.ID] {
			continue
		}
		for _, at := range s.At {
			for _, a := range l.near(at) {
				if id, ok := byInstr[a.in]; ok {
					ids[id] = true
				}
			}
		}
	}
	return ids
}

// meet reports whether some sites, in two units, may access the same cell. Local memory of different groups is not the same.
func meet(ids map[ir.SiteID]bool, a, b *toucher) bool {
	same := a.place.Kernel == b.place.Kernel && a.place.Group == b.place.Group
	for i := range ids {
		for _, x := range a.spans[i] {
			for j := range ids {
				for _, y := range b.spans[j] {
					if max(x.Lo, y.Lo) <= min(x.Hi, y.Hi) && (same || !groupOnly(x) || !groupOnly(y)) {
						return true
					}
				}
			}
		}
	}
	return false
}

// groupOnly reports whether a span holds addresses of local memory alone.
func groupOnly(s ir.Span) bool { return s.Lo >= ir.SegGroup && s.Hi < ir.SegPrivate }

// sizes are the largest numbers of work-groups and of sub-groups of one group that a configuration has.
func (p *problem) sizes() (groups, subs int) {
	for _, l := range p.launches {
		byKernel, byGroup := map[[2]uint32][]uint32{}, map[[3]uint32][]uint32{}
		for _, u := range l.cast {
			k := [2]uint32{uint32(u.place.Device), uint32(u.place.Kernel)}
			g := [3]uint32{k[0], k[1], uint32(u.place.Group)}
			if n := uint32(u.place.Group); !slices.Contains(byKernel[k], n) {
				byKernel[k] = append(byKernel[k], n)
			}
			if n := uint32(u.place.Sub); !slices.Contains(byGroup[g], n) {
				byGroup[g] = append(byGroup[g], n)
			}
			groups, subs = max(groups, len(byKernel[k])), max(subs, len(byGroup[g]))
		}
	}
	return groups, subs
}
