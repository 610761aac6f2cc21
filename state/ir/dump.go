package ir

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/memmodel"
)

// String returns the program in an assembly-like notation, for tests and for
// people who debug a front end.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %s\n", p.Name)
	for i := range p.Objects {
		b.WriteString(p.object(&p.Objects[i]))
	}
	for _, t := range p.Threads {
		fmt.Fprintf(&b, "thread %s: %s\n", t.Name, p.funcName(int32(t.Func)))
	}
	for _, v := range p.Final {
		fmt.Fprintf(&b, "final %s = shared %d\n", v.Name, v.Addr)
	}
	for _, f := range p.Funcs {
		b.WriteString("\n")
		p.dumpFunc(&b, f)
	}
	return b.String()
}

func (p *Program) object(o *Object) string {
	where := o.Kind.String()
	switch o.Region {
	case memmodel.Image, memmodel.Pipe:
		where = o.Region.String()
	case memmodel.Local:
		where = "local of " + p.funcName(int32(o.Func))
	}
	init := "uninitialised"
	if o.Init != nil {
		init = "zero"
		for _, v := range o.Init {
			if v != 0 {
				init = fmt.Sprint(o.Init)
			}
		}
	}
	return fmt.Sprintf("object %d %s: %s, %s, %s\n", o.Base, o.Name, o.Layout, where, init)
}

// String returns the layout as Go would write the type.
func (l *Layout) String() string {
	switch {
	case l.Elem != nil:
		return fmt.Sprintf("[%d]%s", l.Len, l.Elem)
	case l.Fields != nil:
		var fields []string
		for _, f := range l.Fields {
			fields = append(fields, f.Name+" "+f.Layout.String())
		}
		return "{" + strings.Join(fields, "; ") + "}"
	case l.Atomic:
		return "atomic " + l.Type.String()
	}
	return l.Type.String()
}

func (p *Program) funcName(i int32) string {
	if i < 0 || int(i) >= len(p.Funcs) {
		return "?"
	}
	return p.Funcs[i].Name
}

func (p *Program) dumpFunc(b *strings.Builder, f *Func) {
	fmt.Fprintf(b, "func %s: %d registers, %d private, %d parameters", f.Name, f.Regs, f.Private, f.Params)
	for r, name := range f.RegNames {
		if name != "" {
			fmt.Fprintf(b, ", r%d=%s", r, name)
		}
	}
	b.WriteString("\n")
	targets := f.targets()
	for pc := range f.Code {
		mark := "  "
		if targets[int32(pc)] {
			mark = "> "
		}
		line := ""
		if pos := f.Code[pc].Pos; pos > 0 && int(pos) < len(p.Positions) {
			line = fmt.Sprintf("\t; %d:%d", p.Positions[pos].Line, p.Positions[pos].Col)
		}
		fmt.Fprintf(b, "%s%3d  %s%s\n", mark, pc, p.instr(f, &f.Code[pc]), line)
	}
}

// targets returns the instructions that jumps and branches lead to.
func (f *Func) targets() map[int32]bool {
	t := map[int32]bool{}
	for i := range f.Code {
		switch in := &f.Code[i]; in.Op {
		case OpJump:
			t[in.Target] = true
		case OpBranch:
			t[in.Target], t[in.Else] = true, true
		}
	}
	return t
}

// operand returns the notation of a register or constant.
func (f *Func) operand(o int32) string {
	switch {
	case o >= 0:
		return fmt.Sprintf("r%d", o)
	case int(^o) >= len(f.Consts):
		return "?"
	}
	switch v := f.Consts[^o]; v & SegMask {
	case SegShared:
		return fmt.Sprintf("shared+%d", v&^SegMask)
	case SegGroup:
		return fmt.Sprintf("group+%d", v&^SegMask)
	case SegPrivate:
		return fmt.Sprintf("private+%d", v&^SegMask)
	default:
		return fmt.Sprint(v)
	}
}

// list returns the notation of several operands.
func (f *Func) list(args []int32) string {
	var s []string
	for _, o := range args {
		s = append(s, f.operand(o))
	}
	return strings.Join(s, ", ")
}

func (p *Program) str(in *Instr) string {
	if in.Str < 0 || int(in.Str) >= len(p.Strings) {
		return "?"
	}
	return fmt.Sprintf("%q", p.Strings[in.Str])
}

