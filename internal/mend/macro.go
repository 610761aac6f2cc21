package mend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// maxMacros bounds the macros that are gone through to find a call.
const maxMacros = 8

// macro is the definition of a macro in a text.
type macro struct {
	name      string
	params    []string
	body, end int   // where its text stands
	likeACall bool  // it has parameters
	use       []arg // what is passed where it is used
}

// definition finds the one definition of a macro.
func definition(text, name string) (*macro, error) {
	defined := regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+`+regexp.QuoteMeta(name)+`\b`).FindAllStringIndex(text, -1)
	switch {
	case len(defined) == 0:
		return nil, nil
	case len(defined) > 1:
		return nil, fmt.Errorf("the macro %s is defined more than once", name)
	}
	m := &macro{name: name, body: defined[0][1]}
	if m.body < len(text) && text[m.body] == '(' {
		params, end, ok := callArguments(text, m.body+1)
		if !ok {
			return nil, fmt.Errorf("the macro %s is not understood", name)
		}
		for _, p := range params {
			m.params = append(m.params, text[p.from:p.to])
		}
		m.body, m.likeACall = end+1, true
	}
	for m.end = m.body; m.end < len(text) && (text[m.end] != '\n' || strings.HasSuffix(strings.TrimSuffix(text[:m.end], "\r"), "\\")); m.end++ {
	}
	return m, nil
}

// calls are where functions of a kind are called in a part of a text, and which other names stand there.
func calls(text string, from, to int, kind ir.SiteKind) (at []int, names []string) {
	for i := from; i < to; {
		switch b := text[i]; {
		case b == '"' || b == '\'':
			i = quoted(text, i)
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			i = comment(text, i)
		case letter(b):
			name, end := word(text, i)
			if s := shapeOf(name); s != nil && s.kind == kind && end < to && text[blank(text, end)] == '(' {
				at = append(at, i)
			} else if identifier.MatchString(name) {
				names = append(names, name)
			}
			i = end
		default:
			i++
		}
	}
	return at, names
}

// findInMacro returns the calls of a site whose text is in a macro, or among what is passed to one.
func findInMacro(text, name string, to int, site *ir.Site) (*Call, error) {
	m, err := definition(text, name)
	if err != nil || m == nil {
		return nil, err
	}
	if at := blank(text, to); m.likeACall && at < len(text) && text[at] == '(' {
		m.use, _, _ = callArguments(text, at+1)
		if len(m.use) > 0 {
			if at, _ := calls(text, m.use[0].from, m.use[len(m.use)-1].to, site.ID.Kind); len(at) == 1 {
				return callAt(text, at[0], false, site, nil)
			} else if len(at) > 1 {
				return nil, fmt.Errorf("several calls are passed to the macro %s", name)
			}
		}
	}
	var found []int
	inner := m
	seen := []string{name}
	for todo := []*macro{m}; len(todo) > 0 && len(seen) <= maxMacros; todo = todo[1:] {
		at, names := calls(text, todo[0].body, todo[0].end, site.ID.Kind)
		if len(at) > 0 {
			inner = todo[0]
		}
		found = append(found, at...)
		for _, n := range names {
			if slices.Contains(seen, n) {
				continue
			}
			if next, err := definition(text, n); err != nil {
				return nil, err
			} else if next != nil {
				todo, seen = append(todo, next), append(seen, n)
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("it comes of the macro %s, in which there is no call of it", name)
	}
	c, err := callAt(text, found[0], false, site, inner)
	if err != nil {
		return nil, fmt.Errorf("in the macro %s: %w", name, err)
	}
	c.Macro = name
	for _, at := range found[1:] {
		other, err := callAt(text, at, false, site, inner)
		if err != nil {
			return nil, fmt.Errorf("in the macro %s: %w", name, err)
		}
		c.others = append(c.others, other)
	}
	return c, c.passed(text, m, inner)
}

// passed finds which orders, scopes and flags of a call in a macro are passed where it is used: they change there, and what the macro itself says stays.
func (c *Call) passed(text string, m, inner *macro) error {
	roles := []int{c.shape.order, c.shape.fail, c.shape.scope, c.shape.flags}
	param := func(i int) int {
		if !c.has(i) {
			return -1
		}
		return slices.Index(inner.params, text[c.args[i].from:c.args[i].to])
	}
	if !slices.ContainsFunc(roles, func(i int) bool { return param(i) >= 0 }) {
		return nil
	}
	if m != inner || len(c.others) > 0 {
		return fmt.Errorf("the macro %s passes an order, a scope or flags on", m.name)
	}
	c.args = slices.Clone(c.args)
	for _, i := range roles {
		k := param(i)
		switch {
		case k >= 0 && k < len(m.use):
			c.args[i] = m.use[k]
			if !c.constant(text, text[m.use[k].from:m.use[k].to]) {
				return fmt.Errorf("%q is not the name of a constant", text[m.use[k].from:m.use[k].to])
			}
		case i >= 0:
			c.fixed = append(c.fixed, i)
		}
	}
	c.Macro = ""
	return nil
}

// Place is where the call begins in its text: sites whose calls begin there, too, are uses of one macro, and change together.
func (c *Call) Place() int { return c.from }

// Odd reports whether the call is not written as one where it is made.
func (c *Call) Odd() bool { return c.Macro != "" || len(c.fixed) > 0 || c.operator != nil }

// Free reports which of order, scope and flags may change.
func (c *Call) Free() (order, scope, flags bool) {
	free := func(i int) bool { return !slices.Contains(c.fixed, i) }
	return free(c.shape.order) && free(c.shape.fail), free(c.shape.scope), free(c.shape.flags)
}
