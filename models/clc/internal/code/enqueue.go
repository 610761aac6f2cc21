package code

import (
	"fmt"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// blockValue is a block: its literal, and what the literal has captured.
type blockValue struct {
	lit      *tree.BlockLit
	captures []value
}

// block finds the block that an expression stands for: a literal, or a variable that was made with one and is not assigned.
func (f *frame) blockOf(x tree.Expr) *blockValue {
	switch x := x.(type) {
	case *tree.BlockLit:
		return f.captured(x)
	case *tree.Convert:
		return f.blockOf(x.X)
	case *tree.Load:
		if v, ok := x.X.(*tree.VarRef); ok && !v.Var.Assigned {
			if b := f.blocks[v.Var]; b != nil {
				return b
			}
			if lit, ok := v.Var.Init.(*tree.BlockLit); ok && v.Var.Storage == tree.Program {
				return f.captured(lit)
			}
		}
	}
	f.notYet(x.Pos(), "a block that is chosen at run time")
	return nil
}

// captured evaluates what a literal captures.
func (f *frame) captured(lit *tree.BlockLit) *blockValue {
	b := &blockValue{lit: lit}
	for _, c := range lit.Captures {
		var v value
		for _, r := range f.read(f.ofVariable(f.lookup(c.Outer), c.Outer.Name)) {
			v = append(v, f.Copy(r))
		}
		b.captures = append(b.captures, v)
	}
	return b
}

// callBlock inlines a block that is called.
func (f *frame) callBlock(x *tree.CallBlock) value {
	b := f.blockOf(x.X)
	if b == nil || f.depth > maxDepth {
		return f.zero(x.Type())
	}
	return f.inline(b.lit.Func, x, x.Args, b)
}

// childKey names a kernel that blocks make: the literal, and what of its captures is built into the code.
type childKey struct {
	lit   *tree.BlockLit
	fixed string
}

// enqueue lowers the functions of device-side enqueue.
func (f *frame) enqueue(x *tree.BuiltinCall) value {
	name := x.Fn.Name
	arg := func(i int) value { return f.expr(x.Args[i]) }
	switch name {
	case "enqueue_kernel":
		return f.enqueueKernel(x)
	case "get_kernel_work_group_size":
		return value{f.Constant(ir.MaxItems)}
	case "get_kernel_preferred_work_group_size_multiple":
		return value{f.Constant(f.SubGroups())}
	case "get_kernel_max_sub_group_size_for_ndrange", "get_kernel_sub_group_count_for_ndrange":
		r := arg(0)
		items := f.Bin(ir.Mul, ir.I64, f.Bin(ir.Mul, ir.I64, r[7], r[8]), r[9])
		size := f.Constant(f.SubGroups())
		if name == "get_kernel_max_sub_group_size_for_ndrange" {
			return value{f.Bin(ir.Min, ir.I64, items, size)}
		}
		return value{f.Bin(ir.Div, ir.I64, f.Bin(ir.Add, ir.I64, items, f.Constant(f.SubGroups()-1)), size)}
	}
	args := make([]value, len(x.Args))
	for i := range args {
		args[i] = arg(i)
	}
	f.mark(x.Pos())
	switch name {
	case "get_default_queue":
		return value{f.Constant(ir.DefaultQueue)}
	case "ndrange_1D", "ndrange_2D", "ndrange_3D":
		return f.ndrange(x, args)
	case "enqueue_marker":
		waits, ok := f.waitList(x, args[1].one(), args[2])
		if !ok {
			return value{f.Constant(0)}
		}
		return f.enqueued(ir.Instr{Op: ir.OpEnqueueMarker, Waits: int32(len(waits)), Args: append([]int32{args[0].one()}, waits...)}, args[3], x.Args[3])
	case "create_user_event":
		return value{f.event(ir.Instr{Op: ir.OpCreateEvent})}
	case "is_valid_event":
		return value{f.event(ir.Instr{Op: ir.OpValidEvent, A: args[0].one()})}
	case "retain_event", "release_event", "set_user_event_status":
		in := ir.Instr{Op: ir.OpRetainEvent, A: args[0].one(), Dst: -1}
		switch name {
		case "release_event":
			in.Op = ir.OpReleaseEvent
		case "set_user_event_status":
			in.Op, in.B = ir.OpSetEvent, args[1].one()
		}
		f.Emit(in)
		return nil
	}
	f.notYet(x.Pos(), name)
	return f.zero(x.Type())
}

func (f *frame) event(in ir.Instr) int32 {
	in.Dst = f.NewReg("")
	f.Emit(in)
	return in.Dst
}

// ndrange makes an index space: dimensions, then offset, global size and local size with three entries each. A local size
// that is left to the implementation is taken to be 1.
func (f *frame) ndrange(x *tree.BuiltinCall, args []value) value {
	dims := int(x.Fn.Name[len("ndrange_")] - '0')
	parts := make([][3]int32, len(args))
	for i, a := range args {
		parts[i] = [3]int32{f.Constant(1), f.Constant(1), f.Constant(1)}
		if i == 0 && len(args) == 3 {
			parts[i] = [3]int32{f.Constant(0), f.Constant(0), f.Constant(0)}
		}
		for d := range dims {
			if dims == 1 {
				parts[i][d] = a.one()
				continue
			}
			parts[i][d] = f.read(f.behind(f.move(a, f.Constant(int64(d)), tree.TULong, false), tree.TULong)).one()
		}
	}
	zero, one := f.Constant(0), f.Constant(1)
	offset, local := [3]int32{zero, zero, zero}, [3]int32{one, one, one}
	global := parts[0]
	switch len(args) {
	case 1:
		f.p.Notes = appendOnce(f.p.Notes, fmt.Sprintf("At %s the local size is left to the implementation. clmc takes work-groups of one work-item.", f.site(x.Pos())))
	case 2:
		local = parts[1]
	case 3:
		offset, global, local = parts[0], parts[1], parts[2]
	}
	v := value{f.Constant(int64(dims))}
	for _, p := range [][3]int32{offset, global, local} {
		v = append(v, p[:]...)
	}
	return v
}

func appendOnce(list []string, s string) []string {
	for _, t := range list {
		if t == s {
			return list
		}
	}
	return append(list, s)
}

// waitList returns the events of a wait list.
func (f *frame) waitList(x *tree.BuiltinCall, count int32, list value) (events []int32, ok bool) {
	n, ok := f.Known(count)
	if !ok || n > 64 {
		f.notYet(x.Pos(), "a wait list whose length is not constant")
		return nil, false
	}
	for i := range n {
		events = append(events, f.read(f.behind(f.move(list, f.Constant(i), tree.TClkEvent, false), tree.TClkEvent)).one())
	}
	return events, true
}

// enqueued emits an enqueue: its result, and the event for event_ret.
func (f *frame) enqueued(in ir.Instr, ret value, at tree.Expr) value {
	in.Dst, in.Dst2 = f.NewReg(""), -1
	if base, known := f.Known(ret.one()); known && base == 0 {
		if in.Op == ir.OpEnqueueMarker { // rule 12.18
			return value{f.Constant(0)}
		}
		f.Emit(in)
		return value{in.Dst}
	}
	in.Dst2 = f.NewReg("")
	f.Emit(in)
	f.write(f.behind(ret, tree.TClkEvent), value{in.Dst2})
	return value{in.Dst}
}

// enqueueKernel lowers the forms of enqueue_kernel.
func (f *frame) enqueueKernel(x *tree.BuiltinCall) value {
	at := 3
	if x.Args[3].Type().Kind != tree.Block {
		at = 6
	}
	args := make([]value, len(x.Args))
	for i, a := range x.Args {
		if i != at {
			args[i] = f.expr(a)
		}
	}
	b := f.blockOf(x.Args[at])
	f.mark(x.Pos())
	if b == nil {
		return value{f.Constant(0)}
	}
	var waits []int32
	ret := f.null()
	if at == 6 {
		var ok bool
		if waits, ok = f.waitList(x, args[3].one(), args[4]); !ok {
			return value{f.Constant(0)}
		}
		ret = args[5]
	}
	var sizes []int64
	for _, a := range args[at+1:] {
		n, ok := f.Known(a.one())
		if !ok || n < 1 || n > maxBytes {
			f.fault(x.Pos(), "write a constant", "the size of a local argument must be a positive constant")
			return value{f.Constant(0)}
		}
		sizes = append(sizes, n)
	}
	index, params, ok := f.child(b, sizes, x)
	if !ok || len(args[2]) != 10 {
		return value{f.Constant(0)}
	}
	in := ir.Instr{Op: ir.OpEnqueueKernel, Target: int32(index), Waits: int32(len(waits))}
	in.Args = append([]int32{args[0].one(), args[1].one()}, args[2]...)
	in.Args = append(append(in.Args, waits...), params...)
	return f.enqueued(in, ret, x)
}

// child makes the kernel that a block is, once for all that captures the same objects. It returns its number and the
// arguments of its parameters.
func (f *frame) child(b *blockValue, sizes []int64, x *tree.BuiltinCall) (index int, params []int32, ok bool) {
	key := childKey{lit: b.lit, fixed: fmt.Sprint(sizes, " in sub-groups of ", f.SubGroups())}
	fixed := make([][]bool, len(b.captures))
	for i, c := range b.lit.Captures {
		fixed[i] = make([]bool, len(b.captures[i]))
		for j, l := range f.leaves(c.Inner.Type) {
			if j >= len(b.captures[i]) {
				return 0, nil, false
			}
			k, known := f.Known(b.captures[i][j])
			if l.part == ptrBase && l.ptr && known && k&ir.SegMask != ir.SegShared && k != 0 {
				f.fault(x.Pos(), "pass what it points to, or put it in global memory", "the block captures %s, a pointer to memory that its kernel cannot access (OpenCL C 6.15.18)", c.Outer.Name)
				return 0, nil, false
			}
			if fixed[i][j] = known && (l.ptr && l.part != ptrOff || c.Inner.Type.Kind == tree.Pipe); fixed[i][j] {
				key.fixed += fmt.Sprintf(" %d.%d=%d", i, j, k)
				continue
			}
			params = append(params, b.captures[i][j])
		}
	}
	if n, made := f.children[key]; made {
		return n, params, true
	}
	name := f.fn.Name
	if f.fn.Name == "" {
		name = "a"
	}
	u := f.newUnit(fmt.Sprintf("%s block %d:%d", name, b.lit.Pos().Line, b.lit.Pos().Col), b.lit.Pos(), f.childLaunch(key))
	u.SetSubGroups(f.SubGroups())
	f.children[key] = u.Number()
	for _, o := range f.objects {
		if o.addr&ir.SegMask == ir.SegShared {
			u.objects = append(u.objects, o)
		}
	}
	g := &frame{unit: u, fn: b.lit.Func, vars: map[*tree.Var]*variable{}, given: map[*tree.Var]bool{}, blocks: map[*tree.Var]*blockValue{}, ret: lower.NewBlock(), depth: f.depth + 1}
	g.takeCaptured(f, b, fixed)
	for i, v := range b.lit.Func.Params {
		g.bind(v, g.pointer(u.local(v, f.src.Types.Array(tree.TUChar, sizes[i]))))
	}
	u.reservations()
	g.body()
	u.committed()
	u.End()
	return u.Number(), params, true
}

// takeCaptured gives the variables of a block what it has captured in another frame: constants, where that is fixed, and else parameters.
func (f *frame) takeCaptured(from *frame, b *blockValue, fixed [][]bool) {
	f.mark(b.lit.Pos())
	var vals []value
	for i, c := range b.lit.Captures {
		var v value
		for j := range b.captures[i] {
			if fixed[i][j] {
				k, _ := from.Known(b.captures[i][j])
				v = append(v, f.Constant(k))
				continue
			}
			v = append(v, f.Param(f.leafName(c.Inner, j)))
		}
		vals = append(vals, v)
	}
	for i, c := range b.lit.Captures {
		f.bind(c.Inner, vals[i])
	}
}

// childLaunch returns the launch that stands for the kernels of a block: what is enqueued knows its sizes only at run time.
// It is the same each time that the program is lowered.
func (p *program) childLaunch(key childKey) *Launch {
	if p.childLaunches[key.lit] == nil {
		p.childLaunches[key.lit] = &Launch{Dim: 3, Global: ones, Local: ones, Dynamic: true}
	}
	return p.childLaunches[key.lit]
}
