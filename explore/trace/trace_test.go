package trace

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/seedset"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

var seeds = seedset.Flags(thorough.Of(8, 25))

func (s sample) program() *ir.Program {
	b := randprog.NewBuilder(s.name)
	s.make(b)
	return locate(b.Program())
}

// trace performs the sample's schedule, or finds one.
func (s sample) trace(t *testing.T, p *ir.Program) *Trace {
	if s.moves == nil {
		return first(t, p, memmodel.Specs[0], s.kind)
	}
	var v explore.Violation
	v.Kind = s.kind
	for _, u := range s.moves {
		v.Schedule = append(v.Schedule, explore.Move{Unit: u})
	}
	tr, err := Build(p, memmodel.Specs[0], v)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestSamples compares what is said of each sample with a golden text.
func TestSamples(t *testing.T) {
	for _, s := range slices.Concat(races, others) {
		t.Run(s.name, func(t *testing.T) {
			p := s.program()
			tr := s.trace(t, p)
			if s.why != "" && (len(tr.Why) == 0 || tr.Why[0].Kind != s.why) {
				t.Errorf("the reason is %+v, want one of kind %q", tr.Why, s.why)
			}
			if n := len(tr.Why); n > 0 && tr.Why[n-1].Repair == "" {
				t.Errorf("no repair is named: %+v", tr.Why)
			}
			golden.File(t, filepath.Join("testdata", s.name+".golden"), p.Sources[0].Text+"\n"+describe(tr))
		})
	}
}

// TestMisfits gives programs schedules that they cannot perform.
func TestMisfits(t *testing.T) {
	s := races[0]
	move := func(u memmodel.Unit, back uint16) explore.Move {
		return explore.Move{Unit: u, Choice: state.Choice{Back: back}}
	}
	for name, moves := range map[string][]explore.Move{
		"unit":    {move(7, 0)},
		"choice":  {move(0, 3)},
		"ended":   {move(0, 0), move(0, 0)},
		"nothing": {move(0, 0)},
	} {
		v := explore.Violation{Schedule: moves}
		v.Kind = s.kind
		if _, err := Build(s.program(), memmodel.Specs[0], v); !errors.Is(err, ErrUnfit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	v := explore.Violation{Schedule: []explore.Move{move(0, 0), move(1, 0)}}
	v.Kind = state.Deadlock
	if _, err := Build(s.program(), memmodel.Specs[0], v); !errors.Is(err, ErrUnfit) {
		t.Errorf("another kind: %v", err)
	}
}

// TestRandom replays every violation of random programs and checks that what
// the trace says is consistent.
func TestRandom(t *testing.T) {
	styles := append(randprog.Styles(), randprog.Loops, randprog.SCLocks)
	for _, style := range styles {
		t.Run(string(style), func(t *testing.T) {
			for seed := range seeds.All() {
				p := locate(style.Program(uint64(seed)))
				spec := memmodel.Specs[seed%len(memmodel.Specs)]
				mode := por.Mode(seed % 2)
				r := explore.Run(context.Background(), p, explore.Options{Spec: spec, All: true, POR: mode, MaxStates: 20000})
				for _, v := range r.Violations {
					tr, err := Build(p, spec, v)
					if err != nil {
						t.Fatalf("seed %d, spec %s, reduction %v: %v: %v\n%s", seed, spec.Name, mode, v.Kind, err, randprog.Format(p))
					}
					if err := consistent(tr, v); err != nil {
						t.Fatalf("seed %d, spec %s, reduction %v: %v\n%s%s", seed, spec.Name, mode, err, randprog.Format(p), describe(tr))
					}
				}
			}
		})
	}
}
