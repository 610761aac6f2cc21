package explore

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// Help: a promise that no unit reads yet is made in one move with the step that it has to come before,
// so that it makes no states of its own.
// docs/exploration/promises.md, "Help".

// promiseClosure has the states that promises lead to from the expanded state before any unit reads them.
type promiseClosure struct {
	all   []closureState             // the states: first the one that is expanded, then those with fewer promises first
	find  map[store.Fingerprint]int  // by canonical form: the number of a state
	bytes int                        // that they occupy, about
	work  int                        // what it takes to know what helps in them, see por.PromisingThreads.Work
	later map[store.Fingerprint]bool // scratch space of findLater: canonical forms
}

// closureState is a state of a promise closure.
type closureState struct {
	st     *state.State        // as it is, not in canonical form
	moves  []Move              // the promises, in an order in which they can be made
	from   []supportingPromise // the ways to come to it by a last promise
	trials [][]trial           // by unit: what has come of its steps, nil if that was not asked for
}

// supportingPromise leads from one state of the closure to another.
type supportingPromise struct {
	from int          // the number of the state in which it is made
	by   Move         // the promise
	loc  memmodel.Loc // what it writes
}

// step is an outcome of a unit's next operation, perhaps together with the promise that it reads.
type step struct {
	choice state.Choice   // which outcome
	unit   memmodel.Unit  // who promises what is read; -1 if it is there already
	write  memmodel.Write // what he promises
	offer  state.Choice   // and how he does
}

// trial is the result of a step.
type trial struct {
	step
	fails bool // it cannot be done: mostly as somebody could not keep then what he owes
	lacks bool // that was why
}

// Bounds on the states that are looked at so: on the work (PromisingThreads.Work), and on their bytes if there is no bound on memory.
const (
	maxAided     = 1 << 15
	maxAidedSize = 1 << 25
)

// tryHelp tries, at s.cur, the steps before which a promise must be made that no unit reads yet. After the step it
// could not be made any more, or some unit could not certify.
// docs/exploration/promises.md, "Help".
func (s *expander) tryHelp(f *frame, sleep por.Set) {
	if s.watches || !s.m.Traits.Promises || s.m.Promises().Unaided() || s.onlyRaces() {
		return
	}
	h := &s.help
	h.begin(s.cur)
	for i := 0; i < len(h.all) && !s.stopped && (i == 0 || !s.tooMany(h)); i++ {
		s.addSupportingPromises(h, i)
		if s.alarm.ringing() {
			s.lookUp()
		}
	}
	if s.tooMany(h) {
		s.storeAided(f, h, sleep)
	} else {
		s.tryAided(f, h, sleep)
	}
	for _, n := range h.all[1:] {
		s.release(n.st)
	}
}

func (h *promiseClosure) begin(st *state.State) {
	if h.find == nil {
		h.find, h.later = map[store.Fingerprint]int{}, map[store.Fingerprint]bool{}
	}
	clear(h.find)
	clear(h.all)
	h.all, h.bytes, h.work = append(h.all[:0], closureState{st: st}), 0, 0
}

// tooMany reports whether the closure is beyond its bounds.
func (s *expander) tooMany(h *promiseClosure) bool {
	most := maxAidedSize
	if s.room > 0 {
		most = min(most, s.room/keptShare)
	}
	return h.work > s.pace.aided || h.bytes > most
}

// addSupportingPromises adds the states that one more promise leads to from state number i.
func (s *expander) addSupportingPromises(h *promiseClosure, i int) {
	n := h.all[i].st
	needy := s.por.PromisingThreads(n)
	h.work += needy.Work()
	if anyhow := needy.Anyhow(); !needy.All() && s.mayHelp(n, anyhow) && s.fails(h, i) {
		needy = anyhow
	}
	from := len(s.choices)
	for v := range n.Cast.Count() {
		s.choices = s.por.Helpers(n, v, needy, s.choices[:from])
		to := len(s.choices)
		for j := from; j < to && !s.stopped && (i == 0 || !s.tooMany(h)); j++ {
			c := s.choices[j]
			at := s.state()
			at.CopyFrom(n)
			if s.m.Try(at, v, c); at.Abandoned || !h.add(s.formOf(at), at, supportingPromise{i, Move{v, c}, s.m.Target(n, v, c)}) {
				s.release(at)
			}
		}
	}
	s.choices = s.choices[:from]
}

