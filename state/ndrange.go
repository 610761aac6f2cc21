package state

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// ndrange is an evaluated index space.
type ndrange struct {
	dim                   uint8    // work_dim
	offset, global, local [3]int64 // in each dimension
}

// valid reports whether a command may have the index space. It may have no work-items, but its work-groups must have some, and not more
// than a kernel can have (rule 12.22, API 5.10; the latter is up to an implementation, docs/semantics.md). It is small if
// the machine can take as many work-items.
func (r *ndrange) valid(spec memmodel.Spec) (valid, small bool) {
	if r.dim < 1 || r.dim > 3 {
		return false, true
	}
	items, group, empty, wide := int64(1), int64(1), false, false
	for d := range 3 {
		if d >= int(r.dim) {
			r.offset[d], r.global[d], r.local[d] = 0, 1, 1
		}
		if r.offset[d] < 0 || r.global[d] < 0 || r.local[d] < 1 {
			return false, true
		}
		empty, wide = empty || r.global[d] == 0, wide || r.global[d] > ir.MaxItems
		items, group = min(items, ir.MaxItems+1)*min(r.global[d], ir.MaxItems+1), min(group, ir.MaxItems+1)*min(r.local[d], ir.MaxItems+1)
	}
	switch {
	case group > ir.MaxItems:
		return false, true
	case empty:
		return !spec.NoEmptyRanges, !wide
	}
	return true, items <= ir.MaxItems
}

// launches reports whether unit u may launch a kernel with an index space, and the machine can.
func (m *Machine) launches(s *State, u memmodel.Unit, r *ndrange) bool {
	valid, small := r.valid(m.Spec)
	switch {
	case !valid:
		s.stuck(u, InvalidArgument)
	case !small:
		s.flood(u, TooManyItems)
	}
	return valid && small
}

func rangeOf(args []int64) ndrange {
	return ndrange{
		dim:    uint8(args[0]),
		offset: [3]int64(args[1:4]), global: [3]int64(args[4:7]), local: [3]int64(args[7:10]),
	}
}

// items lists the work-items of a command's kernel-instance.
func (m *Machine) items(c *Role) []Role {
	r := rangeOf(c.cmd.Args)
	var groups, units = [3]int64{}, []Role{}
	for d := range 3 {
		groups[d] = (r.global[d] + r.local[d] - 1) / r.local[d]
	}
	name := m.Program.Funcs[c.cmd.Func].Name
	for z := range r.global[2] {
		for y := range r.global[1] {
			for x := range r.global[0] {
				it := ir.Item{WorkDim: r.dim, GlobalID: [3]int64{x, y, z}, GlobalSize: r.global, LocalSize: r.local, GlobalOffset: r.offset}
				for d := range 3 {
					it.GroupID[d] = it.GlobalID[d] / r.local[d]
					it.LocalID[d] = it.GlobalID[d] % r.local[d]
				}
				it.InSubGroups(m.Program.SubGroupSizeOf(c.cmd.Func))
				path := extend(c.path, stepItem, len(units))
				units = append(units, Role{
					Name: fmt.Sprintf("%s(%s)", name, coordinates(it)), ID: identify(path), path: path, Func: c.cmd.Func, Item: it,
					Place: memmodel.Place{Device: c.Place.Device, Kernel: c.Place.Kernel, Family: c.Place.Family, Group: uint16(ir.Linear(it.GroupID, groups)), Sub: uint16(it.SubGroupID)},
				})
			}
		}
	}
	return units
}

func coordinates(it ir.Item) string {
	s := fmt.Sprint(it.GlobalID[0] + it.GlobalOffset[0])
	for d := 1; d < int(it.WorkDim); d++ {
		s += fmt.Sprintf(",%d", it.GlobalID[d]+it.GlobalOffset[d])
	}
	return s
}
