package load

import (
	"slices"

	"github.com/clmc/clmc/models/cl"
	"github.com/clmc/clmc/state/ir"
)

// addRegions enters the commands of the host that copy regions of several dimensions, and
// those that move memory.
func addRegions() {
	add := func(name string, params int, lower func(*call) value) {
		builtins[name] = builtin{where: inHost, params: append(make(roles, params), theOptions), lower: lower}
	}
	add("EnqueueReadBufferRect", 10, lowerReadRect)
	add("EnqueueWriteBufferRect", 10, lowerWriteRect)
	add("EnqueueCopyBufferRect", 9, lowerCopyRect)
	add("EnqueueReadImage", 7, lowerReadImageCommand)
	add("EnqueueWriteImage", 7, lowerWriteImageCommand)
	add("EnqueueFillImage", 4, lowerFillImage)
	add("EnqueueCopyImage", 5, lowerCopyImage)
	add("EnqueueCopyImageToBuffer", 5, lowerImageToBuffer)
	add("EnqueueCopyBufferToImage", 5, lowerBufferToImage)
	add("EnqueueMigrateMemObjects", 2, lowerMigrate)
	add("EnqueueSVMMigrateMem", 2, lowerMigrate)
	builtins["CreateSubBuffer"] = builtin{where: inHost | inInit, params: make(roles, 3), lower: lowerSubBuffer}
}

// box is a region of memory: where it begins, how many elements lie between the
// beginnings of its rows and of its slices, and how many cells an element has.
type box struct {
	addr, row, slice int32
	size             int
}

// region is how many elements, rows and slices a box has.
type region [3]int32

// regionOf returns an argument that is a region: it has no extent of 0 (CL_INVALID_VALUE).
func (c *call) regionOf(i int) (r region) {
	r = c.triple(i)
	for _, n := range r {
		c.Check(ir.CheckArgument, c.Bin(ir.Gt, ir.I64, n, c.Constant(0)), "the region of cl"+c.name+" must not be empty")
	}
	return r
}

// triple returns the entries of an argument of type [3]int.
func (c *call) triple(i int) (t [3]int32) {
	for d, r := range c.flat(c.all[i], c.pos) {
		t[d] = r
	}
	return t
}

func (c *call) times(a, b int32) int32 { return c.Bin(ir.Mul, ir.I64, a, b) }
func (c *call) plus(a, b int32) int32  { return c.Bin(ir.Add, ir.I64, a, b) }
func (c *call) less1(a int32) int32    { return c.Bin(ir.Sub, ir.I64, a, c.Constant(1)) }

// either returns a where it is not 0, else b.
func (c *call) either(a, b int32) int32 {
	none := c.Bin(ir.Eq, ir.I64, a, c.Constant(0))
	return c.plus(a, c.times(none, b))
}

// extent returns how many elements lie between the beginning of a box and its end.
func (c *call) extent(b box, r region) int32 {
	return c.plus(c.plus(c.times(c.less1(r[2]), b.slice), c.times(c.less1(r[1]), b.row)), r[0])
}

// boxOf returns the box of a region at an origin of a buffer or memory of the host, where it
// must lie; with pitches, which must not be less than the region needs.
func (c *call) boxOf(s span, origin [3]int32, r region, rowPitch, slicePitch int32) box {
	b := box{size: s.size, row: c.either(rowPitch, r[0])}
	c.Check(ir.CheckArgument, c.Bin(ir.Ge, ir.I64, b.row, r[0]), "the row pitch of cl"+c.name+" must be 0, or at least that of the region")
	least := c.times(r[1], b.row)
	b.slice = c.either(slicePitch, least)
	c.Check(ir.CheckArgument, c.Bin(ir.Ge, ir.I64, b.slice, least), "the slice pitch of cl"+c.name+" must be 0, or at least that of the region")
	first := c.plus(c.plus(c.times(origin[2], b.slice), c.times(origin[1], b.row)), origin[0])
	for _, at := range origin {
		c.Check(ir.CheckIndex, c.Bin(ir.Ge, ir.I64, at, c.Constant(0)), "")
	}
	b.addr = c.from(s, first, c.extent(b, r)).addr
	return b
}

