package state

import (
	"cmp"

	"github.com/clmc/clmc/state/ir"
)

// subGroupSize returns the size of a kernel's sub-groups that are not the last of
// their work-group.
func (m *Machine) subGroupSize(kernel int) int64 {
	return cmp.Or(m.Program.Funcs[kernel].SubGroupSize, m.Program.SubGroupSize, ir.DefaultSubGroupSize)
}

// divide finds a work-item's place among the sub-groups of its work-group: each
// takes the next `most` work-items in linear order, the last one what is left.
func divide(it *ir.Item, most int64) {
	shape := it.GroupShape()
	full, size := it.LocalSize[0]*it.LocalSize[1]*it.LocalSize[2], shape[0]*shape[1]*shape[2]
	number := func(items int64) int64 { return (items + most - 1) / most }
	local := ir.Linear(it.LocalID, shape)
	it.SubGroupID, it.SubLocalID = local/most, local%most
	it.SubGroupSize = min(most, size-it.SubGroupID*most)
	it.NumSubGroups = number(size)
	it.MaxSubGroupSize, it.EnqueuedNumSubGroups = min(most, full), number(full)
}
