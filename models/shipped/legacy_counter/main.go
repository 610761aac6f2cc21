// Command legacy_counter has two work-groups count with OpenCL 1.x's atomic_inc,
// and lists which slots they get.
//
// Idiom: a counter shared by work-groups, as in kernels of OpenCL 1.x. Source:
// OpenCL C 6.15.12.
//
// Derivation: the function has no scope argument, and no text says what its scope
// is. With device scope, as implementations have it, the two read-modify-writes
// are atomic operations of inclusive scope (rule 3.5), of which one reads what the
// other has written (rule 7.7): the slots are 0 and 1. With work-group scope, the
// narrow reading (rule 3.9), their scopes do not include each other: a data race
// (rules 9.1, 9.2), unless the work-items are of one group.
//
//clmc:expect verified
//clmc:outcomes 0:slot=0 1:slot=1 | 0:slot=1 1:slot=0
//clmc:expect legacy=work_group violated CL1001
//clmc:expect legacy=work_group -D localSize=2 verified
//clmc:outcomes 0:slot=0 1:slot=1 | 0:slot=1 1:slot=0
package main

import "github.com/clmc/clmc/models/cl"

const localSize = 1

var counter uint32

func count() { cl.Observe("slot", cl.AtomicInc(&counter)) }

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(2, localSize))
	cl.Finish()
	cl.Assert(counter == 2, "both were counted")
}
