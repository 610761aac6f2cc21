package cl

// DeviceID is cl_device_id: a device of the context, by its number from 0.
type DeviceID int

// CommandQueue is cl_command_queue, a host command queue.
type CommandQueue struct{ number int }

// CommandQueueProperties is cl_command_queue_properties.
type CommandQueueProperties uint64

// The properties of command queues.
const (
	// CLQueueOutOfOrderExecModeEnable is CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE:
	// only wait lists, markers and barriers order the commands of the queue.
	CLQueueOutOfOrderExecModeEnable CommandQueueProperties = 1 << 0
)

// CreateCommandQueue is clCreateCommandQueueWithProperties: a queue of a device,
// in-order unless the properties say otherwise. Both arguments are constants.
// The host calls it once for each queue: not in a loop, nor in a thread that a
// go statement starts.
func CreateCommandQueue(device DeviceID, properties CommandQueueProperties) CommandQueue {
	unreachable()
	return CommandQueue{}
}

// CommandOption says where a command is enqueued or what it waits for. It is
// written in the call itself: [OnQueue], [EventWaitList].
type CommandOption struct{ _ int }

// OnQueue enqueues a command on a queue. Without it a command goes to the
// default queue, which is in-order and of device 0.
func OnQueue(queue CommandQueue) CommandOption {
	unreachable()
	return CommandOption{}
}

// EventWaitList is the event_wait_list of a command: it starts when all of these
// events are complete (API 5.11).
func EventWaitList(events ...Event) CommandOption {
	unreachable()
	return CommandOption{}
}

