package clc_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
)

// shape is a random type, by its name, and what it is made of.
type shape struct {
	name   string // of a scalar, vector, struct or union; "" of an array
	kind   byte   // s(calar), v(ector), a(rray), r(ecord), u(nion)
	parts  []*shape
	fields []string
}

// object is a value of a random type. What is not given is zero.
type object struct {
	t     *shape
	parts []*object // of a union, its first member
	value int
}

// initials makes types, values of them, and initialisers whose meaning it knows by construction: an initialiser is written down from the value, with
// braces left out where C finds the same members without them (C99 6.7.8p20), with zeros left out at the ends of lists (p21), and with designators.
type initials struct {
	r       *rand.Rand
	decls   strings.Builder
	records int
	vectors bool
	// argument: what is written is an argument of a launch. It has no designators, and the lanes of vectors are like members.
	argument bool
}

func (g *initials) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *initials) one(n int) bool { return g.r.IntN(n) == 0 }

func (g *initials) scalarType() *shape {
	return &shape{name: g.pick("char", "uchar", "short", "ushort", "int", "int", "uint", "long", "ulong", "float", "double"), kind: 's'}
}

func (g *initials) typ(depth int) *shape {
	switch n := g.r.IntN(8); {
	case depth == 0 || n < 2:
		return g.scalarType()
	case n == 2 && g.vectors:
		lanes := []int{2, 3, 4}[g.r.IntN(3)]
		elem := &shape{name: g.pick("char", "short", "int", "float", "ulong"), kind: 's'}
		t := &shape{name: fmt.Sprint(elem.name, lanes), kind: 'v'}
		for i := range lanes {
			t.parts, t.fields = append(t.parts, elem), append(t.fields, fmt.Sprintf(".s%d", i))
		}
		return t
	case n < 5:
		elem := g.typ(depth - 1)
		t := &shape{kind: 'a'}
		for i := range 1 + g.r.IntN(3) {
			t.parts, t.fields = append(t.parts, elem), append(t.fields, fmt.Sprintf("[%d]", i))
		}
		return t
	}
	return g.record(depth)
}

func (g *initials) record(depth int) *shape {
	g.records++
	t := &shape{name: fmt.Sprintf("R%d", g.records), kind: 'r'}
	word := "struct"
	if g.one(5) {
		word, t.kind = "union", 'u'
	}
	body := ""
	for i := range 1 + g.r.IntN(4) {
		m := g.typ(depth - 1)
		t.parts, t.fields = append(t.parts, m), append(t.fields, fmt.Sprintf(".m%d", i))
		body += " " + declare(m, fmt.Sprintf("m%d", i)) + ";"
	}
	fmt.Fprintf(&g.decls, "typedef %s {%s } %s;\n", word, body, t.name)
	return t
}

// declare writes a declaration of a name.
func declare(t *shape, name string) string {
	for t.kind == 'a' {
		name += fmt.Sprintf("[%d]", len(t.parts))
		t = t.parts[0]
	}
	return t.name + " " + name
}

func zero(t *shape) *object {
	o := &object{t: t}
	for _, p := range t.parts {
		if o.parts = append(o.parts, zero(p)); t.kind == 'u' {
			break
		}
	}
	return o
}

// leaves tells each scalar of a value, by how it is accessed.
func (o *object) leaves(path string, do func(path string, value int)) {
	if o.t.kind == 's' {
		do(path, o.value)
	}
	for i, p := range o.parts {
		p.leaves(path+o.t.fields[i], do)
	}
}

func (g *initials) number(o *object) string {
	o.value = 1 + g.r.IntN(100)
	return fmt.Sprint(o.value)
}

// braced writes an initialiser in braces for what is zero so far, and sets it to what that means.
func (g *initials) braced(o *object) string {
	switch o.t.kind {
	case 's':
		return "{" + g.number(o) + "}"
	case 'v':
		return "{" + strings.Join(g.flat(o, true), g.comma()) + "}"
	}
	if !g.argument && g.one(3) {
		if s := g.designated(o); s != "" {
			return s
		}
	}
	n := len(o.parts)
	if g.one(2) {
		n = 1 + g.r.IntN(n)
	}
	var list []string
	for i, p := range o.parts[:n] {
		list = append(list, g.item(p, i < n-1, false)...)
	}
	return "{" + strings.Join(list, g.comma()) + g.pick("", "", ",") + "}"
}

func (g *initials) comma() string { return g.pick(",", ", ") }

// item writes what initialises an element or a member in a list: one value or list, or, without braces, as many as it has scalars; fewer only if nothing
// follows. What is bare does not begin with a brace, which would be that of what it is the first part of.
func (g *initials) item(o *object, follows, bare bool) []string {
	switch {
	case o.t.kind == 's' && !bare && g.one(8):
		return []string{g.braced(o)}
	case o.t.kind == 's':
		return []string{g.number(o)}
	case o.t.kind == 'v' && !g.argument && (bare || g.one(2)):
		s := g.number(o.parts[0])
		for _, p := range o.parts {
			p.value = o.parts[0].value
		}
		return []string{s}
	case !bare && (g.one(2) || o.t.kind == 'v' && !g.argument):
		return []string{g.braced(o)}
	}
	return g.flat(o, follows)
}

