package trace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// unknown stands for a value that is not computed.
const unknown = "?"

// value writes a value of a type as OpenCL C would.
func value(p *ir.Program, t ir.Type, v int64) string {
	switch t {
	case ir.F16:
		return fmt.Sprintf("%gh", t.Number(v))
	case ir.F32:
		return fmt.Sprintf("%gf", math.Float32frombits(uint32(v)))
	case ir.F64:
		return fmt.Sprintf("%g", math.Float64frombits(uint64(v)))
	case ir.U64:
		return fmt.Sprint(uint64(v))
	case ir.Ptr:
		if v == 0 {
			return "NULL"
		}
		switch v & ir.SegMask {
		case ir.SegShared:
			return "&" + p.PlaceName(-1, int32(v&^ir.SegMask))
		case ir.SegGroup:
			return "a pointer to local memory"
		case ir.SegPrivate:
			return "a pointer to private memory"
		}
		return "an address"
	}
	return fmt.Sprint(v)
}

// rmwNames are the names of the read-modify-write functions.
var rmwNames = map[ir.Alu]string{ir.Add: "fetch_add", ir.Sub: "fetch_sub", ir.And: "fetch_and", ir.Or: "fetch_or",
	ir.Xor: "fetch_xor", ir.Min: "fetch_min", ir.Max: "fetch_max", ir.Xchg: "exchange"}

// Written writes an access, fence or barrier as OpenCL C does: one of function fn, at the location of that
// name, with these operands.
func Written(p *ir.Program, fn int, in *ir.Instr, loc string, b, c int64) string {
	return call(p, &state.Operation{Instr: in, Func: p.Funcs[fn], B: b, C: c}, loc)
}

// PosOf returns the place of an instruction.
func PosOf(p *ir.Program, in *ir.Instr) Pos { return position(p, in.Pos) }

// call writes an operation as OpenCL C does. loc is the location's name.
func call(p *ir.Program, o *state.Operation, loc string) string {
	in := o.Instr
	if loc == "" {
		loc = "?"
	}
	at := fmt.Sprintf("%s, %s", in.Order, in.Scope)
	b := value(p, in.Type, o.B)
	switch in.Op {
	case ir.OpLoad:
		if in.Order == memmodel.NonAtomic {
			return "read of " + loc
		}
		return fmt.Sprintf("atomic_load_explicit(&%s, %s)", loc, at)
	case ir.OpStore:
		if in.Order == memmodel.NonAtomic {
			return fmt.Sprintf("%s = %s", loc, b)
		}
		return fmt.Sprintf("atomic_store_explicit(&%s, %s, %s)", loc, b, at)
	case ir.OpRMW:
		return fmt.Sprintf("atomic_%s_explicit(&%s, %s, %s)", rmwNames[in.Alu], loc, b, at)
	case ir.OpCmpXchg:
		strength := "strong"
		if in.Weak {
			strength = "weak"
		}
		return fmt.Sprintf("atomic_compare_exchange_%s_explicit(&%s, &expected /* %s */, %s, %s, %s, %s)",
			strength, loc, b, value(p, in.Type, o.C), in.Order, in.FailOrder, in.Scope)
	case ir.OpFence:
		return fmt.Sprintf("atomic_work_item_fence(%s, %s)", in.Flags, at)
	case ir.OpBarrier:
		return fmt.Sprintf("%s(%s, %s)", meetingName(p, in), in.Flags, in.Scope)
	case ir.OpCollective:
		if in.Group == ir.GroupBroadcast || in.Group == ir.GroupShuffle {
			return fmt.Sprintf("%s(%s, %d)", meetingName(p, in), b, o.C)
		}
		return fmt.Sprintf("%s(%s)", meetingName(p, in), b)
	case ir.OpAsyncCopy:
		return fmt.Sprintf("%s(%s, %s, %s)", meetingName(p, in), address(p, o.Func, o.Args[0]), address(p, o.Func, o.Args[1]), copyArguments(o))
	case ir.OpWaitCopies:
		return fmt.Sprintf("%s(%d, %s)", meetingName(p, in), len(o.Args), plural(len(o.Args), "&event", "events"))
	case ir.OpChoose:
		return fmt.Sprintf("a choice of %d values", o.A)
	case ir.OpEnqueueNDRange, ir.OpEnqueueNative, ir.OpMarker, ir.OpQueueBarrier, ir.OpFinish, ir.OpWaitEvents, ir.OpEventStatus, ir.OpCallback:
		return hostCall(p, o)
	case ir.OpGo:
		return "start host thread " + p.Funcs[in.Target].Name
	case ir.OpEnqueueKernel, ir.OpEnqueueMarker, ir.OpCreateEvent, ir.OpSetEvent, ir.OpRetainEvent, ir.OpReleaseEvent, ir.OpValidEvent:
		return deviceCall(p, o)
	}
	return ""
}

