package por

import (
	"math/bits"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// Dynamic partial-order reduction: a state's readers take turns. The first is
// tried with all its outcomes, and what the subtrees below write is summarised.
// Only if a write turns up that the reader might have read had it waited, one
// that does not depend on its reading, does the next reader get its turn, while
// the first sleeps. docs/exploration/turns.md argues why that is enough.

// Turn is a unit's turn at a state: what is known of its next operation beforehand, and
// of what is written below the states that it leads to.
type Turn struct {
	Unit      memmodel.Unit // whose turn it is
	Loc       memmodel.Loc  // the location that it reads, or -1
	Modifies  bool          // by a read-modify-write
	Attempts  bool          // it is that, or a look before an attempt to take what it finds
	Contested bool          // another unit may, for all that is known beforehand, write it
	Looks     bool          // it may see a promise
	Early     bool          // it may promise what it writes later
	Full      bool          // the next unit must be tried in any case

	Below Summary // what the subtrees of its outcomes write, told at its state
}

// BeginTurn begins unit u's turn at s.
func (r *Reducer) BeginTurn(t *Turn, s *state.State, u memmodel.Unit) {
	m := r.Machine
	t.Unit = u
	t.Loc = m.Reading(s, u)
	t.Modifies = t.Loc >= 0 && m.Modifying(s, u)
	t.Attempts = t.Loc >= 0 && r.Attempts(s, u)
	t.Contested = t.Loc >= 0 && r.MayBeWritten(s, u, t.Loc)
	t.Looks = m.Promises().MayLook(s, u)
	t.Early = m.Promises().May(s, u)
	t.Full = m.Contending(s, u) || r.Owing(s, u)
}

// Attempts reports whether what unit u reads next may have it take what it finds: by a read-modify-write, or by one to which a look leads. Who only waits at
// what others have left need not look at it (memmodel.Canon), so that what he takes later is no evidence that he might have come before them.
// docs/exploration/turns.md, "Turns: readers wait only on evidence".
func (r *Reducer) Attempts(s *state.State, u memmodel.Unit) bool {
	fn := s.Cast.Units[u].Func
	return r.Machine.Modifying(s, u) || fn >= 0 && r.Machine.Plans[fn][s.PC(u)].Looks
}

// Wait takes note that an outcome of the unit is a round of waiting, which is no step.
// That it may change what it reads, or may see a promise, still counts. Where all is
// interleaved, a read may come before a write that would have it go on.
func (t *Turn) Wait(interleaved bool) {
	w := Write{Unit: int32(t.Unit), Loc: t.Loc}
	w.After = w.After.With(t.Unit)
	if w.Kind = Try; t.Attempts || t.Loc >= 0 && interleaved {
		t.Below.Add(w)
	}
	if w.Kind = Look; t.Looks {
		t.Below.Add(w)
	}
}

// NeedsReversal reports whether the unit that had its turn may have to wait for a
// write that another one makes first. Locations from local on may lose their number.
// docs/exploration/turns.md, "Turns: readers wait only on evidence".
func (t *Turn) NeedsReversal(local memmodel.Loc) bool {
	return t.Full || t.Contested && (t.Below.Any || t.Below.Conflict(t.Unit, t.Loc, t.Modifies, local)) ||
		t.Early && (t.Below.Any || t.Below.ReadsPromised(t.Unit))
}

// PromiseReadable reports whether, for all that the unit's turn has shown, another unit may read a promise of a write that comes after the
// unit's step, or the unit's step and a read of another one, neither of which comes after the other, may both see promises.
// docs/exploration/promises.md, "Where none can be read".
func (t *Turn) PromiseReadable() bool {
	if !t.Early && !t.Looks {
		return false
	}
	return t.Below.Any || t.Early && t.Below.ReadsPromised(t.Unit) || t.Looks && t.Below.looksBeside(t.Unit)
}

// looksBeside reports whether a unit other than t reads where it may see a promise, and not only after t's next step.
func (e *Summary) looksBeside(t memmodel.Unit) bool {
	return slices.ContainsFunc(e.Writes, func(r Write) bool { return r.reads() && memmodel.Unit(r.Unit) != t && !r.After.Has(t) })
}

// SourceSetComplete reports whether the turns taken at s cover all executions, although others have written, below,
// what the unit that had its turn reads. They do if those others sleep, and so do the units that have written
// what they read, and so on. If not, and if it is known, next are the units of which one should have
// its turn next. Where these never sleep, that costs states.
// docs/exploration/turns.md, "Turns: readers wait only on evidence".
func (r *Reducer) SourceSetComplete(t *Turn, s *state.State, asleep Set, local memmodel.Loc) (enough bool, next Set) {
	if t.Full || t.Early || t.Below.Any || t.Unit >= SetSize {
		return false, 0
	}
	among := Set(0).With(t.Unit)
	for rest := among; rest != 0; {
		u := memmodel.Unit(bits.TrailingZeros64(uint64(rest)))
		x := r.Machine.Reading(s, u)
		if x < 0 {
			return false, 0
		}
		rivals, named := t.Below.ConflictingUnits(u, x, r.Machine.Modifying(s, u), local)
		if !named {
			return false, 0
		}
		rivals &^= among
		if awake := rivals &^ asleep; awake != 0 {
			return false, r.sleepers(s, awake)
		}
		among |= rivals
		rest = rest.Without(u) | rivals
	}
	return true, 0
}

// Order is the order in which the units of a state have their turns.
type Order struct {
	Todo  []int32 // units to be tried, in this order
	At    int     // the next of them
	Plain bool    // the order is that of their numbers, but for the first
	// Prioritised: the unit whose turn it is came before others, as its writes made a difference to another unit. Stores
	// know it by the name that it once had.
	Prioritised bool `msgpack:"Urged"`
}

// Next returns the next unit that does not sleep, or -1.
func (o *Order) Next(asleep Set) memmodel.Unit {
	for o.At < len(o.Todo) && asleep.Has(memmodel.Unit(o.Todo[o.At])) {
		o.At++
	}
	if o.At == len(o.Todo) {
		return -1
	}
	o.At++
	return memmodel.Unit(o.Todo[o.At-1])
}

// Peek returns the unit that Next would return.
func (o *Order) Peek(asleep Set) memmodel.Unit {
	ahead := *o
	return ahead.Next(asleep)
}

// Prioritise gives the next turn to one of some units, if one of them has not had its turn.
func (o *Order) Prioritise(units Set) {
	rest := o.Todo[o.At:]
	for i, u := range rest {
		if units.Has(memmodel.Unit(u)) {
			copy(rest[1:i+1], rest[:i])
			rest[0] = u
			o.Prioritised = true
			return
		}
	}
}

// AddCandidate lets a unit have its turn after all others, unless it has one already.
func (o *Order) AddCandidate(u memmodel.Unit) {
	if !slices.Contains(o.Todo, int32(u)) {
		o.Todo = append(o.Todo, int32(u))
	}
}
