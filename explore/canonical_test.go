package explore

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
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
// step has the same future as one that keeps its whole history: the same
// choices, the same violations and, in the end, the same canonical form.
func TestCanonicalFormKeepsTheFuture(t *testing.T) {
	walks, guesses := 0, 0
	for _, style := range randprog.Styles() {
		for seed := range *seeds {
			walks++
			p := style.Program(uint64(seed))
			spec := memmodel.Specs[seed%len(memmodel.Specs)]
			m := state.NewMachine(p, spec)
			rng := rand.New(rand.NewPCG(uint64(seed), 1))
			whole, canonical := m.Initial(), m.Initial()
			for step := 0; step < 60; step++ {
				form := encode(m, canonical)
				if err := m.Decode(canonical, form); err != nil {
					t.Fatalf("%s %d: %v", style, seed, err)
				}
				// Where rule 8.3 leaves a choice to the end, what an execution
				// keeps for it depends on when it was normalised. So does, open to be
				// mended, what a command has seen whose status somebody asks for.
				if !m.Traits.Gaps && style != randprog.Bare && !bytes.Equal(encode(m, whole), form) {
					t.Fatalf("%s %d, step %d: the canonical form depends on the history\n%s", style, seed, step, randprog.Format(p))
				}
				moves := allMoves(m, whole)
				if !slices.Equal(moves, allMoves(m, canonical)) {
					// The whole history may offer guesses about release sequences
					// that, as the canonical form shows, nothing hangs on.
					guesses++
					break
				}
				if len(moves) == 0 {
					break
				}
				mv := moves[rng.IntN(len(moves))]
				m.Do(whole, mv.Unit, mv.Choice)
				m.Do(canonical, mv.Unit, mv.Choice)
				if whole.Violation.Kind != canonical.Violation.Kind || whole.Abandoned != canonical.Abandoned {
					t.Fatalf("%s %d, step %d: %v and %v\n%s", style, seed, step, whole.Violation, canonical.Violation, randprog.Format(p))
				}
				if whole.Violation.Kind != state.NoViolation || whole.Abandoned {
					break
				}
			}
		}
	}
	if guesses*100 > walks {
		t.Errorf("%d of %d walks ended at a different choice", guesses, walks)
	}
}

func allMoves(m *state.Machine, s *state.State) []Move {
	var moves []Move
	for u := range s.Cast.Units {
		for _, c := range m.Choices(s, u, nil) {
			moves = append(moves, Move{u, c})
		}
	}
	return moves
}

// Two steps of different units, of which the second reads nothing, lead to
// the same canonical state in either order: what justifies that por runs such
// steps at once.
func TestCanonicalFormForgetsTheOrder(t *testing.T) {
	compared := 0
	for _, style := range randprog.Styles() {
		for seed := range *seeds {
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
						compared++
						if !bytes.Equal(ab, ba) {
							t.Fatalf("%s %d, step %d: moves %v and %v do not commute\n%s", style, seed, step, a, b, randprog.Format(p))
						}
					}
				}
				m.Do(s, a.Unit, a.Choice)
			}
		}
	}
	if compared < *seeds {
		t.Errorf("only %d pairs compared", compared)
	}
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
			mv.Unit = slices.IndexFunc(n.Cast.Units, func(u state.Unit) bool { return u.ID == id })
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
