package cl

// GetWorkDim is get_work_dim: the number of dimensions of the NDRange (OpenCL C
// 6.15.1).
func GetWorkDim() int {
	unreachable()
	return 0
}

// GetGlobalSize is get_global_size: the number of work-items in dimension dim
// (OpenCL C 6.15.1).
func GetGlobalSize(dim int) int {
	unreachable()
	return 0
}

// GetGlobalID is get_global_id: the global ID of the work-item in dimension
// dim, offset included (OpenCL C 6.15.1).
func GetGlobalID(dim int) int {
	unreachable()
	return 0
}

// GetLocalSize is get_local_size: the number of work-items of the work-group in
// dimension dim, which is less than that asked for in a remainder group (OpenCL
// C 6.15.1).
func GetLocalSize(dim int) int {
	unreachable()
	return 0
}

// GetEnqueuedLocalSize is get_enqueued_local_size: the local size in dimension
// dim that the enqueue asked for (OpenCL C 6.15.1).
func GetEnqueuedLocalSize(dim int) int {
	unreachable()
	return 0
}

// GetLocalID is get_local_id: the ID of the work-item within its work-group in
// dimension dim (OpenCL C 6.15.1).
func GetLocalID(dim int) int {
	unreachable()
	return 0
}

// GetNumGroups is get_num_groups: the number of work-groups in dimension dim
// (OpenCL C 6.15.1).
func GetNumGroups(dim int) int {
	unreachable()
	return 0
}

// GetGroupID is get_group_id: the ID of the work-group in dimension dim (OpenCL
// C 6.15.1).
func GetGroupID(dim int) int {
	unreachable()
	return 0
}

// GetGlobalOffset is get_global_offset: the offset that the enqueue gave for
// global IDs in dimension dim (OpenCL C 6.15.1).
func GetGlobalOffset(dim int) int {
	unreachable()
	return 0
}

// GetGlobalLinearID is get_global_linear_id: the global ID of the work-item as
// one number, without the offset (OpenCL C 6.15.1).
func GetGlobalLinearID() int {
	unreachable()
	return 0
}

// GetLocalLinearID is get_local_linear_id: the ID of the work-item within its
// work-group as one number (OpenCL C 6.15.1).
func GetLocalLinearID() int {
	unreachable()
	return 0
}

// GetSubGroupSize is get_sub_group_size: the number of work-items of the sub-
// group (OpenCL C 6.15.1).
func GetSubGroupSize() int {
	unreachable()
	return 0
}

// GetMaxSubGroupSize is get_max_sub_group_size: the largest size of a sub-group
// in the work-group (OpenCL C 6.15.1).
func GetMaxSubGroupSize() int {
	unreachable()
	return 0
}

// GetNumSubGroups is get_num_sub_groups: the number of sub-groups of the work-
// group (OpenCL C 6.15.1).
func GetNumSubGroups() int {
	unreachable()
	return 0
}

// GetEnqueuedNumSubGroups is get_enqueued_num_sub_groups: the number of sub-
// groups of a work-group of the size that the enqueue asked for (OpenCL C
// 6.15.1).
func GetEnqueuedNumSubGroups() int {
	unreachable()
	return 0
}

// GetSubGroupID is get_sub_group_id: the ID of the sub-group within the work-
// group (OpenCL C 6.15.1).
func GetSubGroupID() int {
	unreachable()
	return 0
}

// GetSubGroupLocalID is get_sub_group_local_id: the ID of the work-item within
// its sub-group (OpenCL C 6.15.1).
func GetSubGroupLocalID() int {
	unreachable()
	return 0
}
