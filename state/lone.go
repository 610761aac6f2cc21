package state

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Lone runs the code of units by themselves, for who runs each unit without the
// others. It holds scratch space; one serves one goroutine.
type Lone struct {
	m    *Machine // whose program it is
	s    State    // the state, of one unit
	cast Cast     // its cast
}

// NewLone returns one for the units of a machine.
func NewLone(m *Machine) *Lone { return &Lone{m: m, cast: Cast{Units: make([]Role, 1)}} }

// Where a unit by itself stops, if that is not at a visible operation.
const (
	LoneOver int32 = -1 - iota // it has ended, or cannot go on
	LoneLost                   // what it does is too long to run, or not its own
)

// Run executes private instructions of a unit with these registers, from pc on, but no more
// than so many, and returns the visible operation that it comes to, or where it stops
// else; and whether what it has done belongs to the outcome of an execution. At an
// assertion that fails it does not stop: a unit that owes a write goes on to it.
func (l *Lone) Run(u *Role, pc int32, regs []int64, most int) (at int32, shown bool) {
	m, f, s := l.m, l.m.Program.Funcs[u.Func], &l.s
	l.cast.Units[0] = *u
	l.cast.Units[0].regs = 0
	s.Cast, s.regs, s.pc, s.status = &l.cast, regs, append(s.pc[:0], pc), append(s.status[:0], Ready)
	s.Violation, s.Abandoned, s.obs, s.reached = Violation{}, false, s.obs[:0], s.reached[:0]
	failed := false
	for range most {
		in := &f.Code[pc]
		switch {
		case in.Op == ir.OpEnd:
			return LoneOver, true
		case in.Op == ir.OpCopied:
			return LoneLost, true
		case !in.Op.Visible():
			next, ok := m.local(s, 0, f, in, pc, regs)
			switch {
			case in.Op == ir.OpAssert:
				failed = failed || !ok
				pc++
			case !ok:
				return LoneOver, true
			default:
				pc = next
			}
		case m.private(in, f, regs):
			pc++
		default:
			return pc, failed || len(s.obs) > 0 || len(s.reached) > 0
		}
	}
	return LoneLost, true
}

// Items returns the work-items of a kernel-instance at a place, and the values of its parameters, given
// what follows the queue and the wait list where it is enqueued: the index space and those
// values. The result is false if there can be no such index space.
func (l *Lone) Items(place memmodel.Place, fn int, args []int64) (units []Role, params []int64, ok bool) {
	r := rangeOf(args)
	if valid, small := r.valid(l.m.Spec); !valid || !small {
		return nil, nil, false
	}
	return l.m.items(&Role{Place: place, cmd: &Command{Func: fn, Args: args}}), args[10:], true
}

// Promisable says where, by function and pc, writes may be promised so that it makes a
// difference.
type Promisable struct {
	Reads   [][]bool      // a read that a write may be promised before
	Writes  [][]bool      // a write that may be promised
	Looks   [][]bool      // a read that may see a promise
	Heeds   [][]bool      // a read that makes a difference to what its unit can certify
	Decides [][]facts.Set // the registers that do, before an instruction
	// Enough is, by address in the shared segment, of which cells it is enough to promise writes: units come to these
	// whatever they read. Nil: all must be promised.
	Enough  facts.Set
	Unaided bool // none of these writes needs the promise of another
	Always  bool // they may in any state, whether or not somebody can still answer: for comparing
	Doubts  bool // each promise is certified by a run, and nothing is left out of that: for comparing
}
