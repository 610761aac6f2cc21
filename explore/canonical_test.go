package explore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// encode returns the canonical form of s, which is left alone.
func encode(m *state.Machine, s *state.State) []byte {
	var c memmodel.Canon
	n := &state.State{}
	n.CopyFrom(s)
	m.Normalise(&c, n)
	return n.Append(nil)
}

// A state that is brought into canonical form, encoded and decoded after every
// step has the same future as one that keeps its whole history: choices that mean
// the same, the same violations and, in the end, the same canonical form.
func TestCanonicalFormKeepsTheFuture(t *testing.T) {
	var all tally
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			w := newWalk(style.Program(uint64(seed)), memmodel.Specs[seed%len(memmodel.Specs)], uint64(seed))
			w.late = w.m.Traits.Gaps || style == randprog.Bare || style == randprog.Trials
			if err := w.go60(); err != nil {
				t.Fatalf("%s %d, step %d: %v\n%s", style, seed, w.steps, err, randprog.Format(w.m.Program))
			}
			all.add("walks", 1)
			all.add("steps", w.steps)
			all.add("fewer", count(w.fewer && style != randprog.Echoes && style != randprog.Glances && style != randprog.Attempts && style != randprog.Trials && style != randprog.Spins)) // where messages that say the same are one, or only make wait
			all.add("late", count(w.dismissed))
		}
	}, func() {
		walks, steps, fewer, late := all.n["walks"], all.n["steps"], all.n["fewer"], all.n["late"]
		t.Logf("%d walks of %d steps: in %d the canonical form had fewer choices somewhere, in %d fewer commands", walks, steps, fewer, late)
		if steps < walks {
			t.Errorf("%d walks of %d steps", walks, steps)
		}
		if fewer*10 > walks {
			t.Errorf("in %d of %d walks the canonical form had fewer choices somewhere", fewer, walks)
		}
		if *styles == "" && late*200 > walks {
			t.Errorf("in %d of %d walks commands left the canonical form that the whole history kept", late, walks)
		}
	})
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// walk is a random execution, of which three states are kept.
type walk struct {
	m   *state.Machine
	rng *rand.Rand
	// whole keeps its whole history, form is brought into canonical form after each
	// step, and decoded is what the encoding of that says.
	whole, form, decoded *state.State
	canon                memmodel.Canon
	steps                int
	// Where rule 8.3 leaves a choice to the end, what an execution keeps for it
	// depends on when it was normalised. So does whether a store repeats the one before, since a read-modify-write of it
	// may be one with it by then. So does, open to be mended, what a command
	// has seen whose status somebody asks for.
	late bool
	// fewer: the canonical form somewhere had fewer choices: the whole history offers
	// guesses about release sequences on which, as the form shows, nothing hangs, and
	// places that are one.
	fewer bool
	// dismissed: commands that are complete, or what they have seen, have left the
	// form, which shows that nobody need ask them, and are still there in the history.
	dismissed bool
}

func newWalk(p *ir.Program, spec memmodel.Spec, seed uint64) *walk {
	m := state.NewMachine(p, spec)
	return &walk{m: m, rng: rand.New(rand.NewPCG(seed, 1)), whole: m.Initial(), form: m.Initial(), decoded: m.Initial()}
}

// go60 walks up to 60 steps, until it cannot be told any more what is to be compared.
func (w *walk) go60() error {
	for ; w.steps < 60; w.steps++ {
		w.m.Normalise(&w.canon, w.form)
		text := w.form.Append(nil)
		if err := w.m.Decode(w.decoded, text); err != nil {
			return err
		}
		if !w.late && !bytes.Equal(encode(w.m, w.whole), text) {
			if !commands(w.m.Program) {
				return errors.New("the canonical form depends on the history")
			}
			w.dismissed, w.late = true, true
		}
		if len(w.whole.Cast.Units) != len(w.form.Cast.Units) {
			w.dismissed = true
			return nil
		}
		if done, err := w.step(); done || err != nil {
			return err
		}
	}
	return nil
}

// commands reports whether a program makes commands.
func commands(p *ir.Program) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return in.Op.Makes() })
	})
}

// step compares the choices and walks one step.
func (w *walk) step() (done bool, err error) {
	moves := allMoves(w.m, w.form)
	if !slices.Equal(moves, allMoves(w.m, w.decoded)) {
		return false, errors.New("the encoding does not say all")
	}
	all := allMoves(w.m, w.whole)
	w.fewer = w.fewer || len(all) > len(moves)
	for _, mv := range all {
		if len(meant(w.m, w.form, moves, w.whole, mv)) == 0 && !w.fewer {
			return false, fmt.Errorf("%v has no like in canonical form", mv)
		}
	}
	if len(moves) == 0 {
		if len(all) > 0 {
			return false, errors.New("the canonical form has no choice left")
		}
		return true, nil
	}
	mv := moves[w.rng.IntN(len(moves))]
	like := meant(w.m, w.whole, all, w.form, mv)
	if len(like) == 0 {
		return false, fmt.Errorf("%v is a choice in canonical form only", mv)
	}
	if len(like) > len(meant(w.m, w.form, moves, w.form, mv)) || like[0].Choice.Broken != mv.Choice.Broken {
		return true, nil // which guess is right shows later
	}
	w.do(w.whole, like[0])
	w.do(w.form, mv)
	w.do(w.decoded, mv)
	for _, s := range []*state.State{w.whole, w.decoded} {
		if s.Violation.Kind != w.form.Violation.Kind || s.Abandoned != w.form.Abandoned {
			return false, fmt.Errorf("%v and %v", s.Violation, w.form.Violation)
		}
	}
	return w.whole.Violation.Kind != state.NoViolation || w.whole.Abandoned, nil
}

