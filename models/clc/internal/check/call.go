package check

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/words"
)

// call checks f(...).
func (c *checker) call(n *cc.PostfixExpression) tree.Expr {
	name, pos := callee(n.PostfixExpression), c.pos(n.Token)
	if name == "" {
		return c.callBlock(c.rvalue(n.PostfixExpression), n.ArgumentExpressionList, pos)
	}
	pos = c.pos(n.PostfixExpression)
	m, s := c.lookup(name)
	switch m := m.(type) {
	case *overloads:
		return c.callFunction(name, m, c.arguments(n.ArgumentExpressionList), pos)
	case *tree.Var:
		return c.callBlock(c.value(c.varRef(m, s, pos)), n.ArgumentExpressionList, pos)
	case poison:
		c.arguments(n.ArgumentExpressionList)
		panic(bail{})
	case typedef, *tree.Const:
		c.fail(pos, "", "%s is not a function", name)
	}
	if x := c.special(name, n.ArgumentExpressionList, pos); x != nil {
		return x
	}
	if list := rules()[name]; list != nil {
		args := c.arguments(n.ArgumentExpressionList)
		if since := list[0].since; since > c.o.Std {
			c.fail(pos, needsHint(since), "%s needs OpenCL C %s", name, since)
		}
		return c.ruled(name, list, args, pos)
	}
	return c.unknownCall(name, n.ArgumentExpressionList, pos)
}

func needsHint(since tree.Std) string { return "Use -cl-std=CL" + since.String() + " or later." }

// callee returns the name that is called, or "".
func callee(n cc.ExpressionNode) string {
	for {
		switch p := n.(type) {
		case *cc.PrimaryExpression:
			switch p.Case {
			case cc.PrimaryExpressionIdent:
				return p.Token.SrcStr()
			case cc.PrimaryExpressionExpr:
				n = p.ExpressionList
				continue
			}
		case *cc.PostfixExpression:
			if p.Case == cc.PostfixExpressionPrimary {
				n = p.PrimaryExpression
				continue
			}
		}
		return ""
	}
}

// unknownCall says why a function cannot be called.
func (c *checker) unknownCall(name string, args *cc.ArgumentExpressionList, pos tree.Pos) tree.Expr {
	switch {
	case strings.HasPrefix(name, "__builtin_"):
		c.fail(pos, "Of these, __builtin_expect and __builtin_assume are known.", "%s is a function of a compiler, not of OpenCL C", name)
	case vendor(name):
		c.fail(pos, ofVendor, "%s is a function of a vendor", name)
	}
	if word, ok := cuda[name]; ok {
		c.fail(pos, "Write "+word+".", "%s is not OpenCL C", name)
	}
	hint, host := c.suggest(name), ""
	if hint == "" && define(name) != "" {
		host = name + withParameters(args)
		hint = "If the host defines it as a macro, say so: -D '" + host + "=VALUE'"
	}
	c.report(pos, hint, "the function "+name+" is unknown")
	if host != "" {
		c.lacks(pos, host, false)
	}
	panic(bail{})
}

// withParameters writes the parameters of a macro that is called with arguments: (a1, a2).
func withParameters(args *cc.ArgumentExpressionList) string {
	var names []string
	for ; args != nil; args = args.ArgumentExpressionList {
		names = append(names, fmt.Sprintf("a%d", len(names)+1))
	}
	return "(" + strings.Join(names, ",") + ")"
}

const ofVendor = "Write it with functions of OpenCL C, or define it under #ifdef."

