package check

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// candidate is an overload that could be called.
type candidate struct {
	rule   *rule
	params []*tree.Type
	result *tree.Type
	ranks  []int
	fun    *fun // of the program
}

// ruled finds the overload of a built-in function with rules for arguments.
func (c *checker) ruled(name string, list []*rule, args []tree.Expr, pos tree.Pos) tree.Expr {
	var fitting []*rule
	for _, r := range list {
		if r.since <= c.o.Std && len(r.params) == len(args) {
			fitting = append(fitting, r)
		}
	}
	best, arity := bestOf(c.candidates(fitting, args)), len(fitting) > 0
	switch {
	case len(best) == 1:
		return c.builtinCall(&tree.Builtin{Name: name, Class: best[0].rule.class}, best[0].result, best[0].params, args, pos)
	case !arity:
		c.fail(pos, "", "%s takes %s, not %d", name, arities(list, c.o.Std), len(args))
	case len(best) > 1:
		c.fail(pos, "Cast an argument, or write a constant as 1.0f.", "the call %s is ambiguous: %s", callText(name, args), signatures(name, best))
	}
	c.fail(pos, ruleHint(list, args), "no %s takes %s", name, types(args))
	return nil
}

// builtinCall makes a call with converted arguments.
func (c *checker) builtinCall(b *tree.Builtin, result *tree.Type, params []*tree.Type, args []tree.Expr, pos tree.Pos) tree.Expr {
	x := &tree.BuiltinCall{Node: tree.Node{T: result, P: pos}, Fn: b}
	for i, a := range args {
		x.Args = append(x.Args, c.coerce(a, params[i], "argument "+itoa(i+1)+" of "+b.Name))
	}
	return x
}

// candidates returns the overloads that fit, or those alone whose parameters are just of the types of the arguments: no
// other is as good. Most calls have one.
func (c *checker) candidates(list []*rule, args []tree.Expr) (fits []*candidate) {
	for _, as := range []func(tree.Expr, *tree.Type) (int, bool){sameType, c.implicit} {
		for _, r := range list {
			fits = c.expand(fits, r, args, as)
		}
		if fits != nil {
			break
		}
	}
	return fits
}

// sameType is a conversion of what need not be converted.
func sameType(x tree.Expr, t *tree.Type) (int, bool) { return exact, x.Type() == t }

// expand adds the overloads that a rule stands for and whose parameters the arguments convert to.
func (c *checker) expand(fits []*candidate, r *rule, args []tree.Expr, as func(tree.Expr, *tree.Type) (int, bool)) []*candidate {
	spaces := []tree.Space{tree.Private}
	for _, p := range r.params {
		if p[0] == '*' {
			spaces = []tree.Space{tree.Private, tree.Global, tree.Local}
			if c.o.Std >= tree.CL20 {
				spaces = append(spaces, tree.Generic)
			}
		}
	}
	kinds, lanes := r.kinds, r.lanes
	if kinds == nil {
		kinds, lanes = []tree.Kind{tree.Int}, []int64{1}
	}
	for _, k := range kinds {
		for _, n := range lanes {
			for _, s := range spaces {
				if f := c.try1(r, k, n, s, args, as); f != nil {
					fits = append(fits, f)
				}
			}
		}
	}
	return fits
}

// try1 returns the overload of a rule for a generic type, if it fits.
func (c *checker) try1(r *rule, k tree.Kind, n int64, s tree.Space, args []tree.Expr, as func(tree.Expr, *tree.Type) (int, bool)) *candidate {
	if n == 1 && r.kinds != nil && len(r.lanes) > 1 && redundant(r) {
		return nil
	}
	var buf [8]int
	ranks := buf[:0]
	for i, a := range args {
		t := c.ruleType(r.params[i], k, n, s)
		if t == nil {
			return nil
		}
		rank, ok := as(a, t)
		if !ok || rank == doubtful {
			return nil
		}
		ranks = append(ranks, rank)
	}
	params := make([]*tree.Type, len(args))
	for i := range args {
		params[i] = c.ruleType(r.params[i], k, n, s)
	}
	ranks = append([]int(nil), ranks...)
	result := c.ruleType(r.result, k, n, s)
	if result == nil {
		return nil
	}
	return &candidate{rule: r, params: params, result: result, ranks: ranks}
}

// redundant reports whether a rule says for scalars what another one says for all: "G G s".
func redundant(r *rule) bool {
	for i, p := range r.params {
		if p == "s" || p == "int" && i > 0 && r.params[0] == "G" && r.class == tree.Math {
			return true
		}
	}
	return false
}