func (w *walk) do(s *state.State, mv Move) {
	s.Mem.Call(w.steps + 1)
	w.m.Do(s, mv.Unit, mv.Choice)
}

// meant returns the moves of s that mean what a move of another state does.
func meant(m *state.Machine, s *state.State, moves []Move, other *state.State, mv Move) (like []Move) {
	want := meaningOf(m, other, mv.Unit, mv.Choice)
	id := other.Cast.Units[mv.Unit].ID
	for _, c := range moves {
		if s.Cast.Units[c.Unit].ID == id && meaningOf(m, s, c.Unit, c.Choice) == want {
			like = append(like, c)
		}
	}
	slices.SortStableFunc(like, func(a, b Move) int {
		return cmp.Compare(distance(a.Choice.Broken, mv.Choice.Broken), distance(b.Choice.Broken, mv.Choice.Broken))
	})
	return like
}

func allMoves(m *state.Machine, s *state.State) []Move {
	var moves []Move
	for u := range s.Cast.Count() {
		for _, c := range m.Choices(s, u, nil) {
			moves = append(moves, Move{u, c})
		}
	}
	return moves
}

// Two steps of different units, of which the second reads nothing, lead to
// the same canonical state in either order: what justifies that por runs such
// steps at once. With commands there may be two: the access of a kernel is on record
// if it comes after the enqueue of another one, though that waits for the first, and
// commands that have completed leave when somebody looks.
func TestCanonicalFormForgetsTheOrder(t *testing.T) {
	var all tally
	eachStyle(t, chosen(), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			p := style.Program(uint64(seed))
			m := state.NewMachine(p, memmodel.Specs[seed%len(memmodel.Specs)])
			rng := rand.New(rand.NewPCG(uint64(seed), 2))
			s := m.Initial()
			for step := 0; step < 30; step++ {
				moves := allMoves(m, s)
				if len(moves) == 0 || s.Violation.Kind != state.NoViolation || s.Abandoned {
					break
				}
				a, b := moves[rng.IntN(len(moves))], moves[rng.IntN(len(moves))]
				if a.Unit != b.Unit && m.Reading(s, b.Unit) < 0 && !overlap(m, s, a, b) {
					if ab, ba, ok := bothOrders(m, s, a, b); ok {
						all.add("compared", 1)
						if same := bytes.Equal(ab, ba); !same && !commands(p) {
							t.Fatalf("%s %d, step %d: moves %v and %v do not commute\n%s", style, seed, step, a, b, randprog.Format(p))
						} else if !same {
							all.add("apart", 1)
						}
					}
				}
				m.Do(s, a.Unit, a.Choice)
			}
		}
	}, func() {
		compared, apart := all.n["compared"], all.n["apart"]
		t.Logf("%d pairs compared, %d apart", compared, apart)
		if compared == 0 || *styles == "" && compared < seeds.N() {
			t.Errorf("only %d pairs compared", compared)
		}
		if apart*50 > compared {
			t.Errorf("%d of %d pairs apart", apart, compared)
		}
	})
}

// overlap reports whether both moves write one location, where the label of
// the second depends on the first.
func overlap(m *state.Machine, s *state.State, a, b Move) bool {
	x, y := m.Target(s, a.Unit, a.Choice), m.Target(s, b.Unit, b.Choice)
	return y >= 0 && (x == y || m.Reading(s, a.Unit) == y)
}

func bothOrders(m *state.Machine, s *state.State, a, b Move) (ab, ba []byte, ok bool) {
	run := func(first, second Move) ([]byte, bool) {
		n := &state.State{}
		n.CopyFrom(s)
		for _, mv := range []Move{first, second} {
			id := s.Cast.Units[mv.Unit].ID // an enqueue renumbers the units
			mv.Unit = memmodel.Unit(slices.IndexFunc(n.Cast.Units, func(u state.Role) bool { return u.ID == id }))
			if !slices.Contains(m.Choices(n, mv.Unit, nil), mv.Choice) {
				return nil, false
			}
			m.Do(n, mv.Unit, mv.Choice)
			if n.Abandoned || n.Violation.Kind != state.NoViolation {
				return nil, false
			}
		}
		return encode(m, n), true
	}
	ab, ok1 := run(a, b)
	ba, ok2 := run(b, a)
	return ab, ba, ok1 && ok2
}
