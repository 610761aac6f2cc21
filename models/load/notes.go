package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

// note takes note, for reports, that a variable of type t has the value in regs, from cell
// `from` on.
func (u *unit) note(v ir.Var, t types.Type, from int, regs []int32) {
	if opaque(t) {
		return
	}
	if layout, bad := u.layout(t); bad == nil && u.where != inInit {
		u.Note(v, layout, from, regs)
	}
}

// opaque reports whether what a variable of type t holds means nothing to a reader: an event, a queue, whatever
// the vocabulary has fields for that no model can name.
func opaque(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Array:
		return opaque(t.Elem())
	case *types.Named:
		_, fields := t.Underlying().(*types.Struct)
		return fields && t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == vocabularyPath
	}
	return false
}

// handleOf says in a word what a value of a type of the vocabulary is a handle of, "" if it is none.
func handleOf(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !opaque(t) || n.Underlying().(*types.Struct).NumFields() != 1 {
		return ""
	}
	switch n.Obj().Name() {
	case "ClkEvent":
		return "event"
	case "CommandQueue", "Queue":
		return "queue"
	}
	return strings.ToLower(n.Obj().Name())
}

// declared describes a variable of the source.
func (f *frame) declared(v *types.Var) ir.Var {
	out := ir.Var{Name: v.Name(), Call: f.in}
	if s := v.Parent(); s != nil && s.Pos().IsValid() {
		out.From = int32(f.fset.PositionFor(v.Pos(), false).Line)
		out.To = int32(f.fset.PositionFor(s.End(), false).Line)
	}
	return out
}

// noteValue takes note of a variable that stands for an SSA value.
func (f *frame) noteValue(obj *types.Var, v value, t types.Type) {
	switch {
	case obj == nil || v.fn != nil || v.str != nil || v.list != nil:
	case v.at == nil:
		f.note(f.declared(obj), t, 0, v.regs)
	}
}

// noteRef takes note of a mention of a variable.
func (f *frame) noteRef(d *ssa.DebugRef) {
	obj, ok := d.Object().(*types.Var)
	if !ok || obj.IsField() || isGlobal(obj) {
		return
	}
	if !d.IsAddr {
		if _, used := f.env[d.X]; used {
			f.noteValue(obj, f.value(d.X), d.X.Type())
		} else if _, constant := d.X.(*ssa.Const); constant {
			f.noteValue(obj, f.value(d.X), d.X.Type())
		}
		return
	}
	if at := f.value(d.X).at; at != nil && at.of.items == nil {
		if at.of.decl.Name == "" {
			at.of.decl = f.declared(obj)
		}
		if at.of.fixed && at.off == 0 {
			f.noteValue(obj, at.of.val, obj.Type())
		}
	}
}

// noteParams takes note of the values that a function is called with.
func (f *frame) noteParams() {
	for _, p := range f.fn.Params {
		if obj, ok := p.Object().(*types.Var); ok && f.fn.Syntax() != nil {
			f.noteValue(obj, f.value(p), p.Type())
		}
	}
}

// calling records, for reports, that a function's code is about to be lowered in place of
// a call, and returns what takes that back.
func (u *unit) calling(name string) (back func()) {
	in := u.in
	u.in = u.p.Call(ir.Call{Name: name, Pos: u.At})
	return func() { u.in = in }
}

// findOperands notes the text of what is indexed, sliced, dereferenced and divided by.
func (l *lowering) findOperands() {
	keep := func(at token.Pos, x ast.Expr) {
		if text := types.ExprString(x); len(text) <= maxOperand {
			l.operands[at] = text
		}
	}
	for _, f := range l.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IndexExpr:
				keep(n.Lbrack, n.X)
			case *ast.SliceExpr:
				keep(n.Lbrack, n.X)
			case *ast.StarExpr:
				keep(n.Star, n.X)
			case *ast.UnaryExpr:
				if star, ok := ast.Unparen(n.X).(*ast.StarExpr); ok && n.Op == token.AND {
					l.pointedTo[star.Star] = true
				}
			case *ast.SelectorExpr:
				keep(n.Sel.Pos(), n.X)
			case *ast.BinaryExpr:
				if n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR {
					keep(n.OpPos, n.Y)
				}
			}
			return true
		})
	}
}

// maxOperand bounds the text of an operand that a report quotes.
const maxOperand = 60
