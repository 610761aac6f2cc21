package mend

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// operation is an operator on an atomic object, which stands for a function.
type operation struct {
	to       int // where it ends; it begins where its Call does
	function string
	args     []string // without order and scope
}

var atomicOperator = regexp.MustCompile(`^(?:\+\+|--|[-+&|^]?=)`)

// functions of operators.
var operatorFunctions = map[string]string{"=": "atomic_store", "++": "atomic_fetch_add", "--": "atomic_fetch_sub", "+=": "atomic_fetch_add", "-=": "atomic_fetch_sub",
	"|=": "atomic_fetch_or", "&=": "atomic_fetch_and", "^=": "atomic_fetch_xor"}

// findOperator returns the operator of a site, or the read of an atomic object that is written as that of another.
func findOperator(text string, at int, site *ir.Site) (*Call, error) {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	at -= begin
	c := &Call{now: site.Strength, shape: &callShape{kind: site.ID.Kind, order: -1, fail: -1, scope: -1, flags: -1, least: 0}}
	var from int
	o := &operation{}
	if site.ID.Kind == ir.LoadSite {
		from, o.to = readAt(line, at)
		o.function, o.args = "atomic_load", []string{pointerTo(line[from:o.to])}
	} else {
		op := atomicOperator.FindString(line[at:])
		if o.function = operatorFunctions[op]; o.function == "" || (op == "=") != (site.ID.Kind == ir.StoreSite) {
			return nil, fmt.Errorf("it is written as an operator: write the function that it stands for")
		}
		var object, value string
		prefix := false
		if op == "++" || op == "--" {
			value = "1"
			before := strings.TrimRight(line[:at], " \t")
			if prefix = before == "" || before[len(before)-1] != ']' && before[len(before)-1] != ')' && !letter(before[len(before)-1]); prefix {
				_, o.to = readFrom(line, at+2)
				from, object = at, line[at+2:o.to]
			} else {
				from, o.to = operandBefore(line, at), at+2
				object = line[from:at]
			}
		} else {
			from, o.to = operandBefore(line, at), endOf(line, at+len(op))
			object, value = line[from:at], strings.TrimSpace(line[at+len(op):o.to])
			prefix = true
		}
		if value == "" || strings.Count(value, "(") != strings.Count(value, ")") || o.to >= len(line) {
			return nil, fmt.Errorf("it goes on in another line: write the function that it stands for")
		}
		if prefix && !statement(line, from, o.to) {
			return nil, fmt.Errorf("its value is used: write the function that it stands for")
		}
		o.args = []string{pointerTo(object), value}
	}
	if o.args[0] == "&" || o.to <= from {
		return nil, fmt.Errorf("what it is applied to is not understood: write the function that it stands for")
	}
	c.from, c.close, o.to = begin+from, begin+o.to-1, begin+o.to
	c.operator = o
	return c, nil
}

// statement reports whether an expression is a statement of its own.
func statement(line string, from, to int) bool {
	before, behind := strings.TrimSpace(line[:from]), strings.TrimSpace(line[to:])
	return (before == "" || strings.HasSuffix(before, "else") || strings.IndexByte(";{})", before[len(before)-1]) >= 0) && strings.HasPrefix(behind, ";")
}

// pointerTo is the address of an object.
func pointerTo(object string) string {
	object = strings.TrimSpace(object)
	for strings.HasPrefix(object, "(") && closing(object, 0) == len(object) {
		object = strings.TrimSpace(object[1 : len(object)-1])
	}
	if p, ok := strings.CutPrefix(object, "*"); ok {
		return strings.TrimSpace(p)
	}
	return "&" + object
}

// set writes the operation as a function with an order and a scope.
func (o *operation) set(from int, s ir.Strength) []Edit {
	return []Edit{{from, o.to, o.function + "_explicit(" + strings.Join(o.args, ", ") + ", " + s.Order.String() + ", " + s.Scope.String() + ")"}}
}
