package explore

import (
	"cmp"
	"iter"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// A search speaks of states in canonical form: messages that nobody can tell apart
// have been merged or dropped, symmetric units have each other's names. A
// schedule is for whoever repeats the execution on a machine that does nothing of
// this. So a violation's path is repeated twice. A concretiser goes it once more as the
// search did, form by form, and writes down what each choice means; a performer then makes,
// on a machine that keeps everything, the choices that mean the same.

// absoluteMove is a move in terms that hold whatever the canonical form merges, drops or renames.
type absoluteMove struct {
	unit    uint64         // its ID, as if nobody had ever been given another name
	meaning meaning        // what its choice says
	promise bool           // it makes a promise
	broken  uint8          // the guess about a release sequence that the search made
	number  int            // of the move, from 1, by which what it brings is called
	place   memmodel.Place // of its unit
}

// concretiser repeats a path as the search went it and records absolute moves.
// docs/exploration/violations.md, "Telling".
type concretiser struct {
	m     *state.Machine // which performs it
	s     *state.State   // where it has come to
	names []uint64       // of the units that the path speaks of: their IDs
	told  []absoluteMove // the moves so far
	// shows, if set, tells whether an execution that has come to its end shows what it should.
	shows func(*state.State) bool
	// forgiving: the path goes on after data races.
	forgiving bool
	// lost: the machine was halted before the path was told, and s is not where that leads to.
	lost bool
}

func newConcretiser(m *state.Machine) *concretiser {
	t := &concretiser{m: m, s: m.Start(nil)}
	t.lost = t.s.Abandoned && m.Halted()
	for u := range t.s.Cast.Units {
		t.names = append(t.names, t.s.Cast.Units[u].ID)
	}
	return t
}

// clone returns a concretiser that goes on from where t is.
func (t *concretiser) clone() *concretiser {
	c := &concretiser{m: t.m, s: &state.State{}, names: slices.Clone(t.names), told: slices.Clone(t.told), forgiving: t.forgiving, lost: t.lost}
	c.s.CopyFrom(t.s)
	return c
}

// on returns a concretiser that has repeated the path on another machine of the same program, or nil if that
// cannot be done.
func (t *concretiser) on(m *state.Machine) *concretiser {
	f := t.performer(m)
	if t.lost || !f.perform(m.Start(nil)) {
		return nil
	}
	c := newConcretiser(m)
	c.forgiving = t.forgiving
	c.concretise(f.moves)
	return c
}

// concretise performs moves and records them, unless the machine is halted meanwhile. It names a message by the
// number, from 1, of the move that brought it.
func (t *concretiser) concretise(moves []Move) {
	for _, mv := range moves {
		if t.lost = t.lost || halted(t.m, len(t.told)); t.lost {
			return
		}
		t.pass()
		cast, c := t.s.Cast, mv.Choice
		t.told = append(t.told, absoluteMove{t.names[mv.Unit], meaningOf(t.m, t.s, mv.Unit, c), c.Promise > 1, c.Broken, len(t.told) + 1, t.s.Cast.Units[mv.Unit].Place})
		t.s.Mem.Call(len(t.told))
		t.m.Try(t.s, mv.Unit, c)
		t.lost = t.s.Abandoned && t.m.Halted()
		if t.s.Cast != cast {
			t.names = cast.Carry(t.s.Cast, t.names)
		}
	}
}

// haltedEvery is how many moves are made between two looks at whether their machine has been halted: what is short is told all the same. Of a long path
// each move takes as long as all that memory keeps of the moves before.
const haltedEvery = 1 << 8

// halted reports, now and then in a path of so many moves, whether the machine that makes them has been halted.
func halted(m *state.Machine, moves int) bool {
	return moves%haltedEvery == haltedEvery-1 && m.Halted()
}

// pass lets a path that continues past data races do so, and past their consequences.
func (t *concretiser) pass() {
	t.passTo(state.NoViolation, 0)
}

// passTo does so until what is wrong is of a kind, and at that place of the code.
func (t *concretiser) passTo(kind state.Kind, pc int) {
	if !t.forgiving || t.lost {
		return
	}
	t.carry(func() { state.PassTo(t.m, t.s, kind, pc) })
}

// passOne does so after one violation.
func (t *concretiser) passOne() { t.carry(func() { t.m.Pass(t.s) }) }

// carry lets the state change, and takes the names along.
func (t *concretiser) carry(change func()) {
	cast := t.s.Cast
	if change(); t.s.Cast != cast {
		t.names = cast.Carry(t.s.Cast, t.names)
	}
}

// rename follows the state being given other names: unit u was units[u].
func (t *concretiser) rename(units []int32) {
	names := make([]uint64, len(units))
	for u, was := range units {
		names[u] = t.names[was]
	}
	t.names = names
}

// schedule returns the moves that show, on a machine without a canonical form, what the recorded ones have shown.
// found is false if there are none; moves are then the longest attempt. It gives up when the machine is halted.
func (t *concretiser) schedule() (moves []Move, found bool) {
	for m := range replayers(t.m, slices.ContainsFunc(t.told, func(t absoluteMove) bool { return t.promise })) {
		f := t.performer(m)
		if found = !t.lost && f.perform(m.Start(nil)); found || moves == nil {
			moves = f.moves
		}
		if found {
			break
		}
	}
	return moves, found
}

// performer returns one that makes on m, from its initial state, what has been told.
func (t *concretiser) performer(m *state.Machine) *performer {
	return &performer{m: m, told: t.told, ends: t.ends, forgiving: t.forgiving, left: maxTries * (len(t.told) + 1)}
}

// ends reports whether s shows what the concretiser has come to.
func (t *concretiser) ends(s *state.State) bool {
	if t.forgiving {
		state.PassTo(t.m, s, t.s.Violation.Kind, t.s.Violation.PC)
	}
	if t.s.Violation.Kind == state.NoViolation && t.s.Done() && string(s.OutcomeKey(t.m.Program, nil)) != string(t.s.OutcomeKey(t.m.Program, nil)) { // of a witness
		return false
	}
	v, w := &s.Violation, &t.s.Violation
	return v.Kind == w.Kind && v.Failed == w.Failed && s.Open() == t.s.Open() && (t.shows == nil || t.shows(s)) &&
		(v.Kind == state.NoViolation || v.PC == w.PC && s.Cast.Units[v.Unit].ID == t.names[w.Unit])
}

// Replayers returns the machines on which a schedule of program p may be repeated, one
// after the other: first one that keeps everything; then, where all executions are
// interleavings, one that performs them as such. That keeps no constraints on seq_cst
// operations, and goes on where more of them constrain each other than can be kept. For a schedule that makes promises there is none.
func Replayers(p *ir.Program, spec memmodel.Spec, schedule []Move) iter.Seq[*state.Machine] {
	return repeaters(p, spec, makesPromises(schedule))
}

// repeaters returns the Replayers of schedules that make promises, or of those that make none.
func repeaters(p *ir.Program, spec memmodel.Spec, promises bool) iter.Seq[*state.Machine] {
	return func(yield func(*state.Machine) bool) {
		m := state.NewMachine(p, spec)
		if promises { // any: the schedule says which
			where, _ := loadbuffering.Everywhere(m)
			m.Promises().Allow(maxPromises, where)
		}
		if !yield(m) || promises {
			return
		}
		if m = state.Knowing(m.Facts); por.Interleave(m) {
			yield(m)
		}
	}
}

// makesPromises reports whether some move of a schedule makes a promise.
func makesPromises(schedule []Move) bool {
	return slices.ContainsFunc(schedule, func(mv Move) bool { return mv.Choice.Promise > 0 })
}

// replayers returns the repeaters of the machine's program, which halt when it does.
func replayers(m *state.Machine, promises bool) iter.Seq[*state.Machine] {
	return func(yield func(*state.Machine) bool) {
		for r := range repeaters(m.Program, m.Spec, promises) {
			if r.HaltWith(m); !yield(r) {
				return
			}
		}
	}
}

// performer makes, from a whole state, the choices that mean what a concretiser has written down.
type performer struct {
	m     *state.Machine          // which keeps everything
	told  []absoluteMove          // what to make
	ends  func(*state.State) bool // whether a state shows what it should
	moves []Move                  // made so far
	left  int                     // moves that may still be tried

	forgiving bool // the execution goes on after data races
}

// maxTries bounds the moves that a performer tries for each that it has to find. Where
// a whole state shows more of a release sequence than the search could see, it tries
// each guess, and it is seldom that the first one is not right.
const maxTries = 64

// perform goes on from s, to which f.moves have led, and reports whether it got to the end.
func (f *performer) perform(s *state.State) bool {
	for at := len(f.moves); at < len(f.told); at++ {
		if f.forgiving {
			state.PassTo(f.m, s, state.NoViolation, 0)
		}
		choices := f.choices(s, &f.told[at])
		if len(choices) == 0 {
			return false
		}
		last := len(choices) - 1
		for _, mv := range choices[:last] {
			next := &state.State{}
			next.CopyFrom(s)
			if f.do(next, at, mv) && f.perform(next) {
				return true
			}
		}
		if !f.do(s, at, choices[last]) {
			return false
		}
	}
	return f.ends(s)
}

// do performs move number `at`. It reports whether the execution goes on.
func (f *performer) do(s *state.State, at int, mv Move) bool {
	f.left--
	f.moves = append(f.moves[:at], mv)
	s.Mem.Call(f.told[at].number)
	if halted(f.m, at) {
		return false
	}
	f.m.Try(s, mv.Unit, mv.Choice)
	return f.left >= 0 && !s.Abandoned
}

// choices returns the moves that mean what t does, the likeliest guess first.
func (f *performer) choices(s *state.State, t *absoluteMove) []Move {
	u := s.Cast.Find(t.unit)
	if u < 0 {
		return nil
	}
	var all []state.Choice
	if t.promise {
		all = f.m.Promises().Offers(s, u, -1, nil)
	} else {
		all = f.m.Choices(s, u, nil)
	}
	var moves []Move
	for _, c := range all {
		if meaningOf(f.m, s, u, c) == t.meaning {
			moves = append(moves, Move{u, c})
		}
	}
	slices.SortStableFunc(moves, func(a, b Move) int {
		return cmp.Compare(distance(a.Choice.Broken, t.broken), distance(b.Choice.Broken, t.broken))
	})
	return moves
}

func distance(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// concretePath tells the path.
func (s *reporter) concretePath() *concretiser {
	t := s.concretiser()
	for _, f := range s.stack {
		if f.next > 0 {
			k := &f.successors[f.next-1]
			t.concretise(f.moves[k.moveFrom:k.moveTo])
			if t.lost {
				break
			}
			t.pass() // as the search did before it gave the state its form
			if s.form(t.s) {
				t.rename(s.sorter.Units)
			}
		}
	}
	return t
}

// schedule tells the path to the violation of n, and what s.moves adds to it, and
// gives v, which is that violation, its schedule and the names that the units then have. If the search
// has to end before that, v is Untold, and the result nil.
func (s *reporter) schedule(v *Violation, n *state.State) *concretiser {
	t := s.concretePath()
	if v.Kind == state.Deadlock { // each of s.moves leads back to where it began
		for i := range s.moves {
			if t.concretise(s.moves[i : i+1]); t.lost {
				break
			}
			t.pass()
			s.m.Normalise(&s.canon, t.s)
		}
	} else {
		t.concretise(s.moves)
	}
	t.passTo(v.Kind, v.PC)
	moves, found := t.schedule()
	if v.Untold = !found && s.m.Halted(); v.Untold {
		v.Unsettled = v.Kind.MayComeOfRace()
		return nil
	}
	v.Rename(func(u memmodel.Unit) memmodel.Unit { return n.Cast.Find(t.names[u]) }, func(x memmodel.Loc) memmodel.Loc { return n.Cast.RenameLoc(x, t.names) })
	v.Schedule = moves
	return t
}