// instr returns the notation of one instruction.
func (p *Program) instr(f *Func, in *Instr) string {
	if s, ok := p.private(f, in); ok {
		return s
	}
	a, b, c := f.operand(in.A), f.operand(in.B), f.operand(in.C)
	dst, dst2 := result(in.Dst), result(in.Dst2)
	switch in.Op {
	case OpLoad:
		return fmt.Sprintf("%sload.%s %s%s", dst, in.Type, a, in.ordering())
	case OpStore:
		return fmt.Sprintf("store.%s %s, %s%s", in.Type, a, b, in.ordering())
	case OpRMW:
		return fmt.Sprintf("%srmw.%s.%s %s, %s%s", dst, in.Alu, in.Type, a, b, in.ordering())
	case OpCmpXchg:
		kind := "strong"
		if in.Weak {
			kind = "weak"
		}
		return fmt.Sprintf("%s%scmpxchg.%s.%s %s, %s, %s%s, fail %s", dst, dst2, kind, in.Type, a, b, c, in.ordering(), in.FailOrder)
	case OpFence:
		return fmt.Sprintf("fence %s%s", in.Flags, in.ordering())
	case OpBarrier:
		return fmt.Sprintf("barrier.%s %s, %s, %s%s", in.group(), in.Flags, in.Scope, p.str(in), in.Rounds)
	case OpCollective:
		how := in.Alu.String()
		if in.Group == GroupBroadcast || in.Group == GroupShuffle {
			how = "from " + c
		}
		return fmt.Sprintf("%s%s.%s.%s %s, %s, %s%s", dst, in.Group, in.group(), in.Type, b, how, p.str(in), in.Rounds)
	case OpAsyncCopy:
		return fmt.Sprintf("%sasync_copy(%s), %s%s, code %d", dst, f.list(in.Args), p.str(in), in.Rounds, in.Target)
	case OpWaitCopies:
		return fmt.Sprintf("wait_copies(%s), %s%s", f.list(in.Args), p.str(in), in.Rounds)
	case OpChoose:
		if in.Str != 0 {
			a += " of " + p.str(in)
		}
		return fmt.Sprintf("%schoose %s", dst, a)
	}
	return p.command(f, in)
}

// group names what meets at a barrier or collective function.
func (in *Instr) group() string {
	if in.SubGroup {
		return "subgroup"
	}
	return "group"
}

// command returns the notation of an operation on commands, queues, events or
// host threads.
func (p *Program) command(f *Func, in *Instr) string {
	dst, a := result(in.Dst), f.operand(in.A)
	switch in.Op {
	case OpEnqueueNDRange:
		return fmt.Sprintf("%senqueue %s(%s), %d events", dst, p.funcName(in.Target), f.operands(in.Args), in.Waits)
	case OpFinish:
		return "finish " + a
	case OpEnqueueNative:
		return fmt.Sprintf("%s%s %s(%s), %d events", dst, p.str(in), p.funcName(in.Target), f.operands(in.Args), in.Waits)
	case OpMarker, OpQueueBarrier:
		what := "marker"
		if in.Op == OpQueueBarrier {
			what = "barrier"
		}
		return fmt.Sprintf("%s%s.queue %s", dst, what, f.operands(in.Args))
	case OpWaitEvents:
		return fmt.Sprintf("%swait %s", dst, f.operands(in.Args))
	case OpEventStatus:
		return fmt.Sprintf("%sstatus %s", dst, a)
	case OpCallback:
		return fmt.Sprintf("callback %s(%s)", p.funcName(in.Target), f.operands(in.Args))
	case OpMapCell:
		return "mapcell " + a
	case OpFree:
		return "free " + a
	case OpMap:
		return fmt.Sprintf("map %s, %s, writes %t", a, f.operand(in.B), in.Writes)
	case OpUnmap:
		return fmt.Sprintf("unmap %s, %s", a, f.operand(in.B))
	case OpEnqueueKernel, OpEnqueueMarker:
		what := "marker"
		if in.Op == OpEnqueueKernel {
			what = p.funcName(in.Target)
		}
		return fmt.Sprintf("%s%senqueue.device %s(%s), %d events", dst, result(in.Dst2), what, f.operands(in.Args), in.Waits)
	case OpCreateEvent:
		return dst + "create_user_event"
	case OpSetEvent:
		return fmt.Sprintf("set_user_event_status %s, %s", a, f.operand(in.B))
	case OpRetainEvent:
		return "retain_event " + a
	case OpReleaseEvent:
		return "release_event " + a
	case OpValidEvent:
		return fmt.Sprintf("%sis_valid_event %s", dst, a)
	case OpGo:
		return fmt.Sprintf("go %s(%s)", p.funcName(in.Target), f.operands(in.Args))
	}
	return fmt.Sprintf("op%d", in.Op)
}

