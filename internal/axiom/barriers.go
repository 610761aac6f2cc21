package axiom

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// meeting says how far the chosen paths get through their barriers.
type meeting struct {
	cut       []int   // length of each path that is executed
	instances [][]int // of each thread: the instance of each barrier it passes
	diverged  bool
	failed    bool // a broadcast is from nobody
	possible  bool // each collective returns what the values passed to it make
}

// team is a set of work-items that meet at barriers.
type team struct {
	sub     bool
	members []int
}

// teams lists the work-groups and sub-groups.
func (e *enumerator) teams() []team {
	threads := e.threads
	var teams []team
	join := func(sub bool, i int, same func(a, b *ir.Thread) bool) {
		for k := range teams {
			if teams[k].sub == sub && same(&threads[teams[k].members[0]], &threads[i]) {
				teams[k].members = append(teams[k].members, i)
				return
			}
		}
		teams = append(teams, team{sub, []int{i}})
	}
	for i := range threads {
		if threads[i].Place.Host {
			continue
		}
		join(false, i, sameWorkGroup)
		join(true, i, sameSubGroup)
	}
	return teams
}

func sameWorkGroup(a, b *ir.Thread) bool { return a.Place.SameGroup(b.Place) }

func sameSubGroup(a, b *ir.Thread) bool { return sameWorkGroup(a, b) && a.Place.Sub == b.Place.Sub }

// meet lets the teams pass barriers at which all members agree, as long as
// there are any. A work-item that is left waiting shows divergence (rule
// 11.1), unless one of its work-group stopped at a failed check.
func (e *enumerator) meet(chosen []*path) meeting {
	m := meeting{cut: make([]int, len(chosen)), instances: make([][]int, len(chosen)), possible: true}
	for i, p := range chosen {
		m.cut[i] = nextBarrier(p, 0)
	}
	teams, instance := e.teams(), 0
	for progress := true; progress; {
		progress = false
		for _, t := range teams {
			if !m.agree(t, chosen) || !m.exchange(t, chosen) {
				continue
			}
			progress = true
			instance++
			for _, i := range t.members {
				m.instances[i] = append(m.instances[i], instance)
				m.cut[i] = nextBarrier(chosen[i], m.cut[i]+2)
			}
		}
	}
	for i, p := range chosen {
		if m.cut[i] < len(p.actions) {
			m.diverged = m.diverged || !m.failed && !e.groupFaulted(i, chosen)
		}
	}
	return m
}

// nextBarrier returns the index of the first barrier of a path at or after from.
func nextBarrier(p *path, from int) int {
	i := slices.IndexFunc(p.actions[from:], func(a action) bool { return a.kind == entry })
	if i < 0 {
		return len(p.actions)
	}
	return from + i
}

// agree reports whether all members wait at the same barrier, one of the team.
func (m *meeting) agree(t team, chosen []*path) bool {
	var first barrier
	for k, i := range t.members {
		if m.cut[i] == len(chosen[i].actions) {
			return false
		}
		b := chosen[i].actions[m.cut[i]].barrier
		if k == 0 {
			first = b
		}
		if b != first || b.sub != t.sub {
			return false
		}
	}
	return true
}

func (e *enumerator) groupFaulted(i int, chosen []*path) bool {
	for k, p := range chosen {
		if p.fault && sameWorkGroup(&e.threads[i], &e.threads[k]) {
			return true
		}
	}
	return false
}
