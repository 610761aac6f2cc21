package state

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Limits on the work-items of a kernel-instance and on the commands of an
// execution.
const (
	maxItems    = 1 << 14
	maxCommands = 1 << 12
)

// ndrange is an evaluated index space.
type ndrange struct {
	dim                   uint8
	offset, global, local [3]int64
}

func (r *ndrange) valid() bool {
	if r.dim < 1 || r.dim > 3 {
		return false
	}
	items := int64(1)
	for d := range 3 {
		if d >= int(r.dim) {
			r.offset[d], r.global[d], r.local[d] = 0, 1, 1
		}
		if r.global[d] < 1 || r.local[d] < 1 || r.global[d] > maxItems || r.offset[d] < 0 {
			return false
		}
		items *= r.global[d]
	}
	return items <= maxItems
}

// enqueue performs clEnqueueNDRangeKernel on the host's in-order queue: what
// the host has done so far happens before the kernel (rule 12.1).
func (m *Machine) enqueue(s *State, u int, f *ir.Func, in *ir.Instr) {
	regs := s.reg(u)
	args := make([]int64, len(in.Args))
	for i, a := range in.Args {
		args[i] = operand(f, regs, a)
	}
	r := rangeOf(args)
	if !r.valid() || s.kernel == maxCommands {
		s.fail(u, int(s.pc[u]), InvalidArgument)
		s.status[u] = Stuck
		return
	}
	cmd := Unit{
		Name: fmt.Sprintf("command %d", s.kernel), Func: -1, host: u, pc: int(s.pc[u]), args: args,
		Place: memmodel.Place{Host: true, Kernel: s.kernel + 1},
	}
	s.kernel++
	old := s.Cast
	units := append(append([]Unit(nil), old.Units...), cmd)
	m.recast(s, m.newCast(units), identity(len(old.Units)))
	c := len(units) - 1
	s.status[c] = Pending
	s.Mem.Follow(c, u)
	for p := range old.Units { // the queue is in-order (rule 12.5)
		if q := &old.Units[p]; q.Func < 0 && q.host == u && s.status[p] == Ended {
			s.Mem.Follow(c, p)
		}
	}
	s.pc[u]++
	m.startNext(s, u)
	m.run(s, u)
}

func rangeOf(args []int64) ndrange {
	return ndrange{
		dim:    uint8(args[0]),
		offset: [3]int64(args[1:4]), global: [3]int64(args[4:7]), local: [3]int64(args[7:10]),
	}
}

func identity(n int) []int {
	to := make([]int, n)
	for i := range to {
		to[i] = i
	}
	return to
}

// startNext starts the oldest pending command of host u, unless one runs.
func (m *Machine) startNext(s *State, u int) {
	for c := range s.Cast.Units {
		cmd := &s.Cast.Units[c]
		if cmd.Func >= 0 || cmd.host != u {
			continue
		}
		switch s.status[c] {
		case Running:
			return
		case Pending:
			m.launch(s, c)
			return
		}
	}
}

// launch creates the work-items of command c (rule 12.9) and lets them run to
// their first visible operation.
func (m *Machine) launch(s *State, c int) {
	old := s.Cast
	cmd := &old.Units[c]
	host := &old.Units[cmd.host]
	in := &m.Program.Funcs[host.Func].Code[cmd.pc]
	units := append([]Unit(nil), old.Units...)
	units = append(units, m.items(int(in.Target), rangeOf(cmd.args), cmd.Place.Kernel)...)
	m.recast(s, m.newCast(units), identity(len(old.Units)))
	s.status[c] = Running
	s.Mem.Park(c)
	f := m.Program.Funcs[in.Target]
	for u := len(old.Units); u < len(units); u++ {
		copy(s.reg(u)[f.Private:f.Private+f.Params], cmd.args[10:])
		s.Mem.Follow(u, c)
	}
	for u := len(old.Units); u < len(units); u++ {
		m.run(s, u)
	}
}

// subGroupSize is the size of sub-groups, in work-items of a work-group's
// linear order.
const subGroupSize = 4

// items lists the work-items of a kernel-instance.
func (m *Machine) items(fn int, r ndrange, kernel uint16) []Unit {
	var groups, units = [3]int64{}, []Unit{}
	for d := range 3 {
		groups[d] = (r.global[d] + r.local[d] - 1) / r.local[d]
	}
	name := m.Program.Funcs[fn].Name
	for z := range r.global[2] {
		for y := range r.global[1] {
			for x := range r.global[0] {
				it := ir.Item{WorkDim: r.dim, GlobalID: [3]int64{x, y, z}, GlobalSize: r.global, LocalSize: r.local, GlobalOffset: r.offset}
				for d := range 3 {
					it.GroupID[d] = it.GlobalID[d] / r.local[d]
					it.LocalID[d] = it.GlobalID[d] % r.local[d]
				}
				shape := groupShape(&it)
				local, size := linear(it.LocalID, shape), shape[0]*shape[1]*shape[2]
				it.SubGroupID, it.SubLocalID = local/subGroupSize, local%subGroupSize
				it.SubGroupSize = min(subGroupSize, size-it.SubGroupID*subGroupSize)
				it.NumSubGroups = (size + subGroupSize - 1) / subGroupSize
				units = append(units, Unit{
					Name: fmt.Sprintf("%s(%s)", name, coordinates(it)), Func: fn, Item: it,
					Place: memmodel.Place{Kernel: kernel, Group: uint16(linear(it.GroupID, groups)), Sub: uint16(it.SubGroupID)},
				})
			}
		}
	}
	return units
}

