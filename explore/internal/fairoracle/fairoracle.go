// Package fairoracle decides whether every execution of a program ends if work is scheduled fairly, straight from the definitions: all states of the
// machine with nothing left out, and every strongly connected part of them. It is slow on purpose, shares nothing with package liveness but
// the names of models, and is for tests only.
package fairoracle

import (
	"slices"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// world is a state, with the units that have started, by ID.
type world struct {
	s       *state.State
	started map[uint64]bool
	enabled map[uint64]bool
	places  map[uint64]memmodel.Place // of work-items
	steps   []step
	owing   map[uint64]bool
	ended   bool // an assumption fails after some step
}

type step struct {
	unit  uint64
	to    int
	stale memmodel.Loc   // what is read or written behind the newest message of a location, or -1
	fresh []memmodel.Loc // whose newest message is another one afterwards
	once  bool           // a weak compare-exchange fails that could succeed: not for ever
}

// Oracle knows all states of a program.
type Oracle struct {
	m      *state.Machine
	worlds []*world
	// Whole: these are all, and executions from them can be told from their steps.
	Whole bool
}

// New explores a program whose machine keeps rounds, up to a number of states.
func New(m *state.Machine, most int) *Oracle {
	o := &Oracle{m: m, Whole: true}
	var canon memmodel.Canon
	at := map[string]int{}
	visit := func(s *state.State, started map[uint64]bool) int {
		m.Normalise(&canon, s)
		key := string(s.Append(nil))
		for _, r := range s.Cast.Units {
			if started[r.ID] {
				key += "+"
			} else {
				key += "-"
			}
		}
		n, ok := at[key]
		if !ok {
			n = len(o.worlds)
			at[key] = n
			o.worlds = append(o.worlds, o.world(s, started))
		}
		return n
	}
	visit(m.Start(nil), map[uint64]bool{})
	for i := 0; i < len(o.worlds) && o.Whole; i++ {
		o.Whole = len(o.worlds) <= most && !o.worlds[i].s.Open()
		o.expand(o.worlds[i], visit)
	}
	return o
}

func (o *Oracle) world(s *state.State, started map[uint64]bool) *world {
	w := &world{s: s, started: started, enabled: map[uint64]bool{}, places: map[uint64]memmodel.Place{}, owing: map[uint64]bool{}}
	for u := range s.Cast.Count() {
		r := &s.Cast.Units[u]
		w.enabled[r.ID] = s.Status(u) == state.Ready && len(o.m.Choices(s, u, nil)) > 0
		w.owing[r.ID] = s.Mem.Promises(u) > 0
		if r.Func >= 0 && !r.Place.Host && r.Copy == 0 {
			w.places[r.ID] = r.Place
		}
	}
	return w
}

func (o *Oracle) expand(w *world, visit func(*state.State, map[uint64]bool) int) {
	for u := range w.s.Cast.Count() {
		if w.s.Status(u) != state.Ready {
			continue
		}
		for _, c := range por.Moves(o.m, w.s, u, nil) {
			n := &state.State{}
			n.CopyFrom(w.s)
			n.Mem.MarkNewest()
			o.m.Try(n, u, c)
			if n.Abandoned && n.AssumptionFailed {
				w.ended = true
			}
			if n.Abandoned && !n.Mem.GraphFull() {
				continue
			}
			if n.Abandoned || n.MessageBoundHit != state.NoLimit || n.Violation.Kind != state.NoViolation {
				o.Whole = false
				return
			}
			id := w.s.Cast.Units[u].ID
			started := map[uint64]bool{id: true}
			for k := range w.started {
				started[k] = true
			}
			st := step{unit: id, stale: -1, to: visit(n, started)}
			if n.Cast == w.s.Cast {
				st.fresh = n.Mem.AppendRenewed(nil)
			}
			o.judge(w.s, u, c, &st)
			w.steps = append(w.steps, st)
		}
	}
}

// judge notes of a step what does not go on for ever.
func (o *Oracle) judge(s *state.State, u memmodel.Unit, c state.Choice, st *step) {
	if s.Cast.Units[u].Func < 0 || c.Promise > 1 {
		return
	}
	op := o.m.Operation(s, u)
	x := o.m.Target(s, u, c)
	if x < 0 {
		x = o.m.Reading(s, u)
	}
	if x < 0 || !op.Instr.Op.Access() || op.Instr.Order == memmodel.NonAtomic {
		return
	}
	if c.Back > 0 {
		st.stale = x
	}
	st.once = op.Instr.Op == ir.OpCmpXchg && op.Instr.Weak && c.Fail && s.Mem.Value(x, memmodel.Msg(c.Back)) == op.B
}

// RunsForEver reports whether some execution goes on for ever that keeps what the models promise, weakly, and memory fairness.
func (o *Oracle) RunsForEver(l liveness.Levels) bool {
	all := make([]int, len(o.worlds))
	for i := range all {
		all[i] = i
	}
	return o.staysIn(all, func(_ int, st step) bool { return !st.once }, l)
}

// staysIn reports whether some execution stays for ever in some states, by some steps.
func (o *Oracle) staysIn(nodes []int, by func(int, step) bool, l liveness.Levels) bool {
	in := map[int]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	forth, back := map[int][]int{}, map[int][]int{}
	for _, n := range nodes {
		for _, st := range o.worlds[n].steps {
			if in[st.to] && by(n, st) {
				forth[n], back[st.to] = append(forth[n], st.to), append(back[st.to], n)
			}
		}
	}
	done := map[int]bool{}
	for _, n := range nodes {
		if done[n] {
			continue
		}
		ahead, behind := closure(n, forth), closure(n, back)
		var part []int
		for k := range ahead {
			if behind[k] {
				part = append(part, k)
				done[k] = true
			}
		}
		if done[n] = true; len(part) > 0 && o.part(part, by, l) {
			return true
		}
	}
	return false
}

// closure returns what one step or more lead to.
func closure(from int, edges map[int][]int) map[int]bool {
	seen := map[int]bool{}
	for todo := slices.Clone(edges[from]); len(todo) > 0; {
		n := todo[0]
		if todo = todo[1:]; !seen[n] {
			seen[n] = true
			todo = append(todo, edges[n]...)
		}
	}
	return seen
}

// part reports whether some execution stays for ever in a strongly connected part, or in a part of that.
func (o *Oracle) part(nodes []int, by func(int, step) bool, l liveness.Levels) bool {
	in, walks, fresh := map[int]bool{}, map[uint64]bool{}, map[memmodel.Loc]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	var old []memmodel.Loc
	for _, n := range nodes {
		for _, st := range o.worlds[n].steps {
			if !in[st.to] || !by(n, st) {
				continue
			}
			if walks[st.unit] = true; st.stale >= 0 {
				old = append(old, st.stale)
			}
			for _, x := range st.fresh {
				fresh[x] = true
			}
		}
	}
	if slices.ContainsFunc(old, func(x memmodel.Loc) bool { return !fresh[x] }) { // which is not read for ever
		return o.staysIn(nodes, func(n int, st step) bool { return by(n, st) && (st.stale < 0 || fresh[st.stale]) }, l)
	}
	j := &judge{o: o, nodes: nodes, walks: walks, l: l}
	return !j.owes() && j.keeps(j.members(), 0)
}
