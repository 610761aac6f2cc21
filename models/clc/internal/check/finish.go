package check

import (
	"slices"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// finish puts the unit together: the call graph must have no cycles, and what is declared and
// called must be defined.
func (c *checker) finish() {
	c.unit.Files = c.files.unit
	for i := range c.unit.Files {
		c.unit.Files[i].Name = c.files.unit[i].Name
	}
	state := map[*fun]int{}
	for _, f := range c.funcs {
		if f.defined {
			c.visit(f, state, nil)
		}
	}
	for _, f := range c.funcs {
		if f.defined && f.kernel {
			c.unit.Kernels = append(c.unit.Kernels, f.f)
		}
	}
	for _, f := range c.unit.Funcs {
		c.mark(f)
	}
}

// visit lists the functions that are called before those that call.
func (c *checker) visit(f *fun, state map[*fun]int, above []*fun) {
	if state[f] == 2 {
		return
	}
	state[f] = 1
	above = append(above, f)
	for _, g := range f.order {
		switch {
		case state[g] == 1 && f.later[g]: // a kernel that enqueues itself
			continue
		case state[g] == 1:
			c.cycle(f, g, above)
			continue
		case !g.defined && vendor(g.name):
			c.errorf(f.calls[g], ofVendor, "%s is a function of a vendor", g.name)
			continue
		case !g.defined && c.o.Undefined:
			c.undefined(f, g)
			continue
		case !g.defined:
			c.errorf(f.calls[g], "Define it, or include the file that does; --undefined any takes it to return 0 or 1.", "%s is declared, but not defined", g.name)
			continue
		case len(above) > 2000:
			c.errorf(f.calls[g], "", "calls are nested too deeply")
			continue
		}
		f.f.Calls = append(f.f.Calls, g.f)
		c.visit(g, state, above)
	}
	state[f] = 2
	c.unit.Funcs = append(c.unit.Funcs, f.f)
}

// undefined takes note of a function that is called and has no definition, and is taken to return some number.
func (c *checker) undefined(f, g *fun) {
	if t := g.f.Result; t.Kind != tree.Void && !t.Lane().IsArithmetic() {
		c.errorf(f.calls[g], "Define it: --undefined any is for functions that return nothing or numbers.", "%s is declared, but not defined, and returns %s", g.name, t)
		return
	}
	if !slices.Contains(c.unit.Undefined, g.f) {
		c.unit.Undefined = append(c.unit.Undefined, g.f)
	}
}

// cycle reports recursion.
func (c *checker) cycle(f, g *fun, above []*fun) {
	var names []string
	for i, a := range above {
		if a == g && names == nil {
			for _, b := range above[i:] {
				names = append(names, b.name)
			}
		}
	}
	c.errorf(f.calls[g], "OpenCL C has no recursion: write a loop, with a stack in an array if need be.", "%s calls itself: %s", g.name, strings.Join(append(names, g.name), " -> "))
}

// mark finds out which variables of a function are written by name, and of which an address is taken.
func (c *checker) mark(f *tree.Func) {
	written := func(l tree.Expr) {
		if v := rootVar(l); v != nil {
			v.Assigned = true
		}
	}
	indexed := map[*tree.Decay]bool{}
	tree.Walk(f.Body, func(n any) {
		switch x := n.(type) {
		case *tree.Assign:
			written(x.L)
		case *tree.AssignOp:
			written(x.L)
		case *tree.IncDec:
			written(x.L)
		case *tree.AddrOf:
			if v := rootVar(x.X); v != nil {
				v.AddrTaken = true
			}
		case *tree.Index:
			if d, ok := x.X.(*tree.Decay); ok {
				indexed[d] = true
			}
		case *tree.Decay:
			if v := rootVar(x.X); v != nil && !indexed[x] {
				v.AddrTaken = true
			}
		case *tree.BlockLit:
			c.mark(x.Func)
		}
	})
}

// rootVar returns the variable that a place is a part of, or nil: an element of an array is a part
// of it, what a pointer points to is not.
func rootVar(x tree.Expr) *tree.Var {
	for {
		switch y := x.(type) {
		case *tree.VarRef:
			return y.Var
		case *tree.Member:
			x = y.X
		case *tree.Swizzle:
			x = y.X
		case *tree.Lane:
			x = y.X
		case *tree.Index:
			d, ok := y.X.(*tree.Decay)
			if !ok {
				return nil
			}
			x = d.X
		default:
			return nil
		}
	}
}
