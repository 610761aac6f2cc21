package code

import (
	"slices"

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
	start  int   // where the place begins, in bytes from ptr
	offs   []int // where the leaves are, likewise
	align  int   // what ptr must be a multiple of; 0 if it is one
	each   bool  // whoever reads it reads each of its scalars, and not a whole
	// lane is the number of one of the leaves, chosen at run time, or none. The others stay.
	lane   int32
	chosen bool
	of     *variable // whose registers they are, or nil
	bounds []bound   // of the indices that lead there
	// end is where a pointer into the member array that the place is in must stop, in bytes of the object, if ends is set.
	end  int32
	ends bool
}

// place evaluates an lvalue, without accessing it.
func (f *frame) place(x tree.Lvalue) *place {
	f.mark(x.Pos())
	switch x := x.(type) {
	case *tree.VarRef:
		v := f.lookup(x.Var)
		p := f.ofVariable(v, x.Var.Name)
		p.keep, p.shared = f.busy[x.Var], x.Var.Storage == tree.Shared || x.Var.Storage == tree.Program
		return p
	case *tree.Deref:
		p := f.derefPlace(x)
		p.shared = isShared(x.Place().Space)
		f.mark(x.Pos())
		return p
	case *tree.Index:
		p := f.indexed(x.X, x.I, x.Type(), false)
		p.shared = isShared(x.Place().Space)
		f.mark(x.Pos())
		return p
	case *tree.Member:
		return f.memberPlace(x)
	case *tree.Swizzle:
		return f.someLanes(f.place(x.X.(tree.Lvalue)), x.Lanes, x.Type())
	case *tree.Lane:
		return f.lanePlace(x)
	case *tree.CompoundLit:
		return f.compound(x)
	case *tree.StringLit:
		o := f.text(x)
		if !slices.Contains(f.objects, o) {
			f.objects = append(f.objects, o)
		}
		return f.behind(f.pointer(o), x.Type())
	}
	f.notYet(x.Pos(), "this place")
	return f.behind(f.null(), x.Type())
}

func isShared(s tree.Space) bool { return s != tree.Private && s != tree.Generic }

// offsets returns where the leaves of t are, which begins at byte at.
func (f *frame) offsets(t *tree.Type, at int) []int {
	list := []int{}
	for _, l := range f.leaves(t) {
		list = append(list, at+l.off)
	}
	return list
}

func (f *frame) null() value { return value{f.Constant(0), f.Constant(0), f.Constant(0)} }

// behind returns what a pointer points to.
func (f *frame) behind(p value, t *tree.Type) *place {
	return &place{typ: t, ptr: p, offs: f.offsets(t, 0), align: int(t.Align())}
}

// ofVariable returns the place of a variable.
func (f *frame) ofVariable(v *variable, name string) *place {
	return &place{typ: v.typ, name: name, regs: v.regs, ptr: v.mem, offs: f.offsets(v.typ, 0), of: v}
}

// someLanes returns some lanes of a vector.
func (f *frame) someLanes(p *place, which []int, t *tree.Type) *place {
	q := *p
	q.typ, q.regs, q.offs = t, nil, nil
	for n, i := range which {
		switch {
		case p.regs != nil && i < len(p.regs):
			q.regs = append(q.regs, p.regs[i])
		case p.regs != nil: // lane 3 of three
			q.regs = append(q.regs, f.NewReg(""))
		default:
			at := p.start + i*f.size(t.Lane())
			if p.typ.Kind == tree.Vector && i < len(p.offs) {
				at = p.offs[i]
			}
			if n == 0 {
				q.start = at
			}
			q.offs = append(q.offs, at)
		}
	}
	return &q
}

// part returns the part of type t that starts at byte at of a place that is laid out as its type is.
func (f *frame) part(p *place, at int, t *tree.Type) *place {
	q := *p
	q.typ = t
	if p.regs == nil {
		q.start = p.start + at
		q.offs = f.offsets(t, q.start)
		return &q
	}
	q.regs = nil
	for _, i := range f.within(p.typ, at, t) {
		q.regs = append(q.regs, p.regs[i])
	}
	return &q
}

func (f *frame) memberPlace(x *tree.Member) *place {
	p := f.place(x.X.(tree.Lvalue))
	whole := x.X.Type()
	q := f.part(p, f.member(whole, x.Field), x.Type())
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
		return f.someLanes(p, []int{int(k)}, x.Type())
	}
	f.CheckIndex(i, f.Constant(n))
	if p.regs == nil && f.contiguous(p) {
		b := f.behind(f.after(f.move(p.ptr, i, x.Type(), false), p.offs[0]), x.Type())
		b.shared, b.align, b.bounds = p.shared, min(b.align, max(p.align, 1)), p.bounds
		return b
	}
	p.typ, p.lane, p.chosen = x.Type(), i, true
	return p
}

// contiguous reports whether a place is laid out as its type is: some lanes of a vector may not be.
func (f *frame) contiguous(p *place) bool {
	for i, l := range f.leaves(p.typ) {
		if p.offs[i] != p.offs[0]+l.off {
			return false
		}
	}
	return true
}

