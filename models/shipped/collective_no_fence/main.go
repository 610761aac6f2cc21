// Command collective_no_fence takes a collective function for a barrier.
//
// Idiom: data exchanged through memory around work_group_any. Source: OpenCL
// 3.3.7.3.
//
// Derivation: collectives imply sequenced-before and the dependence on values,
// and no fence (rule 11.6): the write of tile[l] does not happen before the read
// of it by the neighbour, and the two race (rule 9.1), whether the memory is
// local or global. A barrier with the flag of the memory orders them (rule 11.3);
// one with the other flag does not.
//
//clmc:expect violated CL1001
//clmc:expect -D global=true violated CL1001
//clmc:expect -D barrier=true verified
//clmc:expect -D global=true -D barrier=true violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	n       = 2
	global  = false
	barrier = false
)

var data [n]int32

func exchange() {
	tile := cl.Local[[n]int32]()
	l := cl.GetLocalID(0)
	if global {
		data[l] = int32(l)
	} else {
		tile[l] = int32(l)
	}
	if barrier {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
	if cl.WorkGroupAny(l == 0) {
		other := (l + 1) % n
		if global {
			cl.Assert(data[other] == int32(other), "the value arrived")
		} else {
			cl.Assert(tile[other] == int32(other), "the value arrived")
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(exchange, cl.NDRange1D(n, n))
	cl.Finish()
}
