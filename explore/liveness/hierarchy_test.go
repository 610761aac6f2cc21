package liveness_test

import (
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// A message is passed among two work-groups of two work-items, from one flag to the next. Who is first is told by ids, which are given, or drawn from counters in the order in which they come:
// G is the work-group's, L the work-item's.
const passing = `package main

import "github.com/clmc/clmc/models/cl"

var (
	between, groups cl.AtomicInt
	within, items   [2]cl.AtomicInt
	drawn           [2]int32
)

const dev = cl.MemoryScopeDevice

func wait(f *cl.AtomicInt) {
	for cl.AtomicLoadExplicit(f, cl.MemoryOrderAcquire, dev) == 0 {
	}
}

func set(f *cl.AtomicInt) { cl.AtomicStoreExplicit(f, 1, cl.MemoryOrderRelease, dev) }

func draw(c *cl.AtomicInt) int32 { return cl.AtomicFetchAddExplicit(c, 1, cl.MemoryOrderAcqRel, dev) }

func pass(g, l, own int32) {
	if g == 1 {
		wait(&between)
	}
	if l == 0 {
		set(&within[own])
		return
	}
	wait(&within[own])
	if g == 0 {
		set(&between)
	}
}

func lead(g, l int32) {
	if l != 0 {
		return
	}
	if g == 0 {
		set(&between)
	} else {
		wait(&between)
	}
}

func k() {
	own, l := int32(cl.GetGroupID(0)), int32(cl.GetLocalID(0))
	_, _ = own, l
	BODY
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2))
	cl.Finish()
}
`

// Bodies of the kernel, by how ids come about.
var passings = map[string]string{
	"leaders, given groups": `cl.WorkGroupBarrier(cl.CLKGlobalMemFence); lead(own, l)`,
	"leaders, drawn groups": `if l == 0 { drawn[own] = draw(&groups) }; cl.WorkGroupBarrier(cl.CLKGlobalMemFence); lead(drawn[own], l)`,
	"given, given":          `pass(own, l, own)`,
	"given, drawn":          `pass(own, draw(&items[own]), own)`,
	"drawn, given":          `if l == 0 { drawn[own] = draw(&groups) }; cl.WorkGroupBarrier(cl.CLKGlobalMemFence); pass(drawn[own], l, own)`,
}

// TestHierarchy compares verdicts about models at two levels with those of Dat3M's tests of liveness in SPIR-V (https://github.com/hernanponcedeleon/Dat3M, MIT license), which have these programs.
func TestHierarchy(t *testing.T) {
	for _, c := range []struct {
		program, levels string
		ends            bool
	}{
		{"leaders, given groups", "device=hsa,group=unfair", true},
		{"leaders, drawn groups", "device=fair,group=fair", true},
		{"leaders, drawn groups", "device=obe,group=fair", true},
		{"drawn, given", "device=obe,group=hsa", true},
		{"drawn, given", "device=obe,group=obe", true},
		{"drawn, given", "device=obe,group=unfair", false},
		{"given, drawn", "device=hsa,group=hsa", false},
		{"given, drawn", "device=obe,group=fair", false},
		{"given, given", "device=hsa,group=hsa", true},
		{"given, given", "device=hsa,group=obe", false},
		{"given, given", "device=obe,group=fair", false},
	} {
		p := program(t, strings.Replace(passing, "BODY", passings[c.program], 1))
		l, err := liveness.ParseLevels(c.levels)
		if err != nil {
			t.Fatal(err)
		}
		for _, direct := range []bool{true, false} {
			m := state.NewMachine(p, memmodel.Specs[0])
			m.Keep |= memmodel.KeepRounds
			por.Interleave(m)
			a := liveness.Decide(context.Background(), m, []liveness.Question{{Levels: l}}, liveness.Options{Direct: direct}).Answers[0]
			if a.Verdict == liveness.Unknown || (a.Verdict == liveness.Ends) != c.ends {
				t.Errorf("%s under %s, direct %v: %v, want %v", c.program, c.levels, direct, a.Verdict, c.ends)
			}
		}
	}
}
