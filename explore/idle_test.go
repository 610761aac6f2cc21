package explore

import (
	"math/rand/v2"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// A round of waiting that is told without performing it is one if it is
// performed; and in locks, where nothing else is in the way, each is told.
func TestIdles(t *testing.T) {
	for _, name := range []string{"caslock", "ttaslock", "ticketlock"} {
		p := must(load.File("../models/bench/"+name, load.Options{Defines: map[string]string{"n": "3"}}))
		if told, rounds := wander(t, p, 0); rounds == 0 || told != rounds {
			t.Errorf("%s: %d of %d rounds of waiting are told", name, told, rounds)
		}
	}
	wrong := must(load.File("../models/shipped/spinlock_wrong_scope", load.Options{})) // where rounds race
	for seed := range uint64(100) {
		wander(t, wrong, seed)
	}
	told := 0
	for _, style := range []randprog.Style{randprog.Loops, randprog.Cycles, randprog.CAS} {
		for seed := range seeds.AtLeast(40).All() {
			n, _ := wander(t, style.Program(uint64(seed)), uint64(seed))
			told += n
		}
	}
	if told == 0 {
		t.Error("random programs do not wait")
	}
}

// wander walks through some executions of a program at random, and returns how
// many rounds of waiting were told, and how many there were.
func wander(t *testing.T, p *ir.Program, seed uint64) (told, rounds int) {
	m := state.NewMachine(p, memmodel.Specs[0])
	reducer := por.Reducer{Machine: m}
	g := rand.New(rand.NewPCG(seed, 1))
	var canon memmodel.Canon
	var next state.State
	for range 8 {
		s := m.Initial()
		for range 64 {
			m.Normalise(&canon, s)
			var moves []Move
			for u := range s.Cast.Count() {
				x := m.Reading(s, u)
				for _, c := range m.Choices(s, u, nil) {
					moves = append(moves, Move{u, c})
					if x < 0 {
						continue
					}
					next.CopyFrom(s)
					m.Do(&next, u, c)
					spins := m.Target(s, u, c) < 0 && reducer.Spins(s, &next, u)
					idles := reducer.Idles(s, u, x, c)
					if idles && !spins {
						t.Errorf("%s, seed %d: a step of unit %d that is none is told to be a round of waiting", p.Name, seed, u)
					}
					if spins {
						rounds++
					}
					if idles {
						told++
					}
				}
			}
			if len(moves) == 0 {
				break
			}
			mv := moves[g.IntN(len(moves))]
			m.Do(s, mv.Unit, mv.Choice)
			if s.Abandoned || s.Violation.Kind != state.NoViolation {
				break
			}
		}
	}
	return told, rounds
}
