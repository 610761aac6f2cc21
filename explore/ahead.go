package explore

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
)

// Turns ahead of time. Where most states have one successor, and the next reader gets its
// turn only when the first one's subtree is done, the order of successors does not keep
// workers apart: all go down one path. So a worker may begin a state with the turn of a later
// reader, as if the first had had its own. What it finds are facts like others. Then it
// takes the turns from the first on: if they come to the later one, it is done; if not, work
// was wasted.

// profile is what a search has learnt of which readers get their turns.
type profile map[rivalry]*record

// rivalry is where the first reader stands, and another one.
type rivalry struct{ first, other int32 } // by function and pc

// record is how often one stood so, and how often the other one got its turn after it.
type record struct{ stood, needed int32 } // in states

// ahead has s.cur begin with a later reader's turn, if that is likely to be needed, and reports
// whether it does. Which one, and whether any, differs between workers.
// docs/exploration/workers.md, "Turns ahead of time".
func (s *turnTaker) ahead(f *frame, all []memmodel.Unit) bool {
	d := &f.dpor
	if s.m.Loops && !s.pace.aheadInLoops {
		return false // below it, each state with a sleeper that may go round is asked for a way out: that takes more than it saves
	}
	if s.news == nil || s.order == 0 || s.opt.Store != nil || s.m.Traits.Promises || len(all) < 2 {
		return false
	}
	order := d.Order
	first := order.Next(d.sleep)
	if first < 0 {
		return false
	}
	if x := s.m.Reading(s.cur, first); x < 0 || !s.por.MayBeWritten(s.cur, first, x) {
		return false
	}
	var likely []memmodel.Unit
	for u := order.Next(d.sleep); u >= 0; u = order.Next(d.sleep) {
		r := s.record(first, u)
		if r.stood++; r.stood >= s.pace.knownEnough && 10*r.needed >= s.pace.oftenEnough*r.stood {
			likely = append(likely, u)
		}
	}
	choice := int((f.fp.Lo >> 32 * uint64(2*s.order+1) >> 7) % uint64(len(likely)+1))
	if choice == len(likely) {
		return false
	}
	d.stage = outOfTurn
	s.por.BeginTurn(&d.Turn, s.cur, likely[choice])
	one := [1]memmodel.Unit{d.Unit}
	s.try(f, one[:], s.por.Asleep(d.sleep, first))
	s.arrange(f)
	if len(f.successors) > 0 || s.stopped {
		return true
	}
	s.endAhead(f)
	return false
}

// endAhead ends a turn that was taken ahead. What it wrote, and what further up it led back to,
// stays with the state. All else is decided by the turns in their order.
func (s *turnTaker) endAhead(f *frame) {
	d := &f.dpor
	d.effects.Merge(&d.Below)
	d.Below.Clear()
	d.stage = inTurn
	d.Full, d.waits, d.moved, d.leads = false, false, false, false
	f.fate.back = false
}

// afterAhead takes the first turn in order, when the one ahead is over. It reports whether there is more to be
// explored.
func (s *turnTaker) afterAhead(f *frame) bool {
	s.endAhead(f)
	s.drop(f)
	s.reload()
	s.por.Candidates(s.cur)
	s.takeTurn(f)
	if s.heed() {
		return true
	}
	return len(f.successors) > 0 || s.turn(f)
}

// record returns what is known of two readers of s.cur, the first and another one.
func (s *turnTaker) record(first, other memmodel.Unit) *record {
	key := rivalry{s.programPoint(first), s.programPoint(other)}
	r := s.profile[key]
	if r == nil {
		if s.profile == nil {
			s.profile = profile{}
		}
		r = &record{}
		s.profile[key] = r
	}
	return r
}

// programPoint returns where in the program a unit of s.cur is.
func (s *turnTaker) programPoint(u memmodel.Unit) int32 {
	return int32(s.cur.Cast.Units[u].Func)<<16 + int32(s.cur.PC(u))
}

// neededTurn notes that a unit gets its turn at s.cur after that of another one. Whoever does not
// come next, but later, has more sleepers then than ahead of time, so that more is explored in vain. Between
// processes that pays, as it keeps them apart; within one, where all is known at once, it does not.
func (s *turnTaker) neededTurn(d *turns, before memmodel.Unit) {
	if s.news == nil || s.order == 0 || d.Unit < 0 {
		return
	}
	order := por.Order{Todo: d.Todo}
	if first := order.Next(d.entry); first == before || first >= 0 && first != d.Unit && s.team.table == nil {
		s.record(first, d.Unit).needed++
	}
}