// mayHelp reports whether some promise may help these threads to certify.
func (s *expander) mayHelp(n *state.State, needy por.PromisingThreads) bool {
	from := len(s.choices)
	defer func() { s.choices = s.choices[:from] }()
	for v := range n.Cast.Count() {
		if s.choices = s.por.Helpers(n, v, needy, s.choices); len(s.choices) > from {
			return true
		}
	}
	return false
}

// add adds the state that a promise leads to. If it is there already the promise is one more way to it. add
// reports whether the state is new.
func (h *promiseClosure) add(form store.Fingerprint, st *state.State, by supportingPromise) bool {
	i, known := h.find[form]
	if !known {
		i = len(h.all)
		h.find[form] = i
		h.all = append(h.all, closureState{st: st, moves: append(slices.Clone(h.all[by.from].moves), by.by)})
		h.bytes += st.Mem.Size()
	}
	h.all[i].from = append(h.all[i].from, by)
	return !known
}

// formOf returns the fingerprint of the canonical form of n, which it leaves as it is.
func (s *base) formOf(n *state.State) store.Fingerprint {
	c := s.state()
	defer s.release(c)
	c.CopyFrom(n)
	s.m.Normalise(&s.canon, c)
	s.key = c.Append(s.key[:0])
	return fingerprint(s.key)
}

// fails reports whether some unit could not certify after some step from state number i.
func (s *expander) fails(h *promiseClosure, i int) bool {
	if !h.all[i].st.Mem.Promised() {
		return false
	}
	for u := range s.cur.Cast.Count() {
		if slices.ContainsFunc(s.trials(h, i, u), func(t trial) bool { return t.lacks }) {
			return true
		}
	}
	return false
}

// trials returns the results of the steps of unit u from state number i.
func (s *expander) trials(h *promiseClosure, i int, u memmodel.Unit) []trial {
	n := &h.all[i]
	if n.trials == nil {
		n.trials = make([][]trial, n.st.Cast.Count())
	}
	if n.trials[u] == nil {
		n.trials[u] = []trial{}
		note := func(next *state.State, st step) {
			n.trials[u] = append(n.trials[u], trial{st, next.Abandoned, next.Uncertified})
		}
		if n.st.Mem.Promised() {
			s.eachStep(n.st, u, note)
		} else { // what fails where nobody owes anything fails in the states that are aided, too
			for _, c := range s.m.Choices(n.st, u, nil) {
				n.trials[u] = append(n.trials[u], trial{step: step{choice: c, unit: -1}})
			}
			s.eachRead(n.st, u, note)
		}
	}
	return n.trials[u]
}

// eachStep calls f with the state that each step of unit u leads to from n. The state is valid during the call.
func (s *expander) eachStep(n *state.State, u memmodel.Unit, f func(next *state.State, st step)) {
	from := len(s.choices)
	next := s.state()
	defer s.release(next)
	s.choices = s.m.Choices(n, u, s.choices)
	for _, c := range s.choices[from:] {
		next.CopyFrom(n)
		s.m.Try(next, u, c)
		f(next, step{choice: c, unit: -1})
	}
	s.choices = s.choices[:from]
	s.eachRead(n, u, f)
}

// eachRead is eachStep for the steps in which the unit reads what another one promises.
func (s *expander) eachRead(n *state.State, u memmodel.Unit, f func(next *state.State, st step)) {
	if !s.m.Promises().Looking(n, u) {
		return
	}
	next := s.state()
	defer s.release(next)
	s.eachOffer(n, u, s.m.Reading(n, u), func(at *state.State, p Move) {
		if at.Abandoned {
			return
		}
		_, w, _ := s.m.Promises().Of(n, p.Unit, p.Choice)
		for _, c := range s.m.Choices(at, u, nil) {
			if readsPromise(c, p) {
				next.CopyFrom(at)
				s.m.Try(next, u, c)
				f(next, step{c, p.Unit, w, p.Choice})
			}
		}
	})
}

