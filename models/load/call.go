package load

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

// call lowers a call: of a built-in, or by inlining.
func (f *frame) call(c *ssa.Call) value {
	if f.beginRound(c) {
		return value{}
	}
	com := c.Common()
	if com.IsInvoke() {
		f.fault(c.Pos(), noInterfaces.hint, "%s", noInterfaces.message)
		return f.zero(c.Type())
	}
	if b, ok := com.Value.(*ssa.Builtin); ok {
		return f.predeclared(c, b.Name())
	}
	if k := f.value(com.Value).cl; k != nil {
		return f.callKernel(c, k)
	}
	callee := f.value(com.Value).fn
	if callee == nil {
		f.fault(c.Pos(), "write instead: a direct call, or a switch over an integer that says which function to call",
			"clmc cannot determine at load time which function is called")
		return f.zero(c.Type())
	}
	if isVocabulary(callee.fn) {
		return f.builtin(c, callee.fn)
	}
	return f.inline(c, callee)
}

// inline lowers the body of the callee in place of the call.
func (f *frame) inline(c *ssa.Call, callee *closure) value {
	for up := f; up != nil; up = up.caller {
		if up.fn == callee.fn {
			f.fault(c.Pos(), "write instead: a loop; OpenCL C has no recursion (OpenCL C, \"Restrictions\")", "recursive call of %s", callee.fn.Name())
			return f.zero(c.Type())
		}
	}
	switch {
	case callee.fn.Blocks == nil:
		f.fault(c.Pos(), "give the function a body", "%s has no body", callee.fn.Name())
		return f.zero(c.Type())
	case f.depth >= maxDepth:
		f.fault(c.Pos(), "nest calls less deeply", "calls are nested more than %d deep", maxDepth)
		return f.zero(c.Type())
	case f.Full():
		return f.zero(c.Type())
	}
	f.Spend(len(callee.fn.Blocks)) // a call costs something even if it emits nothing
	at := f.At
	g := &frame{unit: f.unit, fn: callee.fn, free: callee.free, env: map[ssa.Value]value{}, caller: f, depth: f.depth + 1,
		outer: f.around(c.Pos()), numbered: map[int]int32{},
		path: " called at " + f.site(c.Pos()) + f.path, looped: f.inLoop(c.Block())}
	for _, a := range c.Common().Args {
		g.args = append(g.args, f.value(a))
	}
	back := f.calling(f.functionName(callee.fn))
	g.body()
	back()
	f.At = at
	return g.outcome()
}

// predeclared lowers a predeclared function of Go.
func (f *frame) predeclared(c *ssa.Call, name string) value {
	args := c.Common().Args
	switch name {
	case "len":
		return one(f.length(args[0], 1))
	case "cap":
		return one(f.length(args[0], 2))
	case "min", "max":
		return one(f.extremum(c, name))
	case "ssa:wrapnilchk":
		v := f.value(args[0])
		if v.at == nil {
			f.checkNil(args[0], f.operand(args[0]))
		}
		return v
	}
	f.fault(c.Pos(), "", "%s is not part of the modelling language", name)
	return f.zero(c.Type())
}

// length returns the length or capacity of a slice or array.
func (f *frame) length(x ssa.Value, cell int) int32 {
	t := x.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Array:
		return f.Constant(t.Len())
	case *types.Slice:
		if s := f.regs(x); len(s) == 3 {
			return s[cell]
		}
	case *types.Basic:
		if v := f.value(x); v.str != nil {
			return f.Constant(int64(len(*v.str)))
		}
	}
	return f.Constant(0)
}

func (f *frame) extremum(c *ssa.Call, name string) int32 {
	op := ir.Min
	if name == "max" {
		op = ir.Max
	}
	t := f.scalar(c.Type())
	args := c.Common().Args
	r := f.operand(args[0])
	for _, a := range args[1:] {
		r = f.Bin(op, t, r, f.operand(a))
	}
	return r
}

func (f *frame) makeClosure(v *ssa.MakeClosure) value {
	c := &closure{fn: v.Fn.(*ssa.Function), made: v, frame: f}
	for _, b := range v.Bindings {
		c.free = append(c.free, f.value(b))
	}
	return value{fn: c}
}

// isVocabulary reports whether the function belongs to package cl.
func isVocabulary(fn *ssa.Function) bool {
	if fn == nil {
		return false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Pkg != nil {
		return fn.Pkg.Pkg.Path() == vocabularyPath
	}
	o := fn.Object()
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == vocabularyPath
}

// builtinName returns the name of a function of package cl, or "".
func builtinName(fn *ssa.Function) string {
	if !isVocabulary(fn) {
		return ""
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Name()
}