// ruleType returns the type that a word of a rule means, or nil if there is none.
func (c *checker) ruleType(word string, k tree.Kind, n int64, s tree.Space) *tree.Type {
	lane := tree.Scalar(k)
	switch word {
	case "G":
		return tree.VectorOf(lane, n)
	case "s":
		return lane
	case "i":
		return tree.VectorOf(tree.TInt, n)
	case "u":
		return tree.VectorOf(unsignedOf(k.Bits()), n)
	case "w":
		return tree.VectorOf(signedOf(k.Bits()), n)
	case "r":
		if n == 1 {
			return tree.TInt
		}
		return tree.VectorOf(signedOf(k.Bits()), n)
	case "W":
		return tree.VectorOf(tree.Scalar(k+2), n)
	case "clkevents":
		return c.ts.Pointer(tree.TClkEvent, tree.Quals{Space: c.unqualified(), Const: true})
	case "clkevent":
		return c.ts.Pointer(tree.TClkEvent, tree.Quals{Space: c.unqualified()})
	}
	if at := strings.IndexByte(word, '*'); at >= 0 {
		q := tree.Quals{Space: s}
		switch word[:at] {
		case "g":
			q.Space = tree.Global
		case "l":
			q.Space = tree.Local
		case "k":
			q = tree.Quals{Space: tree.Global, Const: true}
		case "p":
			q = tree.Quals{Space: tree.Local, Const: true}
		}
		t := c.ruleType(word[at+1:], k, n, s)
		if t == nil {
			return nil
		}
		return c.ts.Pointer(t, q)
	}
	switch word {
	case "void":
		return tree.TVoid
	case "bool":
		return tree.TBool
	}
	if n, ok := named[word]; ok {
		return n.t
	}
	return tree.Named(word)
}

// bestOf returns the one of the candidates that is better than all others, or all of those that
// nothing is better than.
func bestOf(fits []*candidate) []*candidate {
	var best []*candidate
	for i, f := range fits {
		beaten := false
		for j, g := range fits {
			if i != j && better(g, f) {
				beaten = true
				break
			}
		}
		if !beaten {
			best = append(best, f)
		}
	}
	return best
}

// better reports whether a converts no argument worse than b, and one better.
func better(a, b *candidate) bool {
	one := false
	for i := range a.ranks {
		if a.ranks[i] > b.ranks[i] {
			return false
		}
		one = one || a.ranks[i] < b.ranks[i]
	}
	return one
}

func types(args []tree.Expr) string {
	if len(args) == 0 {
		return "nothing"
	}
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a.Type().String()
	}
	return strings.Join(list, ", ")
}

func callText(name string, args []tree.Expr) string {
	if len(args) == 0 {
		return name + "()"
	}
	return name + "(" + types(args) + ")"
}

// signatures lists a few of the overloads.
func signatures(name string, list []*candidate) string {
	var s []string
	for i, f := range list {
		if i == 3 {
			s = append(s, "...")
			break
		}
		p := make([]string, len(f.params))
		for j, t := range f.params {
			p[j] = t.String()
		}
		s = append(s, name+"("+strings.Join(p, ", ")+")")
	}
	return strings.Join(s, ", ")
}

// arities says how many arguments a function takes.
func arities(list []*rule, std tree.Std) string {
	seen, words := map[int]bool{}, []string{}
	for _, r := range list {
		if n := len(r.params); !seen[n] && r.since <= std {
			seen[n] = true
			words = append(words, itoa(n))
		}
	}
	s := strings.Join(words, " or ")
	if s == "1" {
		return "1 argument"
	}
	return s + " arguments"
}

// ruleHint says what a function takes, in words.
func ruleHint(list []*rule, args []tree.Expr) string {
	for i, a := range args {
		if a.Type().Kind == tree.Pointer && i < len(list[0].params) && !strings.Contains(list[0].params[i], "*") {
			return "Write * in front of the pointer."
		}
	}
	r := list[0]
	switch {
	case r.class == tree.Math || r.class == tree.Geometric:
		return "It takes half, float, double and their vectors, all of one type."
	case r.class == tree.Integer:
		return "It takes integers and their vectors, all of one type."
	case r.class == tree.Common || r.class == tree.Relational:
		return "Its arguments are of one type."
	}
	return ""
}

func itoa(n int) string {
	if n >= 10 {
		return itoa(n/10) + string(rune('0'+n%10))
	}
	return string(rune('0' + n))
}