// tryAided tries, from each state of the closure, the steps that none of its promises can follow.
func (s *expander) tryAided(f *frame, h *promiseClosure, sleep por.Set) {
	for i := 1; i < len(h.all); i++ {
		for u := range s.cur.Cast.Count() {
			if s.stopped {
				return
			}
			todo, same := s.needed(h, i, u)
			if len(todo) == 0 {
				continue
			}
			n := &h.all[i]
			s.eachStep(n.st, u, func(next *state.State, st step) {
				if slices.Contains(todo, st) && (!same || !h.later[s.formOf(next)]) {
					s.tryTogether(f, n.moves, u, st, sleep)
				}
			})
		}
	}
}

// needed returns the steps of unit u from state number i that a last promise cannot follow, since the same step
// fails without it. same says that a last promise writes what the unit accesses, so that steps cannot be compared.
// Then steps whose result is in later are not needed either.
func (s *expander) needed(h *promiseClosure, i int, u memmodel.Unit) (todo []step, same bool) {
	n := &h.all[i]
	trials := s.trials(h, i, u)
	for _, t := range trials {
		if !t.fails {
			todo = append(todo, t.step)
		}
	}
	if len(todo) == 0 {
		return nil, false
	}
	x := s.m.Reading(n.st, u)
	if x < 0 {
		x = s.m.Target(n.st, u, todo[0].choice)
	}
	for _, a := range n.from {
		if a.loc == x {
			same = true
			continue
		}
		before := s.trials(h, a.from, u)
		todo = slices.DeleteFunc(todo, func(st step) bool {
			return slices.ContainsFunc(before, func(o trial) bool { return !o.fails && o.is(st) })
		})
	}
	if same && len(todo) > 0 {
		s.findLater(h, n, x, u)
	}
	return todo, same
}

// is reports whether two steps of a unit are the same. They are from states that differ only in what does not
// concern the unit.
func (st step) is(o step) bool {
	return st.choice == o.choice && st.unit == o.unit && st.write == o.write && st.offer.Back == o.offer.Back
}

// findLater finds the states in which a last promise of a write of x follows a step of unit u, which is about to
// access x. The unit may also read the promised write, or perform it.
func (s *expander) findLater(h *promiseClosure, n *closureState, x memmodel.Loc, u memmodel.Unit) {
	clear(h.later)
	for _, a := range n.from {
		if a.loc != x {
			continue
		}
		m := h.all[a.from].st
		s.eachStep(m, u, func(next *state.State, _ step) {
			if next.Abandoned {
				return
			}
			h.later[s.formOf(next)] = true
			s.m.Promises().Later(m, next, a.by.Unit, a.by.Choice, func(late *state.State) { h.later[s.formOf(late)] = true })
		})
	}
}

// tryTogether adds to the frame the state that a step of unit u leads to behind the promises that must precede it.
func (s *expander) tryTogether(f *frame, promises []Move, u memmodel.Unit, st step, sleep por.Set) {
	at := s.state()
	defer s.release(at)
	at.CopyFrom(s.cur)
	s.moves, s.wrote = s.moves[:0], s.wrote[:0]
	if st.unit >= 0 {
		promises = append(slices.Clone(promises), Move{st.unit, st.offer})
	}
	for _, p := range promises {
		sleep = s.beforehand(at, p, sleep)
		s.m.Try(at, p.Unit, p.Choice)
	}
	f.dpor.Full = true
	s.outcome(f, at, u, st.choice, sleep)
}

// beforehand notes a promise that is about to be made at a state to which s.moves have led. It returns the units that
// sleep behind it.
func (s *expander) beforehand(at *state.State, p Move, sleep por.Set) por.Set {
	x := s.m.Target(at, p.Unit, p.Choice)
	s.writes(at, p.Unit, x, true)
	s.moves = append(s.moves, p)
	return s.por.Wake(sleep, x, -1).Without(p.Unit)
}

// storeAided adds to the frame the states that one promise leads to, where there are too many ways to make
// more: what else has to be made is tried from these.
func (s *expander) storeAided(f *frame, h *promiseClosure, sleep por.Set) {
	for i := 1; i < len(h.all) && len(h.all[i].moves) == 1; i++ {
		if s.stopped {
			return
		}
		f.dpor.Full = true
		s.moves, s.wrote, s.reading = s.moves[:0], s.wrote[:0], -1
		asleep := s.beforehand(s.cur, h.all[i].moves[0], sleep)
		next := s.state()
		next.CopyFrom(h.all[i].st)
		s.runInvisible(next, f, asleep)
	}
}
