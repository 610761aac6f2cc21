package cl

// NDRange is ndrange_t: how many work-items run a kernel, and in work-groups of
// what size. A range without work-items is allowed from OpenCL 2.1 on: the command
// does nothing but wait for what it waits for. The local size is never zero.
type NDRange struct {
	dim                 int
	offset, size, local [3]int
}

// NDRange1D is ndrange_1D. Its arguments are, as in OpenCL C: the global size
// and the local size; or the offset, the global size and the local size
// (OpenCL C 6.15.18). The local size cannot be left to the implementation,
// since the verdict may depend on it.
func NDRange1D(sizes ...int) NDRange {
	unreachable()
	return NDRange{}
}

// NDRange2D is ndrange_2D: [NDRange1D] with two dimensions.
func NDRange2D(sizes ...[2]int) NDRange {
	unreachable()
	return NDRange{}
}

// NDRange3D is ndrange_3D: [NDRange1D] with three dimensions.
func NDRange3D(sizes ...[3]int) NDRange {
	unreachable()
	return NDRange{}
}
