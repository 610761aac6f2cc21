package cl

// EventT is event_t: what [AsyncWorkGroupCopy] returns and [WaitGroupEvents]
// waits for. 0 is no event.
type EventT int32

// Gentype is the set of types whose arrays can be copied asynchronously.
type Gentype interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// AsyncWorkGroupCopy is async_work_group_copy: it starts to copy the first
// numGentypes elements of src to dst, one of which is in local and the other in
// global memory, and returns an event to wait for (OpenCL C 6.15.11). Given an
// event, the copy joins those that the event stands for, and returns it.
//
// All work-items of the work-group must reach the same call in the same
// iteration, with the same arguments. The copy is in no order with what they do
// before [WaitGroupEvents]: they must neither write src nor touch dst. Nor does the
// call wait for what other work-items have written to src: put a barrier before
// it.
func AsyncWorkGroupCopy[T Gentype](dst, src []T, numGentypes int, event EventT) EventT {
	unreachable()
	return 0
}

// AsyncWorkGroupStridedCopy is async_work_group_strided_copy:
// [AsyncWorkGroupCopy] of elements that are stride apart in global memory, and
// next to each other in local memory (OpenCL C 6.15.11).
func AsyncWorkGroupStridedCopy[T Gentype](dst, src []T, numGentypes, stride int, event EventT) EventT {
	unreachable()
	return 0
}

// WaitGroupEvents is wait_group_events: it waits until the copies of the events
// are complete, and all work-items of the work-group see what they have written
// (OpenCL C 6.15.11). All must reach the same call in the same iteration, with the
// same events. Each event must be waited for once, before the kernel ends.
func WaitGroupEvents(events ...EventT) { unreachable() }

// Prefetch is prefetch: a hint that the elements of p will be read, without an
// effect (OpenCL C 6.15.11).
func Prefetch[T Gentype](p []T, numGentypes int) { unreachable() }
