package cl

// AtomicWorkItemFence is atomic_work_item_fence: it orders the memory
// operations of the work-item on the kinds of memory that flags names; flags
// may not be 0 (OpenCL C 6.15.12).
func AtomicWorkItemFence(flags MemFenceFlags, order MemoryOrder, scope MemoryScope) { unreachable() }

// MemFence is OpenCL 1.x's mem_fence: [AtomicWorkItemFence] with
// [MemoryOrderAcqRel] and [MemoryScopeWorkGroup] (OpenCL C 6.15.9).
func MemFence(flags MemFenceFlags) { unreachable() }

// ReadMemFence is OpenCL 1.x's read_mem_fence: [AtomicWorkItemFence] with
// [MemoryOrderAcquire] and [MemoryScopeWorkGroup] (OpenCL C 6.15.9).
func ReadMemFence(flags MemFenceFlags) { unreachable() }

// WriteMemFence is OpenCL 1.x's write_mem_fence: [AtomicWorkItemFence] with
// [MemoryOrderRelease] and [MemoryScopeWorkGroup] (OpenCL C 6.15.9).
func WriteMemFence(flags MemFenceFlags) { unreachable() }

// WorkGroupBarrier is work_group_barrier: no work-item of the work-group passes
// it before all have reached it, and it orders their accesses to the kinds of
// memory that flags names. All work-items of the group must reach the same call
// in the same iteration, or none. The scope is [MemoryScopeWorkGroup] unless
// given; it matters for global memory only (OpenCL C 6.15.8).
func WorkGroupBarrier(flags MemFenceFlags, scope ...MemoryScope) { unreachable() }

// Barrier is OpenCL 1.x's barrier, another name of [WorkGroupBarrier] (OpenCL C
// 6.15.8).
func Barrier(flags MemFenceFlags) { unreachable() }

// SubGroupBarrier is sub_group_barrier: [WorkGroupBarrier] for the work-items
// of a sub-group. The scope is [MemoryScopeSubGroup] unless given (OpenCL C
// 6.15.8).
func SubGroupBarrier(flags MemFenceFlags, scope ...MemoryScope) { unreachable() }
