package cl

// AtomicInit is atomic_init: it initialises an atomic variable. The write is
// not atomic: any concurrent access to the variable is a data race, so other
// work-items need a barrier or the like before they use it (OpenCL C
// 6.15.12).
func AtomicInit[T Scalar](object *Atomic[T], value T) { unreachable() }

// AtomicVarInit is ATOMIC_VAR_INIT: the initial value of a package-level atomic
// variable (OpenCL C 6.15.12). Go cannot infer the type from that of the variable:
//
//	var x cl.AtomicInt = cl.AtomicVarInit[int32](5)
func AtomicVarInit[T Scalar](value T) Atomic[T] {
	unreachable()
	return Atomic[T]{}
}

// AtomicStore is atomic_store: it writes desired to *object atomically (OpenCL
// C 6.15.12). It is sequentially consistent, with device scope.
func AtomicStore[T Scalar](object *Atomic[T], desired T) { unreachable() }

// AtomicStoreExplicit is atomic_store_explicit: [AtomicStore] with an order,
// which may not be acquire or acq_rel. The scope is [MemoryScopeDevice] unless
// given.
func AtomicStoreExplicit[T Scalar](object *Atomic[T], desired T, order MemoryOrder, scope ...MemoryScope) {
	unreachable()
}

// AtomicLoad is atomic_load: it reads *object atomically (OpenCL C
// 6.15.12). It is sequentially consistent, with device scope.
func AtomicLoad[T Scalar](object *Atomic[T]) T {
	unreachable()
	return *new(T)
}

