package code

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// An image has four cells of 32 bits for each element, whatever its format would be: what is written is
// what is read, and the functions for floats, integers and unsigned integers see the same bits. It has no padding: elements
// of a row follow each other, rows of a plane, planes of the image.

// Sampler bits, as the constants of OpenCL C have them here.
const (
	samplerNormalized = 0x01
	samplerAddress    = 0x0e
	samplerLinear     = 0x20

	addressNone   = 0
	addressEdge   = 2
	addressClamp  = 4
	addressRepeat = 6
	addressMirror = 8
)

// imageCall is a call of a function on images.
type imageCall struct {
	*frame
	x       *tree.BuiltinCall
	o       *object
	dims    int        // coordinates that are used
	spatial int        // of these, those that are no index into an array
	pixel   *tree.Type // of four lanes
	depth   bool       // an element is one number
}

// imageAccess lowers the functions on images.
func (f *frame) imageAccess(x *tree.BuiltinCall, args []value) value {
	t := x.Args[0].Type()
	addr, ok := f.Known(args[0].one())
	o := f.objectAt(addr)
	if !ok || o == nil || o.dims == nil {
		f.notYet(x.Pos(), "an image that is not known")
		return f.zero(x.Type())
	}
	if strings.Contains(t.Dim, "msaa") {
		f.notYet(x.Pos(), "an image of several samples")
		return f.zero(x.Type())
	}
	c := &imageCall{frame: f, x: x, o: o, depth: strings.Contains(t.Dim, "depth")}
	c.spatial = int(t.Dim[0] - '0')
	c.dims = c.spatial
	if strings.Contains(t.Dim, "array") {
		c.dims++
	}
	name := x.Fn.Name
	if strings.HasPrefix(name, "get_image") {
		return c.ask(name)
	}
	suffix := name[strings.Index(name, "image")+len("image"):]
	lane, ok := map[string]*tree.Type{"f": tree.TFloat, "i": tree.TInt, "ui": tree.TUInt, "h": tree.THalf}[suffix]
	if !ok {
		f.notYet(x.Pos(), name)
		return f.zero(x.Type())
	}
	c.pixel = tree.VectorOf(lane, 4)
	half := suffix == "h"
	if half {
		c.pixel = tree.VectorOf(tree.TFloat, 4)
	}
	if strings.HasPrefix(name, "write") {
		color := args[len(args)-1]
		if half {
			color = f.convertTo(c.pixel, tree.VectorOf(tree.THalf, 4), color)
		}
		for c.depth && len(color) < 4 {
			color = append(color, color[0])
		}
		f.write(c.element(c.inside(args[1])), color)
		return nil
	}
	v := c.read(args)
	if half {
		v = f.convertTo(tree.VectorOf(tree.THalf, 4), c.pixel, v)
	}
	if c.depth {
		return v[:1]
	}
	return v
}

// ask lowers the questions about an image.
func (c *imageCall) ask(name string) value {
	size := func(d int) int32 { return c.Constant(int64(c.o.dims[d])) }
	switch name {
	case "get_image_width":
		return value{size(0)}
	case "get_image_height":
		return value{size(1)}
	case "get_image_depth":
		return value{size(2)}
	case "get_image_array_size":
		return value{size(c.dims - 1)}
	case "get_image_dim":
		v := value{size(0), size(1)}
		if c.spatial == 3 {
			v = append(v, size(2), c.Constant(0))
		}
		return v
	case "get_image_channel_data_type":
		return value{c.Constant(0x10DE)} // CLK_FLOAT
	case "get_image_channel_order":
		return value{c.Constant(0x10B5)} // CLK_RGBA
	case "get_image_num_mip_levels", "get_image_num_samples":
		return value{c.Constant(1)}
	}
	c.notYet(c.x.Pos(), name)
	return c.zero(c.x.Type())
}

// ImageLine names what a coordinate of an image is an index into, for reports.
func ImageLine(name string, dimension int) string {
	return [...]string{"a row of ", "a column of ", "the layers of "}[dimension] + name
}

// inside checks that integer coordinates are those of an element.
func (c *imageCall) inside(at value) []int32 {
	for d := range c.dims {
		c.CheckIndexOf(ImageLine(c.o.name, d), at[d], c.Constant(int64(c.o.dims[d])))
	}
	return at[:c.dims]
}

// element returns the place of an element.
func (c *imageCall) element(at []int32) *place {
	i := at[c.dims-1]
	for d := c.dims - 2; d >= 0; d-- {
		i = c.Bin(ir.Add, ir.I64, c.scaled(i, int64(c.o.dims[d])), at[d])
	}
	p := c.behind(c.move(c.pointer(c.o), i, c.pixel, false), c.pixel)
	p.shared, p.each = true, true
	return p
}

