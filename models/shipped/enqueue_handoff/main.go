// Command enqueue_handoff hands data from a parent kernel to its child, with each
// flag, in each kind of global memory.
//
// Idiom: enqueue_kernel; flags 0, 1 and 2 are NO_WAIT, WAIT_KERNEL and
// WAIT_WORK_GROUP. Source: OpenCL 3.3.7.5, OpenCL C 6.15.18.
//
// Derivation: the enqueue synchronises with the child, but what the parent did
// before it happens before the child's accesses for fine-grained memory only
// (rule 12.1). So with NO_WAIT the child may read data if it is fine-grained SVM,
// with or without atomics (rule 2.3), and races otherwise (rule 9.1). With
// WAIT_KERNEL the end of the parent, and with WAIT_WORK_GROUP that of the work-group
// that enqueues, synchronises with the child whatever the memory (rule 12.12).
//
//clmc:expect -D flags=0 -D kind=0 violated CL1001
//clmc:expect -D flags=0 -D kind=1 violated CL1001
//clmc:expect -D flags=0 -D kind=2 violated CL1001
//clmc:expect -D flags=0 -D kind=3 verified
//clmc:expect -D flags=0 -D kind=4 verified
//clmc:expect -D flags=0 -D kind=5 verified
//clmc:expect -D flags=1 -D kind=0 verified
//clmc:expect -D flags=1 -D kind=1 verified
//clmc:expect -D flags=1 -D kind=2 verified
//clmc:expect -D flags=1 -D kind=3 verified
//clmc:expect -D flags=1 -D kind=4 verified
//clmc:expect -D flags=1 -D kind=5 verified
//clmc:expect -D flags=2 -D kind=0 verified
//clmc:expect -D flags=2 -D kind=1 verified
//clmc:expect -D flags=2 -D kind=2 verified
//clmc:expect -D flags=2 -D kind=3 verified
//clmc:expect -D flags=2 -D kind=4 verified
//clmc:expect -D flags=2 -D kind=5 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	flags = cl.CLKEnqueueFlagsNoWait
	kind  = 0
)

//cl:memory svm_coarse
var coarse int32

//cl:memory buffer
var buffer int32

//cl:memory program_scope
var program int32

//cl:memory svm_fine
var fine int32

//cl:memory svm_fine_atomics
var fineAtomics int32

//cl:memory svm_system
var system int32

func data() *int32 {
	switch kind {
	case 0:
		return &coarse
	case 1:
		return &buffer
	case 2:
		return &program
	case 3:
		return &fine
	case 4:
		return &fineAtomics
	}
	return &system
}

func parent() {
	*data() = 42
	cl.EnqueueKernel(cl.GetDefaultQueue(), flags, cl.NDRange1D(1, 1), func() {
		cl.Assert(*data() == 42, "the value arrived")
	})
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(1, 1))
	cl.Finish()
}
