package cl

// This file declares device-side enqueue (OpenCL C 6.15.18, "Enqueuing
// Kernels"). A block is a function literal. What it captures it gets by value,
// at the enqueue; it cannot capture pointers to private or local memory, nor
// events. Go has no overloading, so the forms of enqueue_kernel have names of
// their own: with events, and with local arguments.

// Queue is queue_t: a device-side command queue. The zero Queue is
// CLK_NULL_QUEUE. Device queues are out-of-order.
type Queue struct{ id int64 }

// ClkEvent is clk_event_t: the event of a command in a device-side queue, or a
// user event. It is known to the kernel-instance that got it only, lives in
// private memory, and is counted: each enqueue returns it retained. The zero
// ClkEvent is CLK_NULL_EVENT.
type ClkEvent struct{ id int64 }

// KernelEnqueueFlags is kernel_enqueue_flags_t: when a child may start.
type KernelEnqueueFlags int32

// The flags of the forms of [EnqueueKernel].
const (
	// CLKEnqueueFlagsNoWait is CLK_ENQUEUE_FLAGS_NO_WAIT: the child need not
	// wait for its parent. It may be made to wait nevertheless.
	CLKEnqueueFlagsNoWait KernelEnqueueFlags = 0
	// CLKEnqueueFlagsWaitKernel is CLK_ENQUEUE_FLAGS_WAIT_KERNEL: it starts when
	// all work-items of the parent have ended, and sees what they did.
	CLKEnqueueFlagsWaitKernel KernelEnqueueFlags = 1
	// CLKEnqueueFlagsWaitWorkGroup is CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP: the same
	// with the work-items of the work-group that enqueues.
	CLKEnqueueFlagsWaitWorkGroup KernelEnqueueFlags = 2
)

// The results of an enqueue. Enqueues fail only where the model asks for it:
// by [EnqueuesMayFail], or on a queue that [CreateDeviceQueue] has given a size.
const (
	// CLKSuccess is CLK_SUCCESS.
	CLKSuccess int32 = 0
	// CLKEnqueueFailure is CLK_ENQUEUE_FAILURE.
	CLKEnqueueFailure int32 = -101
)

// The execution status of events; that of commands that fail is negative.
const (
	// CLComplete is CL_COMPLETE: the command or user event is complete.
	CLComplete int32 = 0
)

// GetDefaultQueue is get_default_queue. There always is one, of any size.
func GetDefaultQueue() Queue {
	unreachable()
	return Queue{}
}

// CreateDeviceQueue is clCreateCommandQueueWithProperties with
// CL_QUEUE_ON_DEVICE. Kernels reach the queue through a captured variable. A
// size, if there is one, is the number of commands that the queue holds: those
// that have not completed. An enqueue on a full queue fails.
func CreateDeviceQueue(size ...int) Queue {
	unreachable()
	return Queue{}
}

// EnqueuesMayFail lets every enqueue by a kernel fail, if cond, a constant, is
// true: clmc explores success and failure.
func EnqueuesMayFail(cond bool) { unreachable() }

// EnqueueKernel is enqueue_kernel(queue, flags, ndrange, block): a child kernel,
// each of whose work-items runs block.
func EnqueueKernel(queue Queue, flags KernelEnqueueFlags, ndrange NDRange, block func()) int32 {
	unreachable()
	return 0
}

// EnqueueKernelEvents is enqueue_kernel with num_events_in_wait_list,
// event_wait_list and event_ret. The child starts when all events of the list
// are complete. If one of them fails, so does the child, without running. The
// length of the list must be known at load time. eventRet, unless it is nil,
// gets the child's event.
func EnqueueKernelEvents(queue Queue, flags KernelEnqueueFlags, ndrange NDRange, eventWaitList []ClkEvent, eventRet *ClkEvent, block func()) int32 {
	unreachable()
	return 0
}

// EnqueueKernelLocal is enqueue_kernel with a block that takes pointers to
// local memory: here slices, func(a []int32, b []float32). The sizes,
// constants, are numbers of elements. Each work-group of the child has an
// uninitialised array of its own for each.
func EnqueueKernelLocal[Block any](queue Queue, flags KernelEnqueueFlags, ndrange NDRange, block Block, sizes ...int) int32 {
	unreachable()
	return 0
}

// EnqueueKernelLocalEvents is enqueue_kernel with events and local
// arguments: [EnqueueKernelEvents] and [EnqueueKernelLocal] in one.
func EnqueueKernelLocalEvents[Block any](queue Queue, flags KernelEnqueueFlags, ndrange NDRange, eventWaitList []ClkEvent, eventRet *ClkEvent, block Block, sizes ...int) int32 {
	unreachable()
	return 0
}

// EnqueueMarker is enqueue_marker: a command that completes when all events of
// the list have. The list must not be empty; without eventRet nothing happens.
func EnqueueMarker(queue Queue, eventWaitList []ClkEvent, eventRet *ClkEvent) int32 {
	unreachable()
	return 0
}

// CreateUserEvent is create_user_event: an event that is not complete until
// [SetUserEventStatus] makes it so.
func CreateUserEvent() ClkEvent {
	unreachable()
	return ClkEvent{}
}

// SetUserEventStatus is set_user_event_status: it sets the status of a user
// event, once, to [CLComplete] or to a negative number. A negative status makes
// the commands fail that wait for the event.
func SetUserEventStatus(event ClkEvent, status int32) { unreachable() }

// RetainEvent is retain_event: it increments the reference count of the event.
func RetainEvent(event ClkEvent) { unreachable() }

// ReleaseEvent is release_event: it decrements the reference count. The event
// must not be used after its last release.
func ReleaseEvent(event ClkEvent) { unreachable() }

// IsValidEvent is is_valid_event.
func IsValidEvent(event ClkEvent) bool {
	unreachable()
	return false
}

// GetKernelWorkGroupSize is get_kernel_work_group_size: here a constant.
func GetKernelWorkGroupSize(block func()) uint32 {
	unreachable()
	return 0
}

// GetKernelPreferredWorkGroupSizeMultiple is
// get_kernel_preferred_work_group_size_multiple: here the size of a sub-group.
func GetKernelPreferredWorkGroupSizeMultiple(block func()) uint32 {
	unreachable()
	return 0
}

// GetKernelSubGroupCountForNDRange is get_kernel_sub_group_count_for_ndrange:
// the number of sub-groups in a whole work-group of the range.
func GetKernelSubGroupCountForNDRange(ndrange NDRange, block func()) uint32 {
	unreachable()
	return 0
}

// GetKernelMaxSubGroupSizeForNDRange is
// get_kernel_max_sub_group_size_for_ndrange.
func GetKernelMaxSubGroupSizeForNDRange(ndrange NDRange, block func()) uint32 {
	unreachable()
	return 0
}
