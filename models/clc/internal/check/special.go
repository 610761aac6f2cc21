package check

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// builtinNamed reports whether a version has a built-in function of a name.
func builtinNamed(std tree.Std, name string) bool {
	if list := rules()[name]; list != nil && list[0].since <= std {
		return true
	}
	s, ok := specials[name]
	return ok && s.since <= std || family(name) != nil
}

// specialRule is a built-in function with a rule of its own.
type specialRule struct {
	since tree.Std
	check func(c *checker, name string, args []tree.Expr, pos tree.Pos) tree.Expr
}

// specials are the built-in functions that the table has no words for.
var specials = func() map[string]specialRule {
	m := map[string]specialRule{}
	add := func(since tree.Std, check func(*checker, string, []tree.Expr, tree.Pos) tree.Expr, names ...string) {
		for _, name := range names {
			m[name] = specialRule{since, check}
		}
	}
	add(100, (*checker).printf, "printf")
	add(100, (*checker).observe, "__observe")
	add(100, (*checker).vecStep, "vec_step")
	add(100, (*checker).shuffle, "shuffle", "shuffle2")
	add(200, (*checker).addressCall, "to_global", "to_local", "to_private", "get_fence")
	for _, op := range []string{"add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor"} {
		add(100, (*checker).legacyAtomic, "atom_"+op, "atomic_"+op)
	}
	add(200, (*checker).atomic, "atomic_init")
	for _, op := range []string{"store", "load", "exchange", "compare_exchange_strong", "compare_exchange_weak", "flag_test_and_set", "flag_clear",
		"fetch_add", "fetch_sub", "fetch_or", "fetch_xor", "fetch_and", "fetch_min", "fetch_max"} {
		add(200, (*checker).atomic, "atomic_"+op, "atomic_"+op+"_explicit")
	}
	add(100, (*checker).readImage, "read_imagef", "read_imagei", "read_imageui", "read_imageh")
	add(100, (*checker).writeImage, "write_imagef", "write_imagei", "write_imageui", "write_imageh")
	add(100, (*checker).askImage, "get_image_width", "get_image_height", "get_image_depth", "get_image_dim", "get_image_channel_data_type",
		"get_image_channel_order", "get_image_array_size", "get_image_num_samples", "get_image_num_mip_levels")
	add(200, (*checker).enqueueKernel, "enqueue_kernel")
	add(200, (*checker).askKernel, "get_kernel_work_group_size", "get_kernel_preferred_work_group_size_multiple",
		"get_kernel_max_sub_group_size_for_ndrange", "get_kernel_sub_group_count_for_ndrange")
	add(200, (*checker).ndrange, "ndrange_2D", "ndrange_3D")
	add(200, (*checker).pipe, "read_pipe", "write_pipe", "reserve_read_pipe", "reserve_write_pipe", "commit_read_pipe", "commit_write_pipe",
		"work_group_reserve_read_pipe", "work_group_reserve_write_pipe", "work_group_commit_read_pipe", "work_group_commit_write_pipe",
		"sub_group_reserve_read_pipe", "sub_group_reserve_write_pipe", "sub_group_commit_read_pipe", "sub_group_commit_write_pipe",
		"get_pipe_num_packets", "get_pipe_max_packets")
	return m
}()

// special checks a call of a function with a rule of its own, or returns nil.
func (c *checker) special(name string, l *cc.ArgumentExpressionList, pos tree.Pos) tree.Expr {
	if s, ok := specials[name]; ok {
		if s.since > c.o.Std {
			c.fail(pos, needsHint(s.since), "%s needs OpenCL C %s", name, s.since)
		}
		return s.check(c, name, c.arguments(l), pos)
	}
	if f := family(name); f != nil {
		return c.familyCall(f, name, c.arguments(l), pos)
	}
	return nil
}

// want fails unless there are so many arguments.
func (c *checker) want(name string, args []tree.Expr, least, most int, pos tree.Pos) {
	if n := len(args); n < least || n > most {
		s := argumentCount(least)
		if most != least {
			s = itoa(least) + " to " + argumentCount(most)
		}
		c.fail(pos, "", "%s takes %s, not %d", name, s, n)
	}
}

// made returns a call whose arguments are as they should be.
func made(b *tree.Builtin, t *tree.Type, args []tree.Expr, pos tree.Pos) tree.Expr {
	return &tree.BuiltinCall{Node: tree.Node{T: t, P: pos}, Fn: b, Args: args}
}

// arg converts an argument.
func (c *checker) arg(args []tree.Expr, i int, t *tree.Type, name string) {
	args[i] = c.coerce(args[i], t, "argument "+itoa(i+1)+" of "+name)
}