// operands returns the notation of a list of operands.
func (f *Func) operands(list []int32) string {
	var args []string
	for _, o := range list {
		args = append(args, f.operand(o))
	}
	return strings.Join(args, ", ")
}

// private returns the notation of an instruction that is not visible.
func (p *Program) private(f *Func, in *Instr) (string, bool) {
	a, b, dst := f.operand(in.A), f.operand(in.B), result(in.Dst)
	switch in.Op {
	case OpNop:
		return "nop", true
	case OpMove:
		return dst + a, true
	case OpBin:
		return fmt.Sprintf("%s%s.%s %s, %s", dst, in.Alu, in.Type, a, b), true
	case OpUn:
		return fmt.Sprintf("%s%s.%s %s", dst, in.Alu, in.Type, a), true
	case OpConv:
		return fmt.Sprintf("%sconv.%s.%s %s", dst, in.From, in.Type, a), true
	case OpJump:
		return fmt.Sprintf("jump %d", in.Target), true
	case OpBranch:
		return fmt.Sprintf("branch %s, %d, %d", a, in.Target, in.Else), true
	case OpQuery:
		return fmt.Sprintf("%s%s %s", dst, in.Query, a), true
	case OpCheck:
		s := fmt.Sprintf("check.%s %s", in.Check, a)
		if in.Check == CheckArgument {
			s += ", " + p.str(in)
		}
		return s, true
	case OpAssert:
		return fmt.Sprintf("assert %s, %s", a, p.str(in)), true
	case OpAssume:
		return "assume " + a, true
	case OpObserve:
		return fmt.Sprintf("observe %s = %s", p.str(in), a), true
	case OpReach:
		return "reach " + p.str(in), true
	case OpRound:
		return "round" + in.Rounds.String(), true
	case OpEnd:
		return "end", true
	case OpCopied:
		return "copied " + a, true
	}
	return "", false
}

// ordering returns the order and scope of an access or fence, unless it is an
// ordinary access.
func (in *Instr) ordering() string {
	if in.Order == memmodel.NonAtomic {
		return ""
	}
	return fmt.Sprintf(", %s, %s", in.Order, in.Scope)
}

func result(dst int32) string {
	if dst < 0 {
		return "_ = "
	}
	return fmt.Sprintf("r%d = ", dst)
}

var typeNames = [...]string{"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "ptr"}

// String returns a short name of the type.
func (t Type) String() string { return pick(typeNames[:], int(t)) }

var aluNames = [...]string{"add", "sub", "mul", "div", "rem", "and", "or", "xor", "andnot", "shl", "shr",
	"eq", "ne", "lt", "le", "gt", "ge", "neg", "not", "compl", "min", "max", "pipe", "xchg",
	"mul_hi", "clz", "ctz", "popcount",
	"fmod", "remainder", "pow", "atan2", "copysign", "nextafter", "ldexp", "rootn", "hypot", "sqrt", "cbrt",
	"exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "logb",
	"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
	"erf", "erfc", "tgamma", "lgamma", "ceil", "floor", "trunc", "rint", "round", "mantissa", "exponent"}

// String returns the mnemonic of the operation.
func (a Alu) String() string { return pick(aluNames[:], int(a)) }

var checkNames = [...]string{"index", "nil", "divisor", "shift", "argument", "object", "written", "aligned", "reservations", "choices"}

// String returns a short name of what is checked.
func (c Check) String() string { return pick(checkNames[:], int(c)) }

var queryNames = [...]string{"work_dim", "global_id", "local_id", "group_id", "global_size", "local_size",
	"enqueued_local_size", "num_groups", "global_offset", "global_linear_id", "local_linear_id",
	"sub_group_size", "max_sub_group_size", "num_sub_groups", "enqueued_num_sub_groups", "sub_group_id", "sub_group_local_id"}

var groupNames = [...]string{"broadcast", "reduce", "scan_inclusive", "scan_exclusive", "shuffle"}

// String returns the name of the collective function without "work_group_".
func (g Group) String() string { return pick(groupNames[:], int(g)) }

// String returns the name of the work-item function without "get_".
func (q Query) String() string { return pick(queryNames[:], int(q)) }

func pick(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("invalid(%d)", i)
}
