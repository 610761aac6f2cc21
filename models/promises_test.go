package models

import (
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// A compare-exchange that is merely tried again until it succeeds reads what it
// expects, for all that matters. What work-item 1 writes is not that.
func TestPromisesMatterToRetries(t *testing.T) {
	const head = `package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func try() bool {
	expected := int32(0)
	return cl.AtomicCompareExchangeStrongExplicit(&x, &expected, 2, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func kernel() {
	if cl.GetGlobalID(0) == 1 {
		if cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 {
			cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
		return
	}
	tries := int32(0)
`
	const tail = `
	cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Observe("tries", tries)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
`
	for _, c := range []struct {
		name, loop string
		matter     bool
	}{
		{"retried", "for !try() {\n}", false},
		{"counted", "for !try() {\ntries++\n}", true},
		{"counted first", "for {\ntries++\nif try() {\nbreak\n}\n}", true},
		{"given up", "for tries < 2 && !try() {\ntries++\n}", true},
		{"once", "if !try() {\ntries = 1\n}", true},
		{"something else first", "for !try() {\ncl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\n}", true},
		{"entered otherwise", "tries = 1\nfor {\nif try() {\nbreak\n}\ntries = 0\n}", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := load.Source("model.go", []byte(head+c.loop+tail), load.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if matter := state.NewMachine(p, memmodel.Specs[0]).PromisesMatter(); matter != c.matter {
				t.Errorf("promises matter: %v\n%s", matter, p)
			}
		})
	}
}
