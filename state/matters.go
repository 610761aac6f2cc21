package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// When a promise can matter: for a program its text tells (por/loadbuffering), and from a state on what each unit may still do, here.

// Over reports whether no promise is owed nor can matter any more: what
// follows is as if there were none.
func (q *Certifier) Over(s *State) bool {
	if !q.m.Traits.Promises || s.unpromising {
		return true
	}
	for u := range s.Cast.Count() {
		if unit := &s.Cast.Units[u]; unit.Func >= 0 && !unit.Place.Host && (s.Mem.Promises(u) > 0 || q.buffers(s, u)) {
			return false
		}
	}
	s.unpromising = true
	return true
}

// May reports whether unit u may promise a write: it owes one already or
// is about to read where that can matter. What it can promise may depend on
// all of memory.
func (q *Certifier) May(s *State, u memmodel.Unit) bool {
	return q.m.Traits.Promises && s.status[u] == Ready && (q.mayPromise(s, u) || s.Mem.Promises(u) > 0)
}

// MayLook reports whether unit u's next operation is one that might see a promise in
// this state or, if it comes earlier in the execution, in another.
func (q *Certifier) MayLook(s *State, u memmodel.Unit) bool {
	if !q.m.Traits.Promises || s.status[u] != Ready {
		return false
	}
	fn := s.Cast.Units[u].Func
	switch {
	case fn < 0 || !q.where.Readers[fn][s.pc[u]]:
		return false
	case s.Cast.Units[u].Place.Host: // who may act beside kernels that are over, too
		return q.m.Beyond || q.m.DeviceQueue || len(s.Cast.threads) < len(s.Cast.Units)
	}
	return q.promisedByAnybody(s.Cast, q.m.Reading(s, u))
}

// Looking reports whether unit u's next operation is a read that may see a
// write that another unit can still promise.
func (q *Certifier) Looking(s *State, u memmodel.Unit) bool {
	if !q.MayLook(s, u) {
		return false
	}
	x := q.m.Reading(s, u)
	if x < 0 {
		return false
	}
	for w := range s.Cast.Count() {
		if w == u {
			continue
		}
		if promised := q.promiseLocs(s, w); promised != nil && promised.Has(int(x)) && q.buffers(s, w) {
			return true
		}
	}
	return false
}

// MayOwe reports whether unit u's next operation is a write that it could have promised.
func (q *Certifier) MayOwe(s *State, u memmodel.Unit) bool {
	fn := s.Cast.Units[u].Func
	return q.m.Traits.Promises && fn >= 0 && q.where.Writes[fn][s.pc[u]]
}

// mayPromise reports whether unit u's next operation is one before which it may
// promise a write.
func (q *Certifier) mayPromise(s *State, u memmodel.Unit) bool {
	unit := &s.Cast.Units[u]
	return unit.Func >= 0 && !unit.Place.Host && q.where.Reads[unit.Func][s.pc[u]] && q.buffers(s, u)
}

// promisedByAnybody reports whether some unit, wherever it is, may promise a write of location x, for all that is known. It is asked for work-items:
// these do not act beside kernels that are over.
func (q *Certifier) promisedByAnybody(c *Cast, x memmodel.Loc) bool {
	if x < 0 || q.m.Beyond || q.m.DeviceQueue { // there may be others, whose promises are read
		return true
	}
	all := c.promisable.Load()
	if all == nil {
		set := make(facts.Set, (len(c.cells)+63)/64)
		for u := range c.Units {
			if unit := &c.Units[u]; unit.Func >= 0 && !unit.Place.Host {
				for pc, promised := range q.where.Writes[unit.Func] {
					if promised {
						q.m.eachLocation(c, unit, pc, func(x memmodel.Loc) { set.Add(int(x)) })
					}
				}
			}
		}
		if q.m.Halted() { // perhaps not all of it has been found
			return true
		}
		all = &set
		c.promisable.Store(all)
	}
	return all.Has(int(x))
}

// promiseLocs returns the locations of which unit u may promise a write from s on.
func (q *Certifier) promiseLocs(s *State, u memmodel.Unit) facts.Set {
	if q.m.Future(s, u) == nil {
		return nil
	}
	return q.m.Ahead(s, u, facts.Ever).Promisable
}

// answer is what is known of a question.
type answer uint8

const (
	unasked answer = iota
	yes
	no
)

