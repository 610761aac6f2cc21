package ir

// Answer answers a work-item function.
func (it *Item) Answer(q Query, dim int64) int64 {
	pick := func(v *[3]int64, beyond int64) int64 {
		if dim < 0 || dim >= int64(it.WorkDim) {
			return beyond
		}
		return v[dim]
	}
	switch q {
	case QueryWorkDim:
		return int64(it.WorkDim)
	case QueryGlobalID:
		return pick(&it.GlobalID, 0) + pick(&it.GlobalOffset, 0)
	case QueryLocalID:
		return pick(&it.LocalID, 0)
	case QueryGroupID:
		return pick(&it.GroupID, 0)
	case QueryGlobalSize:
		return pick(&it.GlobalSize, 1)
	case QueryLocalSize:
		shape := it.GroupShape()
		return pick(&shape, 1)
	case QueryEnqueuedLocalSize:
		return pick(&it.LocalSize, 1)
	case QueryNumGroups:
		size := max(pick(&it.LocalSize, 1), 1)
		return (pick(&it.GlobalSize, 1) + size - 1) / size
	case QueryGlobalOffset:
		return pick(&it.GlobalOffset, 0)
	case QueryGlobalLinearID:
		return Linear(it.GlobalID, it.GlobalSize)
	case QueryLocalLinearID:
		return Linear(it.LocalID, it.GroupShape())
	case QuerySubGroupSize:
		return it.SubGroupSize
	case QueryMaxSubGroupSize:
		return it.MaxSubGroupSize
	case QueryNumSubGroups:
		return it.NumSubGroups
	case QueryEnqueuedNumSubGroups:
		return it.EnqueuedNumSubGroups
	case QuerySubGroupID:
		return it.SubGroupID
	case QuerySubGroupLocalID:
		return it.SubLocalID
	}
	return 0
}

// Linear returns the place of an id in an index space.
func Linear(id, size [3]int64) int64 { return (id[2]*size[1]+id[1])*size[0] + id[0] }

// GroupShape returns the size of a work-item's group: the last one of a
// dimension may be smaller than what was asked for.
func (it *Item) GroupShape() (shape [3]int64) {
	for d := range shape {
		shape[d] = min(it.LocalSize[d], it.GlobalSize[d]-it.GroupID[d]*it.LocalSize[d])
	}
	return shape
}

// Counts returns the registers that count the rounds of the loops around a meeting.
func (in *Instr) Counts() []int32 {
	if in.Rounds == nil {
		return nil
	}
	return in.Rounds.Counts
}

// Operand returns the value of an operand.
func (f *Func) Operand(regs []int64, o int32) int64 {
	if o < 0 {
		return f.Consts[^o]
	}
	return regs[o]
}
