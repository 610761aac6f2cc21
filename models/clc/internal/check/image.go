package check

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// imageArg sees that the first argument is an image that allows an access.
func (c *checker) imageArg(name string, args []tree.Expr, write bool, pos tree.Pos) *tree.Type {
	if len(args) == 0 {
		c.fail(pos, "", "%s takes an image", name)
	}
	t := args[0].Type()
	if t.Kind != tree.Image {
		c.fail(args[0].Pos(), "", "argument 1 of %s is an image, not %s", name, t)
	}
	if write && t.Access == tree.ReadOnly {
		c.fail(args[0].Pos(), "Declare it write_only or read_write.", "%s is for images that can be written, not for %s", name, t)
	}
	if !write && t.Access == tree.WriteOnly {
		c.fail(args[0].Pos(), "Declare it read_only or read_write.", "%s is for images that can be read, not for %s", name, t)
	}
	return t
}

// coordLanes is how many coordinates an image has, as a vector.
func coordLanes(dim string) int64 {
	switch {
	case dim == "3d" || strings.HasPrefix(dim, "2d_array"):
		return 4
	case dim == "1d" || dim == "1d_buffer":
		return 1
	}
	return 2
}

// pixel is the type of a pixel that the function of a name reads or writes.
func pixel(c *checker, name string, t *tree.Type, pos tree.Pos) *tree.Type {
	suffix := name[strings.Index(name, "image")+len("image"):]
	lane := map[string]*tree.Type{"f": tree.TFloat, "i": tree.TInt, "ui": tree.TUInt, "h": tree.THalf}[suffix]
	if strings.HasSuffix(t.Dim, "depth") {
		if suffix != "f" {
			c.fail(pos, "", "%s is not for images of depths", name)
		}
		return lane
	}
	return tree.VectorOf(lane, 4)
}

// coords converts the coordinates of an image: integers, or numbers if there is a sampler.
func (c *checker) coords(name string, args []tree.Expr, i int, t *tree.Type, sampler bool) {
	n := coordLanes(t.Dim)
	x := args[i].Type()
	if sampler && x.Lane().Kind == tree.Float && x.Lanes() == n {
		return
	}
	want := tree.VectorOf(tree.TInt, n)
	if x.Lanes() != n || x.Lane().IsFloating() || n > 1 && x != want {
		c.fail(args[i].Pos(), "", "argument %d of %s, the coordinates, is %s, not %s", i+1, name, want, x)
	}
	c.arg(args, i, want, name)
}

func (c *checker) readImage(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	t := c.imageArg(name, args, false, pos)
	result := pixel(c, name, t, pos)
	c.want(name, args, 2, 5, pos)
	at := 1
	sampler := len(args) > 2 && (args[1].Type().Kind == tree.Sampler || len(args) == 3 && !strings.Contains(t.Dim, "msaa"))
	if sampler {
		if t.Access == tree.ReadWrite {
			c.fail(pos, "Remove the sampler.", "a read_write image is read without a sampler")
		}
		if t.Dim == "1d_buffer" {
			c.fail(pos, "Remove the sampler.", "an image1d_buffer_t has no sampler")
		}
		c.arg(args, 1, tree.TSampler, name)
		at = 2
	} else if t.Access == tree.ReadOnly && c.o.Std < tree.CL12 {
		c.fail(pos, needsHint(tree.CL12), "reading without a sampler needs OpenCL C 1.2")
	}
	c.coords(name, args, at, t, sampler)
	switch rest := args[at+1:]; {
	case len(rest) == 0:
	case strings.Contains(t.Dim, "msaa") && len(rest) == 1:
		c.arg(args, at+1, tree.TInt, name)
	case sampler && len(rest) == 1:
		c.arg(args, at+1, tree.TFloat, name)
	case sampler && len(rest) == 2:
	default:
		c.fail(pos, "", "no %s takes %s", name, types(args))
	}
	return made(&tree.Builtin{Name: name, Class: tree.ImageAccess}, result, args, pos)
}

func (c *checker) writeImage(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	t := c.imageArg(name, args, true, pos)
	color := pixel(c, name, t, pos)
	c.want(name, args, 3, 4, pos)
	c.coords(name, args, 1, t, false)
	if len(args) == 4 {
		c.arg(args, 2, tree.TInt, name)
	}
	c.arg(args, len(args)-1, color, name)
	return made(&tree.Builtin{Name: name, Class: tree.ImageAccess}, tree.TVoid, args, pos)
}

func (c *checker) askImage(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	c.want(name, args, 1, 1, pos)
	t := args[0].Type()
	if t.Kind != tree.Image {
		c.fail(args[0].Pos(), "", "argument 1 of %s is an image, not %s", name, t)
	}
	wrong := false
	result := tree.TInt
	switch name {
	case "get_image_height":
		wrong = strings.HasPrefix(t.Dim, "1d")
	case "get_image_depth":
		wrong = t.Dim != "3d"
	case "get_image_array_size":
		wrong = !strings.Contains(t.Dim, "array")
		result = tree.TULong
	case "get_image_num_samples":
		wrong = !strings.Contains(t.Dim, "msaa")
	case "get_image_dim":
		wrong = strings.HasPrefix(t.Dim, "1d")
		result = tree.VectorOf(tree.TInt, 2)
		if t.Dim == "3d" {
			result = tree.VectorOf(tree.TInt, 4)
		}
	}
	if wrong {
		c.fail(pos, "", "%s does not take %s", name, t)
	}
	return made(&tree.Builtin{Name: name, Class: tree.ImageAccess}, result, args, pos)
}
