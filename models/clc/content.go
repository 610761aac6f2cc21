package clc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// maxContent bounds the values of an argument.
const maxContent = 1 << 20

// item is a value of an argument's content as it was written, or a list of them in braces.
type item struct {
	text   string // with its braces
	at     int    // where it begins in the argument
	list   []item
	braces bool
	repeat bool // the list ends with ..., and goes on with its last item
}

// content fills the scalars of an argument from what was written, as C fills an object from an initialiser (C99 6.7.8): inner braces begin an element
// or a member of its own, of which what they leave out is zero; without them, values fill one scalar after the other. What C does
// not allow is a fault.
type content struct {
	l      *launcher
	r      *request
	v      *tree.Var
	what   string // the argument
	choose bool   // a..b is one of several values, and not all of them
	leaves []code.ByteLeaf
	size   int // of an element, in bytes
	cells  []code.Cell
	bad    bool
}

// parse splits the content of a pair of braces, which begins at byte at of the argument.
func (c *content) parse(s string, at int) item {
	whole := item{text: "{" + s + "}", at: at - 1, braces: true}
	for depth, from, i := 0, 0, 0; i <= len(s); i++ {
		switch {
		case i < len(s) && s[i] == '{':
			depth++
		case i < len(s) && s[i] == '}':
			if depth--; depth < 0 {
				c.fault(&item{text: s[i:], at: at + i}, "write a { for each }", "a } without its {")
				return whole
			}
		case i == len(s) && depth > 0:
			c.fault(&whole, "write a } for each {", "a { without its }")
			return whole
		case i == len(s) || s[i] == ',' && depth == 0:
			c.entry(&whole, s[from:i], at+from, i == len(s))
			from = i + 1
		}
		if c.bad {
			return whole
		}
	}
	return whole
}

// entry adds to a list what stands between two commas.
func (c *content) entry(list *item, s string, at int, last bool) {
	at += len(s) - len(strings.TrimLeft(s, " \t"))
	s = strings.TrimSpace(s)
	one := item{text: s, at: at}
	if rest, ok := strings.CutSuffix(s, "..."); ok && last {
		if list.repeat, s = true, strings.TrimSpace(rest); s == "" && len(list.list) > 0 {
			return
		}
		one.text = s
	}
	lo, hi, ok := interval(s)
	switch {
	case s == "" && last: // a comma may end a list
	case strings.HasPrefix(s, "{"):
		if !strings.HasSuffix(s, "}") {
			c.fault(&one, "write a comma between values", "%q is more than one value", s)
			return
		}
		list.list = append(list.list, c.parse(s[1:len(s)-1], at+1))
	case strings.ContainsAny(s, "{}"):
		c.fault(&one, "write a comma between values", "%q is more than one value", s)
	case strings.HasPrefix(s, ".") && strings.Contains(s, "=") || strings.HasPrefix(s, "["):
		c.fault(&one, "write all values in order", "%q names a member or an element: arguments have no designators", s)
	case !ok || c.choose:
		list.list = append(list.list, one)
	case hi-lo >= maxContent-int64(len(list.list)):
		c.fault(&one, "write fewer", "more than %d values", maxContent)
	default:
		for k := lo; k <= hi; k++ {
			list.list = append(list.list, item{text: fmt.Sprint(k), at: at})
		}
	}
}

// fault reports what is wrong with an item, once an argument.
func (c *content) fault(x *item, hint, format string, args ...any) {
	if c.bad {
		return
	}
	c.bad = true
	pos := c.r.at
	if pos.Line > 0 {
		lines := strings.Split(c.l.unit.Files[0].Text, "\n")
		if i := strings.Index(lines[pos.Line-1], c.v.Name+"="+c.what); i >= 0 {
			pos.Column = i + len(c.v.Name) + 1 + x.at + 1
		}
	}
	c.l.fault(pos, hint, "%s: %s", c.v.Name, fmt.Sprintf(format, args...))
}

// cursor is what of a list is still to be used.
type cursor struct {
	list *item
	next int
}

// peek returns the next item, or nil.
func (s *cursor) peek() *item {
	switch n := len(s.list.list); {
	case s.next < n:
		return &s.list.list[s.next]
	case s.list.repeat && n > 0:
		return &s.list.list[n-1]
	}
	return nil
}