// groupShape returns the size of a work-item's group: the last one of a
// dimension may be smaller than what was asked for.
func groupShape(it *ir.Item) (shape [3]int64) {
	for d := range shape {
		shape[d] = min(it.LocalSize[d], it.GlobalSize[d]-it.GroupID[d]*it.LocalSize[d])
	}
	return shape
}

func coordinates(it ir.Item) string {
	s := fmt.Sprint(it.GlobalID[0] + it.GlobalOffset[0])
	for d := 1; d < int(it.WorkDim); d++ {
		s += fmt.Sprintf(",%d", it.GlobalID[d]+it.GlobalOffset[d])
	}
	return s
}

// complete is called when unit u has ended: its kernel-instance completes with
// its last work-item, and what waits for that goes on (rules 12.5, 12.8, 12.9).
func (m *Machine) complete(s *State, u int) {
	if s.Cast.Units[u].Place.Host {
		s.Mem.End(u)
		return
	}
	c := s.command(u)
	if c < 0 {
		s.Mem.End(u)
		return
	}
	s.Mem.Follow(c, u)
	s.Mem.End(u)
	for t := range s.Cast.Units {
		if t != c && s.Cast.Units[t].Place.Kernel == s.Cast.Units[u].Place.Kernel && s.status[t] != Ended {
			return
		}
	}
	s.status[c] = Ended
	host := s.Cast.Units[c].host
	for next := range s.Cast.Units {
		if q := &s.Cast.Units[next]; q.Func < 0 && q.host == host && s.status[next] == Pending {
			s.Mem.Follow(next, c)
			break
		}
	}
	m.startNext(s, host)
	if s.status[host] == Finishing {
		m.resume(s, host)
	}
}

// command returns the command that work-item u belongs to, or -1.
func (s *State) command(u int) int {
	for c := range s.Cast.Units {
		if q := &s.Cast.Units[c]; q.Func < 0 && q.Place.Kernel == s.Cast.Units[u].Place.Kernel {
			return c
		}
	}
	return -1
}

// finish performs clFinish: unit u waits for all commands that it has enqueued.
func (m *Machine) finish(s *State, u int) {
	s.status[u] = Finishing
	s.Mem.Park(u)
	m.resume(s, u)
}

// resume lets a unit in clFinish go on if all its commands have completed.
func (m *Machine) resume(s *State, u int) {
	for c := range s.Cast.Units {
		if q := &s.Cast.Units[c]; q.Func < 0 && q.host == u && s.status[c] != Ended {
			return
		}
	}
	for c := range s.Cast.Units {
		if q := &s.Cast.Units[c]; q.Func < 0 && q.host == u {
			s.Mem.Follow(u, c)
			s.Mem.End(c)
		}
	}
	s.Mem.Unpark(u)
	s.status[u] = Ready
	s.pc[u]++
	if s.Mem.Quiet() && !s.Mem.Open() && s.Violation.Kind == NoViolation {
		m.dismiss(s)
	}
	m.run(s, u)
}

// dismiss removes the units that have ended, if nobody but host threads is left.
func (m *Machine) dismiss(s *State) {
	old := s.Cast
	to := make([]int, len(old.Units))
	var units []Unit
	for u := range old.Units {
		if q := &old.Units[u]; q.Func < 0 || !q.Place.Host {
			if s.status[u] != Ended {
				return
			}
			to[u] = -1
			continue
		}
		to[u] = len(units)
		units = append(units, old.Units[u])
	}
	if len(units) < len(old.Units) {
		m.recast(s, m.newCast(units), to)
	}
}

// recast moves s to another cast, in which the old unit u is unit to[u] or has
// vanished (-1).
func (m *Machine) recast(s *State, c *Cast, to []int) {
	old := s.Cast
	locs := make([]int, len(c.cells))
	for x := range locs {
		locs[x] = -1
		if cl := c.cells[x]; cl.fn < 0 {
			locs[x] = x
		} else if y := old.locationOf(c, cl); y >= 0 {
			locs[x] = y
		}
	}
	s.Mem.Relayout(c.Layout, to, locs)
	status, pc, regs := s.status, s.pc, s.regs
	obs, kernel, reached, violation := s.obs, s.kernel, s.reached, s.Violation
	s.status, s.pc, s.regs, s.obs = nil, nil, nil, nil
	s.reset(c)
	s.obs, s.kernel, s.reached, s.Violation = obs, kernel, reached, violation
	for u, t := range to {
		if t < 0 {
			continue
		}
		s.status[t], s.pc[t] = status[u], pc[u]
		from := old.Units[u].regs
		copy(s.reg(t), regs[from:])
	}
}

// locationOf returns the location in c that is cell cl of cast d, or -1.
func (c *Cast) locationOf(d *Cast, cl cell) int {
	first := &d.Units[d.Groups[cl.group].Units[0]]
	for g := range c.Groups {
		if c.Groups[g].base < 0 {
			continue
		}
		if u := &c.Units[c.Groups[g].Units[0]]; u.Func == first.Func && u.Place.SameGroup(first.Place) {
			return c.Groups[g].base + int(cl.addr)
		}
	}
	return -1
}
