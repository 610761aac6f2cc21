package cl

// WorkGroupAll is work_group_all: it reports whether predicate is true for all
// work-items of the work-group (OpenCL C 6.15.16). As with every collective
// function, all work-items of the group must reach the same call in the same
// iteration; it orders no memory.
func WorkGroupAll(predicate bool) bool {
	unreachable()
	return false
}

// WorkGroupAny is work_group_any: it reports whether predicate is true for any
// work-item of the work-group (OpenCL C 6.15.16).
func WorkGroupAny(predicate bool) bool {
	unreachable()
	return false
}

// WorkGroupBroadcast is work_group_broadcast: it returns the value of a that the
// work-item with the given local ID passes, in one, two or three dimensions; an
// ID that is left out is 0. The ID must be the same for all work-items, and one
// of the group's (OpenCL C 6.15.16).
func WorkGroupBroadcast[T Scalar](a T, localID ...int) T {
	unreachable()
	return *new(T)
}

// WorkGroupReduceAdd is work_group_reduce_add: it returns the sum of x over all
// work-items of the work-group (OpenCL C 6.15.16). T must be an integer type:
// OpenCL leaves open in what order floats are added.
func WorkGroupReduceAdd[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// WorkGroupReduceMin is work_group_reduce_min: it returns the smallest of x
// over all work-items of the work-group (OpenCL C 6.15.16).
func WorkGroupReduceMin[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// WorkGroupReduceMax is work_group_reduce_max: it returns the largest of x over
// all work-items of the work-group (OpenCL C 6.15.16).
func WorkGroupReduceMax[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// WorkGroupScanExclusiveAdd is work_group_scan_exclusive_add: it returns the
// sum of x over the work-items of the work-group before this one, in linear
// order (OpenCL C 6.15.16). For the first it is 0. T must be an integer type.
func WorkGroupScanExclusiveAdd[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// WorkGroupScanExclusiveMin is work_group_scan_exclusive_min: it returns the
// smallest of x over the work-items of the work-group before this one, in
// linear order (OpenCL C 6.15.16). For the first it is the greatest value of
// the type.
func WorkGroupScanExclusiveMin[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// WorkGroupScanExclusiveMax is work_group_scan_exclusive_max: it returns the
// largest of x over the work-items of the work-group before this one, in linear
// order (OpenCL C 6.15.16). For the first it is the least value of the type.
func WorkGroupScanExclusiveMax[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// WorkGroupScanInclusiveAdd is work_group_scan_inclusive_add: it returns the
// sum of x over the work-items of the work-group up to and with this one, in
// linear order (OpenCL C 6.15.16). T must be an integer type.
func WorkGroupScanInclusiveAdd[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// WorkGroupScanInclusiveMin is work_group_scan_inclusive_min: it returns the
// smallest of x over the work-items of the work-group up to and with this one,
// in linear order (OpenCL C 6.15.16).
func WorkGroupScanInclusiveMin[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// WorkGroupScanInclusiveMax is work_group_scan_inclusive_max: it returns the
// largest of x over the work-items of the work-group up to and with this one,
// in linear order (OpenCL C 6.15.16).
func WorkGroupScanInclusiveMax[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupAll is sub_group_all: [WorkGroupAll] for the work-items of a sub-group
// (OpenCL C 6.15.19).
func SubGroupAll(predicate bool) bool {
	unreachable()
	return false
}

// SubGroupAny is sub_group_any: [WorkGroupAny] for the work-items of a sub-group
// (OpenCL C 6.15.19).
func SubGroupAny(predicate bool) bool {
	unreachable()
	return false
}

// SubGroupBroadcast is sub_group_broadcast: it returns the value of x that the
// work-item with the given sub-group local ID passes. The ID must be the same
// for all work-items of the sub-group, and one of the sub-group's (OpenCL C
// 6.15.19).
func SubGroupBroadcast[T Scalar](x T, subGroupLocalID int) T {
	unreachable()
	return *new(T)
}

// SubGroupReduceAdd is sub_group_reduce_add: it returns the sum of x over all
// work-items of the sub-group (OpenCL C 6.15.19). T must be an integer type:
// OpenCL leaves open in what order floats are added.
func SubGroupReduceAdd[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupReduceMin is sub_group_reduce_min: it returns the smallest of x over
// all work-items of the sub-group (OpenCL C 6.15.19).
func SubGroupReduceMin[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupReduceMax is sub_group_reduce_max: it returns the largest of x over
// all work-items of the sub-group (OpenCL C 6.15.19).
func SubGroupReduceMax[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupScanExclusiveAdd is sub_group_scan_exclusive_add: it returns the sum
// of x over the work-items of the sub-group before this one, in linear order
// (OpenCL C 6.15.19). For the first it is 0. T must be an integer type.
func SubGroupScanExclusiveAdd[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupScanExclusiveMin is sub_group_scan_exclusive_min: it returns the
// smallest of x over the work-items of the sub-group before this one, in linear
// order (OpenCL C 6.15.19). For the first it is the greatest value of the type.
func SubGroupScanExclusiveMin[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupScanExclusiveMax is sub_group_scan_exclusive_max: it returns the
// largest of x over the work-items of the sub-group before this one, in linear
// order (OpenCL C 6.15.19). For the first it is the least value of the type.
func SubGroupScanExclusiveMax[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupScanInclusiveAdd is sub_group_scan_inclusive_add: it returns the sum
// of x over the work-items of the sub-group up to and with this one, in linear
// order (OpenCL C 6.15.19). T must be an integer type.
func SubGroupScanInclusiveAdd[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupScanInclusiveMin is sub_group_scan_inclusive_min: it returns the
// smallest of x over the work-items of the sub-group up to and with this one,
// in linear order (OpenCL C 6.15.19).
func SubGroupScanInclusiveMin[T Scalar](x T) T {
	unreachable()
	return *new(T)
}

// SubGroupScanInclusiveMax is sub_group_scan_inclusive_max: it returns the
// largest of x over the work-items of the sub-group up to and with this one, in
// linear order (OpenCL C 6.15.19).
func SubGroupScanInclusiveMax[T Scalar](x T) T {
	unreachable()
	return *new(T)
}
