package check

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// specs are the specifiers in front of declarators.
type specs struct {
	attributes
	t       *tree.Type
	quals   tree.Quals // without the space
	wide    bool
	typedef bool
	extern  bool
	static  bool
	auto    bool
	image   string // Dim of an image that has no access yet
	deduced bool   // the result of a block is not said
	vector  bool   // t is the vector that an attribute makes of a scalar
	enum    bool   // t is an enum that is defined there
	// typeAlign is what a typedef says of how its objects are aligned, or 0.
	typeAlign int64
	pos       tree.Pos

	words map[string]int // int, long, unsigned ...
}

// specifiers reads the specifiers of a declaration.
func (c *checker) specifiers(ds *cc.DeclarationSpecifiers) *specs {
	s := &specs{words: map[string]int{}}
	if ds != nil {
		s.pos = c.pos(ds)
	}
	for ; ds != nil; ds = ds.DeclarationSpecifiers {
		c.attribute(&s.attributes, ds.AttributeSpecifierList)
		switch ds.Case {
		case cc.DeclarationSpecifiersStorage:
			c.storage(s, ds.StorageClassSpecifier)
		case cc.DeclarationSpecifiersTypeSpec:
			c.typeSpecifier(s, ds.TypeSpecifier)
		case cc.DeclarationSpecifiersTypeQual:
			c.qualifier(s, ds.TypeQualifier)
		case cc.DeclarationSpecifiersAlignSpec:
			c.alignment(s, ds.AlignmentSpecifier)
		}
	}
	c.fixType(s)
	return s
}

// qualified reads the specifiers of a member or of a type name.
func (c *checker) qualified(l *cc.SpecifierQualifierList) *specs {
	s := &specs{words: map[string]int{}}
	if l != nil {
		s.pos = c.pos(l)
	}
	for ; l != nil; l = l.SpecifierQualifierList {
		c.attribute(&s.attributes, l.AttributeSpecifierList)
		switch l.Case {
		case cc.SpecifierQualifierListTypeSpec:
			c.typeSpecifier(s, l.TypeSpecifier)
		case cc.SpecifierQualifierListTypeQual:
			c.qualifier(s, l.TypeQualifier)
		case cc.SpecifierQualifierListAlignSpec:
			c.alignment(s, l.AlignmentSpecifier)
		}
	}
	c.fixType(s)
	return s
}

func (c *checker) storage(s *specs, n *cc.StorageClassSpecifier) {
	switch n.Case {
	case cc.StorageClassSpecifierTypedef:
		s.typedef = true
	case cc.StorageClassSpecifierExtern:
		s.extern = true
	case cc.StorageClassSpecifierStatic:
		s.static = true
	case cc.StorageClassSpecifierAuto, cc.StorageClassSpecifierRegister:
		s.auto = true
	default:
		c.fail(c.pos(n), "", "OpenCL C has no %s", n.Token.SrcStr())
	}
}

func (c *checker) qualifier(s *specs, q *cc.TypeQualifier) {
	switch q.Case {
	case cc.TypeQualifierConst:
		s.quals.Const = true
	case cc.TypeQualifierVolatile:
		s.quals.Volatile = true
	case cc.TypeQualifierAttr:
		c.attribute(&s.attributes, q.AttributeSpecifierList)
	case cc.TypeQualifierAtomic:
		c.fail(c.pos(q), "Write atomic_int and the like.", "OpenCL C has no _Atomic")
	}
}

func (c *checker) alignment(s *specs, a *cc.AlignmentSpecifier) {
	switch a.Case {
	case cc.AlignmentSpecifierType:
		t, _ := c.typeName(a.TypeName)
		s.aligned = t.Align()
	default:
		s.aligned = c.constant(a.ConstantExpression, "an alignment")
		if s.aligned < 0 || s.aligned > 1<<20 || s.aligned&(s.aligned-1) != 0 {
			c.fail(c.pos(a), "", "an alignment is a power of two, not %d", s.aligned)
		}
	}
}