// pointerArg sees that an argument is a pointer, into one of the spaces.
func (c *checker) pointerArg(args []tree.Expr, i int, name string, spaces ...tree.Space) *tree.Type {
	t := args[i].Type()
	if t.Kind != tree.Pointer {
		hint := ""
		if tree.IsLvalue(unload(args[i])) {
			hint = "Write & in front of it."
		}
		c.fail(args[i].Pos(), hint, "argument %d of %s is a pointer, not %s", i+1, name, t)
	}
	for _, s := range spaces {
		if t.To.Space == s {
			return t
		}
	}
	if len(spaces) > 0 {
		words := make([]string, len(spaces))
		for j, s := range spaces {
			words[j] = s.String()
		}
		c.fail(args[i].Pos(), "", "argument %d of %s points to %s memory, not to %s", i+1, name, strings.Join(words, " or "), t.To.Space)
	}
	return t
}

// unload returns the place that a value was read from, or the value.
func unload(x tree.Expr) tree.Expr {
	if l, ok := x.(*tree.Load); ok {
		return l.X
	}
	return x
}

func (c *checker) printf(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	if len(args) == 0 {
		c.fail(pos, "", "printf takes a format")
	}
	t := c.pointerArg(args, 0, name, tree.Constant)
	if t.Elem != tree.TChar {
		c.fail(args[0].Pos(), "", "the format of printf must be a string, not %s", t)
	}
	for i := 1; i < len(args); i++ {
		switch t := args[i].Type(); {
		case t.IsArithmetic():
			args[i] = c.promote(args[i])
			if k := args[i].Type().Kind; k == tree.Float || k == tree.Half {
				args[i] = c.to(args[i], tree.TDouble, false)
			}
		case t.Kind == tree.Vector || t.Kind == tree.Pointer:
		default:
			c.fail(args[i].Pos(), "", "printf cannot print %s", t)
		}
	}
	return made(&tree.Builtin{Name: name, Class: tree.Print}, tree.TInt, args, pos)
}

// observe types __observe("name", x), which adds the value to the outcome of an execution.
func (c *checker) observe(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	c.want(name, args, 2, 2, pos)
	var text *tree.StringLit
	if d, ok := args[0].(*tree.Decay); ok {
		text, _ = d.X.(*tree.StringLit)
	}
	if text == nil || !isOutcomeName(text.Value) {
		c.fail(args[0].Pos(), `Write it as in __observe("r0", x).`, "the name of an outcome is a string of letters, digits and underscores")
	}
	if t := args[1].Type(); !t.IsInteger() {
		c.fail(args[1].Pos(), "", "%s takes an integer, not %s", name, t)
	}
	return made(&tree.Builtin{Name: name, Class: tree.Outcome}, tree.TVoid, args, pos)
}

// isOutcomeName reports whether a name can stand in a list of name=value.
func isOutcomeName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func (c *checker) vecStep(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	c.want(name, args, 1, 1, pos)
	t := args[0].Type()
	if !t.Lane().IsArithmetic() {
		c.fail(pos, "", "%s is for numbers and vectors, not for %s", name, t)
	}
	n := t.Lanes()
	if n == 3 {
		n = 4
	}
	return &tree.Const{Node: tree.Node{T: tree.TInt, P: pos}, Bits: uint64(n)}
}

func (c *checker) shuffle(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	n := len(name) - len("shuffle") + 2
	c.want(name, args, n, n, pos)
	t, mask := args[0].Type(), args[n-1].Type()
	if t.Kind != tree.Vector || mask.Kind != tree.Vector || t.Len == 3 || mask.Len == 3 || mask.Elem != unsignedOf(t.Elem.Kind.Bits()) || n == 3 && args[1].Type() != t {
		c.fail(pos, "It takes vectors of 2, 4, 8 or 16 lanes, and a mask of unsigned lanes of the same width.", "no %s takes %s", name, types(args))
	}
	return made(&tree.Builtin{Name: name, Class: tree.VectorData}, tree.VectorOf(t.Elem, mask.Len), args, pos)
}

func (c *checker) addressCall(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	c.want(name, args, 1, 1, pos)
	t := c.pointerArg(args, 0, name)
	if t.To.Space == tree.Constant {
		c.fail(args[0].Pos(), spaceHint(tree.Constant, tree.Generic), "argument 1 of %s points to __constant memory", name)
	}
	b := &tree.Builtin{Name: name, Class: tree.Address}
	q := t.To
	q.Space = tree.Generic
	args[0] = c.to(args[0], c.ts.Pointer(t.Elem, q), false)
	if name == "get_fence" {
		return made(b, tree.TUInt, args, pos)
	}
	q.Space = map[string]tree.Space{"to_global": tree.Global, "to_local": tree.Local, "to_private": tree.Private}[name]
	return made(b, c.ts.Pointer(t.Elem, q), args, pos)
}

