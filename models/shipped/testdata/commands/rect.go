// Command rect copies blocks of a matrix while a kernel writes beside them.
//
// Derivation: API 5.2.2: a rectangle command touches the elements of its region only: rows
// and slices lie a pitch apart, and what lies between is not read or written. So it does
// not race with a kernel that writes the columns beside the block (rule 9.1), on a queue
// of its own; it does with one that writes a column of the block.
//
//clmc:expect verified
//clmc:expect -D column=1 violated CL1001
//clmc:expect -D column=2 violated CL1001
//clmc:expect -D column=3 verified
//clmc:expect -D writes=true verified
//clmc:expect -D writes=true -D column=2 violated CL1001
//clmc:expect -D pitch=1 violated CL1008
//clmc:expect -D slice=7 violated CL1008
//clmc:expect -D width=0 violated CL1008
//clmc:expect -D origin=3 -D rows=1 verified
//clmc:expect -D origin=3 violated CL1005
//clmc:expect -D origin=-1 violated CL1005
package main

import "github.com/clmc/clmc/models/cl"

const (
	column = 0
	writes = false
	pitch  = 4
	slice  = 0
	width  = 2
	rows   = 2
	origin = 1
)

var matrix [16]int32 // 4 x 4

var block [8]int32

func kernel() { matrix[4*cl.GetGlobalID(0)+column] = 100 }

func main() {
	for i := range matrix {
		matrix[i] = int32(i)
	}
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(4, 1), cl.OnQueue(q))
	at, from, region := [3]int{1, origin, 0}, [3]int{1, 0, 0}, [3]int{width, rows, 1}
	if writes {
		cl.EnqueueWriteBufferRect(matrix[:], cl.CLNonBlocking, at, from, region, pitch, slice, 4, 0, block[:], cl.OnQueue(q))
	} else {
		cl.EnqueueReadBufferRect(matrix[:], cl.CLNonBlocking, at, from, region, pitch, slice, 4, 0, block[:], cl.OnQueue(q))
	}
	cl.Finish(q)
	if writes {
		cl.Assert(matrix[4*at[1]+1] == 0 && matrix[4*at[1]+3] == int32(4*at[1]+3), "the block and nothing else")
	} else {
		cl.Assert(block[0] == 0 && block[1] == int32(4*at[1]+1) && block[3] == 0, "the block and nothing else")
	}
}
