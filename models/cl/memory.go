package cl

// Local is a __local variable of the kernel: one T for each work-group, shared
// by its work-items and uninitialised (OpenCL C, "Address Space Qualifiers"). Every evaluation of one
// call expression yields the same variable:
//
//	tile := cl.Local[[64]int32]()
func Local[T any]() *T {
	unreachable()
	return nil
}

// NewBuffer is clCreateBuffer: a buffer of n elements in global memory, filled
// with zeros. The host calls it once for each buffer: not in a
// loop, with a constant n. Kernels reach the buffer through a captured
// variable.
func NewBuffer[T any](n int) []T {
	unreachable()
	return nil
}

// SVMMemFlags is cl_svm_mem_flags; combine the flags with |.
type SVMMemFlags uint32

// The flags of [SVMAlloc] that matter to the memory model.
const (
	// CLMemReadWrite is CL_MEM_READ_WRITE, the default.
	CLMemReadWrite SVMMemFlags = 1 << 0
	// CLMemSVMFineGrainBuffer is CL_MEM_SVM_FINE_GRAIN_BUFFER: host and devices
	// may access the allocation at the same time.
	CLMemSVMFineGrainBuffer SVMMemFlags = 1 << 10
	// CLMemSVMAtomics is CL_MEM_SVM_ATOMICS: atomic operations of host and
	// devices work together. It needs [CLMemSVMFineGrainBuffer].
	CLMemSVMAtomics SVMMemFlags = 1 << 11
)

// SVMAlloc is clSVMAlloc: n elements of shared virtual memory, filled with
// zeros. It is coarse-grained unless the flags say otherwise, and
// restricted as [NewBuffer] is.
func SVMAlloc[T any](n int, flags SVMMemFlags) []T {
	unreachable()
	return nil
}
