package check

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// enqueueKernel checks enqueue_kernel: a queue, flags, a range, maybe events, a block, and the sizes
// of the block's local arguments.
func (c *checker) enqueueKernel(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	if len(args) < 4 {
		c.fail(pos, "", "%s takes a queue, flags, an ndrange and a block at least", name)
	}
	c.arg(args, 0, tree.TQueue, name)
	c.arg(args, 1, tree.TInt, name)
	c.arg(args, 2, tree.TNDRange, name)
	at := 3
	if args[3].Type().Kind != tree.Block {
		if len(args) < 7 {
			c.fail(args[3].Pos(), "", "argument 4 of %s is a block, not %s", name, args[3].Type())
		}
		c.arg(args, 3, tree.TUInt, name)
		c.eventPointer(args, 4, true, name)
		c.eventPointer(args, 5, false, name)
		at = 6
	}
	c.queueBlock(name, args, at)
	f := args[at].Type().Elem
	if len(f.Params) != len(args)-at-1 {
		c.fail(args[at].Pos(), "There is a size for each argument of the block.", "the block has %s, and there are %d sizes", argumentCount(len(f.Params)), len(args)-at-1)
	}
	for i := at + 1; i < len(args); i++ {
		if !args[i].Type().IsInteger() {
			c.fail(args[i].Pos(), "", "the size of a local argument is an integer, not %s", args[i].Type())
		}
		c.arg(args, i, tree.TUInt, name)
	}
	return made(&tree.Builtin{Name: name, Class: tree.Enqueue}, tree.TInt, args, pos)
}

// eventPointer converts an argument that points to events, or is null.
func (c *checker) eventPointer(args []tree.Expr, i int, constant bool, name string) {
	q := tree.Quals{Space: c.unqualified(), Const: constant}
	c.arg(args, i, c.ts.Pointer(tree.TClkEvent, q), name)
}

// queueBlock sees that a block can be enqueued.
func (c *checker) queueBlock(name string, args []tree.Expr, i int) {
	t := args[i].Type()
	if t.Kind != tree.Block {
		c.fail(args[i].Pos(), "Write ^{ kernel(arguments); }.", "argument %d of %s is a block, not %s", i+1, name, t)
	}
	if t.Elem.Elem.Kind != tree.Void {
		c.fail(args[i].Pos(), "", "a block that is enqueued returns nothing, not %s", t.Elem.Elem)
	}
	for _, p := range t.Elem.Params {
		if p.Kind != tree.Pointer || p.To.Space != tree.Local || p.Elem.Kind != tree.Void {
			c.fail(args[i].Pos(), "", "the arguments of a block that is enqueued are local void *, not %s", p)
		}
	}
}

// askKernel checks the functions that ask about a block.
func (c *checker) askKernel(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	n, result := 1, tree.TUInt
	if strings.HasSuffix(name, "ndrange") {
		n = 2
	}
	c.want(name, args, n, n, pos)
	if n == 2 {
		c.arg(args, 0, tree.TNDRange, name)
	}
	c.queueBlock(name, args, n-1)
	return made(&tree.Builtin{Name: name, Class: tree.Enqueue}, result, args, pos)
}

// ndrange checks ndrange_2D and ndrange_3D, which take arrays of sizes.
func (c *checker) ndrange(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	c.want(name, args, 1, 3, pos)
	for i := range args {
		t := c.pointerArg(args, i, name, tree.Private, tree.Generic, tree.Global, tree.Local)
		if t.Elem != tree.TULong {
			c.fail(args[i].Pos(), "", "argument %d of %s is an array of size_t, not %s", i+1, name, t)
		}
	}
	return made(&tree.Builtin{Name: name, Class: tree.Enqueue}, tree.TNDRange, args, pos)
}

// pipe checks the functions of pipes.
func (c *checker) pipe(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	if len(args) == 0 || args[0].Type().Kind != tree.Pipe {
		c.fail(pos, "", "argument 1 of %s is a pipe", name)
	}
	t := args[0].Type()
	b := &tree.Builtin{Name: name, Class: tree.PipeAccess}
	if t.Access == tree.ReadOnly && strings.Contains(name, "write") || t.Access == tree.WriteOnly && strings.Contains(name, "read") {
		c.fail(args[0].Pos(), "", "%s is not for a %s", name, t)
	}
	switch {
	case strings.HasPrefix(name, "get_pipe"):
		c.want(name, args, 1, 1, pos)
		return made(b, tree.TUInt, args, pos)
	case strings.Contains(name, "reserve"):
		c.want(name, args, 2, 2, pos)
		c.arg(args, 1, tree.TUInt, name)
		return made(b, tree.TReserveID, args, pos)
	case strings.Contains(name, "commit"):
		c.want(name, args, 2, 2, pos)
		c.arg(args, 1, tree.TReserveID, name)
		return made(b, tree.TVoid, args, pos)
	}
	if len(args) != 2 && len(args) != 4 {
		c.fail(pos, "", "%s takes 2 or 4 arguments, not %d", name, len(args))
	}
	if len(args) == 4 {
		c.arg(args, 1, tree.TReserveID, name)
		c.arg(args, 2, tree.TUInt, name)
	}
	last := len(args) - 1
	p := c.pointerArg(args, last, name)
	if p.Elem != t.Elem {
		c.fail(args[last].Pos(), "", "argument %d of %s points to %s, not to %s", last+1, name, t.Elem, p.Elem)
	}
	return made(b, tree.TInt, args, pos)
}
