package code

import (
	"strconv"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// bound is an index into an array that is part of something larger: a member, or an element of an array of arrays. C leaves undefined what is
// beyond its end, though the object goes on (C99 6.5.6p8). It is checked where the element is accessed: the address of what is behind the last
// one may be taken.
type bound struct {
	name  string // of the array, as a programmer would write it
	index int32
	n     int64
}

// arrayOf returns the array that is indexed if it is part of something larger, or nil.
func arrayOf(x tree.Expr) tree.Lvalue {
	for {
		c, ok := x.(*tree.Convert)
		if !ok || c.Type().Kind != tree.Pointer || c.X.Type().Kind != tree.Pointer || c.X.Type().Elem != c.Type().Elem {
			break
		}
		x = c.X
	}
	d, ok := x.(*tree.Decay)
	if !ok || d.X.Type().Kind != tree.Array {
		return nil
	}
	switch y := d.X.(type) {
	case *tree.Member:
		if openEnded(y) {
			return nil
		}
	case *tree.Index, *tree.Deref:
	default:
		return nil // the whole object, whose end is checked in any case
	}
	return d.X
}

// openEnded reports whether a member is an array that goes on behind the end of its struct: the last member, without a length or with one that
// says nothing, of a struct behind a pointer (C99 6.7.2.1p16, and what was written before there were flexible members).
func openEnded(m *tree.Member) bool {
	t := m.Type()
	if t.Kind != tree.Array || t.Len > 1 {
		return false
	}
	for {
		r := m.X.Type().Record
		if r.Union || m.Field != len(r.Fields)-1 {
			return r.Union && t.Len == 0
		}
		switch y := m.X.(type) {
		case *tree.Member:
			m = y
			continue
		case *tree.Deref:
			return true
		case *tree.Index:
			_, array := y.X.(*tree.Decay)
			return !array
		}
		return t.Len == 0
	}
}

// named writes an lvalue as a programmer would, with [] for an index.
func named(x tree.Expr) string {
	switch x := x.(type) {
	case *tree.VarRef:
		return x.Var.Name
	case *tree.Member:
		name := x.X.Type().Record.Fields[x.Field].Name
		if d, ok := x.X.(*tree.Deref); ok {
			return named(d.X) + "->" + name
		}
		if name == "" {
			return named(x.X)
		}
		return named(x.X) + "." + name
	case *tree.Index:
		i := ""
		if k, ok := x.I.(*tree.Const); ok {
			i = strconv.FormatInt(int64(k.Bits), 10)
		}
		return named(x.X) + "[" + i + "]"
	case *tree.Deref:
		return "(*" + named(x.X) + ")"
	case *tree.Load:
		return named(x.X)
	case *tree.Decay:
		return named(x.X)
	case *tree.Convert:
		return named(x.X)
	}
	return "an array"
}

// indexed returns the place of element i of what x points to.
func (f *frame) indexed(x, index tree.Expr, t *tree.Type, sub bool) *place {
	array := arrayOf(x)
	var ptr value
	var bounds []bound
	if array != nil {
		p := f.place(array)
		f.mark(array.Pos())
		if p.regs != nil || p.chosen || len(p.ptr) != ptrParts {
			ptr = f.expr(x)
		} else {
			ptr, bounds = f.after(p.ptr, p.start), p.bounds
		}
	} else {
		ptr = f.expr(x)
	}
	i := f.expr(index).one()
	if array != nil {
		at := i
		if sub {
			at = f.Bin(ir.Sub, ir.I64, f.Constant(0), i)
		}
		bounds = append(bounds[:len(bounds):len(bounds)], bound{named(array), at, array.Type().Len})
	}
	p := f.behind(f.along(x, ptr, f.move(ptr, i, t, sub)), t)
	p.bounds = bounds
	if m, ok := array.(*tree.Member); ok {
		p.end, p.ends = f.endOf(ptr, 0, m), true
	}
	return p
}

// endOf returns the distance of the end of a member array that is so many bytes behind a pointer.
func (f *frame) endOf(p value, start int, m *tree.Member) int32 {
	return f.Bin(ir.Add, ir.I64, p[ptrOff], f.Constant(int64(start+f.size(m.Type()))))
}

// derefPlace returns what a pointer points to: *(s.b + i) is s.b[i].
func (f *frame) derefPlace(x *tree.Deref) *place {
	a, ok := x.X.(*tree.PtrAdd)
	if ok && arrayOf(a.X) != nil {
		return f.indexed(a.X, a.I, x.Type(), a.Sub)
	}
	if array := arrayOf(x.X); array != nil { // the first element
		p := f.place(array)
		if p.regs == nil && !p.chosen && len(p.ptr) == ptrParts {
			q := f.behind(f.after(p.ptr, p.start), x.Type())
			q.bounds = p.bounds
			return q
		}
	}
	return f.behind(f.expr(x.X), x.Type())
}

// inBounds checks the indices that lead to a place.
func (f *frame) inBounds(p *place) {
	for _, b := range p.bounds {
		f.CheckIndexOf(b.name, b.index, f.Constant(b.n))
	}
}
