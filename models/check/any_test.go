package check_test

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/models/check"
	_ "github.com/clmc/clmc/models/check/anydata"
)

const anyModel = `package main

import "github.com/clmc/clmc/models/cl"

var in = cl.Any[[2]uint8]()
var h [4]cl.AtomicInt
var x [4]int32

func k() {
	i := cl.GetGlobalID(0)
	cl.AtomicFetchAdd(&h[in[i]%4], 1)
	//
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`

// TestAny checks a model in Go with a variable that is any: atomic additions verify for all data; a plain one races where both have the same index, and the
// execution is repeated with the data that it has.
func TestAny(t *testing.T) {
	r := check.Verify(t, "any.go", check.Source(anyModel))
	check.AllData(t, r)
	if len(r.Scope.Data) != 1 || r.Scope.Data[0].Name != "in" || r.Scope.Data[0].Scalar {
		t.Errorf("%+v", r.Scope)
	}
	racy := strings.Replace(anyModel, "//\n", "x[in[i]%4]++\n", 1)
	r, err := check.Run(t.Context(), "any.go", check.Source(racy))
	if err != nil || r.Verdict != check.Violated || r.Violations[0].ID != "CL1001" || !strings.Contains(r.String(), "What is any was taken to be in = {") {
		t.Fatal(r, err)
	}
	again, err := check.Run(t.Context(), "any.go", check.Source(racy), check.Replay(r.Violations[0].Replay))
	if err != nil || len(again.Violations) != 1 || again.Violations[0].ID != "CL1001" {
		t.Error(again, err)
	}
	if _, err := check.Run(t.Context(), "any.go", check.Source(anyModel), check.Liveness("fair")); err == nil || !strings.Contains(err.Error(), "needs data that are given") {
		t.Error(err)
	}
}
