package code

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// place is what an lvalue names: registers, or cells of memory behind a pointer.
type place struct {
	typ  *tree.Type
	name string
	regs []int32 // one a leaf, or nil
	keep bool    // the registers may be assigned before what was read is used
	// shared: the memory is not private.
	shared bool
	ptr    value // to memory
	offs   []int // where the leaves are, in cells from ptr
	// lane is the number of one of the leaves, chosen at run time, or none. The others stay.
	lane   int32
	chosen bool
}

// place evaluates an lvalue, without accessing it.
func (f *frame) place(x tree.Lvalue) *place {
	f.mark(x.Pos())
	switch x := x.(type) {
	case *tree.VarRef:
		v := f.lookup(x.Var)
		return &place{typ: x.Type(), name: x.Var.Name, regs: v.regs, keep: f.busy[x.Var], shared: x.Var.Storage == tree.Shared || x.Var.Storage == tree.Program,
			ptr: v.mem, offs: f.offsets(x.Var.Type)}
	case *tree.Deref:
		p := f.behind(f.expr(x.X), x.Type())
		p.shared = isShared(x.Place().Space)
		f.mark(x.Pos())
		return p
	case *tree.Index:
		ptr := f.expr(x.X)
		i := f.expr(x.I)
		p := f.behind(f.move(ptr, i.one(), x.Type(), false), x.Type())
		p.shared = isShared(x.Place().Space)
		f.mark(x.Pos())
		return p
	case *tree.Member:
		return f.memberPlace(x)
	case *tree.Swizzle:
		return f.part(f.place(x.X.(tree.Lvalue)), x.Lanes, x.Type())
	case *tree.Lane:
		return f.lanePlace(x)
	case *tree.CompoundLit:
		return f.compound(x)
	case *tree.StringLit:
		return f.behind(f.pointer(f.text(x)), x.Type())
	}
	f.notYet(x.Pos(), "this place")
	return &place{typ: x.Type(), ptr: f.null(), offs: f.offsets(x.Type())}
}

func isShared(s tree.Space) bool { return s != tree.Private && s != tree.Generic }

// offsets returns where the leaves of t are.
func (f *frame) offsets(t *tree.Type) []int {
	list := []int{}
	for _, l := range f.leaves(t) {
		list = append(list, l.off)
	}
	return list
}

func (f *frame) null() value { return value{f.Constant(0), f.Constant(0), f.Constant(0)} }

// behind returns what a pointer points to.
func (f *frame) behind(p value, t *tree.Type) *place {
	return &place{typ: t, ptr: p, offs: f.offsets(t)}
}

// part returns some of the leaves of a place.
func (f *frame) part(p *place, which []int, t *tree.Type) *place {
	q := &place{typ: t, name: p.name, keep: p.keep, shared: p.shared, ptr: p.ptr}
	for _, i := range which {
		switch {
		case p.regs != nil && i < len(p.regs):
			q.regs = append(q.regs, p.regs[i])
		case p.regs != nil: // lane 3 of three
			q.regs = append(q.regs, f.NewReg(""))
		case i < len(p.offs):
			q.offs = append(q.offs, p.offs[i])
		default:
			q.offs = append(q.offs, p.offs[0]+i)
		}
	}
	return q
}

func (f *frame) memberPlace(x *tree.Member) *place {
	p := f.place(x.X.(tree.Lvalue))
	whole := x.X.Type()
	at := f.member(whole, x.Field)
	q := f.part(p, f.within(whole, at, x.Type()), x.Type())
	if p.name != "" {
		q.name = p.name + "." + whole.Record.Fields[x.Field].Name
	}
	return q
}

// lanePlace is v[i] of a vector.
func (f *frame) lanePlace(x *tree.Lane) *place {
	p := f.place(x.X.(tree.Lvalue))
	i := f.expr(x.I).one()
	n := x.X.Type().Len
	if k, ok := f.Known(i); ok && k >= 0 && k < n {
		return f.part(p, []int{int(k)}, x.Type())
	}
	f.CheckIndex(i, f.Constant(n))
	if p.regs == nil && contiguous(p.offs) {
		q := f.move(p.ptr, f.Bin(ir.Add, ir.I64, i, f.Constant(int64(p.offs[0]))), x.Type(), false)
		b := f.behind(q, x.Type())
		b.shared = p.shared
		return b
	}
	p.typ, p.lane, p.chosen = x.Type(), i, true
	return p
}

func contiguous(offs []int) bool {
	for i, o := range offs {
		if o != offs[0]+i {
			return false
		}
	}
	return true
}