// read lowers a read, with a sampler or without.
func (c *imageCall) read(args []value) value {
	if c.x.Args[1].Type().Kind != tree.Sampler {
		return c.frame.read(c.element(c.inside(args[1])))
	}
	bits, ok := c.Known(args[1].one())
	if !ok {
		c.notYet(c.x.Pos(), "a sampler that is not known")
		return c.zero(c.pixel)
	}
	at := args[2]
	if c.x.Args[2].Type().Lane().IsInteger() {
		return c.nearest(at[:c.dims], bits)
	}
	return c.sampled(at[:c.dims], bits)
}

// nearest reads the element at integer coordinates, those outside as the sampler says.
func (c *imageCall) nearest(at []int32, bits int64) value {
	mode := bits & samplerAddress
	valid := c.Constant(1)
	in := make([]int32, c.dims)
	for d := range in {
		size := c.Constant(int64(c.o.dims[d]))
		last := c.Constant(int64(c.o.dims[d] - 1))
		switch {
		case d >= c.spatial: // an index into an array: the nearest there is
			in[d] = c.Bin(ir.Min, ir.I64, c.Bin(ir.Max, ir.I64, at[d], c.Constant(0)), last)
		case mode == addressNone:
			c.CheckIndexOf(ImageLine(c.o.name, d), at[d], size)
			in[d] = at[d]
		case mode == addressRepeat:
			r := c.Bin(ir.Rem, ir.I64, at[d], size)
			in[d] = c.Bin(ir.Rem, ir.I64, c.Bin(ir.Add, ir.I64, r, size), size)
		case mode == addressMirror:
			period := c.Constant(2 * int64(c.o.dims[d]))
			r := c.Bin(ir.Rem, ir.I64, c.Bin(ir.Add, ir.I64, c.Bin(ir.Rem, ir.I64, at[d], period), period), period)
			back := c.Bin(ir.Sub, ir.I64, c.Bin(ir.Sub, ir.I64, period, c.Constant(1)), r)
			in[d] = c.Bin(ir.Min, ir.I64, r, back)
		default:
			in[d] = c.Bin(ir.Min, ir.I64, c.Bin(ir.Max, ir.I64, at[d], c.Constant(0)), last)
			if mode == addressClamp {
				valid = c.Bin(ir.And, ir.Bool, valid, c.Bin(ir.Eq, ir.I64, in[d], at[d]))
			}
		}
	}
	if k, ok := c.Known(valid); ok && k == 1 {
		return c.frame.read(c.element(in))
	}
	out := value{}
	for range 4 {
		r := c.NewReg("")
		c.Move(r, c.Constant(0)) // the colour of the border
		out = append(out, r)
	}
	c.If(valid, func() { c.Parallel(out, c.frame.read(c.element(in))) }, nil)
	return out
}

// sampled reads at coordinates that are numbers: the nearest element, or the weighted sum of those around.
func (c *imageCall) sampled(at []int32, bits int64) value {
	bin := func(op ir.Alu, a, b int32) int32 { return c.Bin(op, ir.F32, a, b) }
	number := func(v float64) int32 { return c.Constant(ir.F32.FromNumber(v)) }
	low, frac := make([]int32, c.dims), make([]int32, c.spatial)
	linear := bits&samplerLinear != 0 && c.pixel.Elem == tree.TFloat
	for d, x := range at {
		if d >= c.spatial {
			low[d] = c.Conv(ir.I32, ir.F32, c.Un(ir.Rint, ir.F32, x))
			continue
		}
		if bits&samplerNormalized != 0 {
			x = bin(ir.Mul, x, number(float64(c.o.dims[d])))
		}
		if linear {
			x = bin(ir.Sub, x, number(0.5))
		}
		floor := c.Un(ir.Floor, ir.F32, x)
		low[d] = c.Conv(ir.I32, ir.F32, floor)
		frac[d] = bin(ir.Sub, x, floor)
	}
	if !linear {
		return c.nearest(low, bits)
	}
	sum := value{number(0), number(0), number(0), number(0)}
	for corner := range 1 << c.spatial {
		weight := number(1)
		in := append([]int32{}, low...)
		for d := range c.spatial {
			if corner>>d&1 == 1 {
				in[d] = c.Bin(ir.Add, ir.I64, low[d], c.Constant(1))
				weight = bin(ir.Mul, weight, frac[d])
			} else {
				weight = bin(ir.Mul, weight, bin(ir.Sub, number(1), frac[d]))
			}
		}
		for i, v := range c.nearest(in, bits) {
			sum[i] = bin(ir.Add, sum[i], bin(ir.Mul, weight, v))
		}
	}
	return sum
}
