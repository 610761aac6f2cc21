package trace

import (
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
)

// long goes round for longer than is followed, and ends with a failing assertion.
const long = `package main

import "github.com/clmc/clmc/models/cl"

var in [2]int32

func k() {
	before := in[1] + 4
	s := in[0]
	for j := int32(0); j < 600_000; j++ {
		s += j & 1
	}
	after := s + before
	cl.Assert(after == 7, "seven")
}

func main() {
	in[0] = 1
	in[1] = 2
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	cl.Finish()
}
`

// Of a long private computation the middle is not followed, and told is what is known all the same: what
// is set before and not changed there, and what is set at its end.
func TestLongComputation(t *testing.T) {
	p, err := load.Source("long.go", []byte(long), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(t.Context(), p, explore.Options{})
	if len(r.Violations) != 1 {
		t.Fatal(r.Incomplete)
	}
	tr, err := Build(p, r.Spec, r.Violations[0])
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, v := range tr.Private {
		told[v.Name] = v.Value
	}
	// s is 1 + 300,000; the loop's last rounds are followed, and before is set before it.
	if tr.Skipped == 0 || told["before"] != "6" || told["s"] != "300001" || told["after"] != "300007" {
		t.Errorf("skipped %d, told %v", tr.Skipped, told)
	}
	if tr.Slice != nil {
		t.Errorf("a slice is told: %v", tr.Slice)
	}
}

// Where there is no time to repeat an execution, the violation and its place are told, and its schedule is kept.
func TestNoTime(t *testing.T) {
	p, err := load.Source("long.go", []byte(long), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(t.Context(), p, explore.Options{})
	tr, err := BuildUntil(p, r.Spec, r.Violations[0], time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if !tr.Untold || len(tr.Steps) > 0 || tr.At.Line != 14 || tr.Message != "Assertion failed, by k(0)." || len(tr.Schedule) != len(r.Violations[0].Schedule) {
		t.Errorf("%+v", tr)
	}
}