// compound makes the object of a compound literal.
func (f *frame) compound(x *tree.CompoundLit) *place {
	v := &variable{typ: x.Type()}
	if f.tooLarge(x.Type()) || f.Pinned()+len(f.leaves(x.Type())) > maxPrivate {
		f.fault(x.Pos(), "make it smaller, or put it in local or global memory", "a literal of type %s, of %d bytes, takes more than the %d scalars that private memory may have", x.Type(), f.size(x.Type()), maxPrivate)
		return f.behind(f.null(), rootElem(x.Type()))
	}
	f.pin(v, "", x)
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
	by := int64(n)
	if back {
		by = -by
	}
	return value{p[ptrBase], f.advance(p[ptrOff], i, by), p[ptrSize]}
}

// after returns the pointer n bytes behind p.
func (f *frame) after(p value, n int) value {
	if n == 0 {
		return p
	}
	return f.inRow(value{p[ptrBase], f.advance(p[ptrOff], f.Constant(int64(n)), 1), p[ptrSize]}, f.rows[p[ptrOff]])
}

// register returns the register that a known private address is.
func (f *frame) register(addr int32) (int32, bool) {
	a, ok := f.Known(addr)
	if !ok || a&ir.SegMask != ir.SegPrivate || int(a&^ir.SegMask) >= len(f.pinned) {
		return 0, false
	}
	return f.pinned[a&^ir.SegMask], true
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
		var raw []int32
		for i, r := range p.regs {
			if i < len(t) {
				if p.keep {
					r = f.Copy(r)
				}
				raw = append(raw, r)
				v = append(v, r)
			}
		}
		f.written(p, raw)
		return v
	}
	return f.readMemory(p, t)
}

func (f *frame) readMemory(p *place, t []leaf) value {
	v, ways := make(value, len(t)), 0
	for i := range v {
		v[i] = f.NewReg("")
	}
	f.touch(p, false, func(list []stretch, several bool) {
		ways++
		var raw []int32
		now := make(value, len(t))
		for i, s := range list {
			var cells []int32
			now[i], cells = f.readScalar(s, t[i].t)
			raw = append(raw, cells...)
		}
		if !p.shared && len(list) > 0 && f.mayBePrivate(list[0].first) {
			f.written(p, raw)
		}
		if !several {
			v = now
			return
		}
		f.Parallel(v, now)
	})
	if ways == 0 {
		for i := range v {
			v[i] = f.unknown1(p, t[i])
		}
	}
	return v
}

// mayBePrivate reports whether an address may be one of private memory.
func (f *frame) mayBePrivate(addr int32) bool {
	a, ok := f.Known(addr)
	return !ok || a&ir.SegMask == ir.SegPrivate
}

// written checks that what was read of private memory has been written: all of a scalar, something of a vector. A
// struct may be copied as far as it has been written.
func (f *frame) written(p *place, raw []int32) {
	none := f.Constant(ir.Unwritten)
	switch {
	case p.typ.IsScalar() || p.each:
		for _, r := range raw {
			f.checkWritten(p, f.Bin(ir.Ne, ir.I64, r, none))
		}
	case p.typ.Kind == tree.Vector:
		some := f.Constant(0)
		for _, r := range raw {
			some = f.Bin(ir.Or, ir.Bool, f.Bin(ir.Ne, ir.I64, r, none), some)
		}
		f.checkWritten(p, some)
	}
}

func (f *frame) checkWritten(p *place, ok int32) {
	if v, known := f.Known(ok); !known || v == 0 {
		f.mustBeWritten(ok, p.name)
	}
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
		f.Parallel(p.regs, v)
		f.noted(p.of)
		return
	}
	ways := 0
	f.writing = true
	f.touch(p, false, func(list []stretch, _ bool) {
		ways++
		for i, s := range list {
			f.writeScalar(s, t[i].t, v[i])
		}
	})
	f.writing = false
	if ways == 0 && f.known == nil {
		for i, l := range t {
			f.StoreSome(l.held(), p.ptr[ptrBase], v[i])
		}
	}
}

// unknown1 is what a scalar is that is read at a place which is not known in the first lowering.
func (f *frame) unknown1(p *place, l leaf) int32 {
	if f.known != nil {
		return f.Constant(0)
	}
	return f.LoadSome(l.held(), p.ptr[ptrBase])
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
	f.Cases(ir.I64, p.lane, all, func(i int64) { do(f.lane(&whole, int(i))) }, nil)
}

// lane returns a scalar of a place whose type is that of a lane already.
func (f *frame) lane(p *place, i int) *place {
	q := *p
	if p.regs != nil {
		q.regs = p.regs[i : i+1]
		return &q
	}
	q.start, q.offs = p.offs[i], p.offs[i:i+1]
	return &q
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

// mustBeWritten checks that what is read has been written, unless that is taken for granted.
func (f *frame) mustBeWritten(ok int32, what string) {
	if f.p.Unwritten != ir.IndeterminateAny && !f.p.Opaque {
		f.Emit(ir.Instr{Op: ir.OpCheck, Check: ir.CheckWritten, A: ok, Str: f.p.Str(what)})
	}
}