// flat writes the values of an object without its braces.
func (g *initials) flat(o *object, whole bool) (list []string) {
	n := len(o.parts)
	if !whole && g.one(2) {
		n = 1 + g.r.IntN(n)
	}
	for i, p := range o.parts[:n] {
		list = append(list, g.item(p, whole || i < n-1, i == 0)...)
	}
	return list
}

// designated writes a list whose items say what they are for.
func (g *initials) designated(o *object) string {
	var list []string
	for range 1 + g.r.IntN(3) {
		i := g.r.IntN(len(o.parts))
		name, p := o.t.fields[i], o.parts[i]
		for len(p.parts) > 0 && p.t.kind != 'v' && g.one(2) { // .a.b[1]
			k := g.r.IntN(len(p.parts))
			name, p = name+p.t.fields[k], p.parts[k]
		}
		*p = *zero(p.t) // what stood there before is overridden
		if p.t.kind == 's' || p.t.kind == 'v' {
			list = append(list, name+" = "+g.item(p, true, false)[0])
		} else {
			list = append(list, name+" = "+g.braced(p))
		}
		// What follows is for what comes next (p17), also within .a.b
		at := o
		if next := at.following(name); next != nil && g.one(2) {
			*next = *zero(next.t)
			if next.t.kind == 's' || next.t.kind == 'v' {
				list = append(list, g.item(next, true, false)[0])
			} else {
				list = append(list, g.braced(next))
			}
		}
	}
	return "{" + strings.Join(list, g.comma()) + "}"
}

// following returns the part behind that which a designator names: of the innermost object that has one.
func (o *object) following(name string) (next *object) {
	for name != "" && o.t.kind != 'u' {
		for i, f := range o.t.fields {
			rest, ok := strings.CutPrefix(name, f)
			if !ok {
				continue
			}
			if i+1 < len(o.parts) {
				next = o.parts[i+1]
			}
			o, name = o.parts[i], rest
			break
		}
	}
	return next
}

// initialised is a variable of a kernel, and what it is to hold.
type initialised struct {
	declaration, name string
	o                 *object
}

// draw makes a variable of a random type.
func (g *initials) draw(name string) initialised {
	o := zero(g.typ(3))
	for o.t.kind == 's' || o.t.kind == 'v' {
		o = zero(g.typ(3))
	}
	s := g.braced(o)
	return initialised{declare(o.t, name) + " = " + s, name, o}
}

// asserts writes a check of each scalar.
func asserts(name string, o *object) string {
	var b strings.Builder
	o.leaves(name, func(path string, v int) { fmt.Fprintf(&b, "  __assert(%s == %d);\n", path, v) })
	return b.String()
}

// TestInitialisers sees that initialisers in kernels, and the contents of arguments, mean what they mean in C.
func TestInitialisers(t *testing.T) {
	for seed := range uint64(150) {
		g := &initials{r: rand.New(rand.NewPCG(seed, 5)), vectors: true}
		outside, inside := g.draw("q"), g.draw("p")
		literal := g.draw("w")
		_, text, _ := strings.Cut(literal.declaration, " = ")
		g.argument = true
		byValue := zero(g.record(2))
		value := strings.ReplaceAll(g.braced(byValue), " ", "")
		elem := g.typ(3)
		for elem.kind == 'a' { // a pointer to it, which is written in another way
			elem = elem.parts[0]
		}
		array := &shape{kind: 'a', parts: []*shape{elem, elem, elem}, fields: []string{"[0]", "[1]", "[2]"}}
		buffer := zero(array)
		length := g.pick("zero[3]", "zero[3]", "")
		content := ""
		if elem.kind == 's' || !g.one(4) {
			content = g.braced(buffer)
		} else {
			content = "{" + strings.Join(g.flat(buffer, true), ",") + "}"
		}
		if length == "" { // it has as many elements as are given
			for n := len(buffer.parts); n > 1 && !strings.Contains(asserts("", buffer.parts[n-1]), "== "); n-- {
				buffer.parts = buffer.parts[:n-1]
			}
			length = "zero[3]"
		}
		source := fmt.Sprintf("//clmc:launch k global=1 local=1 s=%s b=%s%s\n%s%s;\nkernel void k(%s s, global const %s *b) {\n  %s;\n  %s;\n", value, length, content,
			g.decls.String(), "constant "+outside.declaration, byValue.t.name, elem.name, inside.declaration, declare(literal.o.t, "w")+" = "+text)
		source += asserts("q", outside.o) + asserts("p", inside.o) + asserts("w", literal.o) + asserts("s", byValue) + asserts("b", buffer) + "}\n"
		p, err := clc.Source("k.cl", []byte(source), clc.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		r := explore.Run(t.Context(), p, explore.Options{All: true})
		if r.Verdict != explore.Verified {
			t.Fatalf("seed %d: %v %+v\n%s", seed, r.Verdict, r.Violations, source)
		}
	}
}
