package cl

// MemoryOrder is OpenCL C's memory_order: how an atomic operation or fence
// orders the other memory operations of its work-item (OpenCL C 6.15.12).
// Arguments of this type must be constants.
type MemoryOrder uint8

// The memory orders.
const (
	// MemoryOrderRelaxed is memory_order_relaxed: atomicity without ordering.
	MemoryOrderRelaxed MemoryOrder = iota + 1
	// MemoryOrderAcquire is memory_order_acquire: a load or fence that sees what
	// was released before.
	MemoryOrderAcquire
	// MemoryOrderRelease is memory_order_release: a store or fence that publishes
	// what precedes it.
	MemoryOrderRelease
	// MemoryOrderAcqRel is memory_order_acq_rel: both acquire and release.
	MemoryOrderAcqRel
	// MemoryOrderSeqCst is memory_order_seq_cst: acquire and release, in a
	// single total order of all such operations.
	MemoryOrderSeqCst
)

// MemoryScope is OpenCL C's memory_scope: which work-items a memory operation
// synchronises with (OpenCL C 6.15.12). Arguments of this type must be
// constants.
type MemoryScope uint8

// The memory scopes, narrowest first.
const (
	// MemoryScopeWorkItem is memory_scope_work_item, legal only in
	// [AtomicWorkItemFence] with [CLKImageMemFence].
	MemoryScopeWorkItem MemoryScope = iota + 1
	// MemoryScopeSubGroup is memory_scope_sub_group.
	MemoryScopeSubGroup
	// MemoryScopeWorkGroup is memory_scope_work_group.
	MemoryScopeWorkGroup
	// MemoryScopeDevice is memory_scope_device.
	MemoryScopeDevice
	// MemoryScopeAllSVMDevices is memory_scope_all_svm_devices: all devices and
	// host threads that share the memory.
	MemoryScopeAllSVMDevices
	// MemoryScopeAllDevices is memory_scope_all_devices, OpenCL C 3.0's name of
	// [MemoryScopeAllSVMDevices].
	MemoryScopeAllDevices = MemoryScopeAllSVMDevices
)

// MemFenceFlags is OpenCL C's cl_mem_fence_flags: the kinds of memory that a
// fence or barrier orders; combine them with |. Arguments of this type must be
// constants.
type MemFenceFlags uint8

// The fence flags (OpenCL C 6.15.8).
const (
	// CLKLocalMemFence is CLK_LOCAL_MEM_FENCE: local memory.
	CLKLocalMemFence MemFenceFlags = 1 << iota
	// CLKGlobalMemFence is CLK_GLOBAL_MEM_FENCE: global memory.
	CLKGlobalMemFence
	// CLKImageMemFence is CLK_IMAGE_MEM_FENCE: images.
	CLKImageMemFence
)
