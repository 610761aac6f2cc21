package check

import (
	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// record returns the type of a struct or union specifier.
func (c *checker) record(n *cc.StructOrUnionSpecifier) *tree.Type {
	union := n.StructOrUnion.Case == cc.StructOrUnionUnion
	kind := "struct"
	if union {
		kind = "union"
	}
	name, pos := "", c.pos(n)
	if n.Token.Ch != 0 {
		name, pos = n.Token.SrcStr(), c.pos(n.Token)
	}
	if n.Case == cc.StructOrUnionSpecifierTag {
		if t := c.lookupTag(name); t != nil {
			if t.kind != kind {
				c.fail(pos, "", "%s is a %s, declared in line %d", name, t.kind, t.pos.Line)
			}
			return t.t
		}
		return c.newTag(name, kind, pos, tree.RecordType(&tree.Record{Name: name, Union: union, Pos: pos}))
	}
	t := tree.RecordType(&tree.Record{Name: name, Union: union, Pos: pos})
	if old := c.scope.tags[name]; old != nil && name != "" {
		if old.kind != kind || old.defined {
			c.fail(pos, "", "%s is declared in line %d already", name, old.pos.Line)
		}
		t = old.t
		t.Record.Pos = pos
	} else if name != "" {
		c.newTag(name, kind, pos, t)
	}
	if name != "" {
		c.scope.tags[name].defined = true
	}
	var a attributes
	c.attribute(&a, n.AttributeSpecifierList)
	c.attribute(&a, n.AttributeSpecifierList2)
	t.Record.Packed = a.packed
	c.members(t.Record, n.StructDeclarationList)
	t.Record.Complete(a.aligned)
	if t.Size() > maxObject {
		c.fail(pos, "Make its arrays smaller.", "%s is too large: %d bytes; clmc takes objects of up to %d bytes", t, t.Size(), maxObject)
	}
	return t
}

func (c *checker) newTag(name, kind string, pos tree.Pos, t *tree.Type) *tree.Type {
	if c.scope.tags == nil {
		c.scope.tags = map[string]*tag{}
	}
	c.scope.tags[name] = &tag{kind: kind, t: t, pos: pos}
	return t
}

// members reads the members of a record.
func (c *checker) members(r *tree.Record, l *cc.StructDeclarationList) {
	names := map[string]bool{}
	for ; l != nil; l = l.StructDeclarationList {
		d := l.StructDeclaration
		if d.Case == cc.StructDeclarationAssert {
			c.staticAssert(d.StaticAssertDeclaration)
			continue
		}
		s := c.qualified(d.SpecifierQualifierList)
		before := s.attributes
		c.attribute(&s.attributes, d.AttributeSpecifierList)
		if l := d.StructDeclaratorList; l != nil && l.StructDeclaratorList != nil && s.attributes != before {
			c.fail(c.pos(d), "Declare the members one by one.", "an attribute behind several members, of which it is for the last")
		}
		if d.StructDeclaratorList == nil {
			if !untagged(d.SpecifierQualifierList) {
				continue // it declares no member; clang only warns
			}
			c.notBehind(r, s.pos)
			r.Fields = append(r.Fields, tree.Field{Type: s.t, Quals: s.quals, Pos: s.pos})
			c.unique(s.t, names, s.pos)
			continue
		}
		for m := d.StructDeclaratorList; m != nil; m = m.StructDeclaratorList {
			if m.StructDeclarator.Case == cc.StructDeclaratorBitField {
				c.fail(c.pos(m), "Use a whole integer, with shifts and masks.", "bit-fields are not part of OpenCL C")
			}
			c.member(r, s, m.StructDeclarator, names)
		}
	}
}

// untagged reports whether a specifier is a struct or union that has no tag, whose members are found in the record around it.
func untagged(l *cc.SpecifierQualifierList) bool {
	for ; l != nil; l = l.SpecifierQualifierList {
		if s := l.TypeSpecifier; s != nil && s.Case == cc.TypeSpecifierStructOrUnion {
			return s.StructOrUnionSpecifier.Token.Ch == 0
		}
	}
	return false
}

func (c *checker) member(r *tree.Record, s *specs, m *cc.StructDeclarator, names map[string]bool) {
	c.again(s, pointerOf(m.Declarator))
	d := c.declarator(s, m.Declarator)
	c.notBehind(r, d.pos)
	switch {
	case d.t.Kind == tree.Function:
		c.fail(d.pos, "", "a member of a function type")
	case d.t.Kind == tree.Array && d.t.Len == tree.Unsized:
		d.t = c.flexible(r, d)
	case !d.t.IsComplete():
		c.fail(d.pos, "", "a member of type %s, whose size is unknown", d.t)
	case d.space && d.quals.Space != tree.Private:
		c.fail(d.pos, "A member is where the struct is; a pointer member says where it points to before the *.", "a member in %s memory", d.quals.Space)
	}
	switch innermost(d.t).Kind {
	case tree.Image, tree.Sampler, tree.Event, tree.ClkEvent, tree.Queue, tree.Pipe, tree.ReserveID, tree.Block:
		c.fail(d.pos, "", "a member of type %s", d.t)
	}
	if d.name != "" && names[d.name] {
		c.fail(d.pos, "", "two members have the name %s", d.name)
	}
	names[d.name] = true
	f := tree.Field{Name: d.name, Type: d.t, Quals: d.quals, Pos: d.pos, Align: s.alignmentOf(d.t), Packed: s.packed}
	f.Quals.Space = tree.Private
	r.Fields = append(r.Fields, f)
}

// flexible returns the type of a member without a length, which takes no room: what is behind the struct belongs to it.
func (c *checker) flexible(r *tree.Record, d *declared) *tree.Type {
	if r.Union || len(r.Fields) == 0 {
		c.fail(d.pos, "Give it a length.", "a member without a length is the last of several in a struct")
	}
	r.Flexible = true
	return c.ts.Array(d.t.Elem, 0)
}

// notBehind refuses a member behind one without a length.
func (c *checker) notBehind(r *tree.Record, pos tree.Pos) {
	if r.Flexible {
		c.fail(pos, "Give that one a length, or move it to the end.", "a member behind one without a length")
	}
}

// unique sees that the members of a record without a name have names of their own.
func (c *checker) unique(t *tree.Type, names map[string]bool, pos tree.Pos) {
	for _, f := range t.Record.Fields {
		if f.Name == "" {
			c.unique(f.Type, names, pos)
		} else if names[f.Name] {
			c.fail(pos, "", "two members have the name %s", f.Name)
		}
		names[f.Name] = true
	}
}

// innermost returns the element of an array of any number of dimensions.
func innermost(t *tree.Type) *tree.Type {
	for t.Kind == tree.Array {
		t = t.Elem
	}
	return t
}

// path returns the members that lead to the one of a name, nil if there is none.
func path(r *tree.Record, name string) []int {
	for i, f := range r.Fields {
		if f.Name == name && name != "" {
			return []int{i}
		}
		if f.Name == "" && f.Type.Record != nil {
			if rest := path(f.Type.Record, name); rest != nil {
				return append([]int{i}, rest...)
			}
		}
	}
	return nil
}

// enum returns the type of an enum: uint, or int if it has a negative constant.
func (c *checker) enum(n *cc.EnumSpecifier) *tree.Type {
	name, pos := "", c.pos(n)
	if n.Token2.Ch != 0 {
		name = n.Token2.SrcStr()
	}
	if n.Case == cc.EnumSpecifierTag {
		if t := c.lookupTag(name); t != nil {
			if t.kind != "enum" {
				c.fail(pos, "", "%s is a %s, declared in line %d", name, t.kind, t.pos.Line)
			}
			return t.t
		}
		c.fail(pos, "Declare its constants first.", "the enum %s is unknown", name)
	}
	if name != "" && c.scope.tags[name] != nil {
		c.fail(pos, "", "%s is declared in line %d already", name, c.scope.tags[name].pos.Line)
	}
	t, next := tree.TUInt, int64(0)
	for l := n.EnumeratorList; l != nil; l = l.EnumeratorList {
		e := l.Enumerator
		if e.Case == cc.EnumeratorExpr {
			next = c.constant(e.ConstantExpression, "an enumeration constant")
		}
		if next < 0 {
			t = tree.TInt
		}
		word, at := e.Token.SrcStr(), c.pos(e.Token)
		c.unused(word, at)
		kind := tree.TInt
		if next != int64(int32(next)) {
			kind = tree.TLong
			if next == int64(uint32(next)) {
				kind = tree.TUInt
			}
		}
		c.declare(word, &tree.Const{Node: tree.Node{T: kind, P: at}, Bits: uint64(next)})
		next++
	}
	if name != "" {
		c.newTag(name, "enum", pos, t)
	}
	return t
}

// unused fails if the scope has a name already.
func (c *checker) unused(name string, pos tree.Pos) {
	if old, ok := c.scope.names[name]; ok {
		if _, ok := old.(poison); !ok {
			c.fail(pos, "", "%s is declared already", name)
		}
	}
}

// staticAssert checks a _Static_assert.
func (c *checker) staticAssert(n *cc.StaticAssertDeclaration) {
	if c.constant(n.ConstantExpression, "the condition of _Static_assert") == 0 {
		c.fail(c.pos(n), "", "the static assertion fails: %s", n.Token4.SrcStr())
	}
}
