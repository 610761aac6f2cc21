package facts_test

import (
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state/facts"
)

const countingHeader = `package main

import "github.com/clmc/clmc/models/cl"

var (
	c, d, flag cl.AtomicInt
	in, out    [4]int32
	data       int32
	//cl:memory svm_fine_atomics
	shared cl.AtomicInt
)

func add(object *cl.AtomicInt) { cl.AtomicFetchAdd(object, 1) }

func relaxed(object *cl.AtomicInt) int32 {
	return cl.AtomicLoadExplicit(object, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func k() {
	own, more := cl.Local[cl.AtomicInt](), cl.Local[cl.AtomicInt]()
	i, l := cl.GetGlobalID(0), cl.GetLocalID(0)
`

const countingEnd = `
	_, _, _, _ = own, more, i, l
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2))
	cl.Finish()
	cl.Assert(cl.AtomicLoad(&c) >= 0, "the host reads what is counted")
}
`

// What a program needs of the order of its atomic operations.
const (
	needsAll   = "all of it"
	needsNoS   = "no S"
	needsNone  = "none"
	clearOwn   = "if l == 0 {\ncl.AtomicInit(own, 0)\n}\ncl.WorkGroupBarrier(cl.CLKLocalMemFence)\n"
	clearBoth  = "if l == 0 {\ncl.AtomicInit(own, 0)\ncl.AtomicInit(more, 0)\n}\ncl.WorkGroupBarrier(cl.CLKLocalMemFence)\n"
	localFence = "cl.WorkGroupBarrier(cl.CLKLocalMemFence)\n"
)

