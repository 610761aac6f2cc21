package cl

// Integer is the set of types whose atomic variables take the
// read-modify-write functions atomic_fetch_*.
type Integer interface {
	~int32 | ~uint32 | ~int64 | ~uint64
}

// Scalar is the set of types that atomic variables can hold.
type Scalar interface {
	Integer | ~float32 | ~float64
}

// Atomic is an atomic variable that holds a T (OpenCL C 6.15.12, "Atomic
// integer and floating-point types"). Models usually name it by the OpenCL
// type: [AtomicInt], [AtomicUint] and so on.
//
// Only the atomic functions touch it: Go operators, assignment and copying are
// errors. It must live in global or local memory. A package-level atomic
// variable starts as zero; one in local memory must be initialised by
// [AtomicInit] before its first use.
type Atomic[T Scalar] struct {
	_ noCopy
	_ [0]func()
	_ T
}

// AtomicInt is OpenCL C's atomic_int.
type AtomicInt = Atomic[int32]

// AtomicUint is OpenCL C's atomic_uint.
type AtomicUint = Atomic[uint32]

// AtomicLong is OpenCL C's atomic_long.
type AtomicLong = Atomic[int64]

// AtomicUlong is OpenCL C's atomic_ulong.
type AtomicUlong = Atomic[uint64]

// AtomicFloat is OpenCL C's atomic_float. It takes no atomic_fetch_* function.
type AtomicFloat = Atomic[float32]

// AtomicDouble is OpenCL C's atomic_double. It takes no atomic_fetch_* function.
type AtomicDouble = Atomic[float64]

// AtomicIntptrT is OpenCL C's atomic_intptr_t, on a 64-bit device.
type AtomicIntptrT = Atomic[int64]

// AtomicUintptrT is OpenCL C's atomic_uintptr_t, on a 64-bit device.
type AtomicUintptrT = Atomic[uint64]

// AtomicSizeT is OpenCL C's atomic_size_t, on a 64-bit device.
type AtomicSizeT = Atomic[uint64]

// AtomicPtrdiffT is OpenCL C's atomic_ptrdiff_t, on a 64-bit device.
type AtomicPtrdiffT = Atomic[int64]

// AtomicFlag is OpenCL C's atomic_flag: a lock-free flag with the two states
// set and clear (OpenCL C 6.15.12, "Atomic flag type and operations"). A
// package-level flag starts clear.
type AtomicFlag struct {
	_ noCopy
	_ [0]func()
	_ int32
}

// noCopy makes go vet report copies of what contains it.
type noCopy struct{}

// Lock marks the type as not to be copied.
func (*noCopy) Lock() {}

// Unlock completes Lock.
func (*noCopy) Unlock() {}
