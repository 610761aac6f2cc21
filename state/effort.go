package state

import "sync/atomic"

// Effort is how much work a machine has done: a measure that is the same wherever and whenever the same is done, which time is not.
type Effort struct {
	counts bool         // somebody asks
	done   atomic.Int64 // so far, in steps of states of a few items
	most   int64        // at which the machine tires; 0 for never
	tired  atomic.Bool  // see Tire
}

// perStep are the bytes of a state that make as much work as a step does besides, to copy, to encode and to bring into canonical form.
const perStep = 1 << 9

// Count has the machine count its work, and tire when it has done more than so much, if that is not 0. It must be called while nobody uses the machine.
func (e *Effort) Count(most int64) { e.counts, e.most = true, most }

// Done returns how much work the machine has done: steps, those of units that run alone among them, and canonical forms, each the more, the larger the
// state is. It is 0 where it does not count.
func (e *Effort) Done() int64 { return e.done.Load() }

// Tire makes the machine halt until it is to Rest.
func (e *Effort) Tire() { e.tired.Store(true) }

// Tired reports whether the machine has been made to, or has done too much.
func (e *Effort) Tired() bool { return e.tired.Load() }

// Rest ends the halt of a machine that has tired, which does not tire any more of what it does.
func (e *Effort) Rest() {
	e.most = 0
	e.tired.Store(false)
}

// add counts something that is done with a state.
func (e *Effort) add(s *State) {
	if e.counts && e.done.Add(int64(1+s.Mem.Size()/perStep)) > e.most && e.most > 0 {
		e.tired.Store(true)
	}
}