// typeSpecifier takes in a word or a name of a type.
func (c *checker) typeSpecifier(s *specs, t *cc.TypeSpecifier) {
	set := func(u *tree.Type) {
		if s.t != nil || len(s.words) > 0 {
			c.fail(c.pos(t), "", "two types in one declaration")
		}
		s.t = u
	}
	switch t.Case {
	case cc.TypeSpecifierVoid:
		set(tree.TVoid)
	case cc.TypeSpecifierChar, cc.TypeSpecifierShort, cc.TypeSpecifierInt, cc.TypeSpecifierLong, cc.TypeSpecifierFloat,
		cc.TypeSpecifierDouble, cc.TypeSpecifierSigned, cc.TypeSpecifierUnsigned:
		if s.t != nil {
			c.fail(c.pos(t), "", "two types in one declaration")
		}
		s.words[strings.Trim(t.Token.SrcStr(), "_")]++
	case cc.TypeSpecifierBool:
		set(tree.TBool)
	case cc.TypeSpecifierFloat16:
		set(tree.THalf)
	case cc.TypeSpecifierStructOrUnion:
		set(c.record(t.StructOrUnionSpecifier))
	case cc.TypeSpecifierEnum:
		set(c.enum(t.EnumSpecifier))
		s.enum = true
	case cc.TypeSpecifierTypeName:
		c.useName(s, t, set)
	case cc.TypeSpecifierTypeofExpr:
		x := c.expr(t.ExpressionList)
		set(x.Type())
	case cc.TypeSpecifierTypeofType:
		u, q := c.typeName(t.TypeName)
		set(u)
		s.quals.Const, s.quals.Volatile = s.quals.Const || q.Const, s.quals.Volatile || q.Volatile
	default:
		c.fail(c.pos(t), "", "OpenCL C has no type %s", t.Token.SrcStr())
	}
}

// useName takes in a type that is named.
func (c *checker) useName(s *specs, t *cc.TypeSpecifier, set func(*tree.Type)) {
	name := t.Token.SrcStr()
	if m, _ := c.lookup(name); m != nil {
		d, ok := m.(typedef)
		if !ok {
			if _, ok := m.(poison); ok {
				panic(bail{})
			}
			c.fail(c.pos(t), "", "%s is not a type here", name)
		}
		set(d.t)
		s.typeAlign = d.align
		s.quals.Const, s.quals.Volatile = s.quals.Const || d.quals.Const, s.quals.Volatile || d.quals.Volatile
		s.wide = d.wide
		if d.space && !s.hasSpace {
			s.space, s.hasSpace = d.quals.Space, true
		}
		return
	}
	if name == deduced {
		set(tree.TVoid)
		s.deduced = true
		return
	}
	if n, ok := named[name]; ok {
		if n.gone != "" {
			c.fail(c.pos(t), "Write it with barriers of the whole work-group.", "%s are not supported", n.gone)
		}
		if n.image != "" {
			set(c.ts.Image(n.image, tree.ReadOnly))
			s.image = n.image
			return
		}
		set(n.t)
		s.wide = n.wide
		return
	}
	if v := vectorNamed(name); v != nil {
		set(v)
		return
	}
	c.fail(c.pos(t), "", "the type %s is unknown", name)
}

// vectorNamed returns the vector type of a name like float4, or nil.
func vectorNamed(name string) *tree.Type {
	t := tree.Named(name)
	if t == nil || t.Kind != tree.Vector {
		return nil
	}
	return t
}

// fixType makes a type of the words and of what attributes say of it.
func (c *checker) fixType(s *specs) {
	if len(s.words) > 0 {
		s.t = wordsType(s.words)
		if s.t == nil {
			c.fail(s.pos, "", "these words are not a type of OpenCL C")
		}
	}
	if s.t == nil {
		c.fail(s.pos, "Write int.", "the type is missing")
	}
	c.vectorOf(s)
	if s.pipe {
		if s.access == tree.ReadWrite && s.hasAccess {
			c.fail(s.pos, "Write read_only or write_only.", "a pipe is read or written, not both")
		}
		s.t = c.ts.Pipe(s.t, s.access)
		return
	}
	if s.hasAccess {
		if s.t.Kind != tree.Image {
			c.fail(s.pos, "", "%s is for images and pipes, not for %s", s.access, s.t)
		}
		s.t = c.ts.Image(s.t.Dim, s.access)
	}
}

// vectorOf makes the vector that an attribute asks for.
func (c *checker) vectorOf(s *specs) {
	if s.lanes == 0 && s.vectorBytes == 0 || s.vector {
		return
	}
	t, lanes := s.t, s.lanes
	if s.vectorBytes != 0 {
		if lanes != 0 || t.Size() == 0 || s.vectorBytes%max(t.Size(), 1) != 0 || s.vectorBytes&(s.vectorBytes-1) != 0 {
			c.fail(s.pos, "The bytes of a vector are a power of two, and a multiple of those of its scalars.", "there is no vector of %d bytes of %s", s.vectorBytes, t)
		}
		lanes = s.vectorBytes / t.Size()
	}
	if !t.IsArithmetic() || t.Kind == tree.Bool || lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16 {
		c.fail(s.pos, "Vectors have 2, 3, 4, 8 or 16 lanes.", "there is no vector of %d times %s", lanes, t)
	}
	s.t, s.vector = tree.VectorOf(t, lanes), true
}

