package tree

import (
	"fmt"
	"strconv"
	"strings"
)

// String writes the unit as text: each expression as an operator with its type and its operands,
// for tests and for the eye.
func (u *Unit) String() string {
	d := &dumper{}
	for _, v := range u.Globals {
		d.line("%s%s", d.variable(v), d.init(v))
	}
	for _, f := range u.Funcs {
		d.function(f)
	}
	return d.b.String()
}

type dumper struct {
	b      strings.Builder
	indent int
}

func (d *dumper) line(format string, args ...any) {
	d.b.WriteString(strings.Repeat("  ", d.indent))
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

func (d *dumper) variable(v *Var) string {
	marks := ""
	if v.AddrTaken {
		marks += " addr"
	}
	if v.Assigned {
		marks += " assigned"
	}
	word := [...]string{"auto", "param", "shared", "program"}[v.Storage]
	return fmt.Sprintf("%s %s%s %s%s", word, v.Quals, v.Type, v.Name, marks)
}

func (d *dumper) init(v *Var) string {
	if v.Init == nil {
		return ""
	}
	return " = " + d.expr(v.Init)
}

func (d *dumper) function(f *Func) {
	word := "func"
	if f.Kernel {
		word = "kernel"
	}
	attrs := ""
	if f.ReqdWorkGroupSize != [3]int64{} {
		attrs += fmt.Sprintf(" reqd %v", f.ReqdWorkGroupSize)
	}
	if f.WorkGroupSizeHint != [3]int64{} {
		attrs += fmt.Sprintf(" hint %v", f.WorkGroupSizeHint)
	}
	d.line("%s %s %s%s", word, f.Result, f.Name, attrs)
	d.indent++
	for _, p := range f.Params {
		d.line("%s", d.variable(p))
	}
	d.stmt(f.Body)
	d.indent--
}

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case *BlockStmt:
		d.line("{")
		d.indent++
		for _, t := range s.List {
			d.stmt(t)
		}
		d.indent--
		d.line("}")
	case *DeclStmt:
		d.line("%s%s", d.variable(s.Var), d.init(s.Var))
	case *ExprStmt:
		d.line("%s", d.expr(s.X))
	case *If:
		d.line("if %s", d.expr(s.Cond))
		d.inside(s.Then)
		if s.Else != nil {
			d.line("else")
			d.inside(s.Else)
		}
	case *While:
		d.line("while %s", d.expr(s.Cond))
		d.inside(s.Body)
	case *DoWhile:
		d.line("do")
		d.inside(s.Body)
		d.line("while %s", d.expr(s.Cond))
	case *For:
		d.line("for")
		d.indent++
		for _, t := range s.Init {
			d.stmt(t)
		}
		d.line("cond %s", d.expr(s.Cond))
		d.line("post %s", d.expr(s.Post))
		d.indent--
		d.inside(s.Body)
	case *Switch:
		d.line("switch %s", d.expr(s.X))
		d.inside(s.Body)
	default:
		d.line("%s", d.jump(s))
	}
}

func (d *dumper) jump(s Stmt) string {
	switch s := s.(type) {
	case *Case:
		if s.Default {
			return "default:"
		}
		return fmt.Sprintf("case %d to %d:", s.Lo, s.Hi)
	case *Label:
		return s.Name + ":"
	case *Goto:
		return "goto " + s.To.Name
	case *Break:
		return "break"
	case *Continue:
		return "continue"
	case *Return:
		return strings.TrimSpace("return " + d.expr(s.X))
	}
	return ";"
}

func (d *dumper) inside(s Stmt) {
	d.indent++
	d.stmt(s)
	d.indent--
}

// op writes an operator with its type and operands.
func (d *dumper) op(x Expr, name string, parts ...Expr) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s<%s>(", name, x.Type())
	for i, p := range parts {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.expr(p))
	}
	return b.String() + ")"
}

var (
	unaryNames  = [...]string{"neg", "cpl", "not"}
	binaryNames = [...]string{"add", "sub", "mul", "div", "rem", "shl", "shr", "and", "or", "xor", "lt", "gt", "le", "ge", "eq", "ne"}
)

func (d *dumper) expr(x Expr) string {
	switch x := x.(type) {
	case nil:
		return ""
	case *Const:
		switch {
		case x.T.IsFloating():
			return strconv.FormatFloat(x.F, 'g', -1, 64) + ":" + x.T.String()
		case x.T.Kind.IsSigned():
			return fmt.Sprintf("%d:%s", int64(x.Bits), x.T)
		}
		return fmt.Sprintf("%d:%s", x.Bits, x.T)
	case *VarRef:
		return x.Var.Name
	case *StringLit:
		return strconv.Quote(x.Value)
	case *Member:
		return d.op(x, "member."+x.X.Type().Record.Fields[x.Field].Name, x.X)
	case *Swizzle:
		return d.op(x, fmt.Sprintf("lanes%v", x.Lanes), x.X)
	case *Convert:
		if x.Explicit {
			return d.op(x, "cast", x.X)
		}
		return d.op(x, "convert", x.X)
	case *Unary:
		return d.op(x, unaryNames[x.Op], x.X)
	case *Binary:
		return d.op(x, binaryNames[x.Op], x.X, x.Y)
	case *AssignOp:
		return d.op(x, "assign "+binaryNames[x.Op]+" in "+x.Compute.String(), x.L, x.R)
	case *IncDec:
		return d.op(x, incDecName(x), x.L)
	case *PtrAdd:
		if x.Sub {
			return d.op(x, "ptrsub", x.X, x.I)
		}
		return d.op(x, "ptradd", x.X, x.I)
	case *Logic:
		if x.Or {
			return d.op(x, "oror", x.X, x.Y)
		}
		return d.op(x, "andand", x.X, x.Y)
	}
	return d.call(x)
}

func incDecName(x *IncDec) string {
	name := "inc"
	if x.Dec {
		name = "dec"
	}
	if x.Post {
		return "post" + name
	}
	return name
}

// call writes calls, and all operators whose name says it all.
func (d *dumper) call(x Expr) string {
	switch x := x.(type) {
	case *Call:
		return d.op(x, "call "+x.Func.Name, x.Args...)
	case *BuiltinCall:
		name := x.Fn.Name
		if x.Fn.Sat {
			name += " sat"
		}
		if x.Fn.Round != RoundDefault {
			name += [...]string{"", " rte", " rtz", " rtp", " rtn"}[x.Fn.Round]
		}
		return d.op(x, name, x.Args...)
	case *InitList:
		if x.T.Kind == Union {
			return d.op(x, fmt.Sprintf("init .%d ", x.Field), x.Elems...)
		}
		return d.op(x, "init", x.Elems...)
	case *BlockLit:
		return d.block(x)
	case *StmtExpr:
		return d.op(x, "statements", x.X)
	}
	name := strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", x), "*tree."))
	return d.op(x, name, Parts(x)...)
}

func (d *dumper) block(x *BlockLit) string {
	inner := &dumper{indent: d.indent + 1}
	for _, c := range x.Captures {
		inner.line("capture %s", c.Inner.Name)
	}
	inner.function(x.Func)
	return fmt.Sprintf("block<%s>\n%s", x.T, strings.TrimSuffix(inner.b.String(), "\n"))
}
