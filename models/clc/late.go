package clc

import (
	"slices"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// anyWord is an argument of which nothing is known, or what a buffer holds of which nothing is: n=any, a=any[8].
const anyWord = "any"

// isAny reports whether an argument is decided late.
func isAny(what string) bool { return what == anyWord || strings.HasPrefix(what, anyWord+"[") }

// late returns what an argument is that is decided late: what the options give for it, or itself.
func (l *launcher) late(r *request, name, what string) string {
	if slices.Contains(l.anys, name) {
		l.fault(r.at, "give it another name, or values", "%s is any in two launches", name)
	}
	l.anys = append(l.anys, name)
	for _, g := range l.opt.Given {
		if rest, ok := strings.CutPrefix(g, name+"="); ok {
			return rest
		}
	}
	if l.opt.Classes == nil {
		l.fault(r.at, "use clmc explore without --store, --cluster, --witness and --liveness (a test in Go imports models/check/anydata), or give values", "%s is any, and this command or flag needs data that are given", name)
	}
	return what
}

// anyBuffer is a buffer of which nothing is known.
func (l *launcher) anyBuffer(r *request, v *tree.Var, elem *tree.Type, n int) code.Arg {
	if slices.ContainsFunc(code.Leaves(elem), func(t ir.Type) bool { return t == ir.Ptr }) || n < 1 {
		l.fault(r.at, "give its content", "a buffer of %s cannot be any", elem)
		return code.Arg{}
	}
	arg := l.newBuffer(v.Name, elem, n, nil)
	arg.Buffer.Any = true
	return arg
}

// lateOf says what of the data is decided late, nil if nothing is.
func lateOf(needs *code.Needs, made []*code.Buffer) *ir.Late {
	late := needs.Late
	if late == nil {
		return nil
	}
	out := &ir.Late{Exact: late.Exact, Waits: late.Waits}
	for _, b := range made {
		if b.Any {
			out.Inputs = append(out.Inputs, ir.LateInput{Name: b.Name, Elem: elemName(b.Elem), Len: b.Len, Type: code.Leaves(b.Elem)[0], Values: late.Objects[b.Object()]})
		}
	}
	n := 0
	for i := range needs.Scalars {
		s := &needs.Scalars[i]
		if len(s.Values) > 0 || n == len(late.Values) {
			continue
		}
		j := slices.IndexFunc(out.Inputs, func(in ir.LateInput) bool { return in.Elem == "" && in.Name == s.Name })
		if j < 0 { // else it is passed to the kernel in several sizes, or has several scalars
			j = len(out.Inputs)
			out.Inputs = append(out.Inputs, ir.LateInput{Name: s.Name, Type: s.Type})
		}
		all := append(out.Inputs[j].Values, late.Values[n]...)
		slices.Sort(all)
		out.Inputs[j].Values = slices.Compact(all)
		n++
	}
	return out
}
