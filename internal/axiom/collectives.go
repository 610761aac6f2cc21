package axiom

import (
	"math"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// member is a thread at a call of a collective.
type member struct {
	barrier
	thread int
}

// values holds the values, in order, that collectives are passed or return.
type values map[member][]int64

func (s values) add(at member, v int64) bool {
	i, found := slices.BinarySearch(s[at], v)
	if !found {
		s[at] = slices.Insert(s[at], i, v)
	}
	return !found
}

// collect continues with each value that a collective may return. It is a
// meeting like a barrier's, but with fences that order no memory (rule 11.6).
func (u *unfolder) collect(w *walk, in *ir.Instr) error {
	b := barrier{site: in.Str, round: w.iteration(in), sub: in.SubGroup, collective: true, group: in.Group, alu: in.Alu}
	if in.Group == ir.GroupBroadcast {
		b.alu, b.from = 0, u.value(w, in.C)
	}
	at := member{b, u.i}
	a := action{kind: entry, loc: -1, order: memmodel.Release, barrier: b, gives: u.value(w, in.B)}
	u.meets = max(u.meets, 1+countMeets(w.actions))
	u.e.given.add(at, a.gives)
	if len(u.e.results[at]) == 0 { // nobody else comes, as far as is known yet
		w.actions = append(w.actions, a)
		return u.emit(*w, false)
	}
	for _, v := range u.e.results[at] {
		f := w.fork()
		f.pc++
		f.set(in.Dst, v, 0)
		leave := a
		leave.kind, leave.order, leave.takes = exit, memmodel.Acquire, v
		f.actions = append(f.actions, a, leave)
		if err := u.run(f); err != nil {
			return err
		}
	}
	return nil
}

func countMeets(actions []action) (n int) {
	for i := range actions {
		if actions[i].kind == entry && actions[i].barrier.collective {
			n++
		}
	}
	return n
}

// growResults adds what collectives return for the values that are known to be
// passed to them.
func (e *enumerator) growResults() (grew bool) {
	sites := map[barrier]bool{}
	for at := range e.given {
		sites[at.barrier] = true
	}
	for b := range sites {
		for _, t := range e.teams() {
			if t.sub != b.sub {
				continue
			}
			given := make([]int64, len(t.members))
			var each func(k int)
			each = func(k int) {
				if k < len(given) {
					for _, v := range e.given[member{b, t.members[k]}] {
						given[k] = v
						each(k + 1)
					}
					return
				}
				for i, thread := range t.members {
					if v, ok := b.result(given, i); ok {
						grew = e.results.add(member{b, thread}, v) || grew
					}
				}
			}
			each(0)
		}
	}
	return grew
}

// result is the definition of the collective functions: what member i gets when
// the members pass these values. It fails if a broadcast is from nobody.
func (b *barrier) result(given []int64, i int) (int64, bool) {
	switch b.group {
	case ir.GroupBroadcast:
		if b.from < 0 || b.from >= int64(len(given)) {
			return 0, false
		}
		return given[b.from], true
	case ir.GroupScanInclusive:
		given = given[:i+1]
	case ir.GroupScanExclusive:
		given = given[:i]
	}
	if len(given) == 0 {
		return map[ir.Alu]int64{ir.Min: math.MaxInt32, ir.Max: math.MinInt32, ir.Add: 0}[b.alu], true
	}
	v := given[0]
	for _, x := range given[1:] {
		v, _ = binary(b.alu, ir.I32, v, x)
	}
	return v, true
}

// exchange lets the members of a team, which agree, pass values by a
// collective. It reports whether they go on.
func (m *meeting) exchange(t team, chosen []*path) bool {
	var given []int64
	for _, i := range t.members {
		given = append(given, chosen[i].actions[m.cut[i]].gives)
	}
	for k, i := range t.members {
		here := chosen[i].actions[m.cut[i]:]
		if !here[0].barrier.collective {
			return true
		}
		v, ok := here[0].barrier.result(given, k)
		switch {
		case !ok:
			m.failed = true
		case len(here) < 2 || here[1].takes != v:
			m.possible = false
		default:
			continue
		}
		return false
	}
	return true
}