// imageBox returns the box of a region at an origin of an image, where it must lie.
func (c *call) imageBox(i int, origin [3]int32, r region) box {
	image := c.flat(c.all[i], c.pos)
	if len(image) < imageCells {
		return box{addr: c.Constant(0), row: c.Constant(0), slice: c.Constant(0), size: 1}
	}
	b := box{row: image[imageSize], slice: c.times(image[imageSize], image[imageSize+1]), size: 1}
	for d, at := range origin {
		extent := image[imageSize+d]
		c.Check(ir.CheckIndex, c.Bin(ir.Le, ir.U64, at, extent), "")
		c.Check(ir.CheckIndex, c.Bin(ir.Le, ir.U64, r[d], c.Bin(ir.Sub, ir.I64, extent, at)), "")
	}
	b.addr = c.Element(image[imageTexels], c.plus(c.plus(c.times(origin[2], b.slice), c.times(origin[1], b.row)), origin[0]), 1)
	return b
}

// disjoint emits a test that two boxes of a region share no cell (CL_MEM_COPY_OVERLAP). Where one
// begins before the other ends they are of one object, and have the same pitches
// (CL_INVALID_VALUE).
func (c *call) disjoint(a, b box, r region) {
	cells := func(n int32, of box) int32 { return c.times(n, c.Constant(int64(of.size))) }
	distance := c.Bin(ir.Sub, ir.I64, a.addr, b.addr)
	before := c.Bin(ir.Gt, ir.I64, c.Bin(ir.Sub, ir.I64, c.Constant(0), distance), c.less1(cells(c.extent(a, r), a)))
	behind := c.Bin(ir.Gt, ir.I64, distance, c.less1(cells(c.extent(b, r), b)))
	what := "source and destination of cl" + c.name
	c.If(c.Bin(ir.Or, ir.I64, before, behind), func() {}, func() {
		c.Check(ir.CheckArgument, c.Bin(ir.Eq, ir.I64, a.row, b.row), what+" must have the same pitches where they are in one buffer")
		c.Check(ir.CheckArgument, c.Bin(ir.Eq, ir.I64, a.slice, b.slice), what+" must have the same pitches where they are in one buffer")
		c.between(r[2], func(z int32) {
			c.between(r[1], func(y int32) {
				rest := c.Bin(ir.Sub, ir.I64, distance, cells(c.plus(c.times(z, a.slice), c.times(y, a.row)), a))
				width := c.less1(cells(r[0], a))
				c.Check(ir.CheckArgument, c.Bin(ir.Or, ir.I64, c.Bin(ir.Gt, ir.I64, rest, width),
					c.Bin(ir.Gt, ir.I64, c.Bin(ir.Sub, ir.I64, c.Constant(0), rest), width)), what+" must not overlap")
			})
		})
	})
}

// disjointSpans emits a test that two spans of one length share no cell.
func (c *call) disjointSpans(a, b span) {
	row := func(s span) box { return box{s.addr, s.length, s.length, s.size} }
	c.disjoint(row(a), row(b), region{a.length, c.Constant(1), c.Constant(1)})
}

// between emits a loop over the differences of two numbers below n.
func (c *call) between(n int32, body func(int32)) {
	c.Repeat(c.less1(c.plus(n, n)), func(i int32) { body(c.Bin(ir.Sub, ir.I64, i, c.less1(n))) })
}

// copyBox enqueues a copy of a region: it touches the cells of the region and no others.
func (c *call) copyBox(dst, src box, r region, blocking bool) value {
	u, p := c.body(9)
	leaves := c.leaves(c.typeArg())
	u.eachElement(p, func(at func(box) int32) {
		to, from := at(box{p[3], p[4], p[5], dst.size}), at(box{p[6], p[7], p[8], src.size})
		for k, l := range leaves {
			u.Store(l.t, u.Offset(to, k), u.Load(l.t, u.Offset(from, k)))
		}
	})
	u.End()
	return c.native(u, blocking, r[0], r[1], r[2], dst.addr, dst.row, dst.slice, src.addr, src.row, src.slice)
}

func lowerReadRect(c *call) value {
	r := c.regionOf(4)
	buffer := c.boxOf(c.spanOf(0), c.triple(2), r, c.reg(c.all[5]), c.reg(c.all[6]))
	return c.copyBox(c.boxOf(c.spanOf(9), c.triple(3), r, c.reg(c.all[7]), c.reg(c.all[8])), buffer, r, c.isBlocking(1))
}

func lowerWriteRect(c *call) value {
	r := c.regionOf(4)
	buffer := c.boxOf(c.spanOf(0), c.triple(2), r, c.reg(c.all[5]), c.reg(c.all[6]))
	return c.copyBox(buffer, c.boxOf(c.spanOf(9), c.triple(3), r, c.reg(c.all[7]), c.reg(c.all[8])), r, c.isBlocking(1))
}

