package code

import (
	"strconv"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// maxLines bounds the lines of a copy in two or three dimensions, each of which is a copy of its own.
const maxLines = 64

// copyCall is a call of a function that copies asynchronously.
type copyCall struct {
	*frame
	x      *tree.BuiltinCall
	elem   *tree.Type // what is copied
	meets  int
	event  int32
	dst    value
	src    value
	global bool // the destination is in global memory
}

// async lowers the functions that copy asynchronously, and the wait for them.
func (f *frame) async(x *tree.BuiltinCall, args []value) value {
	switch x.Fn.Name {
	case "prefetch":
		return nil
	case "wait_group_events":
		f.waitGroupEvents(x, args)
		return nil
	}
	c := &copyCall{frame: f, x: x, dst: args[0], elem: x.Args[0].Type().Elem, event: args[len(args)-1].one(),
		global: x.Args[0].Type().To.Space == tree.Global}
	one := f.Constant(1)
	switch x.Fn.Name {
	case "async_work_group_copy":
		c.src = args[1]
		c.lines(args[2].one(), one, one)
	case "async_work_group_strided_copy":
		c.src = args[1]
		stride := args[3].one()
		f.Check(ir.CheckArgument, f.Bin(ir.Ne, ir.U64, stride, f.Constant(0)), "the stride of "+x.Fn.Name+" must be positive")
		if c.global {
			c.lines(args[2].one(), stride, one)
		} else {
			c.lines(args[2].one(), one, stride)
		}
	default:
		c.rectangle(args)
	}
	return value{c.event}
}

// lines copies n elements, which are so many elements apart.
func (c *copyCall) lines(n, dstStep, srcStep int32) {
	dst, src := c.spread(c.dst), c.spread(c.src)
	c.writing = true
	c.noteUse(dst, c.leaves(c.elem), false)
	c.writing = false
	c.noteUse(src, c.leaves(c.elem), false)
	c.extent(c.dst, n, dstStep)
	c.extent(c.src, n, srcStep)
	if c.known == nil {
		c.event = c.Copy(c.event)
		return
	}
	var g *grid
	if found := c.known.findings[c.useKey(dst)]; found != nil && found.class != nil {
		g = found.class.grid
	}
	if g == nil || len(g.cells) != 1 || c.size(c.elem)%g.period != 0 {
		c.notYet(c.x.Pos(), c.x.Fn.Name+" of memory whose cells have several sizes")
		return
	}
	per := int64(c.size(c.elem) / g.period)
	k, contiguous := c.Known(dstStep)
	j, also := c.Known(srcStep)
	if contiguous && also && k == 1 && j == 1 {
		c.start(g, 0, c.scaled(n, per), c.Constant(1), c.Constant(1))
		return
	}
	for cell := range per { // one copy for each cell of the elements
		c.start(g, cell, n, c.scaled(dstStep, per), c.scaled(srcStep, per))
	}
}

// spread returns an element behind a pointer, any one in the first lowering.
func (c *copyCall) spread(p value) *place {
	if c.known != nil {
		return c.behind(p, c.elem)
	}
	return c.behind(c.move(p, c.Query(ir.QueryLocalLinearID, c.Constant(0)), c.elem, false), c.elem)
}

// extent checks that n elements, so far apart, are of the object that a pointer was made from.
func (c *copyCall) extent(p value, n, step int32) {
	size := int64(c.size(c.elem))
	last := c.Bin(ir.Mul, ir.U64, c.Bin(ir.Sub, ir.U64, n, c.Constant(1)), step)
	room := c.Bin(ir.Sub, ir.I64, p[ptrSize], p[ptrOff])
	fits := c.Bin(ir.Le, ir.I64, c.Bin(ir.Mul, ir.I64, c.Bin(ir.Add, ir.U64, last, c.Constant(1)), c.Constant(size)), room)
	small := c.Bin(ir.Le, ir.U64, last, c.Constant(maxBytes))
	inside := c.Bin(ir.Ge, ir.I64, p[ptrOff], c.Constant(0))
	ok := c.Bin(ir.And, ir.Bool, c.Bin(ir.And, ir.Bool, fits, small), inside)
	ok = c.Bin(ir.Or, ir.Bool, ok, c.Bin(ir.Eq, ir.U64, n, c.Constant(0)))
	name := ""
	if base, known := c.Known(p[ptrBase]); !known || base == 0 {
		c.Check(ir.CheckNil, c.Bin(ir.Ne, ir.I64, p[ptrBase], c.Constant(0)), "")
	} else if o := c.objectAt(base); o != nil {
		name = o.name + o.origin
	}
	c.inObject(ok, name)
}

// start emits a copy of n cells, and joins its event to those of the call.
func (c *copyCall) start(g *grid, cell int64, n, dstStep, srcStep int32) {
	from := func(p value) int32 {
		lin := c.linearOf(p[ptrOff])
		i := c.divide(p[ptrOff], int64(g.period))
		if lin.scale%int64(g.period) == 0 && lin.add%int64(g.period) == 0 {
			i = c.number(linear{lin.reg, lin.scale / int64(g.period), lin.add / int64(g.period)})
		}
		return c.address(p, c.Bin(ir.Add, ir.I64, i, c.Constant(cell)))
	}
	name := c.p.Strings[c.meeting(c.x)]
	if c.meets++; c.meets > 1 {
		name += "#" + strconv.Itoa(c.meets)
	}
	r := c.NewReg("")
	c.Emit(ir.Instr{Op: ir.OpAsyncCopy, Type: g.cells[0].t, Dst: r, Str: c.p.Str(name), Rounds: c.rounds(),
		Args: []int32{from(c.dst), from(c.src), n, dstStep, srcStep, c.event}})
	c.event = r
}

// rectangle lowers async_work_group_copy_2D2D and 3D3D: (dst, offset, src, offset, bytes of an element, elements of a
// line, lines, [planes,] length of a source line, [area of a source plane,] length of a destination line, [area,] event), lengths in elements.
func (c *copyCall) rectangle(args []value) {
	three := c.x.Fn.Name == "async_work_group_copy_3D3D"
	number := func(i int) int32 { return args[i].one() }
	size, ok := c.Known(number(4))
	elems := map[int64]*tree.Type{1: tree.TUChar, 2: tree.TUShort, 4: tree.TUInt, 8: tree.TULong, 16: tree.VectorOf(tree.TULong, 2)}
	lines, known := c.Known(number(6))
	planes := int64(1)
	if three && known {
		planes, known = c.Known(number(7))
	}
	if !ok || elems[size] == nil || !known || lines < 0 || planes < 0 || lines > maxLines || planes > maxLines {
		c.notYet(c.x.Pos(), c.x.Fn.Name+" of sizes that are not constant, or of more than "+strconv.Itoa(maxLines)+" lines")
		return
	}
	c.elem = elems[size]
	one, zero := c.Constant(1), c.Constant(0)
	at := [2]value{c.move(args[0], number(1), c.elem, false), c.move(args[2], number(3), c.elem, false)}
	srcLine, dstLine, srcPlane, dstPlane := number(len(args)-3), number(len(args)-2), zero, zero
	if three {
		srcLine, srcPlane, dstLine, dstPlane = number(8), number(9), number(10), number(11)
	}
	for plane := range planes {
		for line := range lines {
			shift := func(p value, perLine, perPlane int32) value {
				p = c.move(p, c.scaled(perLine, line), c.elem, false)
				return c.move(p, c.scaled(perPlane, plane), c.elem, false)
			}
			c.dst, c.src = shift(at[0], dstLine, dstPlane), shift(at[1], srcLine, srcPlane)
			c.lines(number(5), one, one)
		}
	}
}

// waitGroupEvents waits for as many events as are said.
func (f *frame) waitGroupEvents(x *tree.BuiltinCall, args []value) {
	n, ok := f.Known(args[0].one())
	if !ok || n < 1 || n > maxLines {
		f.notYet(x.Pos(), "wait_group_events for a number of events that is not a small constant")
		return
	}
	in := ir.Instr{Op: ir.OpWaitCopies, Str: f.meeting(x), Rounds: f.rounds()}
	for i := range n {
		p := f.behind(f.move(args[1], f.Constant(i), tree.TEvent, false), tree.TEvent)
		in.Args = append(in.Args, f.read(p)...)
	}
	f.Emit(in)
}
