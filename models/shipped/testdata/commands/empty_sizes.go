// Command empty_sizes has index spaces of odd sizes.
//
// Derivation: API 5.10: a global size of 0 in any dimension is allowed (rule 12.22); a
// local size of 0 is CL_INVALID_WORK_GROUP_SIZE, also where there are no work-items,
// and one beyond what a kernel has is as well; a global size or offset is no negative
// number.
//
//clmc:expect verified
//clmc:expect -D what=1 verified
//clmc:expect -D what=2 verified
//clmc:expect -D what=3 violated CL1008
//clmc:expect -D what=4 violated CL1008
//clmc:expect -D what=5 violated CL1008
//clmc:expect -D what=6 violated CL1008
//clmc:expect -D what=7 violated CL1008
//clmc:expect -D what=8 violated CL1008
//clmc:expect -D what=9 verified
package main

import "github.com/clmc/clmc/models/cl"

const what = 0

var zero, less int = 0, -1

func kernel() { cl.Assert(false, "there are no work-items") }
func empty()  {}

func main() {
	switch what {
	case 0:
		cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(0, 64))
	case 1:
		cl.EnqueueNDRangeKernel(kernel, cl.NDRange2D([2]int{0, 4}, [2]int{1, 2}))
	case 2:
		cl.EnqueueNDRangeKernel(kernel, cl.NDRange3D([3]int{16384, 16384, zero}, [3]int{1, 1, 1}))
	case 3:
		cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(0, zero))
	case 4:
		cl.EnqueueNDRangeKernel(empty, cl.NDRange1D(4, zero))
	case 5:
		cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(less, 1))
	case 6:
		cl.EnqueueNDRangeKernel(empty, cl.NDRange1D(4, zero+1<<62))
	case 7:
		cl.EnqueueNDRangeKernel(kernel, cl.NDRange2D([2]int{zero, less}, [2]int{1, 1}))
	case 8:
		cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(less, zero, 1))
	case 9:
		cl.EnqueueNDRangeKernel(empty, cl.NDRange1D(3, 4, 64))
	}
	cl.Finish()
}