// TestRelaxed says of kernels what they need of the order of their operations. Each answer is derived by hand.
func TestRelaxed(t *testing.T) {
	for _, c := range []struct{ what, kernel, want string }{
		{"a histogram: whoever has counted ends", `add(&c)
			add(&d)`, needsNone},
		{"a loop that counts", `for j := i; j < 4; j += 2 {
				if in[j] == 0 { add(&c) }
			}`, needsNone},
		{"acq_rel does no more", `cl.AtomicFetchAddExplicit(&c, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)`, needsNone},
		{"what is written behind nobody reads before", `add(&c)
			out[i] = 1`, needsNone},
		{"what is written before nobody accesses behind", `out[i] = 1
			add(&c)`, needsNone},
		{"a sum of a group, which barriers order before it is read", clearOwn + `add(own)
			` + localFence + `if l == 0 {
				cl.AtomicFetchAdd(&c, cl.AtomicLoad(own))
			}`, needsNone},
		{"what is counted may come of private memory", `var had [4]int32
			for j := range 4 { had[(i+j)%4] = in[j] }
			cl.AtomicFetchAdd(&c, had[(i+1)%4])`, needsNone},
		{"maxima and sums in cells of their own", `cl.AtomicFetchMax(&c, 1)
			add(&d)`, needsNone},
		// A work-item that counts second has seen all that the first one has done: data is handed on.
		{"data written before one count and read behind another", `if i == 0 { data = 1 }
			add(&c)
			if i == 1 { out[1] = data }`, needsNoS},
		{"and in the rounds of a loop", `for j := range 2 {
				out[j] = 1
				add(&c)
			}`, needsNoS},
		{"data handed on between two work-items of a group by a local counter", clearOwn + `if l == 0 { data = 1 }
			add(own)
			if l == 1 { out[1] = data }`, needsNoS},
		// The barrier orders local memory alone, and the two operations of a pair that is seq_cst order both.
		{"global data behind a barrier that orders local memory", clearOwn + `if l == 0 { data = 1 }
			add(own)
			` + localFence + `if l == 1 { out[1] = data }`, needsNoS},
		{"global data behind a barrier that orders it", clearOwn + `if l == 0 { data = 1 }
			add(own)
			cl.WorkGroupBarrier(cl.CLKLocalMemFence | cl.CLKGlobalMemFence)
			if l == 1 { out[1] = data }`, needsNone},
		// Groups meet in c. A barrier orders nothing between them.
		{"global data, a counter of both groups, and a barrier", `if i == 0 { data = 1 }
			add(&c)
			cl.WorkGroupBarrier(cl.CLKLocalMemFence | cl.CLKGlobalMemFence)
			if i == 3 { out[3] = data }`, needsNoS},
		{"who comes second is told", `out[i] = cl.AtomicFetchAdd(&c, 1)`, needsNoS},
		// Of additions and maxima of one cell the order decides what is left.
		{"a sum and a maximum in one cell", `add(&c)
			cl.AtomicFetchMax(&c, 2)`, needsNoS},
		// Store buffering: both may not read 0 if all is in S, and might otherwise.
		{"counts that are looked at beside", `if i == 0 {
				add(&c)
				out[0] = cl.AtomicLoad(&d)
			} else {
				add(&d)
				out[1] = cl.AtomicLoad(&c)
			}`, needsAll},
		{"a counter that is reset beside", `add(&c)
			if i == 0 { cl.AtomicStore(&c, 0) }`, needsAll},
		{"local counters that are looked at before the barrier", clearBoth + `add(own)
			add(more)
			if l == 0 { out[i] = cl.AtomicLoad(own) + cl.AtomicLoad(more) }`, needsAll},
		// One sees that own was counted by the third, and not yet by the fourth; the other one, that the fourth counted more before the third. S has no such order.
		{"local counters that are looked at beside, each by one", clearBoth + `if l == 0 {
				out[i] = cl.AtomicLoad(own)
			} else if l == 1 {
				out[i] = cl.AtomicLoad(more)
			} else if l == 2 {
				add(own)
				add(more)
			} else {
				add(more)
				add(own)
			}`, needsAll},
		{"and global ones, behind a barrier of those who look", `if i == 0 {
				add(&c)
				add(&d)
			} else if i == 1 {
				add(&d)
				add(&c)
			} else {
				cl.WorkGroupBarrier(cl.CLKLocalMemFence)
				if i == 2 { out[i] = cl.AtomicLoad(&c) } else { out[i] = cl.AtomicLoad(&d) }
			}`, needsAll},
		// Who counts second has seen that flag was 1, and may not find 0 in it (rule 7.4).
		{"loads of what is stored beside, before one count and behind another", `if i == 0 {
				out[0] = relaxed(&flag)
				add(&c)
			} else if i == 1 {
				add(&c)
				out[1] = relaxed(&flag)
			} else {
				cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
			}`, needsNoS},
		// Nor may it add to flag before the first one has (rule 7.3), which whoever looks into flag can tell.
		{"relaxed additions before one count and behind another", `if i == 0 {
				cl.AtomicFetchAddExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
				add(&c)
			} else if i == 1 {
				add(&c)
				cl.AtomicFetchAddExplicit(&flag, 2, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
			} else {
				out[i] = relaxed(&flag)
			}`, needsNoS},
		// A barrier of device scope is a fence, which synchronises with the count of another group (rules 6.4, 11.2).
		{"a barrier of device scope", `cl.WorkGroupBarrier(cl.CLKGlobalMemFence, cl.MemoryScopeDevice)
			add(&c)`, needsNoS},
		{"loads of what nobody stores while the kernel runs", `out[i] = relaxed(&flag)
			add(&c)
			more1 := relaxed(&flag)
			_ = more1`, needsNone},
		{"a scope that does not include the other group", `cl.AtomicFetchAddExplicit(&c, 1, cl.MemoryOrderSeqCst, cl.MemoryScopeWorkGroup)`, needsAll},
		{"additions of two scopes, of which one includes no other group", `add(&d)
			cl.AtomicFetchAddExplicit(&c, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeWorkGroup)
			add(&c)`, needsAll},
		{"a fence", `add(&c)
			cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
			cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)`, needsNoS},
		{"a fence in S", `add(&c)
			cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderSeqCst, cl.MemoryScopeDevice)`, needsAll},
		{"a compare-exchange may fail, and then it is a load", `cl.AtomicFetchAdd(&c, 1)
			expected := int32(1)
			cl.AtomicCompareExchangeStrong(&d, &expected, 2)`, needsAll},
		{"memory that the host shares with the kernel", `add(&shared)`, needsAll},
		// Edges between local and global memory are of two relations, which do not compose.
		{"results of counts in both regions", clearOwn + `out[i] = cl.AtomicFetchAdd(own, 1) + cl.AtomicFetchAdd(&c, 1)`, needsAll},
	} {
		t.Run(c.what, func(t *testing.T) {
			p, err := load.Source("counting.go", []byte(countingHeader+c.kernel+countingEnd), load.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := needsAll
			switch f := facts.Of(p, memmodel.Specs[0]); {
			case f.Relaxed() != f:
				got = needsNone
			case !f.Traits.SeqCst:
				got = needsNoS
			}
			if got != c.want {
				t.Errorf("the program needs %s, want %s", got, c.want)
			}
		})
	}
}
