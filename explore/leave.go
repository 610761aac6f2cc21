package explore

import (
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/store"
)

// Where another worker is done with a state that is open here, on the path, what is left below it need not be explored: with the sleep
// sets of this worker's order little of that would be known as it comes to it.

// leaveDone goes back to the first state of the path that another worker is done with, if there is one, and leaves it.
// docs/exploration/workers.md, "Leaving what others are done with".
func (s *search) leaveDone() {
	if x := s.exchange; !x.overtaken {
		return
	}
	s.exchange.overtaken = false
	for depth := 1; depth < len(s.stack); depth++ {
		f := s.stack[depth]
		if e, seen := s.visited.lookup(f.fp); seen && isDone(e) && por.Set(e.Sleep).Within(f.dpor.entry) {
			s.leave(depth, e.Note)
			return
		}
	}
}

// leave cuts the path above a state of which a note is known, as if that had been known when it was to be visited. Of the states below that were open
// nothing is known any more.
func (s *search) leave(depth int, note uint64) {
	first := s.stack[depth].dpor.members
	for _, f := range s.stack[depth+1:] {
		s.unexplored(sccMember{f.fp, f.dpor.entry})
	}
	for _, m := range s.members[first:] {
		s.unexplored(m)
	}
	s.members = s.members[:first]
	for n := len(s.stack) - 1; n >= depth; n-- {
		f, parent := s.stack[n], s.stack[n-1]
		s.stack = s.stack[:n]
		s.drop(f)
		s.forget(&parent.successors[parent.next-1])
		s.recycleFrame(f)
	}
	s.estimator.leave(depth)
	s.keeper.low = min(s.keeper.low, depth)
	s.exchange.left++
	s.stats.Cuts++
	parent := s.stack[depth-1]
	s.matchState(parent, &parent.successors[parent.next-1], note)
}

// unexplored notes of a state that was open that nothing below it need have been explored: as if all units had slept when it was.
func (k *knowledge) unexplored(m sccMember) {
	if e, seen := k.visited.lookup(m.fp); seen && !isDone(e) && por.Set(e.Sleep) == m.sleep {
		k.visited.record(m.fp, store.Entry{Sleep: uint64(^por.Set(0)), Note: k.noteOf(&nothingKnown) | (&termination{out: true}).note()})
	}
}
