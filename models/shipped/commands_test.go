package shipped

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// TestCommands checks small programs of commands, written to go wrong, against what
// the rules say of them, in every way of searching.
func TestCommands(t *testing.T) {
	ways := map[string]explore.Options{
		"dpor": {POR: por.DPOR}, "sleep": {POR: por.Sleep}, "none": {POR: por.None},
		"workers": {POR: por.DPOR, Workers: 2}, "symmetry": {POR: por.DPOR, NoSymmetry: true},
	}
	paths, err := filepath.Glob(filepath.Join("testdata", "commands", "*.go"))
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d programs: %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".go")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m, err := parse(name, string(text))
			if err != nil {
				t.Fatal(err)
			}
			m.Path = path
			for _, e := range m.Expectations {
				for way, opt := range ways {
					if err := checkBy(m, e, opt); err != nil {
						t.Errorf("%s, %s: %v", e, way, err)
					}
				}
			}
		})
	}
}

// A state that has been written down and read again goes on as the one that was
// written: the next steps lead both to the same states.
func TestDecodedStatesGoOn(t *testing.T) {
	all := programs(t)
	paths, err := filepath.Glob(filepath.Join("testdata", "commands", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if all[path], err = load.File(path, load.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	steps := 0
	for name, p := range all {
		m := state.NewMachine(p, memmodel.Specs[0])
		for seed := range uint64(4) {
			n, differ := apart(t, m, rand.New(rand.NewPCG(seed, 7)))
			if steps += n; differ {
				t.Errorf("%s, seed %d: step %d from the decoded state leads elsewhere", name, seed, n)
				break
			}
		}
	}
	if steps < 1000 {
		t.Errorf("%d steps", steps)
	}
}

// apart walks at random, each step from a state and from the same one decoded. It
// returns how many steps there were, and whether the last led to different states.
func apart(t *testing.T, m *state.Machine, rng *rand.Rand) (steps int, differ bool) {
	t.Helper()
	var c memmodel.Canon
	var d state.State
	s := m.Initial()
	m.Normalise(&c, s)
	for text := s.Append(nil); steps < 60; steps++ {
		if err := m.Decode(&d, text); err != nil {
			t.Fatal(err)
		}
		var ready []memmodel.Unit
		for u := range s.Cast.Count() {
			if s.Status(u) == state.Ready {
				ready = append(ready, u)
			}
		}
		if len(ready) == 0 {
			break
		}
		u := ready[rng.IntN(len(ready))]
		choices := m.Choices(s, u, nil)
		if len(choices) == 0 {
			break
		}
		choice := choices[rng.IntN(len(choices))]
		m.Do(s, u, choice)
		m.Do(&d, u, choice)
		if s.Abandoned || s.Violation.Kind != state.NoViolation {
			return steps + 1, d.Abandoned != s.Abandoned || d.Violation.Kind != s.Violation.Kind
		}
		m.Normalise(&c, s)
		m.Normalise(&c, &d)
		text = s.Append(nil)
		if !bytes.Equal(text, d.Append(nil)) {
			return steps + 1, true
		}
	}
	return steps, false
}
