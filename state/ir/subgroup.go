package ir

import "cmp"

// SubGroupSizeOf returns the size of a kernel's sub-groups that are not the last of
// their work-group.
func (p *Program) SubGroupSizeOf(kernel int) int64 {
	return cmp.Or(p.Funcs[kernel].SubGroupSize, p.SubGroupSize, DefaultSubGroupSize)
}

// InSubGroups finds a work-item's place among the sub-groups of its work-group: each
// takes the next `most` work-items in linear order, the last one what is left.
func (it *Item) InSubGroups(most int64) {
	shape := it.GroupShape()
	full, size := it.LocalSize[0]*it.LocalSize[1]*it.LocalSize[2], shape[0]*shape[1]*shape[2]
	number := func(items int64) int64 { return (items + most - 1) / most }
	local := Linear(it.LocalID, shape)
	it.SubGroupID, it.SubLocalID = local/most, local%most
	it.SubGroupSize = min(most, size-it.SubGroupID*most)
	it.NumSubGroups = number(size)
	it.MaxSubGroupSize, it.EnqueuedNumSubGroups = min(most, full), number(full)
}
