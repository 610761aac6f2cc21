package cl

// Observable is the set of types whose values [Observe] records.
type Observable interface {
	~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Choose returns any of 0, 1, ..., n-1: clmc explores all of them. It stands
// for an input of the program. n must be positive, and at most 65536.
func Choose(n int) int {
	unreachable()
	return 0
}

// Any is the first value of a package-level variable of which nothing is known: a number, or an array of numbers.
//
//	var in = cl.Any[[8]int32]()
//
// The verdict is about every value. clmc decides one where something depends on it, and only as far as that needs;
// what goes wrong is shown with values for which it does.
func Any[T any]() (value T) {
	unreachable()
	return value
}

// Assume abandons executions in which cond is false, as if they did not exist.
func Assume(cond bool) { unreachable() }

// Assert states that cond is true whenever control comes here. The message,
// a constant, is shown when an execution violates it.
func Assert(cond bool, message string) { unreachable() }

// Observe adds the value, under a constant name, to the outcome of the
// execution. In a kernel the name is qualified by the work-item. No observation
// replaces another: where several kernels, instances of one, host threads or
// rounds of a loop observe under one name, clmc tells them apart.
func Observe[T Observable](name string, value T) { unreachable() }

// Reachable states that control comes here in some execution, so that a
// verdict is not vacuous. The label is a constant.
func Reachable(label string) { unreachable() }