// buffers reports whether a promise of unit u may matter from s on, which the state remembers.
func (q *Certifier) buffers(s *State, u memmodel.Unit) bool {
	if int(u) < len(s.buffering) && s.buffering[u] != unasked {
		return s.buffering[u] == yes
	}
	b := q.where.Always || q.mayBuffer(s, u)
	if q.m.Halted() {
		return b // for all that is known
	}
	if len(s.buffering) == 0 {
		s.buffering = zeroed(s.buffering, len(s.pc))
	}
	if s.buffering[u] = no; b {
		s.buffering[u] = yes
	}
	return b
}

// goneOn has what was found to matter be asked again, now that some unit has gone on. What does not matter never will.
func (s *State) goneOn() {
	for u := range s.buffering {
		if s.buffering[u] == yes {
			s.buffering[u] = unasked
		}
	}
}

// mayBuffer reports whether a promise of unit u may matter from s on: whether
// another unit may read what u may promise, and that unit, or one that it may tell anything by
// memory or otherwise, may write what u may read, all while u has not ended. It
// errs only towards true, and once false it stays false.
func (q *Certifier) mayBuffer(s *State, u memmodel.Unit) bool {
	n := memmodel.Unit(len(s.Cast.Units))
	if n > maxBuffering {
		return true
	}
	promisable := q.promiseLocs(s, u)
	if !slices.ContainsFunc(promisable, func(w uint64) bool { return w != 0 }) {
		return false
	}
	mine := &q.m.Ahead(s, u, facts.Ever).Future
	var some, others [16]unaffectedThread // there are seldom more
	told, rest := some[:0], others[:0]
	for v := range n {
		switch may := q.besides(s, u, v); {
		case may == nil:
		case reads(may, promisable):
			told = append(told, unaffectedThread{v, may})
		default:
			rest = append(rest, unaffectedThread{v, may})
		}
	}
	for at := 0; at < len(told); at++ {
		v := told[at]
		if writesTo(v.may, mine) {
			return true
		}
		left := rest[:0]
		for _, w := range rest {
			if !s.Cast.unrelated(v.unit, w.unit) || writesTo(v.may, w.may) {
				told = append(told, w)
			} else {
				left = append(left, w)
			}
		}
		rest = left
	}
	return false
}

// unaffectedThread is a unit that may do something while another one has not ended.
type unaffectedThread struct {
	unit memmodel.Unit    // which
	may  *memmodel.Future // what it may do
}

// maxBuffering is the number of units up to which it is told whose promises matter.
const maxBuffering = 256

// besides returns what unit v may do while unit u has not ended, nil if that is
// nothing or they are the same.
func (q *Certifier) besides(s *State, u, v memmodel.Unit) *memmodel.Future {
	if v == u || q.m.WaitsFor(s, v, u) {
		return nil
	}
	return q.m.Future(s, v)
}

// unrelated reports whether units v and w tell each other nothing but by memory: they
// are work-items of two groups of one command.
func (c *Cast) unrelated(v, w memmodel.Unit) bool {
	p, q := &c.Units[v], &c.Units[w]
	return p.command >= 0 && p.command == q.command && p.Group != q.Group
}

// reads reports whether a unit with this future may read one of these locations.
func reads(f *memmodel.Future, set []uint64) bool {
	for i, w := range set {
		if (f.Peek[i]|f.Modify[i])&w != 0 {
			return true
		}
	}
	return false
}

// writesTo reports whether a unit may write what another may read.
func writesTo(f, g *memmodel.Future) bool {
	for i := range f.Store {
		if (f.Store[i]|f.Modify[i])&(g.Peek[i]|g.Modify[i]) != 0 {
			return true
		}
	}
	return false
}

// enough reports whether writes of location x may have to be promised, by what is known of the program.
func (q *Certifier) enough(x memmodel.Loc) bool {
	return q.where.Enough == nil || q.where.Enough.Holds(int(x))
}

// foresee adds what an access of location x that lies ahead means for promises. A load that makes no
// difference may still find that nobody has written anything, and where a store goes matters where there is an order.
func (q *Certifier) foresee(c *Cast, unit *Role, pc int, x memmodel.Loc, f *Ahead) {
	heeds, loc := q.where.ValueMatters[unit.Func][pc], &c.Layout.Locs[x]
	if q.where.Writes[unit.Func][pc] && q.enough(x) {
		f.Promisable.Add(int(x))
	}
	if heeds && q.where.Readers[unit.Func][pc] {
		f.ValueMatters.Add(int(x))
	}
	if heeds || loc.Atomic && (!loc.Initialised || q.m.Program.Funcs[unit.Func].Code[pc].Op != ir.OpLoad) {
		f.Matters.Add(int(x))
	}
}
