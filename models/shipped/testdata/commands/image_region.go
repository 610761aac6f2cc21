// Command image_region fills, writes, copies and reads regions of images while a kernel uses others.
//
// Derivation: API 5.3.3, 5.3.4: the commands touch the elements of their region only, of an
// image row after row, in a buffer without gaps. Commands order images as other memory,
// so that on one in-order queue (rule 12.5) nothing races; a kernel on a queue of its
// own races with who touches what it writes (rule 9.1), and not with others. Source and
// destination in one image must not overlap (CL_MEM_COPY_OVERLAP, API 5.3.4).
//
//clmc:expect verified
//clmc:expect -D beside=0 verified
//clmc:expect -D beside=1 violated CL1001
//clmc:expect -D shift=1 violated CL1008
//clmc:expect -D shift=2 verified
//clmc:expect -D height=3 violated CL1005
//clmc:expect -D depth=0 violated CL1008
//clmc:expect -D depth=2 violated CL1005
package main

import "github.com/clmc/clmc/models/cl"

const (
	beside = 3 // the column that the kernel writes; 3: none
	shift  = 0 // how far within one image a region is copied; 0: not at all
	height = 2
	depth  = 1
)

var (
	image  = cl.NewImage2D[int32](4, 3)
	other  = cl.NewImage2D[int32](2, 2)
	buffer = cl.NewBuffer[int32](5)
	in     = [6]int32{1, 2, 0, 3, 4, 0} // rows of two, three apart
	out    [4]int32
)

func kernel() {
	if beside < 3 {
		cl.WriteImagei(image, [2]int{beside, cl.GetGlobalID(0)}, 7)
	}
}

func main() {
	q := cl.CreateCommandQueue(0, 0)
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(3, 1), cl.OnQueue(q))
	at, origin, region := [3]int{1, 1, 0}, [3]int{}, [3]int{2, height, depth}
	cl.EnqueueWriteImage(image, cl.CLNonBlocking, at, region, 3, 0, in[:])
	if shift > 0 {
		cl.EnqueueCopyImage(image, image, [3]int{2, 1, 0}, [3]int{2 - shift, 1, 0}, [3]int{2, 2, 1})
	}
	cl.EnqueueCopyImage(image, other, at, origin, region)
	cl.EnqueueCopyImageToBuffer(other, buffer, origin, region, 1)
	cl.EnqueueFillImage(other, 9, origin, [3]int{2, 1, 1})
	cl.EnqueueCopyBufferToImage(buffer, other, 3, [3]int{0, 1, 0}, [3]int{1, 1, 1})
	cl.EnqueueReadImage(other, cl.CLBlocking, origin, region, 0, 0, out[:])
	cl.Assert(out[0] == 9 && out[1] == 9, "the first row is filled")
	cl.Assert(shift > 0 || out[2] == 3 && out[3] == 4, "the second is what was written")
	cl.Finish(q)
}
