// Command subgroup_scan computes prefix sums of a work-group from those of its
// sub-groups.
//
// Idiom: hierarchical scan. Source: OpenCL C 6.15.19.
//
// Derivation: sub_group_scan_inclusive_add returns the sum of what the
// work-items of the sub-group up to this one passed (rule 11.6); the last of
// each sub-group leaves its own in local memory. The barrier orders these writes
// before the reads of all (rule 11.3), and a work-item adds those of the
// sub-groups before its own. That is work_group_scan_inclusive_add, for every
// size of sub-groups, also one that does not divide that of the work-group.
// Without the barrier the reads race (rule 9.1), unless there is one sub-group
// only, for then nobody reads.
//
//clmc:expect verified
//clmc:expect -D size=1 verified
//clmc:expect -D size=3 verified
//clmc:expect -D size=4 verified
//clmc:expect -D barrier=false violated CL1001
//clmc:expect -D barrier=false -D size=4 verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n       = 4
	size    = 2
	barrier = true
)

//cl:sub_group_size size

func scan() {
	totals := cl.Local[[n]int32]()
	x := int32(cl.GetLocalID(0)) + 1
	sum := cl.SubGroupScanInclusiveAdd(x)
	if cl.GetSubGroupLocalID() == cl.GetSubGroupSize()-1 {
		totals[cl.GetSubGroupID()] = sum
	}
	if barrier {
		cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	}
	for s := range cl.GetSubGroupID() {
		sum += totals[s]
	}
	cl.Assert(sum == cl.WorkGroupScanInclusiveAdd(x), "the built-in agrees")
	cl.Assert(sum == x*(x+1)/2, "all before are counted")
	cl.Assert(sum-x == cl.WorkGroupScanExclusiveAdd(x), "and the exclusive one")
}

func main() {
	cl.EnqueueNDRangeKernel(scan, cl.NDRange1D(n, n))
	cl.Finish()
}
