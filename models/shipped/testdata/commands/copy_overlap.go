// Command copy_overlap copies within one buffer.
//
// Derivation: API 5.2.2, clEnqueueCopyBuffer, clEnqueueCopyBufferRect: source and destination
// must not overlap, which is an error (CL_MEM_COPY_OVERLAP). Two blocks of columns that
// lie beside each other do not, though their rows alternate. The pitches of two regions
// of one buffer are the same.
//
//clmc:expect verified
//clmc:expect -D to=3 violated CL1008
//clmc:expect -D to=4 verified
//clmc:expect -D column=1 violated CL1008
//clmc:expect -D column=2 verified
//clmc:expect -D column=2 -D pitch=5 violated CL1008
//clmc:expect -D column=0 violated CL1008
package main

import "github.com/clmc/clmc/models/cl"

const (
	to     = 8
	column = 3
	pitch  = 6
)

var rows = cl.NewBuffer[int32](24)

func main() {
	cl.EnqueueFillBuffer(rows, 1, 0, 2)
	cl.EnqueueCopyBuffer(rows, rows, 0, to, 4)
	cl.EnqueueCopyBufferRect(rows, rows, [3]int{}, [3]int{column, 0, 0}, [3]int{2, 3, 1}, 6, 0, pitch, 0)
	cl.Finish()
	got := cl.CreateSubBuffer(rows, column, 2)
	both, mapped := cl.EnqueueMapBuffer(got, cl.CLBlocking, cl.CLMapRead, 0, 2)
	cl.WaitForEvents(mapped)
	cl.Assert(both[0] == 1 && both[1] == 1, "copied")
	cl.EnqueueUnmapMemObject(both)
	cl.Finish()
}