// EnqueueNDRangeKernel is clEnqueueNDRangeKernel: each work-item of the range
// runs kernel. Variables that a function literal captures are the kernel's
// arguments: it sees the values they have at the enqueue, and nobody may assign
// to them afterwards.
func EnqueueNDRangeKernel(kernel func(), ndrange NDRange, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// The values of the argument blocking of commands.
const (
	// CLBlocking is CL_BLOCKING: the call returns when the command is complete.
	CLBlocking = true
	// CLNonBlocking is CL_NON_BLOCKING: the call returns at once.
	CLNonBlocking = false
)

// EnqueueReadBuffer is clEnqueueReadBuffer: it copies len(ptr) elements of a
// buffer, from offset on, to memory of the host.
func EnqueueReadBuffer[T any](buffer []T, blocking bool, offset int, ptr []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueWriteBuffer is clEnqueueWriteBuffer: it copies memory of the host to
// len(ptr) elements of a buffer, from offset on.
func EnqueueWriteBuffer[T any](buffer []T, blocking bool, offset int, ptr []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueCopyBuffer is clEnqueueCopyBuffer: it copies size elements from one
// buffer to another.
func EnqueueCopyBuffer[T any](src, dst []T, srcOffset, dstOffset, size int, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueFillBuffer is clEnqueueFillBuffer: it sets size elements of a buffer,
// from offset on, to pattern.
func EnqueueFillBuffer[T any](buffer []T, pattern T, offset, size int, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// MapFlags is cl_map_flags; combine the flags with |.
type MapFlags uint64

// What the host may do with mapped memory.
const (
	// CLMapRead is CL_MAP_READ.
	CLMapRead MapFlags = 1 << 0
	// CLMapWrite is CL_MAP_WRITE. The host may read as well.
	CLMapWrite MapFlags = 1 << 1
)

// EnqueueMapBuffer is clEnqueueMapBuffer: once the command is complete, and
// until it is unmapped, the host may access the region of size elements from
// offset on, through the slice returned. The command may overwrite the region by
// what the commands that it follows have seen (API 3.3.7.5).
func EnqueueMapBuffer[T any](buffer []T, blocking bool, flags MapFlags, offset, size int, options ...CommandOption) ([]T, Event) {
	unreachable()
	return nil, Event{}
}

// EnqueueUnmapMemObject is clEnqueueUnmapMemObject: it ends a mapping, given the
// slice that [EnqueueMapBuffer] returned.
func EnqueueUnmapMemObject[T any](mapped []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueSVMMap is clEnqueueSVMMap: [EnqueueMapBuffer] for a region of shared
// virtual memory. Fine-grained memory need not be mapped.
func EnqueueSVMMap[T any](blocking bool, flags MapFlags, svm []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueSVMUnmap is clEnqueueSVMUnmap, given what [EnqueueSVMMap] was given.
func EnqueueSVMUnmap[T any](svm []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueSVMMemcpy is clEnqueueSVMMemcpy: it copies src to dst, which are of the
// same length.
func EnqueueSVMMemcpy[T any](blocking bool, dst, src []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueSVMMemFill is clEnqueueSVMMemFill: it sets all elements of svm to
// pattern.
func EnqueueSVMMemFill[T any](svm []T, pattern T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueSVMFree is clEnqueueSVMFree for one allocation, without a callback: a command that does what
// [SVMFree] does, once all that it waits for is complete.
func EnqueueSVMFree[T any](svm []T, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// MigrationFlags is cl_mem_migration_flags.
type MigrationFlags uint64

// The flags of migration.
const (
	// CLMigrateMemObjectHost is CL_MIGRATE_MEM_OBJECT_HOST: to the host, not to
	// the queue's device.
	CLMigrateMemObjectHost MigrationFlags = 1 << 0
)

// EnqueueMigrateMemObjects is clEnqueueMigrateMemObjects for one buffer: a command that
// changes where memory is kept, and neither reads nor writes it (API 5.5.4). What it
// orders it orders as any command does.
func EnqueueMigrateMemObjects[T any](buffer []T, flags MigrationFlags, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueSVMMigrateMem is clEnqueueSVMMigrateMem: [EnqueueMigrateMemObjects] for shared
// virtual memory.
func EnqueueSVMMigrateMem[T any](svm []T, flags MigrationFlags, options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueMarkerWithWaitList is clEnqueueMarkerWithWaitList: a command that does
// nothing and waits for its wait list or, without one, for all commands enqueued
// on the queue before (API 5.12).
func EnqueueMarkerWithWaitList(options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// EnqueueBarrierWithWaitList is clEnqueueBarrierWithWaitList: a marker that all
// commands enqueued on the queue later wait for (API 5.12).
func EnqueueBarrierWithWaitList(options ...CommandOption) Event {
	unreachable()
	return Event{}
}

// Finish is clFinish: it waits until all commands enqueued on the queue before
// have completed. The queue is the default one unless given.
func Finish(queue ...CommandQueue) { unreachable() }

// Flush is clFlush. It has no effect here: every command is submitted to its
// device sooner or later.
func Flush(queue ...CommandQueue) { unreachable() }

// Event is cl_event: it tells how far a command of the host has come. An event
// of the host is no event of a kernel, although the type is the same.
type Event = ClkEvent

// The execution statuses of a command that is not complete: see [CLComplete]. A
// negative status is an error: the command has terminated abnormally.
const (
	// CLRunning is CL_RUNNING.
	CLRunning int32 = 1
	// CLSubmitted is CL_SUBMITTED.
	CLSubmitted int32 = 2
	// CLQueued is CL_QUEUED.
	CLQueued int32 = 3
)

// WaitForEvents is clWaitForEvents: it waits until all of the events are
// complete and reports whether none has a negative status: CL_SUCCESS as opposed
// to CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.
func WaitForEvents(events ...Event) bool {
	unreachable()
	return false
}

// EventInfo is cl_event_info.
type EventInfo int

// What [GetEventInfo] can be asked for.
const (
	// CLEventCommandExecutionStatus is CL_EVENT_COMMAND_EXECUTION_STATUS.
	CLEventCommandExecutionStatus EventInfo = 0x11D3
)

// GetEventInfo is clGetEventInfo: the execution status of the event's command.
// Seeing that a command is complete is no synchronisation: only waiting is (API
// 5.11).
func GetEventInfo(event Event, param EventInfo) int32 {
	unreachable()
	return 0
}

// SetEventCallback is clSetEventCallback: when the event has come to a status, or past it, notify
// runs in a host thread of its own, and is told that status, or the negative one of a command that has failed before. The
// second argument is [CLSubmitted], [CLRunning] or [CLComplete]. Only with the last one does what
// the command has done happen before what notify does: that a command runs orders nothing (API 5.11).
func SetEventCallback(event Event, callbackType int32, notify func(event Event, status int32)) {
	unreachable()
}
