package clc

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// What a kernel computes of ids and parameters: which numbers are distances of rows, tiles, offsets, and what is divided by.

// divided notes that something is divided by x, an integer that is no number and no size.
func (r *guessReader) divided(op tree.BinaryOp, x tree.Expr) {
	t := x.Type()
	if t.Kind == tree.Vector {
		t = t.Elem
	}
	_, number := bare(x).(*tree.Const)
	call, ok := bare(x).(*tree.BuiltinCall)
	size := ok && strings.HasSuffix(call.Fn.Name, "_size")
	r.quotient = r.quotient || (op == tree.Div || op == tree.Rem) && t.IsInteger() && !number && !size
}

// computed notes what ids, and numbers of parameters, are combined with.
func (r *guessReader) computed(op tree.BinaryOp, x, y tree.Expr) {
	if v := r.param(y); v != nil && (op == tree.Sub || op == tree.Shl || op == tree.Shr) {
		r.counts[v] = true
		if name, _ := r.id(x, 0); op == tree.Sub && name == "get_global_id" {
			r.back[v] = true
		}
	}
	switch op {
	case tree.Mul:
		r.multiplied(x, y)
		r.multiplied(y, x)
	case tree.Add:
		r.rowOf(x, y)
		r.rowOf(y, x)
		r.partOf(x, y)
		r.partOf(y, x)
	}
	for _, part := range []tree.Expr{x, y} {
		if v := r.param(part); v != nil && (op == tree.Add && isOffset(v.Name) || op == tree.Mul && isIncrement(v.Name)) {
			r.named[v] = true
		}
	}
	c, isConst := bare(y).(*tree.Const)
	if !isConst {
		if c, isConst = bare(x).(*tree.Const); !isConst || op != tree.Mul && op != tree.Add {
			return
		}
		x = y
	}
	n := int64(c.Bits)
	if n < 2 || n > mostTile || !c.Type().IsInteger() {
		return
	}
	if of, by := moved(x); op == tree.Mul {
		if name, d := r.id(of, 0); name == "get_group_id" {
			r.tile[d] = leastOf(r.tile[d], n)
			r.ahead[d] = max(r.ahead[d], by)
		}
	}
	switch name, d := r.id(x, 0); {
	case name == "get_local_id" && op == tree.Mul && d > 0:
		r.row[d-1] = leastOf(r.row[d-1], n)
	case name == "get_local_id" && op == tree.Mul:
		r.each = max(r.each, n)
	case name == "get_local_id" && op == tree.Sub && d == 0:
		r.minus = max(r.minus, n)
	case name == "get_local_id" && op == tree.Add && d == 0 && n >= 4:
		r.distance = leastOf(r.distance, n)
	case (name == "get_local_id" || name == "get_local_size") && d == 0 && (op == tree.Div || op == tree.Rem):
		r.parts = max(r.parts, n)
	case name == "get_local_id" && d == 0 && op == tree.And && n&(n+1) == 0:
		r.parts = max(r.parts, n+1)
	case name == "get_local_id" && d == 0 && op == tree.Shr && n < 8:
		r.parts = max(r.parts, 1<<n)
	}
}

// moved returns what a small number is added to, or subtracted from, and the number that is added: the group before or behind is one as well.
func moved(x tree.Expr) (of tree.Expr, by int64) {
	b, ok := bare(x).(*tree.Binary)
	if !ok || b.Op != tree.Add && b.Op != tree.Sub {
		return x, 0
	}
	c, isConst := bare(b.Y).(*tree.Const)
	switch {
	case !isConst || c.Bits > mostHigh:
		return x, 0
	case b.Op == tree.Sub:
		return b.X, 0
	}
	return b.X, int64(c.Bits)
}

// isOffset reports whether a name is one for what is added to an index, and isIncrement for the distance of elements as BLAS has it.
func isOffset(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "offset") || strings.HasSuffix(name, "_off") || strings.HasPrefix(name, "off_")
}

func isIncrement(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "_inc") || len(name) <= 4 && strings.HasPrefix(name, "inc")
}

// rowOf notes what something that is no id is multiplied by, where a local id is added.
func (r *guessReader) rowOf(id, product tree.Expr) {
	b, ok := bare(product).(*tree.Binary)
	name, d := r.id(id, 0)
	if !ok || b.Op != tree.Mul || name != "get_local_id" || d != 0 {
		return
	}
	x, y := b.X, b.Y
	if _, first := bare(x).(*tree.Const); first {
		x, y = y, x
	}
	c, isConst := bare(y).(*tree.Const)
	if other, _ := r.idIn(x, 0); isConst && other == "" && c.Bits >= leastRow && c.Bits <= mostTile && c.Bits&(c.Bits-1) == 0 {
		r.stretch = leastOf(r.stretch, int64(c.Bits))
	}
}

// partOf notes what the number of the group is multiplied by, where that of the sub-group is added.
func (r *guessReader) partOf(sub, product tree.Expr) {
	b, ok := bare(product).(*tree.Binary)
	call, isCall := bare(sub).(*tree.BuiltinCall)
	if !ok || b.Op != tree.Mul || !isCall || call.Fn.Name != "get_sub_group_id" {
		return
	}
	for _, parts := range [][2]tree.Expr{{b.X, b.Y}, {b.Y, b.X}} {
		c, isConst := bare(parts[1]).(*tree.Const)
		if name, _ := r.id(parts[0], 0); isConst && name == "get_group_id" && c.Bits <= mostHigh {
			r.subs = leastOf(r.subs, int64(c.Bits))
		}
	}
}

// leastRow is the least number that is taken for the length of a row.
const leastRow = 4

// scaled returns the parameter that an expression is, or a part or a multiple of: w/4 elements of four are as far apart as w single ones.
func (r *guessReader) scaled(x tree.Expr) *tree.Var {
	for {
		b, ok := bare(x).(*tree.Binary)
		if !ok || b.Op != tree.Div && b.Op != tree.Mul && b.Op != tree.Shr && b.Op != tree.Shl {
			return r.param(x)
		}
		if _, ok := bare(b.Y).(*tree.Const); !ok {
			return nil
		}
		x = b.X
	}
}

// multiplied notes that something is multiplied by x.
func (r *guessReader) multiplied(x, by tree.Expr) {
	name, d := r.id(by, 0)
	_, number := bare(by).(*tree.Const)
	if v := r.scaled(x); v != nil && !number {
		r.spacing[v] = true
	}
	if v := r.param(x); v != nil && !number && (name != "get_global_id" || d != 0) {
		r.factors[v] = true
	}
	size, of := r.id(x, 0)
	r.linear = r.linear || name == "get_local_id" && d > 0 && size == "get_local_size" && of == 0
}
