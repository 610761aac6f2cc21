// Command svm_fine_disjoint lets host and kernel work on one array at a time.
//
// Idiom: concurrent updates of disjoint elements of fine-grained SVM without
// atomics. Source: OpenCL 3.3.7.5.
//
// Derivation: host and device may update disjoint locations of fine-grained
// SVM at the same time (rules 2.3, 2.5), and implementations write nothing that
// the program does not (rule 2.6). The clFinish orders the kernel's write before
// the host's reads (rules 12.8, 12.9). With mine=1 both write one location,
// which is undefined (rule 2.5): a race (rule 9.1).
//
//clmc:expect verified
//clmc:expect -D mine=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const mine = 0 // the host's element; the kernel's is 1

//cl:memory svm_fine
var array [2]int32

func kernel() { array[1] = 20 }

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(1, 1))
	array[mine] = 10
	cl.Finish()
	cl.Assert(array[0] == 10, "the host's element is kept")
	cl.Assert(array[1] == 20, "the kernel's element is there")
}
