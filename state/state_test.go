package state_test

import (
	"bytes"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
)

// Kernels that the scripts below share.
const (
	flagged = `
func k() {
	if cl.GetGlobalID(0) == 0 {
		d = 1
		cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		return
	}
	cl.Observe("flag", cl.AtomicLoadExplicit(&x, cl.MemoryOrderAcquire, cl.MemoryScopeDevice))
}
`
	counting = `
func k() {
	cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
}
`
	meeting = `
func k() {
	if cl.GetLocalID(0) == 0 {
		d = 1
	}
	cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	cl.Observe("d", d)
}
`
)

// What a step is, which outcomes it may have, and what it leads to.
func TestSteps(t *testing.T) {
	for _, c := range []struct{ what, kernel, script string }{
		{"private computation is no step of its own", `
func k() {
	i := cl.GetGlobalID(0)
	for j := range 10 { i += j }
	if i == 45 { d = 1 }
}`, `
			? k(1) ended
			k(0)
			? done
			? fine`},
		{"an atomic load has an outcome for each message that it may read", flagged, `
			? k(1) has 1
			k(0)
			k(0)
			? k(0) ended
			? k(1) has 2`},
		{"the newest message comes first", flagged, `
			k(0)
			k(0)
			k(1) 1
			everybody
			? done
			? shows 1:flag=1`},
		{"the older one next", flagged, `
			k(0)
			k(0)
			k(1) 2
			everybody
			? shows 1:flag=0`},
		{"a read-modify-write reads what nobody else has modified", counting, `
			? k(0) has 1
			k(0)
			? k(1) has 1`},
		{"a store may go behind what its unit has not seen", `
func k() {
	cl.AtomicStoreExplicit(&x, 1 + int32(cl.GetGlobalID(0)), cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}`, `
			k(0)
			? k(1) has 2`},
		{"work-items wait at a barrier until all have come", meeting, `
			k(0)
			k(0)
			? k(0) waits
			k(1)
			? k(0) ready
			k(0)
			k(1)
			? done
			? fine`},
		{"one that ends without coming is divergence", `
func k() {
	if cl.GetLocalID(0) == 0 {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
}`, `
			? k(1) ended
			k(0)
			? CL1003`},
		{"two ordinary accesses that nothing orders are a race, whichever comes first", `
func k() {
	d = 1
}`, `
			k(1)
			k(0)
			? CL1001`},
		{"an assertion that does not hold", `
func k() {
	cl.Assert(d == 1, "d is set")
}`, `
			k(0)
			? CL1004`},
		{"an index outside its array", `
var a [2]int32

func k() {
	a[int(d)+cl.GetGlobalID(0)+1] = 1
}`, `
			k(0)
			? fine
			k(1)
			? CL1005`},
		{"local memory has no value before it is written", `
func k() {
	l := cl.Local[int32]()
	cl.Observe("l", *l)
}`, `
			k(0)
			? CL1002`},
		{"a compare-exchange reads what it compares, and may find something else", `
func k() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicStoreExplicit(&x, 7, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		return
	}
	was := int32(7)
	cl.Observe("swapped", cl.AtomicCompareExchangeStrongExplicit(&x, &was, 8, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
}`, `
			? k(1) has 1
			k(0)
			? k(1) has 2`},
		{"a choice has an outcome for each value", `
func k() {
	cl.Observe("c", cl.Choose(3))
}`, `
			? k(0) has 3`},
		{"what is assumed in vain ends the execution", `
func k() {
	cl.Assume(d == 1)
	cl.Assert(false, "not reached")
}`, `
			k(0)
			? fine`},
		{"the host goes on when its queue is done", meeting, `
			? host waits
			everybody
			? done`},
		{"a kernel's work-items are there once it has been enqueued", `
func child() { d = 1 }

func k() {
	if cl.GetGlobalID(0) == 0 {
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), child)
	}
}`, `
			k(0)
			everybody
			? done
			? fine`},
	} {
		t.Run(c.what, func(t *testing.T) { perform(t, c.kernel, c.script) })
	}
}

// States that allow the same futures are equal, whatever led to them.
func TestEqualStates(t *testing.T) {
	for _, c := range []struct {
		why, kernel, one, other string
		same                    bool
	}{
		{"whose turn came first at two counters does not matter", `
func k() {
	if cl.GetGlobalID(0) == 0 {
		cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	} else {
		cl.AtomicFetchAddExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}
	cl.Observe("x", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
}`, `
			k(0)
			k(1)`, `
			k(1)
			k(0)`, true},
		{"nor at one, if nobody looks at what was there", `
func k() {
	cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}`, `
			k(0)
			k(1)`, `
			k(1)
			k(0)`, true},
		{"it does if the value that was there is used", `
func k() {
	cl.Observe("ticket", cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
}`, `
			k(0)
			k(1)`, `
			k(1)
			k(0)`, false},
		{"a register that nothing reads any more is forgotten", `
func k() {
	if cl.GetGlobalID(0) == 1 {
		if cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 7 {
			d = 1
		}
		cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		return
	}
	cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}`, `
			k(0)
			k(1) 1`, `
			k(0)
			k(1) 2`, true},
		{"one that is yet to be shown is not", flagged, `
			k(0)
			k(0)
			k(1) 1`, `
			k(0)
			k(0)
			k(1) 2`, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			one, other := perform(t, c.kernel, c.one).encoding(), perform(t, c.kernel, c.other).encoding()
			if same := bytes.Equal(one, other); same != c.same {
				t.Errorf("same: %v, want %v\n%x\n%x", same, c.same, one, other)
			}
		})
	}
}

// A state that was decoded is the one that was encoded.
func TestDecode(t *testing.T) {
	p := perform(t, flagged, "k(0)\nk(0)")
	text := p.encoding()
	var back state.State
	back.CopyFrom(p.m.Initial())
	if err := p.m.Decode(&back, text); err != nil {
		t.Fatal(err)
	}
	p.m.Normalise(&memmodel.Canon{}, &back)
	if again := back.Append(nil); !bytes.Equal(again, text) {
		t.Errorf("encoded again, it differs:\n%x\n%x", text, again)
	}
	for n := range text {
		if err := p.m.Decode(&back, text[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are a state", n, len(text))
		}
	}
}
