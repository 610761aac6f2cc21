package code

import (
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// stretch is the cells of one scalar: the address of the first one, and what they are.
type stretch struct {
	first int32
	cells []cell
}

// linear is a number of bytes as reg*scale + add; scale 0 is a constant.
type linear struct {
	reg        int32
	scale, add int64
}

// linearOf returns what is known of how an operand was computed.
func (u *unit) linearOf(o int32) linear {
	if k, ok := u.Known(o); ok {
		return linear{add: k}
	}
	if l, ok := u.lin[o]; ok {
		return l
	}
	return linear{reg: o, scale: 1}
}

// advance returns an operand for off + i*by, and remembers that it is that.
func (u *unit) advance(off, i int32, by int64) int32 {
	a, b := u.linearOf(off), linear{reg: i, scale: by}
	if k, ok := u.Known(i); ok {
		b = linear{add: k * by}
	} else if by == 0 {
		b = linear{}
	}
	sum := linear{add: a.add + b.add}
	switch {
	case b.scale == 0:
		sum.reg, sum.scale = a.reg, a.scale
	case a.scale == 0:
		sum.reg, sum.scale = b.reg, b.scale
	default:
		sum.scale = int64(gcd(int(a.scale), int(b.scale)))
		sum.reg = u.Bin(ir.Add, ir.I64, u.scaled(a.reg, a.scale/sum.scale), u.scaled(b.reg, b.scale/sum.scale))
	}
	return u.number(sum)
}

func (u *unit) scaled(r int32, by int64) int32 { return u.Bin(ir.Mul, ir.I64, r, u.Constant(by)) }

// number returns an operand with the value of l.
func (u *unit) number(l linear) int32 {
	if l.scale == 0 {
		return u.Constant(l.add)
	}
	if l.scale == 1 && l.add == 0 {
		return l.reg
	}
	r := u.NewReg("")
	u.Move(r, u.Bin(ir.Add, ir.I64, u.scaled(l.reg, l.scale), u.Constant(l.add)))
	u.lin[r] = l
	return r
}

// gridOf returns the cells of the memory that a place is in, and what is known of the distance of its pointer. There is
// no grid where only the second lowering can tell.
func (f *frame) gridOf(p *place) (g *grid, at lower.Residue, in *span) {
	at = lower.Any
	base, ok := f.Known(p.ptr[ptrBase])
	if ok && base != 0 {
		if o := f.objectAt(base); o != nil {
			g = o.grid
		}
	}
	if f.known == nil {
		if _, ok := f.Known(p.ptr[ptrOff]); !ok {
			return nil, at, nil
		}
		return g, at, nil
	}
	if found := f.known.findings[f.useKey(p)]; found != nil {
		at, in = found.at, found.span
		if g == nil && found.class != nil {
			g = found.class.grid
		}
	}
	return g, at, in
}

// located is told the cells of the scalars of a place: once for each way in which they may lie, of which there may be several.
type located func(list []stretch, several bool)

// touch checks that a place can be accessed, and tells its cells. It tells nothing if no way is known in which they may
// lie.
func (f *frame) touch(p *place, atomic bool, do located) {
	leaves := f.leaves(p.typ)
	if len(leaves) == 0 {
		return
	}
	f.inBounds(p)
	f.noteUse(p, leaves, atomic)
	g, at, in := f.gridOf(p)
	lin := f.linearOf(p.ptr[ptrOff])
	n := 0
	for i, l := range leaves {
		n = max(n, p.offs[i]+l.bytes())
	}
	direct := g != nil && lin.scale%int64(g.period) == 0
	if direct {
		f.insideObject(p.ptr, n, lin)
	} else {
		f.insideObject(p.ptr, n, linear{reg: p.ptr[ptrOff], scale: 1})
	}
	if !f.aligned(p, at, lin) {
		return
	}
	if g != nil && len(g.cells) > 0 {
		f.locate(p, g, at, in, lin, leaves, do)
	}
}

// insideObject checks that bytes 0..n-1 behind a pointer, whose distance is as off says, are of the object that it was made from.
func (f *frame) insideObject(p value, n int, off linear) {
	base, known := f.Known(p[ptrBase])
	if !known || base == 0 {
		f.Check(ir.CheckNil, f.Bin(ir.Ne, ir.I64, p[ptrBase], f.Constant(0)), "")
	}
	name, of := "", ir.Extent{Access: int64(n), Scale: 1}
	if o := f.objectAt(base); known && o != nil {
		name = o.name + o.origin
		f.measure(o, &of)
	}
	if k, ok := f.Known(p[ptrSize]); ok {
		limit := max(k-int64(n)+1, 0)
		if off.scale <= 1 {
			f.inExtent(p[ptrOff], f.Constant(limit), name, of)
			return
		}
		// reg*scale + add < limit, and not negative
		whole := int64(floorDiv(int(off.add), int(off.scale)))
		limit -= off.add - whole*off.scale
		i := f.Bin(ir.Add, ir.I64, off.reg, f.Constant(whole))
		of.Scale, of.Rest = off.scale, off.add-whole*off.scale
		f.inExtent(i, f.Constant(max(0, (limit+off.scale-1)/off.scale)), name, of)
		return
	}
	limit := f.Bin(ir.Sub, ir.I64, p[ptrSize], f.Constant(int64(n-1)))
	f.inExtent(p[ptrOff], f.Bin(ir.Max, ir.I64, limit, f.Constant(0)), name, of)
}

// measure says what an object consists of.
func (f *frame) measure(o *object, of *ir.Extent) {
	if o.typ == nil || o.pipe != nil {
		return
	}
	elem := rootElem(o.typ)
	if size := int64(f.size(elem)); size > 0 && o.bytes > 0 {
		of.Elem, of.Size, of.Len = elem.String(), size, int64(o.bytes)/size
	}
}

// inExtent emits the check of insideObject, with what reports say of it.
func (f *frame) inExtent(i, limit int32, name string, of ir.Extent) {
	cond := f.Bin(ir.Lt, ir.U64, i, limit)
	v, known := f.Known(cond)
	if known && v != 0 {
		return
	}
	in := ir.Instr{Op: ir.OpCheck, Check: ir.CheckObject, A: cond, Str: f.p.Str(name)}
	if of.Len > 0 {
		in.Target = f.p.Extent(of)
	}
	if known {
		in.Alu, in.Type, in.B, in.C = ir.Lt, ir.U64, i, limit
	}
	f.Emit(in)
}

// inObject emits the check of insideObject.
func (f *frame) inObject(cond int32, name string) {
	if v, ok := f.Known(cond); !ok || v == 0 {
		f.Emit(ir.Instr{Op: ir.OpCheck, Check: ir.CheckObject, A: cond, Str: f.p.Str(name)})
	}
}

// aligned checks that a pointer is a multiple of what its type must be, if that is not known. It returns false if it
// never is.
func (f *frame) aligned(p *place, at lower.Residue, lin linear) bool {
	a := int64(max(p.align, 1))
	switch {
	case a == 1, lin.scale%a == 0 && lin.add%a == 0, at.Mod >= 0 && at.Mod%a == 0 && at.Rem%a == 0:
		return true
	}
	low := f.Bin(ir.And, ir.I64, p.ptr[ptrOff], f.Constant(a-1))
	ok := f.Bin(ir.Eq, ir.I64, low, f.Constant(0))
	if v, known := f.Known(ok); !known || v == 0 {
		f.Emit(ir.Instr{Op: ir.OpCheck, Check: ir.CheckAligned, A: ok, Str: f.p.Str(p.typ.String())})
		return !known
	}
	return true
}

// maxWays bounds the ways in which an access may lie in its grid.
const maxWays = 64

// locate finds the cells of a place in a grid.
func (f *frame) locate(p *place, g *grid, at lower.Residue, in *span, lin linear, leaves []leaf, do located) {
	period := int64(g.period)
	at = aligned(at, p.align)
	one := func(list []stretch) { do(list, false) }
	switch {
	case lin.scale%period == 0:
		rounds := f.Constant(0)
		if lin.scale != 0 {
			rounds = f.scaled(lin.reg, lin.scale/period)
		}
		f.stretches(p, g, rounds, int(lin.add), leaves, one)
	case at.Mod >= 0 && at.Mod%period == 0:
		rem := (at.Rem%period + period) % period
		f.stretches(p, g, f.divide(f.Bin(ir.Sub, ir.I64, p.ptr[ptrOff], f.Constant(rem)), period), int(rem), leaves, one)
	case at.Mod < 0: // no pointer comes here: the arguments leave this code out, or none is aligned. Whoever came would be told
		f.Emit(ir.Instr{Op: ir.OpCheck, Check: ir.CheckAligned, A: f.Constant(0), Str: f.p.Str(p.typ.String())})
	default:
		mod := max(at.Mod, 1)
		step := int64(gcd(int(mod), g.period))
		if !g.rows {
			in = nil
		}
		var ways []int64
		for r := ((at.Rem % step) + step) % step; r < period; r += step {
			if in.has(int(r), g.period) {
				ways = append(ways, r)
			}
		}
		rounds := f.divide(p.ptr[ptrOff], period)
		rem := f.Bin(ir.Sub, ir.I64, p.ptr[ptrOff], f.scaled(rounds, period))
		in.stay(f, p.ptr[ptrOff], g.period)
		if n, ok := g.even(p.offs, leaves, ways, step); ok {
			steps := f.divide(f.Bin(ir.Sub, ir.I64, rem, f.Constant(ways[0])), step)
			first := f.Bin(ir.Add, ir.I64, f.scaled(rounds, int64(len(g.cells))), f.scaled(steps, int64(n)))
			f.stretchesFrom(p, g, first, int(ways[0]), leaves, one)
			return
		}
		if len(ways) > maxWays {
			f.notYet(f.here, "an access to memory that the program divides too irregularly")
			return
		}
		f.Cases(ir.I64, rem, ways, func(r int64) { f.stretches(p, g, rounds, int(r), leaves, func(list []stretch) { do(list, true) }) }, nil)
	}
}

// divide returns a number that is not negative, divided.
func (f *frame) divide(a int32, by int64) int32 {
	if by == 1 {
		return a
	}
	if by&(by-1) == 0 {
		shift := int64(0)
		for 1<<shift < by {
			shift++
		}
		return f.Bin(ir.Shr, ir.I64, a, f.Constant(shift))
	}
	return f.Bin(ir.Div, ir.I64, a, f.Constant(by))
}

// stretches calls do with the cells of a place whose pointer is rem bytes behind the start of a number of periods.
func (f *frame) stretches(p *place, g *grid, rounds int32, rem int, leaves []leaf, do func([]stretch)) {
	f.stretchesFrom(p, g, f.scaled(rounds, int64(len(g.cells))), rem, leaves, do)
}

// stretchesFrom does so where those periods end before cell first.
func (f *frame) stretchesFrom(p *place, g *grid, first int32, rem int, leaves []leaf, do func([]stretch)) {
	list := make([]stretch, len(leaves))
	for i, l := range leaves {
		at := rem + p.offs[i]
		n, begins := g.index(at)
		cells := g.at(mod(at, g.period), l.bytes())
		if !begins || cells == nil || cells[0].ptr != l.ptr {
			f.misfit(p)
			return
		}
		if l.ptr {
			n, cells = n+l.part, []cell{{bytes: 8, t: l.t, ptr: true, part: l.part}}
		}
		list[i] = stretch{f.address(p.ptr, f.Bin(ir.Add, ir.I64, first, f.Constant(int64(n)))), cells}
	}
	do(list)
}

// misfit reports an access that is not of whole cells. The first lowering may come to one, and an access that was found
// to be outside of its object.
func (f *frame) misfit(p *place) {
	if f.known == nil {
		return
	}
	if size, ok := f.Known(p.ptr[ptrSize]); ok {
		if off, ok := f.Known(p.ptr[ptrOff]); ok && (off < 0 || off >= size) {
			return
		}
	}
	f.notYet(f.here, "an access as "+p.typ.String()+" to memory of another shape")
}

// address returns the address of cell n of the object of p, which is in it.
func (f *frame) address(p value, n int32) int32 {
	base, bok := f.Known(p[ptrBase])
	k, ok := f.Known(n)
	if bok && ok {
		return f.Constant(base + k)
	}
	return f.Bin(ir.Add, ir.Ptr, p[ptrBase], n)
}

// cellAt returns the address of the cell n behind that of a stretch.
func (s stretch) cellAt(f *frame, n int) int32 {
	return f.Bin(ir.Add, ir.Ptr, s.first, f.Constant(int64(n)))
}

// load reads what a cell holds.
func (f *frame) load1(addr int32, c cell) int32 {
	if r, ok := f.register(addr); ok {
		return f.Copy(r)
	}
	if k, ok := f.constantAt(addr); ok {
		return f.Constant(k)
	}
	if c.ptr && f.known == nil {
		return f.LoadSome(lower.Held{Type: c.t, Part: 1 + c.part}, addr)
	}
	return f.Load(c.t, addr)
}

// store1 writes what a cell is to hold.
func (f *frame) store1(addr int32, c cell, v int32) {
	if r, ok := f.register(addr); ok {
		f.Move(r, v)
		return
	}
	if c.ptr && f.known == nil {
		f.StoreSome(lower.Held{Type: c.t, Part: 1 + c.part}, addr, v)
		return
	}
	f.Store(c.t, addr, v)
}

// readScalar reads a scalar of type t, of which raw are the cells as they were read.
func (f *frame) readScalar(s stretch, t ir.Type) (v int32, raw []int32) {
	sum, at := f.Constant(0), 0
	for i, c := range s.cells {
		r := f.load1(s.cellAt(f, i), c)
		raw = append(raw, r)
		if len(s.cells) == 1 {
			return f.fromCell(r, c.t, t), raw
		}
		part := f.Bin(ir.Shl, ir.U64, f.bits(c.t, r), f.Constant(int64(8*at)))
		sum = f.Bin(ir.Or, ir.U64, part, sum)
		at += c.bytes
	}
	return f.fromBits(t, sum), raw
}

// writeScalar writes a scalar of type t.
func (f *frame) writeScalar(s stretch, t ir.Type, v int32) {
	if len(s.cells) == 1 {
		f.store1(s.first, s.cells[0], f.toCell(v, s.cells[0].t, t))
		return
	}
	at, all := 0, f.bits(t, v)
	for i, c := range s.cells {
		part := f.Conv(c.t, ir.U64, f.Bin(ir.Shr, ir.U64, all, f.Constant(int64(8*at))))
		if k, ok := f.Known(v); ok && k == ir.Unwritten {
			part = v
		}
		f.store1(s.cellAt(f, i), c, part)
		at += c.bytes
	}
}

// fromCell turns what a cell of type c holds into a value of type t, and toCell back.
func (f *frame) fromCell(r int32, c, t ir.Type) int32 {
	if c == t || c == ir.Ptr || t == ir.Ptr {
		return r
	}
	return f.fromBits(t, f.bits(c, r))
}

func (f *frame) toCell(r int32, c, t ir.Type) int32 { return f.fromCell(r, t, c) }