// compound makes the object of a compound literal.
func (f *frame) compound(x *tree.CompoundLit) *place {
	v := &variable{typ: x.Type()}
	f.pin(v, "", f.size(x.Type()))
	p := f.behind(v.mem, x.Type())
	f.initialise(p, x.Init)
	return p
}

// move returns pointer p moved by i elements of type t, or by -i.
func (f *frame) move(p value, i int32, t *tree.Type, back bool) value {
	if len(p) != ptrParts {
		return f.null()
	}
	n := f.size(t)
	if t.Kind == tree.Void || t.Kind == tree.Function {
		n = 1
	}
	by := f.Bin(ir.Mul, ir.I64, i, f.Constant(int64(n)))
	op := ir.Add
	if back {
		op = ir.Sub
	}
	off := by
	if k, ok := f.Known(p[ptrOff]); !ok || k != 0 || back {
		off = f.Bin(op, ir.I64, p[ptrOff], by)
	}
	return value{p[ptrBase], off, p[ptrSize]}
}

// at returns the pointer n cells behind p.
func (f *frame) after(p value, n int) value {
	return value{p[ptrBase], f.Bin(ir.Add, ir.I64, p[ptrOff], f.Constant(int64(n))), p[ptrSize]}
}

// reach checks that cells 0..n-1 behind a pointer are of the object that it was made from.
func (f *frame) reach(p value, n int) {
	base, known := f.Known(p[ptrBase])
	if !known || base == 0 {
		f.Check(ir.CheckNil, f.Bin(ir.Ne, ir.I64, p[ptrBase], f.Constant(0)), "")
	}
	name := ""
	if o := f.objectAt(base); known && o != nil {
		name = o.name + o.origin
	}
	if k, ok := f.Known(p[ptrSize]); ok {
		limit := max(k-int64(n)+1, 0)
		f.inObject(f.Bin(ir.Lt, ir.U64, p[ptrOff], f.Constant(limit)), name)
		return
	}
	f.inObject(f.Bin(ir.Lt, ir.U64, p[ptrOff], p[ptrSize]), name)
	if n > 1 {
		last := f.Bin(ir.Add, ir.I64, p[ptrOff], f.Constant(int64(n-1)))
		f.inObject(f.Bin(ir.Lt, ir.U64, last, p[ptrSize]), name)
	}
}

// inObject emits the check of reach.
func (f *frame) inObject(cond int32, name string) {
	if v, ok := f.Known(cond); !ok || v == 0 {
		f.Emit(ir.Instr{Op: ir.OpCheck, Check: ir.CheckObject, A: cond, Str: f.p.Str(name)})
	}
}

// address returns the address of the cell n behind p, which is in the object.
func (f *frame) address(p value, n int) int32 {
	off := f.Bin(ir.Add, ir.I64, p[ptrOff], f.Constant(int64(n)))
	base, bok := f.Known(p[ptrBase])
	k, ok := f.Known(off)
	if bok && ok {
		return f.Constant(base + k)
	}
	return f.Bin(ir.Add, ir.Ptr, p[ptrBase], off)
}

// register returns the register that a known private address is.
func (f *frame) register(addr int32) (int32, bool) {
	a, ok := f.Known(addr)
	if !ok || a&ir.SegMask != ir.SegPrivate || int(a&^ir.SegMask) >= len(f.pinned) {
		return 0, false
	}
	return f.pinned[a&^ir.SegMask], true
}

// span returns the number of cells that the leaves at offs take.
func span(offs []int) int {
	n := 1
	for _, o := range offs {
		n = max(n, o+1)
	}
	return n
}

// read returns the value in a place.
func (f *frame) read(p *place) value {
	t := f.leaves(p.typ)
	switch {
	case p.chosen:
		r := f.NewReg("")
		f.Move(r, f.Constant(0))
		f.eachLane(p, func(q *place) { f.Move(r, f.read(q).one()) })
		return value{r}
	case p.regs != nil:
		var v value
		for i, r := range p.regs {
			if i < len(t) {
				if p.keep {
					r = f.Copy(r)
				}
				f.written(p, r)
				v = append(v, f.fromCell(r, t[i].t))
			}
		}
		return v
	}
	f.reach(p.ptr, span(p.offs))
	f.fits(p)
	var v value
	for i, off := range p.offs {
		addr := f.address(p.ptr, off)
		r, ok := f.register(addr)
		switch k, fixed := f.constantAt(addr); {
		case ok:
			r = f.Copy(r)
		case fixed:
			r = f.Constant(k)
		default:
			r = f.Load(f.cell(t[i].t), addr)
		}
		if !p.shared && f.mayBePrivate(addr) {
			f.written(p, r)
		}
		v = append(v, f.fromCell(r, t[i].t))
	}
	return v
}

