package state

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Initial returns the state in which every unit is about to perform its first
// visible operation.
func (m *Machine) Initial() *State { return m.initial(nil, false) }

// Watcher is an observer that is told, too, of each instruction that unit u comes to,
// with its registers at that moment.
type Watcher interface {
	memmodel.Observer
	Comes(s *State, u memmodel.Unit, pc int, regs []int64)
}

// Start returns the initial state, abandoned if the machine was halted before it was reached. It has an
// observer, unless that is nil, which is told of private code from the first instruction on.
func (m *Machine) Start(watcher Watcher) *State {
	s := m.initial(watcher, true)
	s.abortable = false
	return s
}

func (m *Machine) initial(watcher Watcher, hasty bool) *State {
	units := make([]Role, len(m.Program.Threads))
	for i, t := range m.Program.Threads {
		path := extend("", stepThread, i)
		units[i] = Role{Name: t.Name, ID: identify(path), path: path, Func: t.Func, Place: t.Place, Item: t.Item}
	}
	s := &State{}
	c := m.newCast(units, false)
	s.reset(c)
	s.Mem.Reset(c.Layout)
	s.abortable = hasty
	if watcher != nil {
		s.Mem.Observer = watcher
	}
	for u := range c.Count() {
		m.run(s, u)
	}
	m.advance(s)
	return s
}

// patience is how many private instructions a unit may execute before the
// machine begins to look for an endless loop, and endless how many count as one. Whether the
// machine has been halted is looked up after every glance of them: often enough that thousands
// of work-items that are launched at once are given up soon.
const (
	glance   = 1 << 12
	patience = 1 << 20
	endless  = 1 << 26
)

// run executes unit u's private instructions up to its next visible
// operation, or its end.
func (m *Machine) run(s *State, u memmodel.Unit) {
	if s.abortable && m.Most > 0 && s.Mem.Size() > m.Most {
		m.outgrown.Store(true)
		s.Abandoned, s.status[u] = true, Stuck
		return
	}
	unit := &s.Cast.Units[u]
	f := m.Program.Funcs[unit.Func]
	regs := s.reg(u)
	pc := s.pc[u]
	var loop loopDetector
	watcher, watched := s.Mem.Observer.(Watcher)
	m.covered.note(s, unit.Func, pc)
	for steps := 0; ; steps++ {
		if steps >= glance && m.outOfPatience(s, u, pc, regs, steps, &loop) {
			break
		}
		if watched {
			watcher.Comes(s, u, int(pc), regs)
		}
		in := &f.Code[pc]
		if in.Op.Visible() {
			if !m.private(in, f, regs) {
				break
			}
			pc++
			m.covered.note(s, unit.Func, pc)
			continue
		}
		if in.Op == ir.OpCopied {
			m.copied(s, u, pc, in)
			return
		}
		if in.Op == ir.OpEnd {
			m.end(s, u, pc)
			return
		}
		next, ok := m.local(s, u, f, in, pc, regs)
		if !ok {
			break
		}
		if pc = next; in.Op == ir.OpBranch || in.Op == ir.OpAssume {
			m.covered.note(s, unit.Func, pc)
		}
	}
	s.pc[u] = pc
	if s.status[u] == Ready && m.Keep&memmodel.KeepRegisters == 0 {
		forget(regs, m.Plans[unit.Func][pc].Dead)
	}
}

// outOfPatience reports whether unit u, which has come to pc alone in so many steps, is to be left there: nobody waits for it any more, it
// goes round for ever, or it has gone on for longer than any unit may.
func (m *Machine) outOfPatience(s *State, u memmodel.Unit, pc int32, regs []int64, steps int, loop *loopDetector) bool {
	switch {
	case steps%glance == 0 && s.abortable && m.Halted():
		s.Abandoned = true
	case steps > patience && loop.repeats(pc, regs):
		s.fail(u, int(pc), NonTermination)
	case steps > endless:
		s.flood(u, TooLong)
	default:
		return false
	}
	s.status[u] = Stuck
	return true
}

// forget sets registers to zero that nothing reads any more, so that they do not tell states apart.
func forget(regs []int64, dead []int32) {
	for _, r := range dead {
		regs[r] = 0
	}
}

// operand returns the value of an operand.
func operand(f *ir.Func, regs []int64, o int32) int64 { return f.Operand(regs, o) }