// memoryNames say what kind of global memory a location is in.
var memoryNames = map[memmodel.Kind]string{memmodel.CoarseSVM: "coarse-grained SVM", memmodel.Buffer: "a buffer without SVM", memmodel.FineSVM: "fine-grained SVM without atomics",
	memmodel.FineSVMAtomics: "fine-grained SVM with atomics", memmodel.SystemSVM: "system SVM", memmodel.ProgramScope: "a variable of program scope"}

// address names what a pointer of a function points to.
func address(p *ir.Program, f *ir.Func, ptr int64) string {
	if ptr&ir.SegMask == ir.SegGroup {
		return "&" + p.PlaceName(slices.Index(p.Funcs, f), int32(ptr&^ir.SegMask))
	}
	return value(p, ir.Ptr, ptr)
}

// copyArguments writes how many elements an asynchronous copy moves, and whether it joins the event of another one.
func copyArguments(o *state.Operation) string {
	event := "0"
	if o.Args[ir.CopyArgs-1] != 0 {
		event = "event"
	}
	return fmt.Sprintf("%d, %s", o.Args[2], event)
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// meetingName names a function that the work-items of a group meet at.
func meetingName(p *ir.Program, in *ir.Instr) string {
	if called := p.Called[in.Str]; called != "" && in.Op == ir.OpCollective {
		return called
	}
	name := "work_group_"
	if in.SubGroup {
		name = "sub_group_"
	}
	switch {
	case in.Op == ir.OpAsyncCopy:
		return "async_work_group_copy"
	case in.Op == ir.OpWaitCopies:
		return "wait_group_events"
	case in.Op == ir.OpBarrier:
		return name + "barrier"
	case in.Group == ir.GroupBroadcast:
		return name + "broadcast"
	case in.Group == ir.GroupShuffle:
		return name + "shuffle"
	case in.Alu == ir.And && in.Type == ir.Bool:
		return name + "all"
	case in.Alu == ir.Or && in.Type == ir.Bool:
		return name + "any"
	}
	return name + in.Group.String() + "_" + in.Alu.String()
}

// indexSpace returns the number of dimensions, and how to write the sizes that
// start at an argument.
func indexSpace(args []int64) (dim int, size func(from int) string) {
	dim = max(min(int(args[0]), 3), 0)
	return dim, func(from int) string {
		var s []string
		for _, v := range args[from : from+dim] {
			s = append(s, fmt.Sprint(v))
		}
		return "{" + strings.Join(s, ", ") + "}"
	}
}

var enqueueFlags = map[int64]string{ir.NoWait: "NO_WAIT", ir.WaitKernel: "WAIT_KERNEL", ir.WaitWorkGroup: "WAIT_WORK_GROUP"}

// deviceCall writes an operation of device-side enqueue.
func deviceCall(p *ir.Program, o *state.Operation) string {
	switch o.Instr.Op {
	case ir.OpEnqueueKernel:
		dim, size := indexSpace(o.Args[2:])
		events := ""
		if n := o.Instr.Waits; n > 0 || o.Instr.Dst2 >= 0 {
			events = fmt.Sprintf("%d, event_wait_list, event_ret, ", n)
		}
		flags, ok := enqueueFlags[o.Args[1]]
		if !ok {
			flags = fmt.Sprint(o.Args[1])
		}
		space := "an ndrange_t that is not set"
		if dim > 0 {
			space = fmt.Sprintf("ndrange_%dD(%s, %s, %s)", dim, size(1), size(4), size(7))
		}
		return fmt.Sprintf("enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_%s, %s, %s%s)", flags, space, events, p.Funcs[o.Instr.Target].Name)
	case ir.OpEnqueueMarker:
		return fmt.Sprintf("enqueue_marker(queue, %d, event_wait_list, event_ret)", o.Instr.Waits)
	case ir.OpCreateEvent:
		return "create_user_event()"
	case ir.OpSetEvent:
		if o.B == 0 {
			return "set_user_event_status(event, CL_COMPLETE)"
		}
		return fmt.Sprintf("set_user_event_status(event, %d)", o.B)
	case ir.OpRetainEvent:
		return "retain_event(event)"
	case ir.OpReleaseEvent:
		return "release_event(event)"
	}
	return "is_valid_event(event)"
}

// brief writes a step in a few words, with the values read and written.
func brief(p *ir.Program, s *Step, o *state.Operation, l *Location) string {
	in := o.Instr
	if in.Op.Queued() || in.Op == ir.OpFinish || in.Op == ir.OpWaitEvents || in.Op == ir.OpEventStatus || in.Op == ir.OpCallback {
		return hostBrief(p, o)
	}
	val := func(v *int64) string {
		switch {
		case v == nil || s.blank:
			return unknown
		case l != nil && l.handle != "":
			return l.text(p, *v)
		}
		return value(p, in.Type, *v)
	}
	at := ""
	if in.Order != memmodel.NonAtomic {
		at = fmt.Sprintf(" (%s, %s)", shortOrder(s.order), shortScope(in.Scope))
	}
	switch s.Kind {
	case Load:
		return fmt.Sprintf("read %s: %s%s", s.Location, val(s.Read), at)
	case Store:
		return fmt.Sprintf("%s = %s%s", s.Location, val(s.Wrote), at)
	case Modify:
		return fmt.Sprintf("%s %s: %s → %s%s", rmwNames[in.Alu], s.Location, val(s.Read), val(s.Wrote), at)
	case CompareExch:
		switch s.Outcome {
		case "success":
			return fmt.Sprintf("compare_exchange %s: %s → %s%s", s.Location, val(s.Read), val(s.Wrote), at)
		case "spurious":
			return fmt.Sprintf("compare_exchange %s: fails spuriously%s", s.Location, at)
		}
		return fmt.Sprintf("compare_exchange %s: fails, found %s%s", s.Location, val(s.Read), at)
	case Fence:
		return fmt.Sprintf("fence %s%s", shortFlags(in.Flags), at)
	case Arrive:
		if in.Op != ir.OpBarrier {
			return call(p, o, "")
		}
		return fmt.Sprintf("%s(%s)", meetingName(p, in), shortFlags(in.Flags))
	case Choose:
		return "chooses " + meaning(p, in, val(s.Read))
	case Enqueue:
		if in.Op == ir.OpEnqueueMarker {
			return "enqueue a marker"
		}
		return fmt.Sprintf("enqueue %s", p.Funcs[in.Target].Name)
	case Event:
		return strings.ReplaceAll(call(p, o, ""), "(event)", "")
	case Spawn:
		return "start thread " + p.Funcs[in.Target].Name
	}
	return string(s.Kind)
}

func shortOrder(o memmodel.Order) string { return strings.TrimPrefix(o.String(), "memory_order_") }
func shortScope(s memmodel.Scope) string { return strings.TrimPrefix(s.String(), "memory_scope_") }

func shortFlags(f memmodel.Flags) string {
	return strings.NewReplacer("CLK_", "", "_MEM_FENCE", "", " ", "").Replace(f.String())
}

// meaning is what the value of a choice stands for: of several launches, the sizes of one.
func meaning(p *ir.Program, in *ir.Instr, value string) string {
	if i, err := strconv.Atoi(value); err == nil && in.Str != 0 {
		return strings.Split(p.Strings[in.Str], "; ")[i]
	}
	return value
}
