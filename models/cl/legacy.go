package cl

// Word is the set of types that the atomic functions of OpenCL 1.x work on.
type Word interface {
	~int32 | ~uint32
}

// AtomicAdd is OpenCL 1.x's atomic_add: it adds value to *p and returns the
// value before (OpenCL C 6.15.12). The operation is relaxed, of device scope
// unless --legacy-atomics says otherwise.
func AtomicAdd[T Word](p *T, value T) T {
	unreachable()
	return *new(T)
}

// AtomicSub is OpenCL 1.x's atomic_sub: it subtracts value from *p and returns
// the value before (OpenCL C 6.15.12). The operation is relaxed, of device
// scope unless --legacy-atomics says otherwise.
func AtomicSub[T Word](p *T, value T) T {
	unreachable()
	return *new(T)
}

// AtomicXchg is OpenCL 1.x's atomic_xchg: it replaces *p by value and returns
// the value before (OpenCL C 6.15.12). The operation is relaxed, of device
// scope unless --legacy-atomics says otherwise.
func AtomicXchg[T Word](p *T, value T) T {
	unreachable()
	return *new(T)
}

// AtomicMin is OpenCL 1.x's atomic_min: it sets *p to the smaller of *p and
// value and returns the value before (OpenCL C 6.15.12). The operation is
// relaxed, of device scope unless --legacy-atomics says otherwise.
func AtomicMin[T Word](p *T, value T) T {
	unreachable()
	return *new(T)
}

// AtomicMax is OpenCL 1.x's atomic_max: it sets *p to the larger of *p and
// value and returns the value before (OpenCL C 6.15.12). The operation is
// relaxed, of device scope unless --legacy-atomics says otherwise.
func AtomicMax[T Word](p *T, value T) T {
	unreachable()
	return *new(T)
}

// AtomicAnd is OpenCL 1.x's atomic_and: it keeps in *p only the bits of value
// and returns the value before (OpenCL C 6.15.12). The operation is relaxed,
// of device scope unless --legacy-atomics says otherwise.
func AtomicAnd[T Word](p *T, value T) T {
	unreachable()
	return *new(T)
}

// AtomicOr is OpenCL 1.x's atomic_or: it sets in *p the bits of value and
// returns the value before (OpenCL C 6.15.12). The operation is relaxed, of
// device scope unless --legacy-atomics says otherwise.
func AtomicOr[T Word](p *T, value T) T {
	unreachable()
	return *new(T)
}

// AtomicXor is OpenCL 1.x's atomic_xor: it flips in *p the bits of value and
// returns the value before (OpenCL C 6.15.12). The operation is relaxed, of
// device scope unless --legacy-atomics says otherwise.
func AtomicXor[T Word](p *T, value T) T {
	unreachable()
	return *new(T)
}

// AtomicInc is OpenCL 1.x's atomic_inc: it adds 1 to *p and returns the value
// before (OpenCL C 6.15.12). The operation is relaxed, of device scope unless
// --legacy-atomics says otherwise.
func AtomicInc[T Word](p *T) T {
	unreachable()
	return *new(T)
}

// AtomicDec is OpenCL 1.x's atomic_dec: it subtracts 1 from *p and returns the
// value before (OpenCL C 6.15.12). The operation is relaxed, of device scope
// unless --legacy-atomics says otherwise.
func AtomicDec[T Word](p *T) T {
	unreachable()
	return *new(T)
}

// AtomicCmpxchg is OpenCL 1.x's atomic_cmpxchg: it replaces *p by value if *p
// equals compare, and returns the value before (OpenCL C 6.15.12). The
// operation is relaxed, of device scope unless --legacy-atomics says
// otherwise.
func AtomicCmpxchg[T Word](p *T, compare, value T) T {
	unreachable()
	return *new(T)
}
