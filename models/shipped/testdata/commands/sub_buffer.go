// Command sub_buffer has two kernels write parts of one buffer at a time.
//
// Derivation: API 5.2.1: a sub-buffer is a part of the memory of its buffer. Kernels of two
// queues that write overlapping parts race, those that write disjoint ones do not (rules
// 9.1, 12.21). A sub-buffer lies within its buffer and is not empty (CL_INVALID_VALUE,
// CL_INVALID_BUFFER_SIZE). Migration orders what comes later in its queue, as any
// command (rules 12.2, 12.5, API 5.5.4), and is no access.
//
//clmc:expect verified
//clmc:expect -D second=3 violated CL1001
//clmc:expect -D second=5 violated CL1005
//clmc:expect -D size=0 violated CL1008
//clmc:expect -D second=3 -D migrate=true verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	second  = 4
	size    = 4
	migrate = false
)

var whole = cl.NewBuffer[int32](8)

func main() {
	q, r := cl.CreateCommandQueue(0, 0), cl.CreateCommandQueue(1, 0)
	a, b := cl.CreateSubBuffer(whole, 0, 4), cl.CreateSubBuffer(whole, second, size)
	cl.EnqueueNDRangeKernel(func() { a[cl.GetGlobalID(0)] = 1 }, cl.NDRange1D(4, 1), cl.OnQueue(q))
	e := cl.EnqueueMigrateMemObjects(a, cl.CLMigrateMemObjectHost, cl.OnQueue(q))
	if migrate {
		cl.EnqueueMigrateMemObjects(b, 0, cl.OnQueue(r), cl.EventWaitList(e))
	}
	cl.EnqueueNDRangeKernel(func() { b[cl.GetGlobalID(0)] = 2 }, cl.NDRange1D(4, 1), cl.OnQueue(r))
	cl.Finish(q)
	cl.Finish(r)
}
