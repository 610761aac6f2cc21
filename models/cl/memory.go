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

// LocalMem is a __local argument of a kernel of a //cl:program: T* in local memory.
type LocalMem[T any] []T

// LocalArg is clSetKernelArg with a size and no value: local memory of n elements, uninitialised, for
// each work-group. Call it among the arguments of a kernel of a //cl:program, with a constant n:
//
//	cl.EnqueueNDRangeKernel(func() { kernels.Reduce(in, out, cl.LocalArg[int32](4)) }, cl.NDRange1D(8, 4))
func LocalArg[T any](n int) LocalMem[T] {
	unreachable()
	return nil
}

// ToGlobal is to_global: p itself if it points to global memory, else nil
// (OpenCL C 6.15.10). Pointers are generic: which kind of memory an access
// touches is decided when it is made.
func ToGlobal[T any](p *T) *T {
	unreachable()
	return nil
}

// ToLocal is to_local: p itself if it points to local memory, else nil.
func ToLocal[T any](p *T) *T {
	unreachable()
	return nil
}

// ToPrivate is to_private: p itself if it points to private memory, else nil.
func ToPrivate[T any](p *T) *T {
	unreachable()
	return nil
}

// GetFence is get_fence: the fence flag of the memory that p points to, 0 for
// private memory. Fences take constants: branch on the result.
func GetFence[T any](p *T) MemFenceFlags {
	unreachable()
	return 0
}

// NewBuffer is clCreateBuffer: a buffer of n elements in global memory, filled
// with zeros. The host calls it once for each buffer: not in a
// loop, with a constant n. Kernels reach the buffer through a captured
// variable.
func NewBuffer[T any](n int) []T {
	unreachable()
	return nil
}

// CreateSubBuffer is clCreateSubBuffer: size elements of a buffer, from origin on. It is the
// same memory: commands that use a buffer and a part of it at a time may race. A kernel that uses a
// buffer and a part of it, or two parts that overlap, may only read both (CL1008).
func CreateSubBuffer[T any](buffer []T, origin, size int) []T {
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

// SVMFree is clSVMFree, given what [SVMAlloc] has returned; of nil it does nothing. It waits for
// no command: whatever uses the memory must be complete before (API 5.6.1). Until the command is known
// to be, by clFinish or an event, this is a data race, and using or freeing the memory afterwards is CL1019.
func SVMFree[T any](svm []T) { unreachable() }
