package load

import (
	"fmt"
	"go/types"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// The cells of a cl.Image: a slice of its elements, the number of dimensions, and
// its size in each.
const (
	imageTexels = 0
	imageDim    = 3
	imageSize   = 4
	imageCells  = 7
)

// lowerNewImage adds an image to the shared segment and returns its handle.
func lowerNewImage(c *call) value {
	size, n := [3]int64{1, 1, 1}, int64(1)
	given := append([]value{c.arg[theNumber]}, c.more...)
	for d, v := range given {
		extent, ok := c.Known(c.reg(v))
		switch {
		case !ok:
			c.fault(c.pos, "write constants; -D overrides named constants", "the size that cl.%s takes must be a constant", c.name)
			return c.zero(c.ins.Type())
		case extent < 1 || extent > maxObject/n:
			c.fault(c.pos, fmt.Sprintf("write sizes whose product is from 1 to %d", maxObject), "%d is not the size of an image", extent)
			return c.zero(c.ins.Type())
		}
		size[d] = extent
		n *= extent
	}
	if c.inLoop(c.ins.Block()) {
		c.fault(c.pos, "create one image for each call outside the loop", "cl.%s cannot be called in a loop", c.name)
		return c.zero(c.ins.Type())
	}
	t := c.typeArg()
	for d := range given {
		t = types.NewArray(t, size[d])
	}
	addr := c.newObject(orName(c.variableName(), "image"), c.pos, t, memmodel.Buffer)
	c.p.Objects[len(c.p.Objects)-1].Region = memmodel.Image
	regs := []int32{c.Constant(addr), c.Constant(n), c.Constant(n), c.Constant(int64(len(given)))}
	for _, extent := range size {
		regs = append(regs, c.Constant(extent))
	}
	return value{regs: regs}
}

// texel returns the address of an element that a call names, whose coordinates
// are checked.
func (c *call) texel() int32 {
	image, at := c.flat(c.arg[theImage], c.pos), c.flat(c.arg[theCoord], c.pos)
	if len(image) < imageCells {
		return c.Constant(0)
	}
	if dim, ok := c.Known(image[imageDim]); ok && dim != int64(len(at)) && dim > 0 {
		c.fault(c.pos, fmt.Sprintf("write coordinates of type %s", [...]string{1: "int", 2: "[2]int", 3: "[3]int"}[dim]),
			"cl.%s has %d coordinates for an image of %d", c.name, len(at), dim)
	}
	c.Check(ir.CheckArgument, c.Bin(ir.Eq, ir.I64, image[imageDim], c.Constant(int64(len(at)))),
		"the coordinates of "+c.name+" must be as many as the image has dimensions")
	var i int32
	for d := len(at) - 1; d >= 0; d-- {
		extent := image[imageSize+d]
		c.CheckIndex(at[d], extent)
		if d == len(at)-1 {
			i = at[d]
		} else {
			i = c.Bin(ir.Add, ir.I64, c.Bin(ir.Mul, ir.I64, i, extent), at[d])
		}
	}
	return c.Element(image[imageTexels], i, 1)
}

func lowerReadImage(c *call) value { return one(c.Load(c.scalar(c.ins.Type()), c.texel())) }

func lowerWriteImage(c *call) value {
	c.Store(c.scalar(c.val[theOperand].Type()), c.texel(), c.operandOf(theOperand))
	return value{}
}

// lowerImageSize lowers the queries of an image's size.
func lowerImageSize(c *call) value {
	if image := c.flat(c.arg[theImage], c.pos); len(image) == imageCells {
		return one(image[imageSize+c.dim])
	}
	return one(c.Constant(0))
}