// again makes the vector that an attribute behind a declarator asks for, which then must be the name alone or an array.
func (c *checker) again(s *specs, pointer *cc.Pointer) {
	before := s.t
	if c.vectorOf(s); s.t != before && pointer != nil {
		c.fail(s.pos, "Declare the vector type first.", "a pointer with an attribute of its own that makes a vector")
	}
}

// alignmentOf returns what is asked of the alignment of something that is declared with a type, or 0.
func (s *specs) alignmentOf(t *tree.Type) int64 {
	if innermost(t) == innermost(s.t) {
		return max(s.aligned, s.typeAlign)
	}
	return s.aligned // a pointer, say
}

// wordsType returns the type that words of C make, or nil.
func wordsType(words map[string]int) *tree.Type {
	n := 0
	for w, k := range words {
		n += k
		if k > 1 && w != "long" {
			return nil
		}
	}
	unsigned := words["unsigned"]
	if unsigned+words["signed"] > 1 {
		return nil
	}
	sign := unsigned + words["signed"]
	pick := func(signed, other *tree.Type) *tree.Type {
		if unsigned > 0 {
			return other
		}
		return signed
	}
	switch {
	case words["float"] == 1 && n == 1:
		return tree.TFloat
	case words["double"] == 1 && n == 1:
		return tree.TDouble
	case words["char"] == 1 && n == 1+sign:
		return pick(tree.TChar, tree.TUChar)
	case words["short"] == 1 && n == 1+sign+words["int"]:
		return pick(tree.TShort, tree.TUShort)
	case words["long"] >= 1 && words["long"] <= 2 && n == words["long"]+sign+words["int"]:
		return pick(tree.TLong, tree.TULong)
	case n == sign+words["int"]:
		return pick(tree.TInt, tree.TUInt)
	}
	return nil
}

// declared is what a declarator declares.
type declared struct {
	name   string
	pos    tree.Pos
	t      *tree.Type
	quals  tree.Quals // of the object itself
	space  bool       // its space is given
	wide   bool
	params []*param // of a function
	isFunc bool
	varArg bool
	image  bool // an image type without an access qualifier
}

// param is a parameter that a declarator has.
type param struct {
	declared
	s *specs
}

// modifier is one step from a name to its type: a pointer, an array or a function.
type modifier struct {
	pointer *cc.Pointer
	array   cc.ExpressionNode
	isArray bool
	unsized bool
	params  *cc.ParameterTypeList
	isFunc  bool
	pos     tree.Pos
}

// declarator reads a declarator, which may be nil.
func (c *checker) declarator(s *specs, d *cc.Declarator) *declared {
	var mods []modifier
	out := &declared{pos: s.pos}
	for d != nil {
		var inner *cc.Declarator
		var suffix []modifier
		dd := d.DirectDeclarator
		for dd != nil {
			switch dd.Case {
			case cc.DirectDeclaratorIdent:
				out.name, out.pos = dd.Token.SrcStr(), c.pos(dd.Token)
			case cc.DirectDeclaratorDecl:
				inner = dd.Declarator
			case cc.DirectDeclaratorArr, cc.DirectDeclaratorStaticArr, cc.DirectDeclaratorArrStatic:
				suffix = append(suffix, modifier{isArray: true, array: dd.AssignmentExpression, unsized: dd.AssignmentExpression == nil, pos: c.pos(dd.Token)})
			case cc.DirectDeclaratorFuncParam:
				suffix = append(suffix, modifier{isFunc: true, params: dd.ParameterTypeList, pos: c.pos(dd.Token)})
			case cc.DirectDeclaratorFuncIdent:
				if dd.IdentifierList != nil {
					c.fail(c.pos(dd), "Write the types of the parameters between the parentheses.", "this is a function declaration of C before C89")
				}
				suffix = append(suffix, modifier{isFunc: true, pos: c.pos(dd.Token)})
			default:
				c.fail(c.pos(dd), vlaHint, "an array of variable length")
			}
			dd = dd.DirectDeclarator
		}
		mods = level(mods, suffix, d.Pointer)
		d = inner
	}
	c.apply(s, out, mods)
	return out
}

const vlaHint = "Give the array a constant length."

