// Command map_buffer passes a buffer between the host and a kernel by mapping
// it.
//
// Idiom: map, write, unmap; kernel; map, read. Source: API 5.2.4, OpenCL 3.2.4.
//
// Derivation: the host may touch a buffer only while it is mapped (rule 2.1).
// The blocking map happens before the host's writes (rule 12.4), these before the
// unmap command (rule 12.1), which happens before the kernel in an in-order queue
// (rule 12.5), as the kernel does before the second map. With unmapped=1 the host
// forgets to map. With held=1 the kernel runs while the buffer is mapped for
// writing, which is undefined (API 5.2.4).
//
//clmc:expect verified
//clmc:expect -D unmapped=1 violated CL1017
//clmc:expect -D held=1 violated CL1017
package main

import "github.com/clmc/clmc/models/cl"

const (
	unmapped = 0
	held     = 0
)

var buffer = cl.NewBuffer[int32](2)

func double() { buffer[cl.GetGlobalID(0)] *= 2 }

func main() {
	if unmapped == 1 {
		buffer[0] = 3
	}
	p, _ := cl.EnqueueMapBuffer(buffer, cl.CLBlocking, cl.CLMapWrite, 0, 2)
	p[0], p[1] = 3, 4
	if held == 0 {
		cl.EnqueueUnmapMemObject(p)
	}
	cl.EnqueueNDRangeKernel(double, cl.NDRange1D(2, 1))
	if held == 1 {
		cl.Finish()
		return
	}
	q, _ := cl.EnqueueMapBuffer(buffer, cl.CLBlocking, cl.CLMapRead, 0, 2)
	cl.Assert(q[0] == 6 && q[1] == 8, "the kernel has doubled them")
	cl.EnqueueUnmapMemObject(q)
	cl.Finish()
}
