package code

import (
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// builtin lowers a call of a built-in function.
func (f *frame) builtin(x *tree.BuiltinCall) value {
	switch x.Fn.Class {
	case tree.Enqueue:
		return f.enqueue(x)
	case tree.Outcome:
		return f.observe(x)
	}
	args := make([]value, len(x.Args))
	for i, a := range x.Args {
		args[i] = f.expr(a)
	}
	f.mark(x.Pos())
	switch x.Fn.Class {
	case tree.WorkItem:
		return f.workItem(x, args)
	case tree.Barrier:
		f.barrier(x, args)
		return nil
	case tree.Fence:
		f.fence(x, args)
		return nil
	case tree.AtomicC11:
		return f.atomicC11(x, args)
	case tree.AtomicLegacy:
		return f.atomicLegacy(x, args)
	case tree.Math, tree.Integer, tree.Common, tree.Geometric, tree.Relational:
		return f.mathematics(x, args)
	case tree.ConvertTo:
		return f.convertFunction(x, args[0])
	case tree.AsType:
		return f.asType(x.Type(), x.Args[0].Type(), args[0])
	case tree.VectorData:
		return f.vectorData(x, args)
	case tree.Address:
		return f.addressSpace(x, args[0])
	case tree.Property:
		return f.property(x, args)
	case tree.Hint:
		return args[0]
	case tree.Print:
		return f.zero(x.Type())
	case tree.Collective, tree.SubGroup:
		return f.collective(x, args)
	case tree.ImageAccess:
		return f.imageAccess(x, args)
	case tree.Async:
		return f.async(x, args)
	case tree.PipeAccess:
		return f.pipeAccess(x, args)
	}
	f.notYet(x.Pos(), x.Fn.Name)
	return f.zero(x.Type())
}

// queries are the work-item functions; those with true take a dimension.
var queries = map[string]struct {
	q   ir.Query
	dim bool
}{
	"get_work_dim":                {ir.QueryWorkDim, false},
	"get_global_size":             {ir.QueryGlobalSize, true},
	"get_global_id":               {ir.QueryGlobalID, true},
	"get_local_size":              {ir.QueryLocalSize, true},
	"get_enqueued_local_size":     {ir.QueryEnqueuedLocalSize, true},
	"get_local_id":                {ir.QueryLocalID, true},
	"get_num_groups":              {ir.QueryNumGroups, true},
	"get_group_id":                {ir.QueryGroupID, true},
	"get_global_offset":           {ir.QueryGlobalOffset, true},
	"get_global_linear_id":        {ir.QueryGlobalLinearID, false},
	"get_local_linear_id":         {ir.QueryLocalLinearID, false},
	"get_sub_group_size":          {ir.QuerySubGroupSize, false},
	"get_max_sub_group_size":      {ir.QueryMaxSubGroupSize, false},
	"get_num_sub_groups":          {ir.QueryNumSubGroups, false},
	"get_enqueued_num_sub_groups": {ir.QueryEnqueuedNumSubGroups, false},
	"get_sub_group_id":            {ir.QuerySubGroupID, false},
	"get_sub_group_local_id":      {ir.QuerySubGroupLocalID, false},
}

// workItem lowers the work-item functions. What the launch fixes is a constant.
func (f *frame) workItem(x *tree.BuiltinCall, args []value) value {
	q, ok := queries[x.Fn.Name]
	if !ok {
		f.notYet(x.Pos(), x.Fn.Name)
		return f.zero(x.Type())
	}
	if !q.dim {
		if q.q == ir.QueryWorkDim && !f.launch.Dynamic {
			return value{f.Constant(int64(f.launch.Dim))}
		}
		return value{f.Query(q.q, f.Constant(0))}
	}
	out := f.NewReg("")
	f.Cases(ir.U32, args[0].one(), []int64{0, 1, 2}, func(d int64) { f.Move(out, f.ask(q.q, int(d))) },
		func() { f.Move(out, f.Constant(beyond(q.q))) })
	return value{out}
}

// beyond is what a query answers about a dimension that there is not: sizes are 1.
func beyond(q ir.Query) int64 {
	switch q {
	case ir.QueryGlobalSize, ir.QueryLocalSize, ir.QueryEnqueuedLocalSize, ir.QueryNumGroups:
		return 1
	}
	return 0
}

// ask emits a query about a dimension, or what is known about it.
func (f *frame) ask(q ir.Query, d int) int32 {
	l := f.launch
	f.asked = max(f.asked, d+1)
	if l.Dynamic {
		return f.Query(q, f.Constant(int64(d)))
	}
	if d >= l.Dim {
		return f.Constant(beyond(q))
	}
	uniform := l.Global[d]%l.Local[d] == 0
	switch {
	case q == ir.QueryGlobalSize:
		return f.Constant(l.Global[d])
	case q == ir.QueryEnqueuedLocalSize, q == ir.QueryLocalSize && uniform:
		return f.Constant(l.Local[d])
	case q == ir.QueryNumGroups:
		return f.Constant((l.Global[d] + l.Local[d] - 1) / l.Local[d])
	case q == ir.QueryGlobalOffset:
		return f.Constant(l.Offset[d])
	case q == ir.QueryGroupID && l.Global[d] <= l.Local[d], q == ir.QueryLocalID && l.Local[d] == 1:
		return f.Constant(0)
	}
	return f.Query(q, f.Constant(int64(d)))
}

// rounds returns what a meeting must know of the loops around it.
func (f *frame) rounds() *ir.Rounds {
	if loops := f.around(); len(loops) > 0 {
		return &ir.Rounds{Loops: loops}
	}
	return nil
}

// meeting names what work-items meet at: by its place, and by a number where a macro makes several
// at one.
func (f *frame) meeting(x tree.Expr) int32 {
	name := f.site(x.Pos()) + f.path
	for n := 2; f.sites[name] != nil && f.sites[name] != x; n++ {
		name = f.site(x.Pos()) + f.path + strings.Repeat("'", n-1)
	}
	f.sites[name] = x
	return f.p.Str(name)
}

func flagsOf(v int64) (fl memmodel.Flags) {
	for bit, flag := range map[int64]memmodel.Flags{tree.FenceLocal: memmodel.LocalFence, tree.FenceGlobal: memmodel.GlobalFence, tree.FenceImage: memmodel.ImageFence} {
		if v&bit != 0 {
			fl |= flag
		}
	}
	return fl
}

func (f *frame) barrier(x *tree.BuiltinCall, args []value) {
	s := lower.Sync{Op: ir.OpBarrier, Scope: memmodel.ScopeWorkGroup, SubGroup: strings.HasPrefix(x.Fn.Name, "sub_group")}
	if s.SubGroup {
		s.Scope = memmodel.ScopeSubGroup
	}
	if len(args) == 0 {
		f.notYet(x.Pos(), x.Fn.Name+" without flags")
		return
	}
	name, rounds := f.meeting(x), f.rounds()
	emit := func() {
		if f.legal(x, &s) {
			f.Emit(ir.Instr{Op: ir.OpBarrier, Flags: s.Flags, Scope: s.Scope, SubGroup: s.SubGroup, Str: name, Rounds: rounds})
		}
	}
	f.oneOf(x, "combination of fence flags", args[0].one(), allFlags, func(v int64) {
		s.Flags = flagsOf(v)
		if len(args) < 2 {
			emit()
			return
		}
		f.oneOf(x, "memory scope", args[1].one(), allScopes, func(v int64) {
			s.Scope = scopes[v]
			emit()
		})
	})
}

func (f *frame) fence(x *tree.BuiltinCall, args []value) {
	s := lower.Sync{Op: ir.OpFence, Scope: memmodel.ScopeWorkGroup}
	emit := func() {
		if f.legal(x, &s) && s.Order != memmodel.Relaxed { // a relaxed one has no effect (rule 6.9)
			f.Emit(ir.Instr{Op: ir.OpFence, Flags: s.Flags, Order: s.Order, Scope: s.Scope})
		}
	}
	f.oneOf(x, "combination of fence flags", args[0].one(), allFlags, func(v int64) {
		s.Flags = flagsOf(v)
		switch x.Fn.Name {
		case "mem_fence":
			s.Order = memmodel.AcqRel
		case "read_mem_fence":
			s.Order = memmodel.Acquire
		case "write_mem_fence":
			s.Order = memmodel.Release
		default:
			f.oneOf(x, "memory order", args[1].one(), allOrders, func(v int64) {
				s.Order = orders[v]
				f.oneOf(x, "memory scope", args[2].one(), allScopes, func(v int64) {
					s.Scope = scopes[v]
					emit()
				})
			})
			return
		}
		emit()
	})
}

// addressSpace lowers to_global and its like, and get_fence.
func (f *frame) addressSpace(x *tree.BuiltinCall, p value) value {
	segment := f.Bin(ir.And, ir.I64, p[ptrBase], f.Constant(ir.SegMask))
	want := map[string]int64{"to_global": ir.SegShared, "to_local": ir.SegGroup, "to_private": ir.SegPrivate}
	if seg, ok := want[x.Fn.Name]; ok {
		is := f.Bin(ir.Eq, ir.I64, segment, f.Constant(seg))
		out := value{f.choose(is, p[ptrBase], f.Constant(0)), p[ptrOff], f.choose(is, p[ptrSize], f.Constant(0))}
		return out
	}
	flags := f.Constant(tree.FenceGlobal)
	local := f.Bin(ir.Eq, ir.I64, segment, f.Constant(ir.SegGroup))
	return value{f.choose(local, f.Constant(tree.FenceLocal), flags)}
}

// property lowers what kernels say of themselves.
func (f *frame) property(x *tree.BuiltinCall, args []value) value {
	if len(args) == 0 {
		return nil
	}
	cond := f.isTrueValue(args[0], x.Args[0].Type())
	switch x.Fn.Name {
	case "__requires", "__assume", "__builtin_assume":
		f.Emit(ir.Instr{Op: ir.OpAssume, A: cond})
	default:
		f.Emit(ir.Instr{Op: ir.OpAssert, A: cond, Str: f.p.Str(f.quoted(x))})
	}
	return f.zero(x.Type())
}

// observe lowers __observe: what a work-item sees is a part of the outcome of an execution.
func (f *frame) observe(x *tree.BuiltinCall) value {
	name := x.Args[0].(*tree.Decay).X.(*tree.StringLit)
	v := f.expr(x.Args[1])
	f.mark(x.Pos())
	f.Emit(ir.Instr{Op: ir.OpObserve, Type: scalar(x.Args[1].Type()), A: v.one(), Str: f.p.Str(name.Value), PerItem: true})
	return nil
}

// isTrueValue returns 1 if a scalar is not zero.
func (f *frame) isTrueValue(v value, t *tree.Type) int32 {
	return f.Bin(ir.Ne, ir.I64, f.truth(v, t), f.Constant(0))
}

// quoted returns the text of a call, as far as it is on its line.
func (f *frame) quoted(x tree.Expr) string {
	pos := f.position(x.Pos())
	lines := f.lines(pos.Filename)
	if pos.Line < 1 || pos.Line > len(lines) {
		return "assertion"
	}
	text := lines[pos.Line-1]
	if pos.Column-1 < len(text) {
		text = text[pos.Column-1:]
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return strings.TrimSpace(text)
}
