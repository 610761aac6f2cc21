package code

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// host is the host program.
type host struct{ *unit }

// run launches a kernel and waits for its end.
func (h *host) run(l *Launch) {
	at := l.Kernel.Pos
	h.mark(at)
	for i := range l.Args {
		if b := l.Args[i].Buffer; b != nil && b.made == nil {
			h.allocate(b, l.Kernel.Params[i])
		}
	}
	if h.failed() {
		return
	}
	h.oneOf(append([]*Launch{l}, l.Others...))
	h.mark(at)
	h.Emit(ir.Instr{Op: ir.OpFinish, A: h.Constant(0)})
	h.oneAccess(l)
	for _, a := range l.Asserts {
		h.assert(a)
	}
}

// oneOf enqueues one of some launches, whichever the host chooses.
func (h *host) oneOf(list []*Launch) {
	if len(list) == 1 {
		h.enqueue(list[0])
		return
	}
	h.mark(list[0].Kernel.Pos)
	chosen := h.NewReg("")
	h.p.Str("") // index 0 is no name
	h.Emit(ir.Instr{Op: ir.OpChoose, Dst: chosen, A: h.Constant(int64(len(list))), Str: h.p.Str(Sizes(list))})
	var from func(i int)
	from = func(i int) {
		if i == len(list)-1 {
			h.enqueue(list[i])
			return
		}
		h.If(h.Bin(ir.Eq, ir.I64, chosen, h.Constant(int64(i))), func() { h.enqueue(list[i]) }, func() { from(i + 1) })
	}
	from(0)
}

// Sizes lists the sizes of launches of a kernel, as far as they differ.
func Sizes(list []*Launch) string {
	parts := []func(*Launch) string{
		func(l *Launch) string { return "global=" + sizeText(l.Global, l.Dim) },
		func(l *Launch) string { return "local=" + sizeText(l.Local, l.Dim) },
		func(l *Launch) string { return "offset=" + sizeText(l.Offset, l.Dim) },
		func(l *Launch) string { return fmt.Sprintf("sub_group=%d", cmp.Or(l.SubGroup, ir.DefaultSubGroupSize)) },
	}
	parts = slices.DeleteFunc(parts, func(of func(*Launch) string) bool {
		return !slices.ContainsFunc(list, func(l *Launch) bool { return of(l) != of(list[0]) })
	})
	var words []string
	for _, l := range list {
		var one []string
		for _, of := range parts {
			one = append(one, of(l))
		}
		words = append(words, strings.Join(one, " "))
	}
	return strings.Join(words, "; ")
}

// sizeText writes a size as launch lines have it.
func sizeText(s [3]int64, dims int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(s[:max(dims, 1)]), " ", ","), "[]")
}

// enqueue enqueues a launch.
func (h *host) enqueue(l *Launch) {
	fn, params := h.kernel(l)
	h.mark(l.Kernel.Pos)
	zero := h.Constant(0)
	args := []int32{zero, h.Constant(int64(l.Dim))}
	for _, size := range [...][3]int64{l.Offset, l.Global, l.Local} {
		for d := range 3 {
			args = append(args, h.Constant(size[d]))
		}
	}
	for _, p := range params {
		if len(p.cell) == 0 {
			args = append(args, h.AnyValue(p.t))
			continue
		}
		args = append(args, h.chosen(p.cell, p.name))
	}
	h.Emit(ir.Instr{Op: ir.OpEnqueueNDRange, Target: int32(fn.Number()), Dst: h.NewReg(""), Args: args})
}

// oneAccess sees that no image is given to a kernel in two ways that the API does not allow together: "It is not valid to pass an image
// supporting writing as both a read_only image and a write_only image parameter, or to a read_write image parameter and any other image parameter"
// (OpenCL API, mapping of image formats to access qualifiers). It does so when the kernel has ended, so that a race that comes of it is told first.
func (h *host) oneAccess(l *Launch) {
	for i, a := range l.Args {
		v := l.Kernel.Params[i]
		for j, b := range l.Args[:i] {
			w := l.Kernel.Params[j]
			if a.Buffer == nil || a.Buffer != b.Buffer || v.Type.Kind != tree.Image || w.Type.Kind != tree.Image {
				continue
			}
			if v.Type.Access == tree.ReadWrite || w.Type.Access == tree.ReadWrite || v.Type.Access != w.Type.Access {
				h.mark(v.Pos)
				h.Check(ir.CheckArgument, h.Constant(0), fmt.Sprintf("%s and %s of %s, which are %s and %s, are one image (OpenCL API, mapping of image formats to access qualifiers)",
					w.Name, v.Name, l.Kernel.Name, w.Type.Access, v.Type.Access))
				return
			}
		}
	}
}

// allocate makes a buffer, and fills it with what the host chooses.
func (h *host) allocate(b *Buffer, v *tree.Var) {
	if b.Pipe {
		b.made = h.pipeObject(b, v)
		return
	}
	t := h.src.Types.Array(b.Elem, int64(b.Len))
	if h.tooLarge(t) {
		h.fault(v.Pos, "make it smaller", "%s is too large: %s takes more than the %d scalars, or %d bytes, of an object", b.Name, t, maxCells, maxBytes)
		return
	}
	o := h.globalObject(objectKey{what: b}, b.Name, v.Pos, t, memmodel.Buffer)
	if o.dims = b.Image; o.dims != nil {
		h.p.Objects[o.index].Region = memmodel.Image
	}
	b.made, o.origin, o.rights = o, b.Origin, b.Rights
	o.allocated = true
	h.objects = append(h.objects, o)
	if b.Any {
		h.p.AnyObject(o.index)
	}
	leaves, size := h.leaves(b.Elem), h.size(b.Elem)
	m := newImage(o.bytes)
	f := &frame{unit: h.unit}
	for i, c := range b.Cells {
		at := i/len(leaves)*size + leaves[i%len(leaves)].off
		t := leaves[i%len(leaves)].t
		if len(c) == 1 {
			m.put(at, t, c[0])
			continue
		}
		name := ""
		if len(leaves) == 1 {
			name = fmt.Sprintf("%s[%d]", b.Name, i)
		}
		f.putBits(o, at, t, h.chosen(c, name))
	}
	h.pour(o, m)
}

