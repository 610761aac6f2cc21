// Command enqueue_other_group lets a child read what a work-group of its parent
// has written that did not enqueue it.
//
// Idiom: WAIT_WORK_GROUP where WAIT_KERNEL is needed. Source: OpenCL 3.3.7.5,
// OpenCL C 6.15.18 and its footnotes.
//
// Derivation: WAIT_WORK_GROUP orders the child after the work-group that enqueues
// it, and no other (rule 12.12): the write of work-group 1 is unordered, a race
// (9.1). WAIT_KERNEL orders it after all work-groups. The memory does not matter,
// since the write is not sequenced before the enqueue.
//
//clmc:expect violated CL1001
//clmc:expect -D flags=1 verified
//clmc:outcomes 0:r=42
package main

import "github.com/clmc/clmc/models/cl"

const flags = cl.CLKEnqueueFlagsWaitWorkGroup

//cl:memory svm_fine
var data int32

func parent() {
	switch cl.GetGroupID(0) {
	case 0:
		cl.EnqueueKernel(cl.GetDefaultQueue(), flags, cl.NDRange1D(1, 1), func() {
			cl.Observe("r", data)
		})
	case 1:
		data = 42
	}
}

func main() {
	cl.EnqueueNDRangeKernel(parent, cl.NDRange1D(2, 1))
	cl.Finish()
}
