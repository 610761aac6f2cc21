package code

import (
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

var orders = map[int64]memmodel.Order{tree.OrderRelaxed: memmodel.Relaxed, tree.OrderAcquire: memmodel.Acquire,
	tree.OrderRelease: memmodel.Release, tree.OrderAcqRel: memmodel.AcqRel, tree.OrderSeqCst: memmodel.SeqCst}

var scopes = map[int64]memmodel.Scope{tree.ScopeWorkItem: memmodel.ScopeWorkItem, tree.ScopeSubGroup: memmodel.ScopeSubGroup,
	tree.ScopeWorkGroup: memmodel.ScopeWorkGroup, tree.ScopeDevice: memmodel.ScopeDevice, tree.ScopeAllSVMDevices: memmodel.ScopeAllSVMDevices}

var (
	allOrders = []int64{tree.OrderRelaxed, tree.OrderAcquire, tree.OrderRelease, tree.OrderAcqRel, tree.OrderSeqCst}
	allScopes = []int64{tree.ScopeWorkItem, tree.ScopeSubGroup, tree.ScopeWorkGroup, tree.ScopeDevice, tree.ScopeAllSVMDevices}
	allFlags  = []int64{0, 1, 2, 3, 4, 5, 6, 7}
)

// seqCst is how operators on atomic variables, and functions without arguments for it, order
// memory (rule 3.8).
var seqCst = lower.Sync{Order: memmodel.SeqCst, Fail: memmodel.SeqCst, Scope: memmodel.ScopeDevice}

// spot is where an atomic operation happens: one cell of memory.
type spot struct {
	addr    int32
	cell, t ir.Type // of the cell as it is accessed, and of the values
	kept    ir.Type // of the cell
}

// in turns a value into what the cell holds, and out back.
func (s spot) in(f *frame, v int32) int32  { return f.toCell(v, s.cell, s.t) }
func (s spot) out(f *frame, v int32) int32 { return f.fromCell(v, s.cell, s.t) }

// target checks that a place can be accessed atomically, and returns its cell.
func (f *frame) target(p *place) spot {
	t := scalar(p.typ)
	s := spot{f.Constant(0), t, t, t}
	if p.regs != nil || f.isPrivate(p.ptr) {
		f.fault(f.here, "put the variable in global or local memory",
			"atomic operation on private variable %s (rule 1.6; OpenCL C 6.15.12)", p.name)
		return s
	}
	s.addr = p.ptr[ptrBase] // as long as nothing better is known
	found := 0
	f.touch(p, true, func(list []stretch, several bool) {
		c := list[0].cells[0]
		switch found++; {
		case !several:
			s.addr = list[0].first
		case found == 1:
			s.addr = f.NewReg("")
			f.Move(s.addr, list[0].first)
		case c.t != s.kept:
			f.notYet(f.here, "an atomic operation on memory of several types")
		default:
			f.Move(s.addr, list[0].first)
		}
		s.kept = c.t
		if t.Signed() { // other numbers are held as their bits in any case
			s.cell = c.t
			if c.t.Float() {
				s.cell = unsigned(c.t.Bits())
			}
		}
	})
	if p.typ.Kind == tree.Atomic {
		f.seenAtomic(p, s)
	}
	return s
}

// seenAtomic makes the cells atomic that an operation on an atomic type may be on in memory that has no declared type. What is declared with another
// type keeps it: an operation there is told.
func (f *frame) seenAtomic(p *place, s spot) {
	list := f.mayBeOf(p)
	base, known := f.Known(p.ptr[ptrBase])
	if known {
		o := f.objectAt(base)
		if o == nil {
			return
		}
		list = []*object{o}
	}
	for _, o := range list {
		if !o.allocated || o.dims != nil || o.pipe != nil {
			continue
		}
		if _, at := f.Known(s.addr); known && at {
			f.NoteLegacy(s.addr, s.kept)
			continue
		}
		for i := range min(len(o.grid.cells), o.cells) {
			if o.grid.cells[i].t == s.kept {
				f.NoteLegacy(f.Constant(o.addr+int64(i)), s.kept)
			}
		}
	}
}

// mayBeOf returns the objects that an access by a pointer may be of which nobody has a name for: those that the first lowering has found, of this
// kernel, or of another one that has put a pointer to it into memory.
func (f *frame) mayBeOf(p *place) (list []*object) {
	if f.known == nil {
		return f.objects
	}
	found := f.known.findings[f.useKey(p)]
	if found == nil || found.class == nil {
		return f.objects
	}
	keys := map[objectKey]bool{}
	for _, o := range found.class.objects {
		keys[o.key] = true
	}
	for _, o := range slices.Concat(f.objects, f.program.shared) {
		if keys[o.key] {
			list = append(list, o)
		}
	}
	return list
}

func (f *frame) isPrivate(p value) bool {
	base, ok := f.Known(p[ptrBase])
	return ok && base&ir.SegMask == ir.SegPrivate
}

// access returns an atomic access of a cell.
func access(op ir.Op, at spot, s lower.Sync) ir.Instr {
	return ir.Instr{Op: op, Type: at.cell, Order: s.Order, FailOrder: s.Fail, Scope: s.Scope, A: at.addr, Dst: -1, Dst2: -1}
}

// atomicLoad reads an atomic variable as an operator does.
func (f *frame) atomicLoad(p *place) value {
	at := f.target(p)
	in := access(ir.OpLoad, at, seqCst)
	in.Dst = f.NewReg("")
	f.Emit(in)
	return value{at.out(f, in.Dst)}
}

func (f *frame) atomicStore(p *place, v int32) {
	at := f.target(p)
	in := access(ir.OpStore, at, seqCst)
	in.B = at.in(f, v)
	f.Emit(in)
}

// rmw is a read-modify-write by an operator. It returns the old value.
func (f *frame) rmw(p *place, alu ir.Alu, v int32) int32 {
	r := f.NewReg("")
	at := f.target(p)
	f.emitRMW(at, alu, v, seqCst, r, false)
	return at.out(f, r)
}

func (f *frame) emitRMW(at spot, alu ir.Alu, v int32, s lower.Sync, dst int32, legacy bool) {
	if at.cell != at.t && (alu == ir.Min || alu == ir.Max) {
		f.signedExtreme(at, alu, v, s, dst, legacy)
		return
	}
	in := access(ir.OpRMW, at, s)
	in.Alu, in.B, in.Dst, in.Legacy = alu, at.in(f, v), dst, legacy
	f.Emit(in)
}

// signedExtreme is the least or greatest of signed numbers in memory that holds the bits of another type: a loop that
// compares and exchanges. Whoever reads what it wrote reads what one operation would have written, and rounds that fail are
// relaxed loads, which order nothing.
func (f *frame) signedExtreme(at spot, alu ir.Alu, v int32, s lower.Sync, dst int32, legacy bool) {
	expected, ok, found := f.NewReg(""), f.NewReg(""), f.NewReg("")
	f.Move(expected, at.in(f, f.Constant(0)))
	again, done := lower.NewBlock(), lower.NewBlock()
	l := f.NewLoop()
	f.Jump(again)
	f.Enter(again)
	f.BeginRound(l)
	s.Fail = memmodel.Relaxed
	in := access(ir.OpCmpXchg, at, s)
	in.Legacy, in.B, in.C, in.Dst, in.Dst2 = legacy, expected, at.in(f, f.Bin(alu, at.t, at.out(f, expected), v)), ok, found
	f.Emit(in)
	f.Move(expected, found)
	f.Branch(ok, done, again)
	f.Enter(done)
	f.Move(dst, expected)
}

// atomicOp is op= on an atomic variable. What no function of OpenCL C does at once is a loop that
// compares and exchanges.
func (f *frame) atomicOp(p *place, x *tree.AssignOp, r int32) value {
	t := scalar(x.L.Type())
	elem := x.L.Type().Elem
	alu, simple := map[tree.BinaryOp]ir.Alu{tree.Add: ir.Add, tree.Sub: ir.Sub, tree.And: ir.And, tree.Or: ir.Or, tree.Xor: ir.Xor}[x.Op]
	if simple && !t.Float() && x.Compute.IsInteger() {
		v := f.convertScalar(elem, x.R.Type(), r)
		old := f.rmw(p, alu, v)
		return value{f.Bin(alu, t, old, v)}
	}
	expected, next := f.NewReg(""), f.NewReg("")
	at := f.target(p)
	f.Move(expected, f.atomicLoad(p).one())
	again, done := lower.NewBlock(), lower.NewBlock()
	l := f.NewLoop()
	f.Jump(again)
	f.Enter(again)
	f.BeginRound(l)
	wide := f.convertScalar(x.Compute, elem, expected)
	v := f.operate(x.Op, x.Compute, value{wide}, value{r}, x.R.Type())
	f.Move(next, f.convertScalar(elem, x.Compute, v.one()))
	in := access(ir.OpCmpXchg, at, seqCst)
	ok, found := f.NewReg(""), f.NewReg("")
	in.B, in.C, in.Dst, in.Dst2 = at.in(f, expected), at.in(f, next), ok, found
	f.Emit(in)
	f.Move(expected, at.out(f, found))
	f.Branch(ok, done, again)
	f.Enter(done)
	return value{next}
}

// pointee returns what the pointer argument i of a call points to.
func (f *frame) pointee(x *tree.BuiltinCall, p value, i int) *place {
	return f.behind(p, x.Args[i].Type().Elem)
}

// atomicShape says which arguments an atomic function has.
type atomicShape struct {
	op    ir.Op
	alu   ir.Alu
	value int // index of the operand, or -1
	next  int // index of the first argument about order and scope
	weak  bool
}

var fetchOps = map[string]ir.Alu{"add": ir.Add, "sub": ir.Sub, "or": ir.Or, "xor": ir.Xor, "and": ir.And, "min": ir.Min, "max": ir.Max}

func shapeOf(name string) (atomicShape, bool) {
	switch name {
	case "atomic_load":
		return atomicShape{op: ir.OpLoad, value: -1, next: 1}, true
	case "atomic_store":
		return atomicShape{op: ir.OpStore, value: 1, next: 2}, true
	case "atomic_exchange":
		return atomicShape{op: ir.OpRMW, alu: ir.Xchg, value: 1, next: 2}, true
	case "atomic_compare_exchange_strong":
		return atomicShape{op: ir.OpCmpXchg, value: 2, next: 3}, true
	case "atomic_compare_exchange_weak":
		return atomicShape{op: ir.OpCmpXchg, value: 2, next: 3, weak: true}, true
	case "atomic_flag_test_and_set":
		return atomicShape{op: ir.OpRMW, alu: ir.Xchg, value: -1, next: 1}, true
	case "atomic_flag_clear":
		return atomicShape{op: ir.OpStore, value: -1, next: 1}, true
	}
	if op, ok := strings.CutPrefix(name, "atomic_fetch_"); ok {
		alu, known := fetchOps[op]
		return atomicShape{op: ir.OpRMW, alu: alu, value: 1, next: 2}, known
	}
	return atomicShape{}, false
}

// atomicC11 lowers the atomic functions of OpenCL C 2.0.
func (f *frame) atomicC11(x *tree.BuiltinCall, args []value) value {
	name := strings.TrimSuffix(x.Fn.Name, "_explicit")
	p := f.pointee(x, args[0], 0)
	if name == "atomic_init" { // an ordinary store (rule 4.7)
		f.put(p, args[1])
		return nil
	}
	shape, ok := shapeOf(name)
	if !ok {
		f.notYet(x.Pos(), x.Fn.Name)
		return f.zero(x.Type())
	}
	var dst int32 = -1
	if x.Type().Kind != tree.Void {
		dst = f.NewReg("")
		f.Move(dst, f.Constant(0))
	}
	at := f.target(p)
	f.sync(x, shape, args, func(s lower.Sync) { f.emitAtomic(x, shape, at, args, s, dst) })
	if dst < 0 {
		return nil
	}
	switch name {
	case "atomic_flag_test_and_set":
		return value{f.Bin(ir.Ne, ir.I32, dst, f.Constant(0))}
	case "atomic_compare_exchange_strong", "atomic_compare_exchange_weak":
		return value{dst}
	}
	return value{at.out(f, dst)}
}

func (f *frame) emitAtomic(x *tree.BuiltinCall, shape atomicShape, at spot, args []value, s lower.Sync, dst int32) {
	operand := f.Constant(0)
	if shape.op == ir.OpRMW {
		operand = f.Constant(1) // of a flag
	}
	if shape.value >= 0 {
		operand = args[shape.value].one()
	}
	switch in := access(shape.op, at, s); shape.op {
	case ir.OpLoad:
		in.Dst = dst
		f.Emit(in)
	case ir.OpStore:
		in.B = at.in(f, operand)
		f.Emit(in)
	case ir.OpRMW:
		f.emitRMW(at, shape.alu, operand, s, dst, false)
	case ir.OpCmpXchg:
		f.compareExchange(x, shape, at, args, s, dst)
	}
}

// compareExchange writes what it finds to *expected, by an ordinary store, if it fails.
func (f *frame) compareExchange(x *tree.BuiltinCall, shape atomicShape, at spot, args []value, s lower.Sync, dst int32) {
	in := access(ir.OpCmpXchg, at, s)
	expected := f.pointee(x, args[1], 1)
	expected.shared = isShared(x.Args[1].Type().To.Space)
	found := f.NewReg("")
	in.B, in.C = at.in(f, f.read(expected).one()), at.in(f, args[2].one())
	in.Weak, in.Dst, in.Dst2 = shape.weak, dst, found
	f.Emit(in)
	if f.isPrivate(expected.ptr) { // where it makes no difference, always
		f.write(expected, value{at.out(f, found)})
		return
	}
	f.If(dst, func() {}, func() { f.write(expected, value{at.out(f, found)}) })
}

// sync calls each with every order and scope that the arguments of a call may have.
func (f *frame) sync(x *tree.BuiltinCall, shape atomicShape, args []value, each func(lower.Sync)) {
	s := seqCst
	s.Op = shape.op
	rest := args[shape.next:]
	if !strings.HasSuffix(x.Fn.Name, "_explicit") {
		rest = nil
	}
	var choose func(i int, s lower.Sync)
	choose = func(i int, s lower.Sync) {
		if i >= len(rest) {
			if f.legal(x, &s) {
				each(s)
			}
			return
		}
		scope := i >= 2 || i == 1 && shape.op != ir.OpCmpXchg
		values, what := allOrders, "memory order"
		if scope {
			values, what = allScopes, "memory scope"
		}
		f.oneOf(x, what, rest[i].one(), values, func(v int64) {
			switch {
			case scope:
				s.Scope = scopes[v]
			case i == 1:
				s.Fail = orders[v]
			default:
				s.Order = orders[v]
			}
			choose(i+1, s)
		})
	}
	choose(0, s)
}

// oneOf calls each with every value that an argument may have, which must be one of a list.
func (f *frame) oneOf(x tree.Expr, what string, v int32, values []int64, each func(int64)) {
	f.Cases(ir.I64, v, values, each, func() {
		if k, ok := f.Known(v); ok {
			f.fault(x.Pos(), "write one of the constants of OpenCL C", "%d is no %s", k, what)
			return
		}
		f.Check(ir.CheckArgument, f.Constant(0), "the "+what+" must be one of OpenCL C's")
	})
}

// legal reports combinations that OpenCL C rules out, and fixes the scope. Those that depend on
// values at run time are violations when they occur.
func (f *frame) legal(x tree.Expr, s *lower.Sync) bool {
	bad := s.Check()
	if bad == nil {
		s.Scope = s.Effective()
		return true
	}
	if f.choosing(x) {
		f.Check(ir.CheckArgument, f.Constant(0), bad.Message)
		return false
	}
	f.fault(x.Pos(), bad.Hint, "%s", bad.Message)
	return false
}

// choosing reports whether a call has arguments about order that are not constants.
func (f *frame) choosing(x tree.Expr) bool {
	c, ok := x.(*tree.BuiltinCall)
	if !ok {
		return false
	}
	for _, a := range c.Args {
		if _, isConst := a.(*tree.Const); !isConst && a.Type().IsInteger() && f.aboutOrder(c, a) {
			return true
		}
	}
	return false
}

// aboutOrder reports whether an argument is an order, a scope or flags: all integers of fences and
// barriers, and of atomic functions those behind the operands.
func (f *frame) aboutOrder(c *tree.BuiltinCall, a tree.Expr) bool {
	from := 0
	if shape, ok := shapeOf(strings.TrimSuffix(c.Fn.Name, "_explicit")); ok {
		from = shape.next
	}
	for i := from; i < len(c.Args); i++ {
		if c.Args[i] == a {
			return true
		}
	}
	return false
}

// atomicLegacy lowers the atomic functions of OpenCL 1.x, which are relaxed, on plain memory, and of
// a scope that options say (rule 3.9).
func (f *frame) atomicLegacy(x *tree.BuiltinCall, args []value) value {
	p := f.pointee(x, args[0], 0)
	s := lower.Sync{Order: memmodel.Relaxed, Fail: memmodel.Relaxed, Scope: f.legacy}
	name := strings.TrimPrefix(x.Fn.Name, "atomic_")
	at := f.target(p)
	f.noteLegacy(p, at)
	r := f.NewReg("")
	switch name {
	case "inc":
		f.emitRMW(at, ir.Add, f.Constant(1), s, r, true)
	case "dec":
		f.emitRMW(at, ir.Sub, f.Constant(1), s, r, true)
	case "xchg":
		f.emitRMW(at, ir.Xchg, args[1].one(), s, r, true)
	case "cmpxchg":
		in := access(ir.OpCmpXchg, at, s)
		in.Legacy, in.B, in.C, in.Dst2 = true, at.in(f, args[1].one()), at.in(f, args[2].one()), r
		f.Emit(in)
	default:
		alu, ok := fetchOps[name]
		if !ok {
			f.notYet(x.Pos(), x.Fn.Name)
			return f.zero(x.Type())
		}
		f.emitRMW(at, alu, args[1].one(), s, r, true)
	}
	return value{at.out(f, r)}
}

// noteLegacy remembers which cells take atomic operations though their type is none: those of
// the whole object, if all its cells are alike.
func (f *frame) noteLegacy(p *place, at spot) {
	if len(p.ptr) != ptrParts || p.regs != nil {
		return
	}
	if p.typ.Kind == tree.Atomic {
		return
	}
	if base, ok := f.Known(p.ptr[ptrBase]); ok && base != 0 {
		if o := f.objectAt(base); o != nil && len(o.grid.cells) == 1 {
			f.NoteLegacy(p.ptr[ptrBase], at.kept)
			return
		}
		f.NoteLegacy(at.addr, at.kept)
		return
	}
	f.NoteLegacy(f.NewReg(""), at.kept)
}