// left returns the first item that nothing has used, or nil.
func (s *cursor) left() *item {
	if s.next < len(s.list.list) {
		return &s.list.list[s.next]
	}
	return nil
}

// element fills an object of type t at byte at of the argument.
func (c *content) element(from *cursor, t *tree.Type, at int) {
	x := from.peek()
	switch {
	case c.bad || x == nil:
	case x.braces:
		from.next++
		c.braced(x, t, at)
	case t.IsScalar() || t.Kind == tree.Atomic:
		from.next++
		c.scalar(x, t, at)
	default:
		c.parts(from, t, at)
	}
}

// braced fills an object from a list of its own.
func (c *content) braced(x *item, t *tree.Type, at int) {
	from := &cursor{list: x}
	if t.IsScalar() || t.Kind == tree.Atomic {
		if len(x.list) != 1 || x.list[0].braces {
			c.fault(x, "write the value alone; braces are for a vector, an array, or a struct", "%s is for %s, which is one value", excerpt(x.text), t)
			return
		}
		c.scalar(&x.list[0], t, at)
		return
	}
	c.parts(from, t, at)
	if more := from.left(); more != nil {
		c.fault(more, "write fewer, or put them into braces where they belong", "%s has more values than %s has room for", excerpt(x.text), t)
	}
	if n := from.next; t.Kind == tree.Vector && n > 0 && int64(n) < t.Len {
		c.fault(x, "write all lanes", "%s has %d values, and %s has %d lanes", excerpt(x.text), n, t, t.Len)
	}
}

// parts fills the elements or members of an object, as long as there is something to fill them with.
func (c *content) parts(from *cursor, t *tree.Type, at int) {
	switch t.Kind {
	case tree.Array, tree.Vector:
		size := int(t.Elem.Size())
		for i := 0; i < int(t.Len) && from.peek() != nil && !c.bad; i++ {
			c.element(from, t.Elem, at+i*size)
		}
	case tree.Struct:
		for i := range t.Record.Fields {
			if f := &t.Record.Fields[i]; from.peek() != nil && !c.bad {
				c.element(from, f.Type, at+int(f.Offset))
			}
		}
	case tree.Union: // its first member (C99 6.7.8p17)
		if len(t.Record.Fields) > 0 {
			c.element(from, t.Record.Fields[0].Type, at)
		}
	default:
		c.fault(from.peek(), "leave it out", "clmc has no values of type %s", t)
	}
}

// scalar sets a scalar.
func (c *content) scalar(x *item, t *tree.Type, at int) {
	if t.Kind == tree.Pointer {
		if x.text != "0" && x.text != "NULL" && x.text != "null" {
			c.fault(x, "write 0 for it; the kernel can set it", "%q is not a pointer: an argument can hold null pointers only", x.text)
		}
		return
	}
	leaf := code.Leaves(t)[0]
	var values code.Cell
	if lo, hi, ok := interval(x.text); ok && c.choose {
		for k := lo; k <= hi; k++ {
			v, _ := number(fmt.Sprint(k), leaf)
			values = append(values, v)
		}
	} else {
		for _, part := range strings.Split(x.text, "|") {
			k, ok := number(strings.TrimSpace(part), leaf)
			if !ok {
				c.fault(x, "", "%q is not a value of type %s", strings.TrimSpace(part), t)
			}
			values = append(values, k)
		}
	}
	c.put(x, at, leaf, values)
}

// put sets the bytes of a scalar, which in a union may be several pieces.
func (c *content) put(x *item, at int, t ir.Type, values code.Cell) {
	first := at / c.size * len(c.leaves)
	at %= c.size
	i, found := slices.BinarySearchFunc(c.leaves, at, func(l code.ByteLeaf, at int) int { return cmp.Compare(l.Offset, at) })
	if !found {
		c.fault(x, "leave it out", "clmc cannot set this part of %s", c.v.Type)
		return
	}
	bytes := max(t.Bits(), 8) / 8
	if l := c.leaves[i]; l.Type == t {
		c.set(first+i, values)
		return
	}
	for ; i < len(c.leaves) && c.leaves[i].Offset < at+bytes; i++ {
		l := c.leaves[i]
		if len(values) > 1 && max(l.Type.Bits(), 8)/8 != bytes {
			c.fault(x, "write one value", "%q chooses among values of a member whose bytes another member has apart", x.text)
			return
		}
		var piece code.Cell
		for _, v := range values {
			if v = int64(uint64(v) >> (8 * (l.Offset - at))); l.Type.Float() && l.Type.Bits() < 64 {
				v &= 1<<l.Type.Bits() - 1
			} else if !l.Type.Float() {
				v = ir.Wrap(l.Type, v)
			}
			piece = append(piece, v)
		}
		c.set(first+i, piece)
	}
}

