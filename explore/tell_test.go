package explore

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// What is told of a path when the machine is halted is given up, and a violation stays one of which
// there is no schedule.
func TestUntold(t *testing.T) {
	for name, body := range map[string]string{
		"private code": "for x < 20000 {\nx++\n}", // longer than what is executed between two looks at whether the machine is halted
		"moves":        "for x < 2*haltedEvery {\ncl.AtomicStoreExplicit(&c, x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\nx++\n}",
	} {
		t.Run(name, func(t *testing.T) {
			untold(t, "package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar a [1]int32\nvar c cl.AtomicInt\n\nfunc k() {\nx := int32(0)\n"+
				strings.ReplaceAll(body, "haltedEvery", strconv.Itoa(haltedEvery))+
				"\na[0] = x // by both, and nothing orders them (rule 9.1)\n}\n\nfunc main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)) }\n")
		})
	}
}

// untold tells the race of a model whose path is long, with the machine halted and not.
func untold(t *testing.T, text string) {
	t.Helper()
	p, err := load.Source("long.go", []byte(text), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := ready(ctx, p, Options{KeepSchedule: true})
	defer s.close()
	s.explore()
	if len(s.result.Violations) != 1 || s.result.Violations[0].Kind != state.DataRace || s.result.Violations[0].Untold {
		t.Fatalf("%+v, want a data race with a schedule", s.result.Violations)
	}
	v := s.result.Violations[0]
	whole := newConcretiser(s.m)
	if whole.concretise(v.Schedule); whole.lost {
		t.Error("the path is lost though nothing is halted")
	}
	if moves, found := whole.schedule(); !found || len(moves) == 0 {
		t.Error("the path cannot be told")
	}
	late, under := newConcretiser(s.m), &performer{}
	for m := range replayers(s.m, false) { // one that is halted on the way
		under = whole.performer(m)
		break
	}
	way := under.m.Start(nil)
	under.told = whole.told[:3]
	under.perform(way)
	under.told = whole.told
	s.m.Halt()
	if len(whole.told) > haltedEvery && (under.perform(way) || len(under.moves) > haltedEvery) {
		t.Errorf("a machine that is halted on the way goes on: %d moves", len(under.moves))
	}
	if late.concretise(v.Schedule); !late.lost {
		t.Error("the path is repeated in full though the machine is halted")
	}
	if moves, found := whole.schedule(); found || len(moves) > haltedEvery {
		t.Errorf("a machine that repeats the path goes on though the one that told it is halted: %d moves", len(moves))
	}
	cancel()
	again := ready(context.Background(), p, Options{KeepSchedule: true})
	defer again.close()
	again.explore()
	n := again.m.Initial()
	again.m.Halt()
	w := Violation{Violation: v.Violation}
	again.moves = v.Schedule
	if path := again.schedule(&w, n); path != nil || !w.Untold || w.Schedule != nil {
		t.Errorf("%+v, want it untold", w)
	}
}