// AtomicLoadExplicit is atomic_load_explicit: [AtomicLoad] with an order, which
// may not be release or acq_rel. The scope is [MemoryScopeDevice] unless given.
func AtomicLoadExplicit[T Scalar](object *Atomic[T], order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicExchange is atomic_exchange: it replaces *object by desired and returns
// the value replaced, as one read-modify-write operation (OpenCL C
// 6.15.12). It is sequentially consistent, with device scope.
func AtomicExchange[T Scalar](object *Atomic[T], desired T) T {
	unreachable()
	return *new(T)
}

// AtomicExchangeExplicit is atomic_exchange_explicit: [AtomicExchange] with an
// order. The scope is [MemoryScopeDevice] unless given.
func AtomicExchangeExplicit[T Scalar](object *Atomic[T], desired T, order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicCompareExchangeStrong is atomic_compare_exchange_strong: if *object
// equals *expected it replaces *object by desired and returns true; otherwise
// it copies *object to *expected, by an ordinary write, and returns false
// (OpenCL C 6.15.12). It is sequentially consistent, with device scope.
func AtomicCompareExchangeStrong[T Scalar](object *Atomic[T], expected *T, desired T) bool {
	unreachable()
	return false
}

// AtomicCompareExchangeStrongExplicit is
// atomic_compare_exchange_strong_explicit: [AtomicCompareExchangeStrong] with
// the orders of success and failure. The order of failure may be neither
// release nor acq_rel, nor stronger than that of success. The scope is
// [MemoryScopeDevice] unless given.
func AtomicCompareExchangeStrongExplicit[T Scalar](object *Atomic[T], expected *T, desired T, success, failure MemoryOrder, scope ...MemoryScope) bool {
	unreachable()
	return false
}

// AtomicCompareExchangeWeak is atomic_compare_exchange_weak:
// [AtomicCompareExchangeStrong], but it may fail although *object equals
// *expected.
func AtomicCompareExchangeWeak[T Scalar](object *Atomic[T], expected *T, desired T) bool {
	unreachable()
	return false
}

// AtomicCompareExchangeWeakExplicit is atomic_compare_exchange_weak_explicit:
// [AtomicCompareExchangeStrongExplicit], but it may fail although *object
// equals *expected.
func AtomicCompareExchangeWeakExplicit[T Scalar](object *Atomic[T], expected *T, desired T, success, failure MemoryOrder, scope ...MemoryScope) bool {
	unreachable()
	return false
}

// AtomicFetchAdd is atomic_fetch_add: it adds operand to *object with wrap-
// around and returns the value before, as one read-modify-write operation
// (OpenCL C 6.15.12). It is sequentially consistent, with device scope.
func AtomicFetchAdd[T Integer](object *Atomic[T], operand T) T {
	unreachable()
	return *new(T)
}

// AtomicFetchAddExplicit is atomic_fetch_add_explicit: [AtomicFetchAdd] with an
// order. The scope is [MemoryScopeDevice] unless given.
func AtomicFetchAddExplicit[T Integer](object *Atomic[T], operand T, order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicFetchSub is atomic_fetch_sub: it subtracts operand from *object with
// wrap-around and returns the value before, as one read-modify-write operation
// (OpenCL C 6.15.12). It is sequentially consistent, with device scope.
func AtomicFetchSub[T Integer](object *Atomic[T], operand T) T {
	unreachable()
	return *new(T)
}

// AtomicFetchSubExplicit is atomic_fetch_sub_explicit: [AtomicFetchSub] with an
// order. The scope is [MemoryScopeDevice] unless given.
func AtomicFetchSubExplicit[T Integer](object *Atomic[T], operand T, order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicFetchOr is atomic_fetch_or: it sets in *object the bits of operand and
// returns the value before, as one read-modify-write operation (OpenCL C
// 6.15.12). It is sequentially consistent, with device scope.
func AtomicFetchOr[T Integer](object *Atomic[T], operand T) T {
	unreachable()
	return *new(T)
}

// AtomicFetchOrExplicit is atomic_fetch_or_explicit: [AtomicFetchOr] with an
// order. The scope is [MemoryScopeDevice] unless given.
func AtomicFetchOrExplicit[T Integer](object *Atomic[T], operand T, order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicFetchXor is atomic_fetch_xor: it flips in *object the bits of operand
// and returns the value before, as one read-modify-write operation (OpenCL C
// 6.15.12). It is sequentially consistent, with device scope.
func AtomicFetchXor[T Integer](object *Atomic[T], operand T) T {
	unreachable()
	return *new(T)
}

// AtomicFetchXorExplicit is atomic_fetch_xor_explicit: [AtomicFetchXor] with an
// order. The scope is [MemoryScopeDevice] unless given.
func AtomicFetchXorExplicit[T Integer](object *Atomic[T], operand T, order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicFetchAnd is atomic_fetch_and: it keeps in *object only the bits of
// operand and returns the value before, as one read-modify-write operation
// (OpenCL C 6.15.12). It is sequentially consistent, with device scope.
func AtomicFetchAnd[T Integer](object *Atomic[T], operand T) T {
	unreachable()
	return *new(T)
}

// AtomicFetchAndExplicit is atomic_fetch_and_explicit: [AtomicFetchAnd] with an
// order. The scope is [MemoryScopeDevice] unless given.
func AtomicFetchAndExplicit[T Integer](object *Atomic[T], operand T, order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicFetchMin is atomic_fetch_min: it sets *object to the smaller of *object
// and operand and returns the value before, as one read-modify-write operation
// (OpenCL C 6.15.12). It is sequentially consistent, with device scope.
func AtomicFetchMin[T Integer](object *Atomic[T], operand T) T {
	unreachable()
	return *new(T)
}

// AtomicFetchMinExplicit is atomic_fetch_min_explicit: [AtomicFetchMin] with an
// order. The scope is [MemoryScopeDevice] unless given.
func AtomicFetchMinExplicit[T Integer](object *Atomic[T], operand T, order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicFetchMax is atomic_fetch_max: it sets *object to the larger of *object
// and operand and returns the value before, as one read-modify-write operation
// (OpenCL C 6.15.12). It is sequentially consistent, with device scope.
func AtomicFetchMax[T Integer](object *Atomic[T], operand T) T {
	unreachable()
	return *new(T)
}

// AtomicFetchMaxExplicit is atomic_fetch_max_explicit: [AtomicFetchMax] with an
// order. The scope is [MemoryScopeDevice] unless given.
func AtomicFetchMaxExplicit[T Integer](object *Atomic[T], operand T, order MemoryOrder, scope ...MemoryScope) T {
	unreachable()
	return *new(T)
}

// AtomicFlagTestAndSet is atomic_flag_test_and_set: it sets the flag and
// reports whether it was set before, as one read-modify-write operation (OpenCL
// C 6.15.12). It is sequentially consistent, with device scope.
func AtomicFlagTestAndSet(object *AtomicFlag) bool {
	unreachable()
	return false
}

// AtomicFlagTestAndSetExplicit is atomic_flag_test_and_set_explicit:
// [AtomicFlagTestAndSet] with an order. The scope is [MemoryScopeDevice] unless
// given.
func AtomicFlagTestAndSetExplicit(object *AtomicFlag, order MemoryOrder, scope ...MemoryScope) bool {
	unreachable()
	return false
}

// AtomicFlagClear is atomic_flag_clear: it clears the flag (OpenCL C
// 6.15.12). It is sequentially consistent, with device scope.
func AtomicFlagClear(object *AtomicFlag) { unreachable() }

// AtomicFlagClearExplicit is atomic_flag_clear_explicit: [AtomicFlagClear] with
// an order, which may not be acquire or acq_rel. The scope is
// [MemoryScopeDevice] unless given.
func AtomicFlagClearExplicit(object *AtomicFlag, order MemoryOrder, scope ...MemoryScope) {
	unreachable()
}