// legacyAtomic checks the atomic functions of OpenCL C 1.x.
func (c *checker) legacyAtomic(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	op := name[strings.IndexByte(name, '_')+1:]
	n := map[string]int{"inc": 1, "dec": 1, "cmpxchg": 3}[op]
	if n == 0 {
		n = 2
	}
	c.want(name, args, n, n, pos)
	t := args[0].Type()
	if t.Kind == tree.Pointer && t.Elem.Kind == tree.Atomic {
		c.fail(args[0].Pos(), "Write atomic_fetch_"+op+" or the like, or make it an "+t.Elem.Elem.String()+".", "%s is for plain integers, not for %s", name, t.Elem)
	}
	t = c.pointerArg(args, 0, name, tree.Global, tree.Local, tree.Generic)
	switch k := t.Elem.Kind; {
	case k == tree.Int || k == tree.UInt:
	case (k == tree.Long || k == tree.ULong) && strings.HasPrefix(name, "atom_"):
	case k == tree.Float && op == "xchg" && strings.HasPrefix(name, "atomic_"):
	case k == tree.Long || k == tree.ULong:
		c.fail(args[0].Pos(), "Write atom_"+op+".", "%s is for int and uint, not for %s", name, t.Elem)
	default:
		c.fail(args[0].Pos(), "It is for int and uint.", "%s does not take %s", name, t.Elem)
	}
	c.notConst(args[0], name)
	for i := 1; i < n; i++ {
		c.arg(args, i, t.Elem, name)
	}
	return made(&tree.Builtin{Name: "atomic_" + op, Class: tree.AtomicLegacy}, t.Elem, args, pos)
}

// notConst sees that a pointer leads to what can be written.
func (c *checker) notConst(p tree.Expr, name string) {
	if p.Type().To.Const {
		c.fail(p.Pos(), "Remove const where it is declared.", "%s writes to a const object", name)
	}
}

// atomic checks the atomic functions of OpenCL C 2.0.
func (c *checker) atomic(name string, args []tree.Expr, pos tree.Pos) tree.Expr {
	op, explicit := strings.CutSuffix(strings.TrimPrefix(name, "atomic_"), "_explicit")
	operands, orders := 2, 1
	switch {
	case op == "load" || strings.HasPrefix(op, "flag"):
		operands = 1
	case strings.HasPrefix(op, "compare"):
		operands, orders = 3, 2
	}
	if explicit {
		c.want(name, args, operands+orders, operands+orders+1, pos)
	} else {
		c.want(name, args, operands, operands, pos)
	}
	p := c.pointerArg(args, 0, name, tree.Global, tree.Local, tree.Private, tree.Generic)
	flag := strings.HasPrefix(op, "flag")
	if p.Elem.Kind != tree.Atomic || p.Elem.Flag != flag {
		c.notAtomic(name, p, flag, args[0].Pos())
	}
	if op != "load" {
		c.notConst(args[0], name)
	}
	elem, result := p.Elem.Elem, p.Elem.Elem
	switch {
	case strings.HasPrefix(op, "compare"):
		e := c.pointerArg(args, 1, name, tree.Global, tree.Local, tree.Private, tree.Generic)
		if e.Elem != elem {
			c.fail(args[1].Pos(), "", "argument 2 of %s points to %s, not to %s", name, elem, e.Elem)
		}
		c.notConst(args[1], name)
		c.arg(args, 2, elem, name)
		result = tree.TBool
	case op == "flag_test_and_set":
		result = tree.TBool
	case op == "flag_clear" || op == "store" || op == "init":
		result = tree.TVoid
	}
	if operands == 2 {
		c.arg(args, 1, elem, name)
	}
	if elem.IsFloating() && (strings.HasSuffix(op, "or") || strings.HasSuffix(op, "and")) {
		c.fail(pos, "", "%s does not take %s", name, p.Elem)
	}
	for i := operands; i < len(args); i++ {
		c.arg(args, i, tree.TInt, name)
	}
	return made(&tree.Builtin{Name: name, Class: tree.AtomicC11}, result, args, pos)
}

func (c *checker) notAtomic(name string, p *tree.Type, flag bool, pos tree.Pos) {
	want := "an atomic_int or the like"
	if flag {
		want = "an atomic_flag"
	}
	hint := ""
	if p.Elem.IsArithmetic() && !flag {
		hint = "Declare it as atomic_" + p.Elem.String() + ", or use atomic_add and its like of OpenCL C 1.x."
	}
	c.fail(pos, hint, "argument 1 of %s points to %s, not to %s", name, want, p.Elem)
}