// level adds what one level of a declarator says: the outermost comes first, and
// in it pointers, so that mods go from the type to the name.
func level(mods, suffix []modifier, p *cc.Pointer) []modifier {
	for ; p != nil; p = p.Pointer {
		mods = append(mods, modifier{pointer: p})
	}
	return append(mods, suffix...)
}

// abstract reads a declarator without a name.
func (c *checker) abstract(s *specs, d *cc.AbstractDeclarator) *declared {
	var mods []modifier
	out := &declared{pos: s.pos}
	for d != nil {
		var inner *cc.AbstractDeclarator
		var suffix []modifier
		for dd := d.DirectAbstractDeclarator; dd != nil; dd = dd.DirectAbstractDeclarator {
			switch dd.Case {
			case cc.DirectAbstractDeclaratorDecl:
				inner = dd.AbstractDeclarator
			case cc.DirectAbstractDeclaratorArr, cc.DirectAbstractDeclaratorStaticArr, cc.DirectAbstractDeclaratorArrStatic:
				suffix = append(suffix, modifier{isArray: true, array: dd.AssignmentExpression, unsized: dd.AssignmentExpression == nil, pos: c.pos(dd)})
			case cc.DirectAbstractDeclaratorFunc:
				suffix = append(suffix, modifier{isFunc: true, params: dd.ParameterTypeList, pos: c.pos(dd)})
			default:
				c.fail(c.pos(dd), vlaHint, "an array of variable length")
			}
		}
		mods = level(mods, suffix, d.Pointer)
		d = inner
	}
	c.apply(s, out, mods)
	return out
}

// apply makes the declared type of the specifiers and the modifiers, which go from the type to the
// name.
func (c *checker) apply(s *specs, out *declared, mods []modifier) {
	t, q, space, wide := s.t, s.quals, s.hasSpace, s.wide
	q.Space = s.space
	image := s.image != "" && !s.hasAccess
	for i, m := range mods {
		switch {
		case m.pointer != nil:
			t, q, space = c.pointerTo(t, q, space, m.pointer, i+1 < len(mods) && mods[i+1].isFunc)
			wide = false
		case m.isArray:
			t = c.arrayOf(t, m, out.name)
			wide = false
			if e := innermost(t); s.typeAlign > 1 && e == innermost(s.t) && e.Size()%s.typeAlign != 0 {
				c.fail(m.pos, "Give the element that many bytes.", "an array of elements of %d bytes that are aligned to %d", e.Size(), s.typeAlign)
			}
		case m.isFunc:
			if i+1 < len(mods) && mods[i+1].pointer != nil && mods[i+1].pointer.Case != cc.PointerBlock {
				c.fail(m.pos, "Call the function by its name, or choose with if or switch.", "a pointer to a function")
			}
			params, varArg := c.parameters(m.params)
			if t.Kind == tree.Array || t.Kind == tree.Function {
				c.fail(m.pos, "", "a function cannot return %s", t)
			}
			types := make([]*tree.Type, len(params))
			for j, p := range params {
				types[j] = p.t
			}
			t = c.ts.Function(t, types)
			out.params, out.isFunc, out.varArg = params, true, varArg
			q, space = tree.Quals{}, false
		}
	}
	out.t, out.quals, out.space, out.wide, out.image = t, q, space, wide, image
	out.isFunc = t.Kind == tree.Function
}

// pointerTo returns the type of pointers to a type, and the qualifiers of the pointer itself.
func (c *checker) pointerTo(t *tree.Type, q tree.Quals, space bool, p *cc.Pointer, _ bool) (*tree.Type, tree.Quals, bool) {
	var a attributes
	var own tree.Quals
	for l := p.TypeQualifiers; l != nil; l = l.TypeQualifiers {
		if l.TypeQualifier == nil {
			continue
		}
		switch l.TypeQualifier.Case {
		case cc.TypeQualifierConst:
			own.Const = true
		case cc.TypeQualifierVolatile:
			own.Volatile = true
		case cc.TypeQualifierAttr:
			c.attribute(&a, l.TypeQualifier.AttributeSpecifierList)
		case cc.TypeQualifierAtomic:
			c.fail(c.pos(l), "Write atomic_intptr_t.", "OpenCL C has no _Atomic")
		}
	}
	own.Space = a.space
	if p.Case == cc.PointerBlock {
		if t.Kind != tree.Function {
			c.fail(c.pos(p.Token), "", "a block is of a function type, not of %s", t)
		}
		return c.ts.Block(t), own, a.hasSpace
	}
	if t.Kind == tree.Function {
		c.fail(c.pos(p.Token), "Call the function by its name, or choose with if or switch.", "a pointer to a function")
	}
	switch t.Kind {
	case tree.Image, tree.Sampler, tree.Queue, tree.Pipe:
		c.fail(c.pos(p.Token), "Pass it by value.", "a pointer to %s", t)
	}
	if !space {
		q.Space = c.unqualified()
	}
	return c.ts.Pointer(t, q), own, a.hasSpace
}

