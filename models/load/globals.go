package load

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// declareGlobals gives every package-level variable an address. Pointers,
// slices and images that nothing assigns after their initialisation, such as
// var buf = cl.NewBuffer[int32](8), stand for kernel arguments: they become
// constants and take no memory.
func (l *lowering) declareGlobals() {
	var vars []*ssa.Global
	for _, pkg := range l.packages() {
		for _, member := range pkg.Members {
			if g, ok := member.(*ssa.Global); ok && g.Object() != nil {
				vars = append(vars, g)
			}
		}
	}
	slices.SortFunc(vars, func(a, b *ssa.Global) int { return cmp.Compare(a.Pos(), b.Pos()) })
	assigned := l.assignedVars()
	for _, g := range vars {
		v := g.Object().(*types.Var)
		if _, ok := l.programs[v]; ok {
			continue
		}
		if isReference(v.Type()) && !assigned[v] {
			l.fixed[g] = []int64{}
			if d, ok := l.kinds[v]; ok {
				l.errorf(d.pos, "write instead: cl.NewBuffer or cl.SVMAlloc with flags", "//cl:memory does not apply to %s, which is a constant reference", v.Name())
			}
			continue
		}
		l.globals[g] = l.newObject(v.Name(), g.Pos(), v.Type(), l.kindOf(v))
		if d, ok := l.kinds[v]; ok { // else it stands for memory that is mapped when need be
			l.p.Objects[len(l.p.Objects)-1].HostMaps = !d.kind.Fine()
		}
	}
}

// packages lists the model and the packages that it imports.
func (l *lowering) packages() []*ssa.Package {
	all := []*ssa.Package{l.pkg}
	for _, h := range l.order {
		all = append(all, h.ssa)
	}
	return all
}

// isReference reports whether t is a pointer or slice type, or that of images or pipes.
func isReference(t types.Type) bool {
	if t == nil {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == vocabularyPath {
		return n.Obj().Name() == "Image" || n.Obj().Name() == "Pipe"
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	}
	return false
}

// newObject adds an object to the shared segment and returns its address.
func (l *lowering) newObject(name string, pos token.Pos, t types.Type, kind memmodel.Kind) int64 {
	layout := l.objectLayout(name, pos, t)
	return l.p.Global(ir.Object{Name: name, Pos: l.posIn(pos, 0), Region: memmodel.Global, Kind: kind, Layout: layout,
		Init: make([]int64, layout.Cells())})
}

// newLocal adds a __local object of the unit's kernel and returns its address.
func (u *unit) newLocal(name string, pos token.Pos, t types.Type) int64 {
	layout := u.objectLayout(name, pos, t)
	return u.Local(ir.Object{Name: name, Pos: u.posIn(pos, 0), Layout: layout})
}

// objectLayout returns the layout of an object's type, or that of a scalar if
// the type is not for memory.
func (l *lowering) objectLayout(name string, pos token.Pos, t types.Type) *ir.Layout {
	if holdsEvent(t) {
		l.noEventHere(pos, name+" holds")
		return ir.Scalar(ir.I64, false)
	}
	n := l.size(t)
	if n > maxObject || l.p.Shared()+n > maxObject {
		l.fault(pos, "make the model smaller", "%s is too large: a model has at most %d cells of memory", name, maxObject)
		return ir.Scalar(ir.I64, false)
	}
	layout, bad := l.layout(t)
	if bad != nil {
		l.fault(pos, "write instead: integers, floats, atomics, pointers, and arrays and structs of them",
			"%s cannot be in shared memory: it holds a %s", name, bad)
		return ir.Scalar(ir.I64, false)
	}
	return layout
}

// assignedVars finds the package-level variables that some statement may assign.
func (l *lowering) assignedVars() map[*types.Var]bool {
	assigned := map[*types.Var]bool{}
	mark := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := l.info.Uses[id].(*types.Var); ok {
				assigned[v] = true
			}
		}
	}
	for _, f := range l.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					mark(e)
				}
			case *ast.RangeStmt:
				mark(n.Key)
				mark(n.Value)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					mark(n.X)
				}
			case *ast.SelectorExpr: // v.m() may take the address of v
				if s := l.info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
					mark(n.X)
				}
			}
			return true
		})
	}
	return assigned
}

// initGlobals evaluates the initialisers of package-level variables.
func (l *lowering) initGlobals() {
	u := l.newUnit(l.p.NewInit(), inInit)
	// Variables that become constants live at addresses of their own meanwhile.
	next := ir.SegShared | 1<<(ir.SegShift-1)
	hidden := map[*ssa.Global]int64{}
	for g := range l.fixed {
		hidden[g] = next
		l.globals[g] = next
		next += int64(l.size(deref(g.Type())))
	}
	u.run(&closure{fn: l.pkg.Func("init")}, nil)
	if l.failed() {
		return
	}
	memory, failed, ok := u.Evaluate()
	if !ok {
		l.initFault(failed)
	}
	for i := range l.p.Objects {
		o := &l.p.Objects[i]
		for c := range o.Init {
			o.Init[c] = memory[ir.SegShared|int64(o.Base)+int64(c)]
		}
	}
	for g, addr := range hidden {
		delete(l.globals, g)
		for i := range l.leaves(deref(g.Type())) {
			l.fixed[g] = append(l.fixed[g], memory[addr+int64(i)])
		}
	}
}

// initFault reports an initialiser that cannot be evaluated.
func (l *lowering) initFault(pos int32) {
	p := l.p.Positions[pos]
	l.report(token.Position{Filename: l.p.Sources[p.File].Name, Line: int(p.Line), Column: int(p.Col)},
		"assign the variable at the start of main", "clmc cannot compute the initial value at load time")
}

// deref returns the type that a pointer type points to.
func deref(t types.Type) types.Type { return t.Underlying().(*types.Pointer).Elem() }