func (c *content) set(i int, v code.Cell) {
	for len(c.cells) <= i {
		c.cells = append(c.cells, code.Cell{0})
	}
	c.cells[i] = v
}

// excerpt is the beginning of a text.
func excerpt(s string) string {
	if len(s) > 40 {
		return s[:36] + " ..."
	}
	return s
}

// newContent returns what fills an argument whose elements have type elem.
func (l *launcher) newContent(r *request, v *tree.Var, what string, elem *tree.Type) *content {
	return &content{l: l, r: r, v: v, what: what, leaves: code.ByteLeaves(elem), size: max(int(elem.Size()), 1)}
}

// list parses the content of a buffer of n elements, or, if that is 0, of as many as are given, and returns how many; what is how the argument was written. A choice that is
// the only value is for all scalars; a..b counts; and ... at the end of a list repeats the last item.
func (l *launcher) list(r *request, v *tree.Var, what string, elem *tree.Type, n int) (cells []code.Cell, elems int) {
	c := l.newContent(r, v, what, elem)
	from := strings.IndexByte(what, '{') + 1
	all := c.parse(strings.TrimSuffix(what[from:], "}"), from)
	limit := n
	if n == 0 {
		limit = maxContent
		if all.repeat {
			c.fault(&all, fmt.Sprintf("write %s=%s[8]%s", v.Name, elemName(elem), excerpt(all.text)), "... repeats a value as often as there is room, and no length is given")
		}
	}
	if len(all.list) == 1 && n > 0 && strings.Contains(all.list[0].text, "|") {
		all.repeat = all.repeat || !all.list[0].braces
	}
	s := &cursor{list: &all}
	for ; elems < limit && s.peek() != nil && !c.bad; elems++ {
		c.element(s, elem, elems*c.size)
		if len(c.cells) > maxContent {
			c.fault(&all, "write fewer", "more than %d values", maxContent)
		}
	}
	if more := s.left(); more != nil {
		c.fault(more, "write fewer, or a larger buffer", "it has %d values, but only %d elements", len(all.list), n*len(c.leaves))
	}
	return c.cells, elems
}

// values parses the scalars of an argument that is passed by value: a..b is a value that is chosen.
func (l *launcher) values(r *request, v *tree.Var, what string) []code.Cell {
	c := l.newContent(r, v, what, v.Type)
	c.choose = true
	var x item
	if text := strings.TrimSpace(what); strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		from := strings.IndexByte(what, '{') + 1
		x = c.parse(text[1:len(text)-1], from)
	} else {
		x = c.parse(what, 0)
	}
	if v.Type.Kind == tree.Vector && len(x.list) == 1 && !x.list[0].braces {
		x.repeat = true // as a scalar is converted to a vector
	}
	c.braced(&x, v.Type, 0)
	for len(c.cells) < len(c.leaves) {
		c.cells = append(c.cells, code.Cell{0})
	}
	return c.cells
}

// interval parses a..b.
func interval(s string) (lo, hi int64, ok bool) {
	a, b, ok := strings.Cut(s, "..")
	if !ok {
		return 0, 0, false
	}
	lo, err1 := strconv.ParseInt(a, 0, 64)
	hi, err2 := strconv.ParseInt(b, 0, 64)
	return lo, hi, err1 == nil && err2 == nil && lo <= hi && hi-lo >= 0 && hi-lo < ir.MaxChoices
}

// number parses a value of a type.
func number(s string, t ir.Type) (int64, bool) {
	if t.Float() {
		f, err := strconv.ParseFloat(strings.TrimRight(s, "fFhH"), 64)
		if err != nil {
			var n int64
			if n, err = strconv.ParseInt(s, 0, 64); err == nil {
				f = float64(n)
			}
		}
		return t.FromNumber(f), err == nil || math.IsInf(f, 0)
	}
	s = strings.TrimRight(s, "uUlL")
	switch s {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return ir.Wrap(t, n), true
	}
	n, err := strconv.ParseUint(s, 0, 64)
	return ir.Wrap(t, int64(n)), err == nil
}
