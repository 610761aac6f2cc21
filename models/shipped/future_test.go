package shipped

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// What a unit does is among what the machine said before that it may do: at
// any earlier state of the same cast.
func TestFuturesHoldWhatComes(t *testing.T) {
	for name, p := range programs(t) {
		m := state.NewMachine(p, memmodel.Specs[0])
		for seed := range uint64(8) {
			if u, pc := stray(m, rand.New(rand.NewPCG(seed, 3))); u >= 0 {
				t.Errorf("%s, seed %d: unit %d was not expected to do what it does at %d\n%v", name, seed, u, pc, p)
				break
			}
		}
	}
}

// stray walks at random and returns a unit, and where it is, that does
// something unexpected, or -1.
func stray(m *state.Machine, rng *rand.Rand) (unit memmodel.Unit, pc int) {
	s := m.Initial()
	cast := s.Cast
	may := make([]memmodel.Future, len(cast.Units))
	var choices []state.Choice
	for range 300 {
		if s.Cast != cast {
			cast, may = s.Cast, make([]memmodel.Future, len(s.Cast.Units))
		}
		var ready []memmodel.Unit
		for u := range s.Cast.Count() {
			if f := m.Future(s, u); f != nil {
				if may[u].Access != nil && !within(f, &may[u]) {
					return u, s.PC(u)
				}
				may[u] = *f
			}
			if s.Status(u) == state.Ready {
				ready = append(ready, u)
			}
		}
		if len(ready) == 0 {
			return -1, 0
		}
		u := ready[rng.IntN(len(ready))]
		if s.Cast.Units[u].Func >= 0 { // else a command that completes
			if o := m.Operation(s, u); (o.Instr.Op.Access() || o.Instr.Op == ir.OpMapCell) && o.Loc >= 0 && !did(o.Instr.Op, &may[u], o.Loc) {
				return u, s.PC(u)
			}
		}
		choices = m.Choices(s, u, choices[:0])
		if len(choices) == 0 {
			return -1, 0
		}
		if m.Do(s, u, choices[rng.IntN(len(choices))]); s.Abandoned || s.Violation.Kind != state.NoViolation {
			return -1, 0
		}
	}
	return -1, 0
}

func within(f, g *memmodel.Future) bool {
	subset := func(a, b []uint64) bool {
		for i, w := range a {
			if w&^b[i] != 0 {
				return false
			}
		}
		return true
	}
	return subset(f.Access, g.Access) && subset(f.Peek, g.Peek) && subset(f.Store, g.Store) && subset(f.Modify, g.Modify) && (g.Tells || !f.Tells) && (g.Acquires || !f.Acquires)
}

func did(op ir.Op, f *memmodel.Future, x memmodel.Loc) bool {
	has := func(set []uint64) bool { return set[x>>6]&(1<<(x&63)) != 0 }
	switch op {
	case ir.OpLoad:
		return has(f.Access) && has(f.Peek)
	case ir.OpStore:
		return has(f.Access) && has(f.Store)
	case ir.OpMapCell:
		return has(f.Access) && has(f.Peek) && has(f.Store)
	case ir.OpCmpXchg:
		return has(f.Access) && has(f.Peek) && has(f.Modify)
	}
	return has(f.Access) && has(f.Modify)
}

// programs loads all models, those of the benchmarks too.
func programs(t *testing.T) map[string]*ir.Program {
	all := map[string]*ir.Program{}
	paths, err := filepath.Glob("../*/*/main.go")
	if err != nil || len(paths) < 100 {
		t.Fatalf("%d models: %v", len(paths), err)
	}
	for _, path := range paths {
		p, err := load.File(path, load.Options{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		all[path] = p
	}
	return all
}
