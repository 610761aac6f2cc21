package trace

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// hostCall writes an operation on the host's queues and events.
func hostCall(p *ir.Program, o *state.Operation) string {
	in := o.Instr
	switch in.Op {
	case ir.OpEnqueueNDRange:
		dim, size := indexSpace(o.Args[1:])
		return fmt.Sprintf("clEnqueueNDRangeKernel(%s, %s, %d, %s, %s, %s%s)",
			queueName(p, o.Args[0]), p.Funcs[in.Target].Name, dim, size(1), size(4), size(7), waitList(in))
	case ir.OpEnqueueNative:
		return fmt.Sprintf("%s(%s%s)", p.Strings[in.Str], queueName(p, o.Args[0]), waitList(in))
	case ir.OpMarker:
		return fmt.Sprintf("clEnqueueMarkerWithWaitList(%s%s)", queueName(p, o.Args[0]), waitList(in))
	case ir.OpQueueBarrier:
		return fmt.Sprintf("clEnqueueBarrierWithWaitList(%s%s)", queueName(p, o.Args[0]), waitList(in))
	case ir.OpFinish:
		return fmt.Sprintf("clFinish(%s)", queueName(p, o.A))
	case ir.OpWaitEvents:
		return fmt.Sprintf("clWaitForEvents(%d events)", len(in.Args))
	case ir.OpEventStatus:
		return "clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS)"
	case ir.OpCallback:
		return fmt.Sprintf("clSetEventCallback(event, %s, %s)", [...]string{"CL_COMPLETE", "CL_RUNNING", "CL_SUBMITTED"}[min(uint64(o.Args[1]), 2)], p.Funcs[in.Target].Name)
	}
	return ""
}

// queueName names a host queue by its handle.
func queueName(p *ir.Program, handle int64) string {
	if handle == 0 {
		return "queue"
	}
	return p.HostQueues[-1-handle].Name
}

func waitList(in *ir.Instr) string {
	switch in.Waits {
	case 0:
		return ""
	case 1:
		return ", 1 event"
	}
	return fmt.Sprintf(", %d events", in.Waits)
}

// hostBrief writes the same in a few words.
func hostBrief(p *ir.Program, o *state.Operation) string {
	in, on := o.Instr, ""
	if in.Op.Queued() && o.Args[0] != 0 {
		on = " on " + queueName(p, o.Args[0])
	}
	switch in.Op {
	case ir.OpEnqueueNDRange:
		return "enqueue " + p.Funcs[in.Target].Name + on
	case ir.OpEnqueueNative:
		return strings.TrimPrefix(p.Strings[in.Str], "cl") + on
	case ir.OpMarker:
		return "enqueue marker" + on
	case ir.OpQueueBarrier:
		return "enqueue barrier" + on
	case ir.OpWaitEvents:
		return "clWaitForEvents"
	case ir.OpFinish:
		if o.A != 0 {
			return "clFinish " + queueName(p, o.A)
		}
		return "clFinish"
	case ir.OpEventStatus:
		return "clGetEventInfo"
	}
	return "set callback " + p.Funcs[in.Target].Name
}

// remap writes a step of a command that maps or unmaps memory.
func (r *stepLog) remap(s *Step, o *state.Operation, c state.Choice) {
	s.Kind = Map
	l := &r.locs[r.shadow.at(r.s.Cast, o.Loc)]
	s.Location = l.Name
	switch {
	case o.Instr.Op == ir.OpMapCell && c.Fail:
		s.Op = fmt.Sprintf("the map command overwrites %s by what it has seen of it (rule 2.7)", l.Name)
		s.Brief = "overwrites " + l.Name + " by an older value"
	case o.Instr.Op == ir.OpMapCell:
		s.Op = fmt.Sprintf("the map command leaves %s as it is", l.Name)
		s.Brief = "leaves " + l.Name
	case o.Instr.Op == ir.OpFree:
		s.Op = fmt.Sprintf("clSVMFree: the %d cells from %s on are no longer there", o.B, l.Name)
		s.Brief = "frees memory from " + l.Name + " on"
	case o.Instr.Op == ir.OpMap:
		s.Op = fmt.Sprintf("%d cells from %s on are mapped", o.B, l.Name)
		s.Brief = "maps from " + l.Name
	default:
		s.Op = fmt.Sprintf("%d cells from %s on are unmapped", o.B, l.Name)
		s.Brief = "unmaps from " + l.Name
	}
}

// mapping says what is wrong about an access of memory that the host may touch
// only while it is mapped.
func (r *teller) mapping() {
	t, c := r.t, &r.at
	who := upper(r.who(c.lane))
	s := t.Step(c.step)
	if s == nil || s.Location == "" {
		t.Message = fmt.Sprintf("%s touches memory that it may not touch now%s.", who, at(t.At))
		return
	}
	t.Location, t.Accesses = s.Location, []int{s.ID}
	switch op := c.op.Instr.Op; {
	case op == ir.OpMap:
		t.Message = fmt.Sprintf("%s maps memory from %s on that is mapped already, one of the two for writing%s.", who, s.Location, at(t.At))
	case op == ir.OpUnmap:
		t.Message = fmt.Sprintf("%s unmaps memory from %s on that is not mapped like this%s.", who, s.Location, at(t.At))
	case r.lanes[c.lane].Host && !r.lanes[c.lane].Command():
		t.Message = fmt.Sprintf("%s touches %s%s while it is not mapped, or not mapped for that.", who, s.Location, at(t.At))
	default:
		t.Message = fmt.Sprintf("%s touches %s%s while the host has it mapped.", who, s.Location, at(t.At))
	}
}

// returns says that a wait of the host is over.
func returns(in *ir.Instr) string {
	if in.Op == ir.OpWaitEvents {
		return "clWaitForEvents returns"
	}
	return "clFinish returns"
}
