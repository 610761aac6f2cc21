package explore

import (
	"strconv"
	"testing"

	"github.com/clmc/clmc/models/load"
)

// underALock has 6 work-items add to a plain counter under a lock; twice: two like commands on an out-of-order queue, each of 3 that
// look and store.
const (
	underALock = `package main

import "github.com/clmc/clmc/models/cl"

const local = 1

var lock cl.AtomicInt
var n int32

func kernel() {
	for cl.AtomicExchangeExplicit(&lock, 1, cl.MemoryOrderAcquire) == 1 {
	}
	n++
	cl.AtomicStoreExplicit(&lock, 0, cl.MemoryOrderRelease)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(6, local))
	cl.Finish()
	cl.Assert(n == 6, "all")
}
`
	twice = `package main

import "github.com/clmc/clmc/models/cl"

const local = 1

var x, y cl.AtomicInt

func kernel() {
	cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed)
	cl.AtomicStoreExplicit(&x, 2, cl.MemoryOrderSeqCst)
}

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, local), cl.OnQueue(q))
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, local), cl.OnQueue(q))
	cl.Finish(q)
}
`
)

// TestGroupsOfNoConcern tests that it makes hardly a difference how many work-items share a work-group where nothing depends on that: all
// such programs have the same executions but for names. What a reduction leaves out may depend on names a little.
func TestGroupsOfNoConcern(t *testing.T) {
	for name, source := range map[string]string{"under a lock": underALock, "twice": twice} {
		states := 0
		for _, local := range []int{1, 2, 3} {
			p, err := load.Source("groups.go", []byte(source), load.Options{Defines: map[string]string{"local": strconv.Itoa(local)}})
			if err != nil {
				t.Fatal(err)
			}
			r := explored(p, Options{})
			if states == 0 {
				states = r.Stats.States
			}
			if !r.Complete || len(r.Violations) > 0 || 4*r.Stats.States > 5*states {
				t.Errorf("%s, of %d: complete: %v, %d violations, %d states, want about %d", name, local, r.Complete, len(r.Violations), r.Stats.States, states)
			}
		}
	}
}
