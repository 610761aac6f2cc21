package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// What is told of a path when the machine is halted is given up, and a violation stays one of which
// there is no schedule.
func TestUntold(t *testing.T) {
	p, err := load.Source("long.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var a [1]int32

func k() { // longer than what is executed between two looks at whether the machine is halted
	x := 0
	for x < 20000 {
		x++
	}
	a[0] = int32(x) // by both, and nothing orders them (rule 9.1)
}

func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)) }
`), load.Options{})
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
	late := newConcretiser(s.m)
	s.m.Halt()
	if late.concretise(v.Schedule); !late.lost {
		t.Error("private code is repeated in full though the machine is halted")
	}
	if _, found := whole.schedule(); found {
		t.Error("a machine that repeats the path goes on though the one that told it is halted")
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
