package cl

// EnqueueReadBufferRect is clEnqueueReadBufferRect: it copies a region of a buffer, which is seen
// as having two or three dimensions, to memory of the host. Origins, the region and
// pitches count elements, rows and slices, where OpenCL has bytes for elements. A pitch
// of 0 is that of a region without gaps (API 5.2.2). Nothing but the region is touched.
func EnqueueReadBufferRect[T any](buffer []T, blocking bool, bufferOrigin, hostOrigin, region [3]int,
	bufferRowPitch, bufferSlicePitch, hostRowPitch, hostSlicePitch int, ptr []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueWriteBufferRect is clEnqueueWriteBufferRect: [EnqueueReadBufferRect] the other way.
func EnqueueWriteBufferRect[T any](buffer []T, blocking bool, bufferOrigin, hostOrigin, region [3]int,
	bufferRowPitch, bufferSlicePitch, hostRowPitch, hostSlicePitch int, ptr []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueCopyBufferRect is clEnqueueCopyBufferRect: it copies a region of one buffer to
// another, as [EnqueueReadBufferRect] does. The two must not overlap.
func EnqueueCopyBufferRect[T any](src, dst []T, srcOrigin, dstOrigin, region [3]int,
	srcRowPitch, srcSlicePitch, dstRowPitch, dstSlicePitch int, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueReadImage is clEnqueueReadImage: it copies a region of an image to memory of the
// host. In the dimensions that the image does not have, the origin is 0 and the region 1.
// Pitches count elements; one of 0 is that of a region without gaps (API 5.3.3).
func EnqueueReadImage[T Texel](image Image[T], blocking bool, origin, region [3]int, rowPitch, slicePitch int, ptr []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueWriteImage is clEnqueueWriteImage: [EnqueueReadImage] the other way.
func EnqueueWriteImage[T Texel](image Image[T], blocking bool, origin, region [3]int, rowPitch, slicePitch int, ptr []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueFillImage is clEnqueueFillImage: it sets a region of an image to a color.
func EnqueueFillImage[T Texel](image Image[T], color T, origin, region [3]int, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueCopyImage is clEnqueueCopyImage: it copies a region of one image to another. The
// two must not overlap.
func EnqueueCopyImage[T Texel](src, dst Image[T], srcOrigin, dstOrigin, region [3]int, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueCopyImageToBuffer is clEnqueueCopyImageToBuffer: it copies a region of an image to
// elements of a buffer, from dstOffset on, without gaps.
func EnqueueCopyImageToBuffer[T Texel](src Image[T], dst []T, srcOrigin, region [3]int, dstOffset int, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueCopyBufferToImage is clEnqueueCopyBufferToImage: [EnqueueCopyImageToBuffer] the
// other way.
func EnqueueCopyBufferToImage[T Texel](src []T, dst Image[T], srcOffset int, dstOrigin, region [3]int, options ...CommandOption) Event {
	unreachable()
	return Event{}
}
