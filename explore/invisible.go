package explore

import (
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// Settling: what need not be scheduled is run, and where that ends is a successor.

// expander is the part of a search that takes steps: it tries what units can do next, performs what need not be scheduled, and
// adds what that leads to to a frame, in canonical form. Whose turn it is it is told.
type expander struct {
	reporter
	probing bool           // a search for a way out is under way: what has seen more may have none
	reading int            // number of the message that the step being tried reads, or -1
	wrote   []por.Write    // in the step being tried, beside moves
	rivals  []*state.State // outcomes of one load, to be compared
	help    promiseClosure // scratch space of tryHelp
	encoded int            // bytes of the state that was encoded last: the next one is about as long

	watches  bool // it makes no promise, and sees whether one could be read
	readable bool // one could, for all that it has seen
}

// runInvisible runs, from n, the steps that need not be scheduled as long as they have one outcome: they read
// nothing, so they can be moved before the steps of other units. It adds the state that is reached to the frame,
// with the units that may sleep there.
// docs/exploration/source-free.md, "Source-free steps are run at once".
func (s *expander) runInvisible(n *state.State, f *frame, asleep por.Set) {
	kept, relieved := false, false
	depth, wrote := len(s.moves), len(s.wrote)
	for steps := 0; !n.Abandoned && !s.stopped; steps++ {
		if steps%s.pace.look == s.pace.look-1 || s.alarm.ringing() {
			s.lookUp()
		}
		piled := s.backlogged(n, len(s.moves))
		if piled && s.compactMessages(n, f) {
			piled, relieved = false, true
		}
		u := s.por.Eager(n, asleep)
		if steps > maxEager+eagerShare*int(n.Cast.Count()) || piled {
			u = -1 // look whether this has been going on for ever
		}
		if n.Violation.Kind != state.NoViolation && !n.Open() && !s.passes(n.Violation.Kind) {
			if s.violation(n) && !s.stopped && s.paused == "" {
				s.m.Pass(n)
				continue
			}
			f.fate.out = true
			s.cutShort(f)
			break
		}
		if n.MessageBoundHit != state.NoLimit {
			s.incomplete(n.MessageBoundHit.String())
			f.fate.out = true
			s.cutShort(f)
			break
		}
		if u < 0 {
			kept = s.addSuccessor(n, f, asleep)
			break
		}
		from := len(s.choices)
		s.choices = s.m.Choices(n, u, s.choices)
		to := len(s.choices)
		if s.choices = s.choices[:from]; from == to {
			n.Abandoned = true
			break
		}
		to = from + len(s.por.Different(n, u, s.choices[from:to]))
		mv := Move{u, s.choices[:to][from]}
		if to > from+1 || relieved && mv.Choice != (state.Choice{}) { // the place of anything but the newest may have changed
			kept = s.addSuccessor(n, f, asleep) // what several outcomes lead to may meet again
			break
		}
		asleep = s.eagerStep(n, mv, asleep)
	}
	if n.Abandoned {
		s.blocked(n, f)
	}
	s.moves, s.wrote = s.moves[:depth], s.wrote[:wrote]
	if !kept {
		s.release(n)
	}
}

// backlogged reports whether n, which moves steps have led to from the state of a frame, may have so many messages
// at a location that each further step costs more than the one before.
func (s *base) backlogged(n *state.State, moves int) bool {
	every := s.pace.pileEvery
	return moves%every == every-1 && n.Mem.Longest() > s.pace.pile
}

// compactMessages drops the messages of n that no unit needs, so that runInvisible can go on, and reports whether
// that was enough. Steps that read the newest message, or append behind it, mean the same with those messages and
// without.
// docs/exploration/source-free.md, "Source-free steps are run at once".
func (s *base) compactMessages(n *state.State, f *frame) bool {
	if n.Violation.Kind != state.NoViolation { // which is to be described as it stands
		return false
	}
	if s.m.Concurrent { // commands that are over would go as well, and those left change their numbers
		return false
	}
	if f.dpor.begun() {
		n.Mem.Disown(f.dpor.Unit)
	}
	s.canon.Oldest = true
	s.m.Normalise(&s.canon, n)
	s.canon.Oldest = false
	n.Mem.Reshare()
	return n.Mem.Longest() <= s.pace.pile
}

// eagerStep performs a step that need not be scheduled, and returns the units that sleep behind it.
func (s *expander) eagerStep(n *state.State, mv Move, asleep por.Set) por.Set {
	x, y := s.m.Target(n, mv.Unit, mv.Choice), s.por.Watched(n, mv.Unit)
	s.tries(n, mv.Unit)
	s.writes(n, mv.Unit, x, s.m.Promises().MayOwe(n, mv.Unit))
	s.moves = append(s.moves, mv)
	cast := n.Cast
	s.m.Try(n, mv.Unit, mv.Choice)
	s.stats.Steps++
	s.stats.Saved.Eager++
	if n.Cast != cast {
		return 0
	}
	return s.por.Wake(asleep, x, y).Without(mv.Unit)
}

// blocked accounts for an execution that ends at n, which is abandoned.
func (s *expander) blocked(n *state.State, f *frame) {
	s.stats.Blocked++
	switch {
	case s.cuts, s.cur.Cast == nil: // or given up before there was a state
		s.cutShort(f)
	case n.CertificationFailed: // such a step can be in no execution, and who owes something lets the others come first in any case
	case !s.m.Promises().Over(s.cur):
		s.cutShort(f)
	}
	if n.AssumptionFailed && !n.Open() {
		f.fate.out = true
	}
	if n.Mem.GraphFull() {
		f.fate.out = true
		s.incomplete("more than 64 seq_cst operations constrain each other in some execution")
	}
}

// writes records that unit u of n, which s.cur has led to, writes location x, or nothing if x is -1. early says
// that the unit could have promised the write.
func (s *expander) writes(n *state.State, u memmodel.Unit, x memmodel.Loc, early bool) {
	if x < 0 || s.opt.POR != por.DPOR {
		return
	}
	s.notes(n, por.Write{Unit: int32(u), Loc: x})
	if early {
		s.notes(n, por.Write{Unit: int32(u), Loc: x, Kind: por.Early})
	}
}

// tries records the location that unit u of n is about to read, if that counts for other units: a
// read-modify-write might write although it does not now, a read may see a promise, and where all operations are
// seq_cst a read constrains later writes.
func (s *expander) tries(n *state.State, u memmodel.Unit) {
	if s.opt.POR != por.DPOR {
		return
	}
	x := s.m.Reading(n, u)
	if x < 0 {
		return
	}
	if s.por.Attempts(n, u) || s.por.Watched(n, u) >= 0 {
		s.notes(n, por.Write{Unit: int32(u), Loc: x, Kind: por.Try})
	}
	if s.m.Promises().MayLook(n, u) {
		s.notes(n, por.Write{Unit: int32(u), Loc: x, Kind: por.Look})
	}
}

func (s *expander) notes(n *state.State, w por.Write) {
	if n.Cast != s.cur.Cast {
		w.Unit = por.Somebody
		if w.Loc >= s.local {
			w.Loc = por.Somewhere
		}
	}
	s.wrote = append(s.wrote, w)
}

// addSuccessor adds n to the successors of the frame. kept says that the successor has taken n over.
func (s *expander) addSuccessor(n *state.State, f *frame, asleep por.Set) (kept bool) {
	if f.dpor.begun() {
		n.Mem.Disown(f.dpor.Unit)
	}
	s.canon.Oldest = true
	renamed := s.form(n)
	s.canon.Oldest = false
	if n.Mem.Longest() > maxMessages {
		s.incomplete(fmt.Sprintf("one work-item can perform more than %d stores to one location that another has not seen, which is the bound of clmc", maxMessages))
		f.fate.out = true
		s.cutShort(f)
		return false
	}
	k := successor{from: len(f.buf), moveFrom: len(f.moves), sleep: asleep}
	s.rename(f, &k, renamed)
	f.buf = n.Append(slices.Grow(f.buf, s.encoded))
	f.moves = append(f.moves, s.moves...)
	k.to, k.moveTo = len(f.buf), len(f.moves)
	k.fp, s.encoded = fingerprint(f.buf[k.from:]), k.to-k.from
	if f.dpor.begun() {
		if k.is(f) { // a wait that goes on
			f.dpor.Full = true
			s.stats.Saved.Waits++
			f.fate.back = f.fate.back || len(s.moves) > 1 || s.busy(s.cur, f.dpor.Unit) // rounds of one read are the business of checkWaiting
			f.fate.round = f.fate.round || f.fate.back
			s.wait(f, true)
			f.buf, f.moves = f.buf[:k.from], f.moves[:k.moveFrom]
			return false
		}
		s.noteSuccessor(f, &k, n)
	}
	if s.keeps(k.size(n)) {
		k.st = n
	}
	f.successors = append(f.successors, k)
	return k.st != nil
}

// fingerprint hashes an encoded state.
func fingerprint(text []byte) store.Fingerprint {
	h := xxh3.Hash128(text)
	return store.Fingerprint{Hi: h.Hi, Lo: h.Lo}
}