// local executes one private instruction and returns the next one's index. It
// returns false when the execution is abandoned or the unit cannot go on.
func (m *Machine) local(s *State, u memmodel.Unit, f *ir.Func, in *ir.Instr, pc int32, regs []int64) (int32, bool) {
	a := func() int64 { return operand(f, regs, in.A) }
	switch in.Op {
	case ir.OpMove:
		set(regs, in.Dst, a())
	case ir.OpBin:
		v, _ := ir.Eval(in.Alu, in.Type, a(), operand(f, regs, in.B)) // programs check divisors first
		set(regs, in.Dst, v)
	case ir.OpUn:
		v, _ := ir.EvalUn(in.Alu, in.Type, a())
		set(regs, in.Dst, v)
	case ir.OpConv:
		set(regs, in.Dst, ir.Convert(in.Type, in.From, a()))
	case ir.OpJump:
		return in.Target, true
	case ir.OpBranch:
		if a() != 0 {
			return in.Target, true
		}
		return in.Else, true
	case ir.OpQuery:
		set(regs, in.Dst, s.Cast.Units[u].Item.Answer(in.Query, a()))
	case ir.OpCheck:
		if a() == 0 {
			s.failCheck(u, int(pc), in.Check)
			return pc, false
		}
	case ir.OpAssert:
		if a() == 0 {
			s.fail(u, int(pc), AssertionFailed)
			if m.Traits.Promises && s.Mem.Promises(u) > 0 {
				break // it counts once the unit has performed what it owes
			}
			s.status[u] = Stuck
			return pc, false
		}
	case ir.OpAssume:
		if a() == 0 {
			if s.solo { // what the unit has written before, it can write, whatever it goes on to assume
				s.status[u] = Stuck
				return pc, false
			}
			s.Abandoned, s.AssumptionFailed = true, true
			return pc, false
		}
	case ir.OpObserve:
		m.observe(s, u, in, a())
	case ir.OpRound:
		if !s.Cast.alone(u) {
			in.Rounds.Begin(regs)
		}
	case ir.OpReach:
		s.reached = s.reached.with(int(m.ReachBits[in.Str]))
	}
	return pc + 1, true
}

// failCheck notes that a check of unit u has failed: a violation, or a limit that is met.
func (s *State) failCheck(u memmodel.Unit, pc int, check ir.Check) {
	if check.Limit() {
		s.flood(u, checkLimits[check])
		return
	}
	s.fail(u, pc, checkKinds[check])
	s.status[u] = Stuck
}

func set(regs []int64, r int32, v int64) {
	if r >= 0 {
		regs[r] = v
	}
}

var checkKinds = [...]Kind{
	ir.CheckIndex:    IndexOutOfRange,
	ir.CheckNil:      NilDereference,
	ir.CheckDivisor:  DivisionByZero,
	ir.CheckShift:    InvalidArgument,
	ir.CheckArgument: InvalidArgument,
	ir.CheckObject:   IndexOutOfRange,
	ir.CheckWritten:  UninitialisedRead,
	ir.CheckAligned:  InvalidAccess,
}

// private performs an ordinary access of the unit's own memory and reports
// whether the instruction was one.
func (m *Machine) private(in *ir.Instr, f *ir.Func, regs []int64) bool {
	if in.Order != memmodel.NonAtomic || in.Op != ir.OpLoad && in.Op != ir.OpStore {
		return false
	}
	ptr := operand(f, regs, in.A)
	at := int(ptr &^ ir.SegMask)
	if ptr&ir.SegMask != ir.SegPrivate || at >= f.Private {
		return false
	}
	if in.Op == ir.OpLoad {
		set(regs, in.Dst, regs[at])
	} else {
		regs[at] = operand(f, regs, in.B)
	}
	return true
}

func (s *State) fail(u memmodel.Unit, pc int, k Kind) {
	if s.Violation.Kind == NoViolation {
		s.Violation = Violation{Kind: k, Unit: u, PC: pc}
	}
}

// loopDetector finds whether private computation, which is deterministic,
// repeats itself (Brent's algorithm).
type loopDetector struct {
	pc          int32   // the unit's pc at the last snapshot
	regs        []int64 // its registers at the last snapshot
	power, long int     // instructions from this snapshot to the next (a power of two), and instructions since it
}

func (l *loopDetector) repeats(pc int32, regs []int64) bool {
	if l.power > 0 && l.pc == pc && slices.Equal(l.regs, regs) {
		return true
	}
	if l.long == l.power {
		l.pc, l.regs = pc, append(l.regs[:0], regs...)
		l.power = max(2*l.power, 1)
		l.long = 0
	}
	l.long++
	return false
}