func vendor(name string) bool {
	for _, p := range []string{"amd_", "intel_", "nv_", "__nv", "arm_", "qcom_", "cl_", "__amd", "ockl_", "__ock", "mali_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// cuda are words of CUDA, and what OpenCL C has for them.
var cuda = map[string]string{"__syncthreads": "barrier(CLK_LOCAL_MEM_FENCE)", "atomicAdd": "atomic_add", "atomicSub": "atomic_sub", "atomicCAS": "atomic_cmpxchg",
	"atomicExch": "atomic_xchg", "atomicMin": "atomic_min", "atomicMax": "atomic_max", "__threadfence": "mem_fence(CLK_GLOBAL_MEM_FENCE)", "__threadfence_block": "mem_fence(CLK_LOCAL_MEM_FENCE)"}

// arguments checks the arguments of a call.
func (c *checker) arguments(l *cc.ArgumentExpressionList) (list []tree.Expr) {
	for ; l != nil; l = l.ArgumentExpressionList {
		list = append(list, c.rvalue(l.AssignmentExpression))
	}
	return list
}

// callFunction checks a call of a function of the program.
func (c *checker) callFunction(name string, o *overloads, args []tree.Expr, pos tree.Pos) tree.Expr {
	f := o.list[0]
	if len(o.list) > 1 || f.overloadable {
		f = c.overload(name, o, args, pos)
	}
	if len(args) != len(f.t.Params) {
		c.fail(pos, "", "%s takes %s, not %d", name, argumentCount(len(f.t.Params)), len(args))
	}
	for i := range args {
		args[i] = c.coerce(args[i], f.t.Params[i], "argument "+itoa(i+1)+" of "+name)
	}
	if c.fn == nil {
		c.fail(pos, "", "a call outside a function")
	}
	if from := c.fn.fun; from != nil {
		if _, ok := from.calls[f]; !ok {
			from.calls[f] = pos
			from.later[f] = true
			from.order = append(from.order, f)
		}
		from.later[f] = from.later[f] && c.fn.block != nil
	}
	return &tree.Call{Node: tree.Node{T: f.t.Elem, P: pos}, Func: f.f, Args: args}
}

func argumentCount(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return itoa(n) + " arguments"
}

// overload chooses among functions of one name. They hide a built-in one of that name.
func (c *checker) overload(name string, o *overloads, args []tree.Expr, pos tree.Pos) *fun {
	var fits []*candidate
	for _, f := range o.list {
		if len(f.t.Params) != len(args) {
			continue
		}
		k := &candidate{fun: f, params: f.t.Params}
		for i, a := range args {
			r, ok := c.implicit(a, f.t.Params[i])
			if !ok {
				k = nil
				break
			}
			k.ranks = append(k.ranks, r)
		}
		if k != nil {
			fits = append(fits, k)
		}
	}
	best := bestOf(fits)
	switch {
	case len(best) == 1:
		return best[0].fun
	case len(best) > 1:
		c.fail(pos, "Cast an argument.", "the call %s is ambiguous: %s", callText(name, args), signatures(name, best))
	case len(o.list) == 1:
		return o.list[0] // says what is wrong with the argument
	}
	c.fail(pos, "", "no %s takes %s", name, types(args))
	return nil
}

// callBlock checks a call of a block.
func (c *checker) callBlock(x tree.Expr, l *cc.ArgumentExpressionList, pos tree.Pos) tree.Expr {
	if x.Type().Kind != tree.Block {
		c.fail(pos, "", "%s is not a function", x.Type())
	}
	args, t := c.arguments(l), x.Type().Elem
	if len(args) != len(t.Params) {
		c.fail(pos, "", "the block takes %s, not %d", argumentCount(len(t.Params)), len(args))
	}
	for i := range args {
		args[i] = c.coerce(args[i], t.Params[i], "argument "+itoa(i+1)+" of the block")
	}
	return &tree.CallBlock{Node: tree.Node{T: t.Elem, P: pos}, X: x, Args: args}
}

// suggest returns a hint with a known name that is like one that is not.
func (c *checker) suggest(name string) string {
	best, least := "", 3
	try := func(known string) {
		if d := words.Distance(known, name); d < least || d == least && known < best && best != "" {
			best, least = known, d
		}
	}
	if len(name) > 40 {
		return ""
	}
	for s := c.scope; s != nil; s = s.parent {
		for known := range s.names {
			try(known)
		}
	}
	for known := range rules() {
		try(known)
	}
	for known := range constants {
		try(known)
	}
	if best == "" || least*3 > len(name) {
		return ""
	}
	return "Is " + best + " meant?"
}

// define says how a name that looks like one of a macro is defined: hosts give many of them as options of the compiler.
func define(name string) string {
	if name != strings.ToUpper(name) {
		return ""
	}
	return "If the host defines it as a macro, say so: -D " + name + "=VALUE"
}
