package cl

// Texel is the set of types that the channel of an image can hold: what
// read_imagei, read_imageui and read_imagef return.
type Texel interface {
	int32 | uint32 | float32
}

// Image is an image that kernels read and write: a read_write image1d_t,
// image2d_t or image3d_t. Its elements have one channel (OpenCL C 6.3.2,
// 6.15.15). Work-items order what they do to images by fences and barriers with
// [CLKImageMemFence] only; commands order images as they do other memory.
type Image[T Texel] struct {
	texels               []T
	dim                  int
	width, height, depth int
}

// Coord is the set of coordinates: of an element of an image of one, two or three
// dimensions.
type Coord interface {
	int | [2]int | [3]int
}

// NewImage1D is clCreateImage: an image of one dimension, filled with zeros. The
// host calls it once for each image: not in a loop, with a constant size.
// Kernels reach the image through a captured variable.
func NewImage1D[T Texel](width int) Image[T] {
	unreachable()
	return Image[T]{}
}

// NewImage2D is clCreateImage: [NewImage1D] with two dimensions.
func NewImage2D[T Texel](width, height int) Image[T] {
	unreachable()
	return Image[T]{}
}

// NewImage3D is clCreateImage: [NewImage1D] with three dimensions.
func NewImage3D[T Texel](width, height, depth int) Image[T] {
	unreachable()
	return Image[T]{}
}

// ReadImagei is read_imagei without a sampler: it returns an element of the
// image, whose coordinates must lie within it. What the work-item itself has
// written is certain to be read only if an [AtomicWorkItemFence] with
// [CLKImageMemFence] lies between (OpenCL C 6.15.15).
func ReadImagei[C Coord](image Image[int32], coord C) int32 {
	unreachable()
	return 0
}

// ReadImageui is read_imageui: [ReadImagei] of an image of unsigned integers.
func ReadImageui[C Coord](image Image[uint32], coord C) uint32 {
	unreachable()
	return 0
}

// ReadImagef is read_imagef: [ReadImagei] of an image of floats.
func ReadImagef[C Coord](image Image[float32], coord C) float32 {
	unreachable()
	return 0
}

// WriteImagei is write_imagei: it sets an element of the image, whose
// coordinates must lie within it (OpenCL C 6.15.15).
func WriteImagei[C Coord](image Image[int32], coord C, color int32) { unreachable() }

// WriteImageui is write_imageui: [WriteImagei] of an image of unsigned integers.
func WriteImageui[C Coord](image Image[uint32], coord C, color uint32) { unreachable() }

// WriteImagef is write_imagef: [WriteImagei] of an image of floats.
func WriteImagef[C Coord](image Image[float32], coord C, color float32) { unreachable() }

// GetImageWidth is get_image_width: the width of the image in elements (OpenCL C
// 6.15.15).
func GetImageWidth[T Texel](image Image[T]) int {
	unreachable()
	return 0
}

// GetImageHeight is get_image_height: the height of an image of two or three
// dimensions (OpenCL C 6.15.15).
func GetImageHeight[T Texel](image Image[T]) int {
	unreachable()
	return 0
}

// GetImageDepth is get_image_depth: the depth of an image of three dimensions
// (OpenCL C 6.15.15).
func GetImageDepth[T Texel](image Image[T]) int {
	unreachable()
	return 0
}
