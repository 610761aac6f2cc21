package por

import (
	"math"
	"math/bits"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
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
// what the unit that had its turn reads. They do if those others sleep or have had their turns, who are past, and so do the units that
// have written what they read, and so on. If not, and if it is known, next are the units of which one should have
// its turn next; they are valid until the next call.
// docs/exploration/turns.md, "Turns: readers wait only on evidence".
func (r *Reducer) SourceSetComplete(t *Turn, s *state.State, asleep Set, past []int32, local memmodel.Loc) (enough bool, next facts.Set) {
	if t.Full || t.Early || t.Below.Any {
		return false, nil
	}
	z := &r.sources
	z.reset(int(s.Cast.Count()))
	z.done[0] = uint64(asleep)
	for _, u := range past {
		if u >= SetSize && !r.Wakeful(s, memmodel.Unit(u)) {
			z.done.Add(int(u))
		}
	}
	return z.complete(&t.Below, t.Unit, local, func(u memmodel.Unit) read {
		return read{r.Machine.Reading(s, u), r.Machine.Modifying(s, u)}
	})
}

// complete reports whether a unit, the rivals of what it reads, the rivals of what those read, and so on, are all done but for the unit, and if
// not, which rivals of one of them are not.
func (z *sourceSet) complete(below *Summary, t memmodel.Unit, local memmodel.Loc, reading func(memmodel.Unit) read) (enough bool, next facts.Set) {
	z.take(t)
	settled := read{x: -1} // whose rivals are taken, whoever performs it
	for i := 0; i < len(z.among); i++ {
		u := z.among[i]
		reads := reading(u)
		if reads.x < 0 {
			return false, nil
		}
		if reads == settled {
			continue
		}
		if !below.Conflicting(z.none(), u, reads.x, reads.modifies, local) {
			return false, nil
		}
		if next := z.open(); next != nil {
			return false, next
		}
		z.takeRivals()
		if below.Conflicting(z.none(), nobody, reads.x, reads.modifies, local) && z.allTaken() {
			settled = reads
		}
	}
	return true, nil
}

// read is what a unit is about to read, and whether by a read-modify-write.
type read struct {
	x        memmodel.Loc // what is read, or -1
	modifies bool         // it is a read-modify-write
}

// nobody is a unit that no write comes of or depends on.
const nobody = math.MaxInt32

// sourceSet is what SourceSetComplete gathers, of the units of one state.
type sourceSet struct {
	among  []memmodel.Unit // those whose rivals must have had their turns, each once
	taken  facts.Set       // the same
	done   facts.Set       // those that sleep or have had their turns
	rivals facts.Set       // of the one that is looked at
	next   facts.Set       // of these, those that are neither taken nor done
}

// reset makes room for so many units, and all sets empty.
func (z *sourceSet) reset(units int) {
	words := max(units-1, 0)/64 + 1
	z.among = z.among[:0]
	for _, set := range [...]*facts.Set{&z.taken, &z.done, &z.rivals, &z.next} {
		*set = slices.Grow((*set)[:0], words)[:words]
		clear(*set)
	}
}

func (z *sourceSet) take(u memmodel.Unit) {
	z.taken.Add(int(u))
	z.among = append(z.among, u)
}

// none returns the rivals, of which there are none now.
func (z *sourceSet) none() facts.Set {
	clear(z.rivals)
	return z.rivals
}

// allTaken reports whether the rivals are taken.
func (z *sourceSet) allTaken() bool {
	for i, w := range z.rivals {
		if w&^z.taken[i] != 0 {
			return false
		}
	}
	return true
}

// open returns the rivals that are neither taken nor done, or nil if there are none.
func (z *sourceSet) open() facts.Set {
	var some uint64
	for i, w := range z.rivals {
		z.next[i] = w &^ z.taken[i] &^ z.done[i]
		some |= z.next[i]
	}
	if some == 0 {
		return nil
	}
	return z.next
}

// takeRivals takes those that have not been taken.
func (z *sourceSet) takeRivals() {
	for i, w := range z.rivals {
		for w &^= z.taken[i]; w != 0; w &= w - 1 {
			z.take(memmodel.Unit(i<<6 + bits.TrailingZeros64(w)))
		}
	}
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

// Past returns the units that have had their turns, and those that slept when they would have had them.
func (o *Order) Past() []int32 { return o.Todo[:o.At] }

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

// Prioritise gives the next turn to one of some units that has not had its turn, if there is one that is not wakeful. One that is, as it
// never sleeps after its turn, costs states in vain.
func (o *Order) Prioritise(units facts.Set, wakeful func(memmodel.Unit) bool) {
	rest := o.Todo[o.At:]
	o.Prioritised = false
	for i, u := range rest {
		if units.Holds(int(u)) && !wakeful(memmodel.Unit(u)) {
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
