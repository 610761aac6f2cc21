package trace

import (
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// reasoned are models with a data race, what must be said of it, and a repair, a
// replacement in the model, that removes it.
var reasoned = []struct {
	name, model    string
	want           string // in the reason
	rule           string
	broken, mended string
}{
	{"a barrier before the neighbour's release", `
var data [2]int32
var flag cl.AtomicInt
func k() {
	i := cl.GetGlobalID(0)
	if cl.GetGroupID(0) == 0 {
		data[i] = 1 // here
		if i == 0 { cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }
	} else if cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
		cl.Observe("x", data[i-2])
	}
}
func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2)); cl.Finish() }`,
		"Put a work_group_barrier(CLK_GLOBAL_MEM_FENCE) after the access", "11.3",
		"// here", "; cl.Barrier(cl.CLKGlobalMemFence)"},
	{"a neighbour's release that comes before the access", `
var data int32
var flag cl.AtomicInt
func k() {
	i := cl.GetGlobalID(0)
	if cl.GetGroupID(0) == 0 {
		if i == 1 { cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }
		cl.Barrier(cl.CLKGlobalMemFence)
		if i == 0 { data = 1 }
	} else if i == 2 && cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
		cl.Observe("x", data)
	}
}
func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2)); cl.Finish() }`,
		"Make the store in line 10 only after the access in line 12, with a work_group_barrier(CLK_GLOBAL_MEM_FENCE) between the two", "5.1",
		`if i == 1 { cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }
		cl.Barrier(cl.CLKGlobalMemFence)
		if i == 0 { data = 1 }`, `if i == 0 { data = 1 }
		cl.Barrier(cl.CLKGlobalMemFence)
		if i == 1 { cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }`},
	{"a neighbour's release that comes before the access in a round of a loop, whose code leads from the access to the release", `
var data int32
var flag cl.AtomicInt
func k() {
	i := cl.GetGlobalID(0)
	if cl.GetGroupID(0) == 0 {
		for round := range 2 {
			if i == 1 && round == 1 { cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }
			cl.Barrier(cl.CLKGlobalMemFence)
			if i == 0 && round == 1 { data = 1 }
		}
	} else if i == 2 && cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
		cl.Observe("x", data)
	}
}
func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2)); cl.Finish() }`,
		"Make the store in line 11 only after the access in line 13, with a work_group_barrier(CLK_GLOBAL_MEM_FENCE) between the two", "5.1",
		`if i == 1 && round == 1 { cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }
			cl.Barrier(cl.CLKGlobalMemFence)
			if i == 0 && round == 1 { data = 1 }`, `if i == 0 && round == 1 { data = 1 }
			cl.Barrier(cl.CLKGlobalMemFence)
			if i == 1 && round == 1 { cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice) }`},
	{"a barrier behind the neighbour's acquire", `
var data int32
var flag cl.AtomicInt
func k() {
	if cl.GetGroupID(0) == 0 {
		if cl.GetLocalID(0) == 0 {
			data = 1
			cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
		return
	}
	got := cl.Local[int32]()
	if cl.GetLocalID(0) == 0 { *got = cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) }
	cl.Barrier(cl.CLKLocalMemFence) // here
	if *got == 1 && cl.GetLocalID(0) == 1 { cl.Observe("x", data) }
}
func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2)); cl.Finish() }`,
		"Add CLK_GLOBAL_MEM_FENCE", "11.3",
		"cl.Barrier(cl.CLKLocalMemFence) // here", "cl.Barrier(cl.CLKLocalMemFence | cl.CLKGlobalMemFence)"},
	{"coarse memory behind a fine-grained flag", `
var data int32
//cl:memory svm_fine_atomics
var flag cl.AtomicInt
func k() {
	data = 42
	cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, cl.MemoryScopeAllSVMDevices)
}
func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	for cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire) == 0 { }
	// here
	cl.Observe("v", data)
	cl.Finish()
}`, "atomic operations order fine-grained SVM only", "2.1 to 2.3", "// here", "cl.Finish()"},
	{"WAIT_WORK_GROUP is for its own group", `
var data [2]int32
func k() {
	i := cl.GetGlobalID(0)
	data[i] = 1
	if i == 0 {
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsWaitWorkGroup, cl.NDRange1D(1, 1), func() { data[1] = 2 })
	}
}
func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)); cl.Finish() }`,
		"waits for the work-group that enqueues it only", "12.12", "WaitWorkGroup", "WaitKernel"},
	{"NO_WAIT waits for nothing", `
var data [2]int32
func k() {
	i := cl.GetGlobalID(0)
	if i == 0 {
		cl.EnqueueKernel(cl.GetDefaultQueue(), cl.CLKEnqueueFlagsNoWait, cl.NDRange1D(1, 1), func() { data[1] = 2 })
	}
	data[i] = 1
}
func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1)); cl.Finish() }`,
		"which waits for nothing", "12.12", "NoWait", "WaitKernel"},
	{"WAIT_KERNEL is not for siblings", `
var data int32
func k() {
	q := cl.GetDefaultQueue()
	cl.EnqueueKernel(q, cl.CLKEnqueueFlagsWaitKernel, cl.NDRange1D(1, 1), func() { data = 1 })
	cl.EnqueueKernel(q, cl.CLKEnqueueFlagsWaitKernel, cl.NDRange1D(1, 1), func() { cl.Observe("x", data) })
}
func main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1)); cl.Finish() }`,
		"not for the others", "12.12", "data = 1", ""},
	{"two queues", `
var data int32
func k() { data++ }
func main() {
	q := cl.CreateCommandQueue(0, 0)
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish()
	cl.Finish(q)
}`, "they are in two queues", "12.21", ", cl.OnQueue(q))", ")"},
	{"a wait list means the list", `
var data int32
func none() {}
func k() { data++ }
func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	a := cl.EnqueueNDRangeKernel(none, cl.NDRange1D(1, 1), cl.OnQueue(q))
	b := cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), cl.OnQueue(q))
	_ = b
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(a))
	cl.Finish(q)
}`, "a wait list means the events in it only", "12.2", "EventWaitList(a)", "EventWaitList(a, b)"},
	{"a marker holds nothing back", `
var data int32
func k() { data++ }
func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.EnqueueMarkerWithWaitList(cl.OnQueue(q))
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish(q)
}`, "does not hold back later ones", "12.6", "EnqueueMarkerWithWaitList", "EnqueueBarrierWithWaitList"},
	{"a marker with a wait list", `
var data int32
func none() {}
func k() { data++ }
func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	a := cl.EnqueueNDRangeKernel(none, cl.NDRange1D(1, 1), cl.OnQueue(q))
	b := cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), cl.OnQueue(q))
	_ = b
	m := cl.EnqueueMarkerWithWaitList(cl.OnQueue(q), cl.EventWaitList(a))
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(m))
	cl.Finish(q)
}`, "the events in that list only", "12.6", "EventWaitList(a)", "EventWaitList(a, b)"},
	{"polling", `
var data int32
func k() { data = 1 }
func main() {
	e := cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	if cl.GetEventInfo(e, cl.CLEventCommandExecutionStatus) == cl.CLComplete { // here
		cl.Observe("x", data)
	}
	cl.Finish()
}`, "that is no synchronisation", "12.4", "// here", "; cl.WaitForEvents(e)"},
	{"a write of what may be mapped", `
var buf = cl.NewBuffer[int32](2)
func k() { buf[1] = 1 }
func main() {
	q := cl.CreateCommandQueue(0, 0)
	e := cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1), cl.OnQueue(q))
	_ = e
	p, _ := cl.EnqueueMapBuffer(buf, cl.CLBlocking, cl.CLMapRead, 0, 2)
	cl.EnqueueUnmapMemObject(p)
	cl.Finish()
	cl.Finish(q)
}`, "while it is mapped", "2.7", "0, 2)", "0, 2, cl.EventWaitList(e))"},
	{"a free beside a kernel", `
var mem = cl.SVMAlloc[int32](2, 0)
func k() { mem[1] = 1 }
func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	// here
	cl.SVMFree(mem)
	cl.Finish()
}`, "Freeing waits for nobody", "5.6.1", "// here", "cl.Finish()"},
}

// TestReasons checks what is said of races that have one cause, and that they are none
// when it is mended as the reason advises.
func TestReasons(t *testing.T) {
	for _, m := range reasoned {
		t.Run(m.name, func(t *testing.T) {
			run := func(text string) *explore.Result {
				p, err := load.Source("m.go", []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n"+text), load.Options{})
				if err != nil {
					t.Fatal(err)
				}
				r := explore.Run(context.Background(), p, explore.Options{})
				for _, v := range r.Violations {
					tr, err := Build(p, memmodel.Specs[0], v)
					if err != nil {
						t.Fatal(err)
					}
					if v.Kind == state.DataRace && (len(tr.Why) == 0 || !strings.Contains(tr.Why[0].Text+" "+tr.Why[0].Repair, m.want) || !strings.Contains(tr.Why[0].Rule, m.rule)) {
						t.Errorf("the reason is %+v, want %q by rule %s", tr.Why, m.want, m.rule)
					}
					if len(tr.Accesses) != 2 {
						t.Errorf("%d accesses are named", len(tr.Accesses))
					}
				}
				return r
			}
			if r := run(m.model); !r.Has(state.DataRace) {
				t.Errorf("no race is found: %v, %v", r.Verdict, r.Violations)
			}
			mended := strings.Replace(m.model, m.broken, m.mended, 1)
			if r := run(mended); mended == m.model || r.Verdict != explore.Verified {
				t.Errorf("mended, it is %v: %v\n%s", r.Verdict, r.Violations, mended)
			}
		})
	}
}
