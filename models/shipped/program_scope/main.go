// Command program_scope counts in a program-scope variable from several kernels.
//
// Idiom: program-scope global variables. Source: OpenCL C 6.7.5 (global), OpenCL
// 3.2.4.
//
// Derivation: a program-scope variable keeps its value between kernels, and each
// device has its own (rule 1.5): of three kernels two run on device 0 and one on
// device 1, which finds the initial value. With devices=1 the third runs on
// device 0, too. With host=1 the host touches the variable, which it cannot.
//
//clmc:expect verified
//clmc:outcomes last=1 twice=2
//clmc:expect -D devices=1 verified
//clmc:outcomes last=3 twice=2
//clmc:expect -D host=1 violated CL1017
package main

import "github.com/clmc/clmc/models/cl"

const (
	devices = 2
	host    = 0
)

//cl:memory program_scope
var count int32

var result [3]int32

func next(i int) {
	cl.EnqueueNDRangeKernel(func() {
		count++
		result[i] = count
	}, cl.NDRange1D(1, 1))
}

func main() {
	other := cl.CreateCommandQueue(devices-1, 0)
	next(0)
	next(1)
	cl.Finish()
	cl.WaitForEvents(cl.EnqueueNDRangeKernel(func() {
		count++
		result[2] = count
	}, cl.NDRange1D(1, 1), cl.OnQueue(other)))
	if host == 1 {
		count = 0
	}
	cl.Observe("twice", result[1])
	cl.Observe("last", result[2])
}