// mayBePrivate reports whether an address may be one of private memory.
func (f *frame) mayBePrivate(addr int32) bool {
	a, ok := f.Known(addr)
	return !ok || a&ir.SegMask == ir.SegPrivate
}

// written checks that what was read of private memory has been written. A value of several
// scalars may be copied as far as it has been written.
func (f *frame) written(p *place, r int32) {
	if !p.typ.IsScalar() {
		return
	}
	ok := f.Bin(ir.Ne, ir.I64, r, f.Constant(ir.Unwritten))
	if v, known := f.Known(ok); known && v != 0 {
		return
	}
	f.Emit(ir.Instr{Op: ir.OpCheck, Check: ir.CheckWritten, A: ok, Str: f.p.Str(p.name)})
}

// fromCell turns what a cell holds into a value of type t, and toCell back.
func (f *frame) fromCell(r int32, t ir.Type) int32 {
	if c := f.cell(t); c != t {
		return f.Conv(t, c, r)
	}
	return r
}

func (f *frame) toCell(r int32, t ir.Type) int32 {
	if c := f.cell(t); c != t {
		return f.Conv(c, t, r)
	}
	return r
}

// write sets a place.
func (f *frame) write(p *place, v value) {
	t := f.leaves(p.typ)
	switch {
	case len(v) != len(t): // an error was reported
		return
	case p.chosen:
		f.eachLane(p, func(q *place) { f.write(q, v) })
		return
	case p.regs != nil:
		src := make([]int32, len(v))
		for i := range v {
			src[i] = f.toCell(v[i], t[i].t)
		}
		f.Parallel(p.regs, src)
		return
	}
	f.reach(p.ptr, span(p.offs))
	f.fits(p)
	for i, off := range p.offs {
		f.store(f.address(p.ptr, off), t[i].t, v[i])
	}
}

func (f *frame) store(addr int32, t ir.Type, v int32) {
	v = f.toCell(v, t)
	if r, ok := f.register(addr); ok {
		f.Move(r, v)
		return
	}
	f.Store(f.cell(t), addr, v)
}

// eachLane does something to the lane of a vector in registers that is chosen at run time.
func (f *frame) eachLane(p *place, do func(*place)) {
	n := max(len(p.regs), len(p.offs))
	var all []int64
	for i := range n {
		all = append(all, int64(i))
	}
	whole := *p
	whole.chosen = false
	f.Cases(ir.I64, p.lane, all, func(i int64) { do(f.part(&whole, []int{int(i)}, p.typ)) }, nil)
}

// fits reports an access to an object whose cells are of another width.
func (f *frame) fits(p *place) {
	base, ok := f.Known(p.ptr[ptrBase])
	if !ok || base == 0 {
		return
	}
	o := f.objectAt(base)
	if o == nil || o.cells == 0 {
		return
	}
	if !f.matches(o, p) {
		f.fault(f.here, "access the memory as what it was declared", "an access as %s to memory of another shape: clmc does not support it yet", p.typ)
	}
}

// matches reports whether the leaves of a place are as wide as the cells of an object that they
// may be.
func (f *frame) matches(o *object, p *place) bool {
	t := f.leaves(p.typ)
	off, known := f.Known(p.ptr[ptrOff])
	uniform, first := uniformWidth(o.layout)
	for i, l := range t {
		want := cellBits(l.t)
		switch {
		case uniform:
			if want != first {
				return false
			}
		case known && off >= 0 && off+int64(p.offs[i]) < int64(o.cells):
			if c, _ := o.layout.Cell(int(off) + p.offs[i]); cellBits(c.Type) != want {
				return false
			}
		}
	}
	return true
}

// uniformWidth reports whether all cells of a layout have one width, and which.
func uniformWidth(l *ir.Layout) (bool, int) {
	switch {
	case l.Elem != nil:
		return uniformWidth(l.Elem)
	case l.Fields != nil:
		first := 0
		for i, f := range l.Fields {
			same, w := uniformWidth(f.Layout)
			if !same || i > 0 && w != first {
				return false, 0
			}
			first = w
		}
		return true, first
	}
	return true, cellBits(l.Type)
}

// constantAt returns what is at a known address of __constant memory.
func (f *frame) constantAt(addr int32) (int64, bool) {
	a, ok := f.Known(addr)
	if !ok || a&ir.SegMask != ir.SegShared {
		return 0, false
	}
	o := f.objectAt(a)
	if o == nil || !o.fixed {
		return 0, false
	}
	return f.p.Objects[o.index].Init[a-o.addr], true
}
