// Command last_block sums an array in one kernel: each work-group sums its part,
// and the last to arrive sums the partial sums.
//
// Idiom: last-block reduction by an arrival counter, known from CUDA's
// threadFenceReduction sample, with OpenCL's fences. Source: OpenCL 3.3.7.2.
//
// Derivation: each first work-item writes its partial sum, passes a release fence
// and counts; the counter's read-modify-writes continue each other's release
// sequences (rule 5.4), so the last one, passing an acquire fence, synchronises with
// all before it (rule 6.3). The barrier with the global flag carries that to its
// group (rule 11.3). Without either fence the partial sums are raced for (rule
// 9.1): the acquire side, too, is needed.
//
//clmc:expect verified
//clmc:expect -D release=false violated CL1001
//clmc:expect -D acquire=false violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	groups  = 2
	release = true
	acquire = true
)

var (
	input   [groups * groups]int32
	partial [groups]int32
	arrived cl.AtomicInt
	result  int32
)

func sum(tile *[groups]int32) int32 {
	s := int32(0)
	for i := range groups {
		s += tile[i]
	}
	return s
}

func reduce() {
	tile := cl.Local[[groups]int32]()
	last := cl.Local[bool]()
	l := cl.GetLocalID(0)
	tile[l] = input[cl.GetGlobalID(0)]
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	if l == 0 {
		partial[cl.GetGroupID(0)] = sum(tile)
		if release {
			cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
		}
		before := cl.AtomicFetchAddExplicit(&arrived, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		if acquire {
			cl.AtomicWorkItemFence(cl.CLKGlobalMemFence, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
		}
		*last = before == groups-1
	}
	cl.WorkGroupBarrier(cl.CLKLocalMemFence | cl.CLKGlobalMemFence)
	if *last {
		tile[l] = partial[l]
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		if l == 0 {
			result = sum(tile)
		}
	}
}

func main() {
	want := int32(0)
	for i := range groups * groups {
		input[i] = int32(i) + 1
		want += int32(i) + 1
	}
	cl.EnqueueNDRangeKernel(reduce, cl.NDRange1D(groups*groups, groups))
	cl.Finish()
	cl.Assert(result == want, "the sum is complete")
}
