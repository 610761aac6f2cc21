package model

import (
	"slices"
	"strings"
	"testing"
)

// TestThreadsOfOneText checks that host threads have lanes of their own, whether they run one text after each other or texts of one
// name, and are named after the line of what they run.
func TestThreadsOfOneText(t *testing.T) {
	const head = `package main

import (
	"sync"

	"github.com/clmc/clmc/models/cl"
)

var x [2]int32
var wg sync.WaitGroup

func set(i int) { x[i] = 1 }

func main() {
`
	const tail = `
	wg.Wait()
	cl.Assert(x[0]+x[1] == 3, "it is 2")
}
`
	for name, test := range map[string]struct {
		text  string
		lanes []string // after the host's
	}{
		"one after the other": {"\tfor i := range 2 {\n\t\twg.Go(func() { x[i] = 1 })\n\t\twg.Wait()\n\t}", []string{"func16", "func16#2"}},
		"of one name":         {"\twg.Go(func() { set(0) })\n\twg.Go(func() { set(1) })", []string{"func15", "func16"}},
		"named":               {"\twg.Go(func() { set(0) })\n\tf := func() { set(1) }\n\twg.Go(f)", []string{"func15", "f"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := exploreText(t, "threads.go", head+test.text+tail, nil)
			if len(r.Traces) != 1 || r.Traces[0].ID != "CL1004" {
				t.Fatalf("%d violations: %v", len(r.Traces), r.Result.Verdict)
			}
			var got []string
			for _, l := range r.Traces[0].Lanes[1:] {
				got = append(got, l.Name)
			}
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(test.lanes))) {
				t.Errorf("the lanes are %s, not %s", strings.Join(got, ", "), strings.Join(test.lanes, ", "))
			}
		})
	}
}
