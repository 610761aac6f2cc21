package state_test

import (
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// toiling is a program whose host and work-items compute for long, but not for ever.
const toiling = `package main

import "github.com/clmc/clmc/models/cl"

var a [2]int32

func toil() int {
	x := 0
	for x < 5000 {
		x++
	}
	return x
}

func k() {
	a[cl.GetGlobalID(0)] = int32(toil())
}

func main() {
	n := toil()
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.Assert(n == 5000 && a[0] == 5000, "all toil")
}
`

// A machine that is halted gives up long private computation where it is only tried. What has been
// found already can still be told.
func TestHaltInPrivate(t *testing.T) {
	p, err := load.Source("toiling.go", []byte(toiling), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := state.NewMachine(p, memmodel.Specs[0])
	steps := 0
	perform := func(s *state.State, do func(*state.State, memmodel.Unit, state.Choice)) bool {
		for !s.Done() && !s.Abandoned {
			u := memmodel.Unit(0)
			choices := m.Choices(s, u, nil)
			for ; len(choices) == 0; choices = m.Choices(s, u, nil) {
				u++
			}
			do(s, u, choices[0])
			steps++
		}
		return !s.Abandoned
	}
	if s := m.Start(nil); s.Abandoned || !perform(s, m.Try) {
		t.Fatal("given up, though nobody has halted the machine")
	}
	started := m.Start(nil)
	m.Halt()
	if !m.Start(nil).Abandoned {
		t.Error("halted, and yet the host goes on to its first operation")
	}
	if perform(started, m.Try) {
		t.Error("halted, and yet the work-items go on to their first operations")
	}
	if s := m.Initial(); s.Abandoned || !perform(s, m.Do) {
		t.Error("halted, and what has been found cannot be told")
	}
	t.Logf("%d steps", steps)
}