func lowerCopyRect(c *call) value {
	r := c.regionOf(4)
	src := c.boxOf(c.spanOf(0), c.triple(2), r, c.reg(c.all[5]), c.reg(c.all[6]))
	dst := c.boxOf(c.spanOf(1), c.triple(3), r, c.reg(c.all[7]), c.reg(c.all[8]))
	c.disjoint(dst, src, r)
	return c.copyBox(dst, src, r, false)
}

func lowerReadImageCommand(c *call) value {
	r := c.regionOf(3)
	image := c.imageBox(0, c.triple(2), r)
	return c.copyBox(c.boxOf(c.spanOf(6), c.nowhere(), r, c.reg(c.all[4]), c.reg(c.all[5])), image, r, c.isBlocking(1))
}

func lowerWriteImageCommand(c *call) value {
	r := c.regionOf(3)
	image := c.imageBox(0, c.triple(2), r)
	return c.copyBox(image, c.boxOf(c.spanOf(6), c.nowhere(), r, c.reg(c.all[4]), c.reg(c.all[5])), r, c.isBlocking(1))
}

func lowerCopyImage(c *call) value {
	r := c.regionOf(4)
	src := c.imageBox(0, c.triple(2), r)
	dst := c.imageBox(1, c.triple(3), r)
	c.disjoint(dst, src, r)
	return c.copyBox(dst, src, r, false)
}

func lowerImageToBuffer(c *call) value {
	r := c.regionOf(3)
	src := c.imageBox(0, c.triple(2), r)
	return c.copyBox(c.packed(1, 4, r), src, r, false)
}

func lowerBufferToImage(c *call) value {
	r := c.regionOf(4)
	src := c.packed(0, 2, r)
	return c.copyBox(c.imageBox(1, c.triple(3), r), src, r, false)
}

// nowhere returns the origin 0.
func (c *call) nowhere() [3]int32 {
	return [3]int32{c.Constant(0), c.Constant(0), c.Constant(0)}
}

// packed returns the box of a region that lies without gaps in buffer argument i, from the
// offset on that is argument offset.
func (c *call) packed(i, offset int, r region) box {
	at := c.nowhere()
	at[0] = c.reg(c.all[offset])
	return c.boxOf(c.spanOf(i), at, r, c.Constant(0), c.Constant(0))
}

func lowerFillImage(c *call) value {
	r := c.regionOf(3)
	image := c.imageBox(0, c.triple(2), r)
	u, p := c.body(7)
	u.eachElement(p, func(at func(box) int32) {
		u.Store(c.scalar(c.typeArg()), at(box{p[3], p[4], p[5], 1}), p[6])
	})
	u.End()
	return c.native(u, false, r[0], r[1], r[2], image.addr, image.row, image.slice, c.reg(c.all[1]))
}

// eachElement emits loops over the elements of a region, whose extents are the first
// parameters p, with a function that tells where the element of a box is.
func (u *unit) eachElement(p []int32, body func(at func(box) int32)) {
	u.Repeat(p[2], func(z int32) {
		u.Repeat(p[1], func(y int32) {
			u.Repeat(p[0], func(x int32) {
				body(func(b box) int32 {
					i := u.Bin(ir.Add, ir.I64, u.Bin(ir.Mul, ir.I64, z, b.slice), u.Bin(ir.Mul, ir.I64, y, b.row))
					return u.Element(b.addr, u.Bin(ir.Add, ir.I64, i, x), b.size)
				})
			})
		})
	})
}

// lowerMigrate lowers a command that moves memory: it does nothing but be ordered.
func lowerMigrate(c *call) value {
	if f, ok := c.Known(c.reg(c.all[1])); !ok || f&^int64(cl.CLMigrateMemObjectHost) != 0 {
		c.fault(c.pos, "write 0 or cl.CLMigrateMemObjectHost", "the flags of cl.%s must be a constant, and leave the contents defined", c.name)
	}
	u, _ := c.body(0)
	u.End()
	return c.native(u, false)
}

func lowerSubBuffer(c *call) value {
	if !slices.Contains(c.p.Notes, subBufferNote) {
		c.p.Notes = append(c.p.Notes, subBufferNote)
	}
	size := c.reg(c.all[2])
	part := c.from(c.spanOf(0), c.reg(c.all[1]), size)
	c.Check(ir.CheckArgument, c.Bin(ir.Gt, ir.I64, size, c.Constant(0)), "the size of cl"+c.name+" must not be 0")
	return value{regs: []int32{part.addr, part.length, part.length}}
}