// overlaps calls do with each cell of an object that holds some of so many bytes: its address, and how far it begins
// behind the first of them.
func (o *object) overlaps(at, bytes int, do func(addr int64, c cell, behind int)) {
	per := len(o.grid.cells)
	for n := at / o.grid.period * per; n < o.cells; n++ {
		c := o.grid.cells[n%per]
		from := n/per*o.grid.period + c.off
		if from >= at+bytes {
			return
		}
		if from+c.bytes > at && !c.ptr {
			do(o.addr+int64(n), c, from-at)
		}
	}
}

// getBits reads a scalar of an object, whatever its cells are. The host does so when nobody else accesses them.
func (f *frame) getBits(o *object, at int, t ir.Type) int32 {
	sum := f.Constant(0)
	o.overlaps(at, bytesOf(t), func(addr int64, c cell, behind int) {
		r := f.Load(c.t, f.Constant(addr))
		if behind == 0 && c.bytes == bytesOf(t) {
			sum = f.bits(t, f.fromCell(r, c.t, t))
			return
		}
		sum = f.Bin(ir.Or, ir.U64, f.shifted(f.bits(c.t, r), behind), sum)
	})
	if t.Float() && t.Bits() < 64 {
		sum = f.Bin(ir.And, ir.U64, sum, f.Constant(1<<t.Bits()-1))
	}
	return f.fromBits(t, sum)
}

// putBits writes a scalar of an object likewise.
func (f *frame) putBits(o *object, at int, t ir.Type, v int32) {
	o.overlaps(at, bytesOf(t), func(addr int64, c cell, behind int) {
		if behind == 0 && c.bytes == bytesOf(t) {
			f.Store(c.t, f.Constant(addr), f.toCell(v, c.t, t))
			return
		}
		mask := f.shifted(f.Constant(int64(^uint64(0)>>(64-t.Bits()))), -behind)
		new := f.Bin(ir.And, ir.U64, f.shifted(f.bits(t, v), -behind), mask)
		old := f.Bin(ir.AndNot, ir.U64, f.bits(c.t, f.Load(c.t, f.Constant(addr))), mask)
		f.Store(c.t, f.Constant(addr), f.fromBits(c.t, f.Conv(unsigned(8*c.bytes), ir.U64, f.Bin(ir.Or, ir.U64, new, old))))
	})
}

// shifted moves bits up by a number of bytes, or down.
func (f *frame) shifted(v int32, bytes int) int32 {
	if bytes < 0 {
		return f.Bin(ir.Shr, ir.U64, v, f.Constant(int64(-8*bytes)))
	}
	return f.Bin(ir.Shl, ir.U64, v, f.Constant(int64(8*bytes)))
}

// chosen chooses one of some values, for what has a name, or "".
func (h *host) chosen(c Cell, name string) int32 {
	if !h.named {
		name = ""
	}
	return h.Chosen(c, name)
}

// Assertion is what the host expects of what the kernels leave: the text, and how to compute it.
type Assertion struct {
	Text string
	Pos  tree.Pos
	Cond Term
}

// Term is an expression of the host: an operator with terms, a cell, or a number.
type Term struct {
	Op     ir.Alu // of X and Y, or of X
	X, Y   *Term
	Buffer *Buffer   // a scalar of an element
	Global *tree.Var // or of a program-scope variable
	At     int       // its first byte
	Type   ir.Type   // of the operation, or of the value
	Value  int64
}

func (h *host) assert(a Assertion) {
	h.mark(a.Pos)
	cond := h.term(&a.Cond)
	h.Emit(ir.Instr{Op: ir.OpAssert, A: h.Bin(ir.Ne, ir.I64, cond, h.Constant(0)), Str: h.p.Str(a.Text)})
}

// term computes a term.
func (h *host) term(t *Term) int32 {
	o := h.globals[t.Global]
	if t.Buffer != nil {
		o = t.Buffer.made
	}
	switch {
	case o != nil:
		f := &frame{unit: h.unit}
		return f.getBits(o, t.At, t.Type)
	case t.X == nil:
		return h.Constant(t.Value)
	case t.Y == nil && t.Op == ir.Xchg: // a conversion
		return h.Conv(t.Type, t.X.Result(), h.term(t.X))
	case t.Y == nil:
		return h.Un(t.Op, t.Type, h.term(t.X))
	}
	a := h.term(t.X)
	b := h.term(t.Y)
	if t.Op == ir.Div || t.Op == ir.Rem {
		h.Check(ir.CheckDivisor, h.Bin(ir.Ne, ir.I64, b, h.Constant(0)), "")
	}
	return h.Bin(t.Op, t.Type, a, b)
}

// Result returns the type of what a term computes.
func (t *Term) Result() ir.Type {
	if t.X != nil && t.Op >= ir.Eq && t.Op <= ir.Ge {
		return ir.Bool
	}
	return t.Type
}
