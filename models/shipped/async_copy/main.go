// Command async_copy brings a tile to local memory by async_work_group_copy.
//
// Idiom: load a tile, wait, compute. Source: OpenCL C 6.15.11.
//
// Derivation: the copy is in no order with what the work-items do between the call
// and wait_group_events, and before what they do after it (rule 11.7). how = 0:
// each work-item waits and reads what it needs: every read comes after the copy's
// writes, and the host's writes before the enqueue come before its reads (rules
// 12.1, 12.9). 1: a read of the tile before the wait races with the copy's write
// (rule 9.1). 2: so does a write of the source. 3: a read of the source does not,
// for two reads never race. 4: a barrier instead of a wait does not help, and
// besides nobody waits for the event: the race is met first. 5: nobody waits, or
// reads: the kernel must not end so. 6: the event is waited for twice. 7: the
// work-items pass different numbers, 8: different events to the wait, 9: only one
// of them waits: all must pass the same, and come (rules 11.1, 11.7).
//
//clmc:expect verified
//clmc:expect -D how=1 violated CL1001
//clmc:expect -D how=2 violated CL1001
//clmc:expect -D how=3 verified
//clmc:expect -D how=4 violated CL1001
//clmc:expect -D how=5 violated CL1015
//clmc:expect -D how=6 violated CL1008
//clmc:expect -D how=7 violated CL1003
//clmc:expect -D how=8 violated CL1003
//clmc:expect -D how=9 violated CL1003
package main

import "github.com/clmc/clmc/models/cl"

const (
	n   = 2
	how = 0
)

var source, result [n]int32

func kernel() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	other := (l + 1) % n
	count := n
	if how == 7 {
		count = l
	}
	e := cl.AsyncWorkGroupCopy(tile[:], source[:], count, 0)
	switch how {
	case 1:
		result[l] = tile[other]
	case 2:
		source[l] = 0
	case 3:
		result[l] = source[other]
	case 4:
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
		result[l] = tile[other]
	case 5:
		return
	case 8:
		d := cl.AsyncWorkGroupCopy(result[:], tile[:], 0, 0)
		if l == 0 {
			e = d
		}
	case 9:
		if l == 0 {
			return
		}
	}
	cl.WaitGroupEvents(e)
	if how == 6 {
		cl.WaitGroupEvents(e)
	}
	cl.Assert(tile[other] == int32(other)+1, "the tile is complete")
}

func main() {
	for i := range n {
		source[i] = int32(i) + 1
	}
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, n))
	cl.Finish()
}
