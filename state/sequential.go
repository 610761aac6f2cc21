package state

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// SequentialRunner runs the private code of one unit without the others. It holds scratch space, so each goroutine
// needs its own.
type SequentialRunner struct {
	m    *Machine // whose program it is
	s    State    // the state, of one unit
	cast Cast     // its cast
}

// Runner returns a runner for the machine's units, of which no state need be known.
func (q *Certifier) Runner() *SequentialRunner {
	return &SequentialRunner{m: q.m, cast: Cast{Units: make([]Role, 1)}}
}

// Where a unit by itself stops, if that is not at a visible operation.
const (
	RunOver int32 = -1 - iota // it has ended, or cannot go on
	RunLost                   // what it does is too long to run, or not its own
)

// Run executes private instructions of a unit from pc on, at most so many. It returns the visible operation that
// the unit reaches, or RunOver or RunLost. shown says that what it has done belongs to the outcome of an
// execution. It goes on behind an assertion that fails: a unit that owes a write must reach it.
func (l *SequentialRunner) Run(u *Role, pc int32, regs []int64, most int) (at int32, shown bool) {
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
			return RunOver, true
		case in.Op == ir.OpCopied:
			return RunLost, true
		case !in.Op.Visible():
			next, ok := m.local(s, 0, f, in, pc, regs)
			switch {
			case in.Op == ir.OpAssert:
				failed = failed || !ok
				pc++
			case !ok:
				return RunOver, true
			default:
				pc = next
			}
		case m.private(in, f, regs):
			pc++
		default:
			return pc, failed || len(s.obs) > 0 || len(s.reached) > 0
		}
	}
	return RunLost, true
}

// Items returns the work-items of a kernel-instance and the values of its parameters. args is what follows the
// queue and the wait list of an enqueue operation: the index space and the values. ok is false if OpenCL does not
// allow such an index space.
func (l *SequentialRunner) Items(place memmodel.Place, fn int, args []int64) (units []Role, params []int64, ok bool) {
	r := rangeOf(args)
	if valid, small := r.valid(l.m.Spec); !valid || !small {
		return nil, nil, false
	}
	return l.m.items(&Role{Place: place, cmd: &Command{Func: fn, Args: args}}), args[10:], true
}

// Promisable says, by function and pc, where a promise of a write can make a difference.
type Promisable struct {
	Reads        [][]bool      // a read that a write may be promised before
	Writes       [][]bool      // a write that may be promised
	Readers      [][]bool      // a read that may see a promise
	ValueMatters [][]bool      // a read that makes a difference to what its unit can certify
	Decides      [][]facts.Set // the registers that do, before an instruction
	Vain         [][]bool      // a read-modify-write of which a round of waiting keeps no promise; nil: none is known
	// Enough is, by address in the shared segment, of which cells it is enough to promise writes: units come to these
	// whatever they read. Nil: all must be promised.
	Enough  facts.Set
	Unaided bool // none of these writes needs the promise of another
	Always  bool // they may in any state, whether or not somebody can still answer: for comparing
	Doubts  bool // each promise is certified by a run, and nothing is left out of that: for comparing
}