// unqualified is the address space of what a pointer points to that says none.
func (c *checker) unqualified() tree.Space {
	if c.o.Std >= tree.CL20 {
		return tree.Generic
	}
	return tree.Private
}

// maxObject bounds the bytes of a type. What is larger takes more memory and time to look at than to execute.
const maxObject = 8 << 20

// arrayOf returns the type of an array, of which name is declared.
func (c *checker) arrayOf(t *tree.Type, m modifier, name string) *tree.Type {
	switch t.Kind {
	case tree.Image, tree.Sampler, tree.Queue, tree.Event, tree.Block, tree.Pipe:
		if t.Kind != tree.Event {
			c.fail(m.pos, "", "an array of %s", t)
		}
	}
	if !t.IsComplete() {
		c.fail(m.pos, "", "an array of %s, whose size is unknown", t)
	}
	if m.unsized {
		return c.ts.Array(t, tree.Unsized)
	}
	x := c.known(c.rvalue(m.array))
	k, ok := x.(*tree.Const)
	switch {
	case !ok:
		c.fail(c.pos(m.array), vlaHint, "an array of variable length")
	case !k.T.IsInteger():
		c.fail(c.pos(m.array), "", "the length of an array is an integer, not %s", k.T)
	case k.T.Kind.IsSigned() && int64(k.Bits) < 0:
		c.fail(c.pos(m.array), "", "an array of %d elements", int64(k.Bits))
	case t.Size() > 0 && int64(k.Bits) > maxObject/t.Size() || k.Bits > maxObject:
		if name == "" {
			name = "an array"
		}
		c.fail(c.pos(m.array), "Make it smaller: a few elements show most faults.", "%s is too large: %d times %s, of %d bytes; clmc takes objects of up to %d bytes", name, k.Bits, t, t.Size(), maxObject)
	}
	return c.ts.Array(t, int64(k.Bits))
}

// parameters reads the parameters of a function.
func (c *checker) parameters(l *cc.ParameterTypeList) (list []*param, varArg bool) {
	if l == nil {
		return nil, false
	}
	defer c.push()()
	for p := l.ParameterList; p != nil; p = p.ParameterList {
		d := p.ParameterDeclaration
		s := c.specifiers(d.DeclarationSpecifiers)
		c.attribute(&s.attributes, d.AttributeSpecifierList)
		c.misplaced(s)
		var out *declared
		if d.Case == cc.ParameterDeclarationDecl {
			c.again(s, pointerOf(d.Declarator))
			out = c.declarator(s, d.Declarator)
		} else {
			out = c.abstract(s, d.AbstractDeclarator)
		}
		if out.t == tree.TVoid && out.name == "" && len(list) == 0 && p.ParameterList == nil {
			break
		}
		list = append(list, &param{declared: *c.asParameter(out), s: s})
	}
	return list, l.Case == cc.ParameterTypeListVar
}

// asParameter adjusts the type of a parameter: an array is a pointer.
func (c *checker) asParameter(d *declared) *declared {
	switch {
	case d.t.Kind == tree.Array:
		q := d.quals
		if !d.space {
			q.Space = c.unqualified()
		}
		d.t, d.quals, d.space = c.ts.Pointer(d.t.Elem, q), tree.Quals{}, false
	case d.t.Kind == tree.Function:
		c.fail(d.pos, "Call the function by its name, or choose with if or switch.", "a pointer to a function")
	case d.t.Kind == tree.Void:
		c.fail(d.pos, "", "a parameter of type void")
	case !d.t.IsComplete():
		c.fail(d.pos, "", "a parameter of type %s, whose members are unknown", d.t)
	}
	if d.space && d.quals.Space != tree.Private {
		c.fail(d.pos, "The address space stands before the *: that of what the pointer points to.", "a parameter is in __private memory, not in %s", d.quals.Space)
	}
	return d
}

// typeName reads a type in a cast, sizeof or the like.
func (c *checker) typeName(n *cc.TypeName) (*tree.Type, tree.Quals) {
	s := c.qualified(n.SpecifierQualifierList)
	d := c.abstract(s, n.AbstractDeclarator)
	return d.t, d.quals
}
