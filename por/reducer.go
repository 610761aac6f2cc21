package por

import (
	"math/bits"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// Set is a set of units. Units from SetSize on are never members.
type Set uint64

// SetSize is the number of units that a Set can tell apart.
const SetSize = 64

// Has reports whether unit u is in the set.
func (z Set) Has(u memmodel.Unit) bool { return u < SetSize && z&(1<<u) != 0 }

// With returns the set with unit u.
func (z Set) With(u memmodel.Unit) Set {
	if u < SetSize {
		z |= 1 << u
	}
	return z
}

// Without returns the set without unit u.
func (z Set) Without(u memmodel.Unit) Set {
	if u < SetSize {
		z &^= 1 << u
	}
	return z
}

// exchanged returns the set as it is when two units are exchanged.
func (z Set) exchanged(pair [2]int32) Set {
	if t, u := memmodel.Unit(pair[0]), memmodel.Unit(pair[1]); z.Has(t) != z.Has(u) {
		z ^= Set(0).With(t).With(u)
	}
	return z
}

// renamed returns the set under other names of its members, which are left out if they have none.
func (z Set) renamed(names []int32) (out Set) {
	for ; z != 0; z &= z - 1 {
		if u := bits.TrailingZeros64(uint64(z)); u < len(names) {
			out = out.With(memmodel.Unit(names[u]))
		}
	}
	return out
}

// Within reports whether all members of z are in o.
func (z Set) Within(o Set) bool { return z&^o == 0 }

// Messages is a set of messages, by the numbers that memmodel.Memory.Label gives them. Those
// from SetSize on are never members.
type Messages uint64

func (z Messages) with(i int) Messages {
	if i < SetSize {
		z |= 1 << i
	}
	return z
}

// Len returns the number of members.
func (z Set) Len() int { return bits.OnesCount64(uint64(z)) }

// Reducer applies a reduction to the states of one machine. It holds scratch
// space; one serves one goroutine.
type Reducer struct {
	Mode    Mode           // which reductions it applies
	Machine *state.Machine // of whose states it speaks

	units   []memmodel.Unit // scratch space, as is
	choices []state.Choice  // this
	reads   []memmodel.Loc  // by unit: the location that it is about to read, or -1
	writes  Set             // those to whom it matters, too, who reads it
	awake   Set             // units that never sleep at the state of the last Candidates
	sources sourceSet       // scratch space of SourceSetComplete
}

// Eager returns a unit whose next operation can be performed at once, because
// every execution from s has an equal one in which it comes first, or -1. Such
// an operation reads nothing that another unit may still write, or commutes with
// what others do; its outcomes must all be tried. Units asleep are left alone.
// docs/exploration/source-free.md, "Source-free steps are run at once".
func (r *Reducer) Eager(s *state.State, asleep Set) memmodel.Unit {
	if r.Mode == None {
		return -1
	}
	for u := range s.Cast.Count() {
		if s.Status(u) == state.Ready && r.Machine.Reading(s, u) < 0 && r.free(s, u) {
			return u
		}
	}
	if r.choices == nil {
		r.choices = make([]state.Choice, 0, 64)
	}
	for u := range s.Cast.Count() {
		if r.Machine.Halted() {
			break
		}
		if s.Status(u) == state.Ready && !asleep.Has(u) && r.eager(s, u, r.choices) {
			return u
		}
	}
	return -1
}

// free reports whether it makes no difference to others, but for what they may read, who comes first: unit u or they.
func (r *Reducer) free(s *state.State, u memmodel.Unit) bool {
	m := r.Machine
	return !m.Choosing(s, u) && !m.Promises().May(s, u) && !m.Contending(s, u)
}

// AtOnce reports whether every execution from s in which unit u makes another step has an equal one in which that comes
// first: it is source-free, or reads what nobody else may write as long as u stands still. All its outcomes must be tried, and
// others not be ignored for ever where u may come back.
// docs/exploration/liveness.md, "Steps at once".
func (r *Reducer) AtOnce(s *state.State, u memmodel.Unit) bool {
	if s.Status(u) != state.Ready || !r.free(s, u) || r.Machine.Promises().Looking(s, u) {
		return false
	}
	x := r.Machine.Reading(s, u)
	return x < 0 || !r.MayBeWritten(s, u, x)
}

// Candidates returns the units to try at s and all that could be tried. Fewer
// are enough where one unit's next operation reads nothing, or can see nothing
// new while that unit stands still. The slices are valid until the next call.
func (r *Reducer) Candidates(s *state.State) (todo, all []memmodel.Unit) {
	all = r.units[:0]
	for u := range s.Cast.Count() {
		if s.Status(u) == state.Ready {
			all = append(all, u)
		}
	}
	r.units = all
	if r.Mode == None {
		return all, all
	}
	r.reads, r.writes, r.awake = r.reads[:0], 0, 0
	for u := range s.Cast.Count() {
		r.reads = append(r.reads, r.Machine.Reading(s, u))
		if r.Watched(s, u) >= 0 && r.Machine.Modifying(s, u) {
			r.writes = r.writes.With(u)
		}
		if r.Wakeful(s, u) {
			r.awake = r.awake.With(u)
		}
	}
	alone := -1
	for i, u := range all {
		switch {
		case r.awake.Has(u) || u >= SetSize && r.Machine.Promises().May(s, u):
		case r.reads[u] < 0:
			alone = i // of those that can be exchanged, the one that has come least far
		case alone < 0 && !r.MayBeWritten(s, u, r.reads[u]):
			return all[i : i+1], all
		}
	}
	if alone >= 0 {
		return all[alone : alone+1], all
	}
	return all, all
}

// Wakeful reports whether unit u never sleeps at s, as it matters who comes first.
func (r *Reducer) Wakeful(s *state.State, u memmodel.Unit) bool {
	return r.Machine.Promises().May(s, u) || r.Machine.Promises().Looking(s, u) || r.Machine.Contending(s, u)
}

// Asleep adds unit u, all of whose outcomes have been tried at the state of
// the last Candidates, to its sleep set.
func (r *Reducer) Asleep(sleep Set, u memmodel.Unit) Set {
	if r.Mode == None {
		return 0
	}
	return sleep.With(u) &^ r.awake
}

// Wake drops from a sleep set of the state of the last Candidates the units
// whose next read could see a write of location x (-1: no write), and those whose
// next write could be missed by a read of location y that makes a difference to
// them (-1: no such read). Nothing else does.
// docs/exploration/turns.md, "Sleep sets".
func (r *Reducer) Wake(sleep Set, x, y memmodel.Loc) Set {
	if x < 0 && y < 0 {
		return sleep
	}
	for rest := sleep; rest != 0; rest &= rest - 1 {
		u := memmodel.Unit(bits.TrailingZeros64(uint64(rest)))
		if at := r.reads[u]; at >= 0 && (at == x || at == y && r.writes.Has(u)) {
			sleep &^= 1 << u
		}
	}
	return sleep
}
