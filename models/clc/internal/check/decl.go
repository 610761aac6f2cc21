package check

import (
	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// translationUnit checks all declarations.
func (c *checker) translationUnit(tu *cc.TranslationUnit) {
	for ; tu != nil; tu = tu.TranslationUnit {
		e := tu.ExternalDeclaration
		if e == nil {
			continue
		}
		if _, ours := c.files.index[e.Position().Filename]; !ours {
			continue
		}
		c.at = c.pos(e)
		c.try(func() {
			switch e.Case {
			case cc.ExternalDeclarationFuncDef:
				c.functionDefinition(e.FunctionDefinition.DeclarationSpecifiers, e.FunctionDefinition.Declarator, e.FunctionDefinition.CompoundStatement, e.FunctionDefinition.DeclarationList)
			case cc.ExternalDeclarationDecl:
				c.declaration(e.Declaration)
			case cc.ExternalDeclarationAsmStmt:
				c.fail(c.pos(e), asmHint, "inline assembly")
			}
		})
	}
}

const asmHint = "Write it in OpenCL C."

// declaration checks a declaration, and returns the statements that it makes in a function.
func (c *checker) declaration(d *cc.Declaration) (list []tree.Stmt) {
	switch d.Case {
	case cc.DeclarationAssert:
		c.staticAssert(d.StaticAssertDeclaration)
		return nil
	case cc.DeclarationAuto:
		c.fail(c.pos(d), "Write the type.", "OpenCL C has no __auto_type")
	}
	if d.DeclarationSpecifiers == nil && d.InitDeclaratorList == nil {
		return nil // a semicolon
	}
	var s *specs
	if !c.try(func() { s = c.specifiers(d.DeclarationSpecifiers) }) {
		for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
			if l.InitDeclarator != nil && l.InitDeclarator.Declarator != nil {
				c.declare(l.InitDeclarator.Declarator.Name(), poison{})
			}
		}
		return nil
	}
	c.attribute(&s.attributes, d.AttributeSpecifierList)
	if d.InitDeclaratorList == nil {
		c.misplaced(s)
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		n := l.InitDeclarator
		if n == nil || n.Declarator == nil {
			continue
		}
		one := *s
		if !c.try(func() {
			c.attribute(&one.attributes, l.AttributeSpecifierList)
			c.attribute(&one.attributes, n.AttributeSpecifierList)
			if n.Asm != nil {
				c.fail(c.pos(n.Asm), asmHint, "inline assembly")
			}
			if v := c.initDeclarator(&one, n); v != nil {
				list = append(list, &tree.DeclStmt{At: tree.At{P: v.Pos}, Var: v})
			}
		}) {
			if _, ok := c.scope.names[n.Declarator.Name()].(*tree.Var); !ok {
				c.declare(n.Declarator.Name(), poison{})
			}
		}
	}
	return list
}

// initDeclarator declares one name; it returns the variable, if it is one.
func (c *checker) initDeclarator(s *specs, n *cc.InitDeclarator) *tree.Var {
	c.again(s, pointerOf(n.Declarator))
	c.misplaced(s)
	d := c.declarator(s, n.Declarator)
	switch {
	case s.typedef:
		c.typedef(s, d, n)
		return nil
	case d.t.Kind == tree.Function:
		if n.Initializer != nil {
			c.fail(d.pos, "", "a function has no initialiser")
		}
		if d.varArg && d.name == "printf" {
			return nil // what there is already; programs declare it that are compiled as C, too
		}
		c.prototype(s, d)
		return nil
	}
	return c.variable(s, d, n.Initializer)
}

// pointerOf returns the pointers of a declarator, nil if there is none.
func pointerOf(d *cc.Declarator) *cc.Pointer {
	if d == nil {
		return nil
	}
	return d.Pointer
}

func (c *checker) typedef(s *specs, d *declared, n *cc.InitDeclarator) {
	if n.Initializer != nil {
		c.fail(d.pos, "", "a typedef has no initialiser")
	}
	if old, ok := c.scope.names[d.name].(typedef); ok && old.t == d.t {
		return // allowed since C11
	}
	c.unused(d.name, d.pos)
	if r := d.t.Record; r != nil && r.Name == "" {
		r.Name = d.name
	}
	align := s.alignmentOf(d.t)
	if align != 0 && align < d.t.Align() {
		c.fail(d.pos, "Pack the struct or the member that has it.", "%s has an alignment of %d, less than the %d of %s", d.name, align, d.t.Align(), d.t)
	}
	c.declare(d.name, typedef{t: d.t, quals: d.quals, space: d.space, wide: d.wide, align: align})
}

// variable declares a variable.
func (c *checker) variable(s *specs, d *declared, init *cc.Initializer) *tree.Var {
	v := &tree.Var{Name: d.name, Type: d.t, Quals: d.quals, Pos: d.pos}
	if c.fn != nil {
		v.Owner = c.fn.f
	}
	c.storageOf(v, s, d, init)
	if d.t.Kind == tree.Array && d.t.Len == tree.Unsized && init == nil && !s.extern {
		c.fail(d.pos, "Give it a length or an initialiser.", "the length of %s is unknown", d.name)
	}
	if d.t.Kind == tree.Void {
		c.fail(d.pos, "", "a variable of type void")
	}
	if d.t.Kind != tree.Array && !d.t.IsComplete() || d.t.Kind == tree.Array && !d.t.Elem.IsComplete() {
		c.fail(d.pos, "Declare its members first.", "a variable of type %s, whose size is unknown", d.t)
	}
	c.opaque(v, s, init)
	if old, ok := c.scope.names[d.name].(*tree.Var); ok && c.atTop() && old.Type == v.Type && old.Quals == v.Quals && (old.Init == nil || init == nil) {
		v = old // declared twice at program scope
	} else {
		c.unused(d.name, d.pos)
		c.declare(d.name, v)
		if v.Storage == tree.Program {
			c.unit.Globals = append(c.unit.Globals, v)
		}
	}
	if init != nil {
		c.initialise(v, init)
	} else if v.Storage == tree.Program && v.Quals.Space == tree.Constant && !s.extern {
		c.fail(d.pos, "", "%s is in __constant memory and has no initialiser", d.name)
	}
	return v
}

// storageOf says where a variable lives.
func (c *checker) storageOf(v *tree.Var, s *specs, d *declared, init *cc.Initializer) {
	space := d.quals.Space
	if d.t.Kind == tree.Sampler && !d.space {
		v.Storage = tree.Auto
		if c.fn == nil {
			v.Storage, v.Quals.Space = tree.Program, tree.Constant
		}
		return
	}
	if c.fn == nil {
		v.Storage = tree.Program
		switch {
		case !d.space && c.o.Std >= tree.CL20:
			v.Quals.Space = tree.Global
		case space == tree.Constant:
		case space == tree.Global && d.space && c.o.Std >= tree.CL20:
		case c.o.Std < tree.CL20:
			c.fail(d.pos, "Write __constant, or use -cl-std=CL2.0 for variables in global memory.", "a variable at program scope is in __constant memory")
		default:
			c.fail(d.pos, "Write __global or __constant, or declare it in a kernel.", "a variable at program scope is in %s memory", space)
		}
		return
	}
	if s.extern {
		c.fail(d.pos, "Declare it at program scope.", "extern in a function")
	}
	switch {
	case space == tree.Local:
		v.Storage = tree.Shared
		if !c.fn.f.Kernel || c.scope != c.fn.top {
			c.fail(d.pos, "Declare it in the kernel's outermost block, and hand a pointer to it on.", "__local memory is declared at the outermost scope of a kernel")
		}
		if init != nil {
			c.fail(d.pos, "Assign to it, and wait at a barrier.", "__local memory has no initialiser")
		}
		if s.static && c.o.Std < tree.CL20 {
			c.fail(d.pos, "", "static is not for __local memory")
		}
	case space == tree.Constant:
		v.Storage = tree.Program
		if c.o.Std < tree.CL20 && !(c.fn.f.Kernel && c.scope == c.fn.top) {
			c.fail(d.pos, "Declare it at program scope.", "__constant memory is declared at program scope or at the outermost scope of a kernel")
		}
	case s.static:
		if c.o.Std < tree.CL20 {
			c.fail(d.pos, "Use -cl-std=CL2.0, or declare it __constant.", "static in a function needs OpenCL C 2.0")
		}
		if d.space && space != tree.Global {
			c.fail(d.pos, "", "a static variable is in __global memory, not in %s", space)
		}
		v.Storage, v.Quals.Space = tree.Program, tree.Global
	case space == tree.Global || space == tree.Generic:
		c.fail(d.pos, "Without static a variable of a function is in __private memory.", "a variable of a function in %s memory", space)
	default:
		v.Storage = tree.Auto
	}
}

// opaque sees that variables of opaque types are where they may be.
func (c *checker) opaque(v *tree.Var, s *specs, init *cc.Initializer) {
	switch t := innermost(v.Type); t.Kind {
	case tree.Image, tree.Pipe:
		c.fail(v.Pos, "Make it an argument of the kernel.", "a variable of type %s", t)
	case tree.Sampler:
		if init == nil {
			c.fail(v.Pos, "", "a sampler without an initialiser")
		}
		if v.Type.Kind == tree.Array {
			c.fail(v.Pos, "", "an array of samplers")
		}
	case tree.Block:
		if v.Type.Kind == tree.Array {
			c.fail(v.Pos, "", "an array of blocks")
		}
		if init == nil {
			c.fail(v.Pos, "", "a block without an initialiser")
		}
		if s.extern {
			c.fail(v.Pos, "", "extern for a block")
		}
	case tree.Event, tree.Queue, tree.ClkEvent, tree.ReserveID, tree.NDRange:
		if v.Storage == tree.Program {
			c.fail(v.Pos, "Declare it in a function.", "a variable of type %s at program scope", t)
		}
	}
}

// prototype declares a function.
func (c *checker) prototype(s *specs, d *declared) *fun {
	if d.varArg {
		c.fail(d.pos, "Only printf takes a variable number of arguments.", "a function with variable arguments (...)")
	}
	if c.fn != nil && s.static {
		c.fail(d.pos, "", "static for a function that is declared in a function")
	}
	if k := d.t.Elem.Kind; k == tree.Image || k == tree.Sampler || k == tree.Pipe || k == tree.Block || k == tree.Event && false {
		c.fail(d.pos, "", "a function cannot return %s", d.t.Elem)
	}
	scope := c.scope
	for scope.parent != nil {
		scope = scope.parent
	}
	o, ok := scope.names[d.name].(*overloads)
	if !ok {
		if old, taken := scope.names[d.name]; taken {
			if _, ok := old.(poison); !ok {
				c.fail(d.pos, "", "%s is already declared, as something else", d.name)
			}
		}
		o = &overloads{}
		scope.names[d.name] = o
	}
	for _, old := range o.list {
		if c.sameParams(old.t, d.t) {
			if old.t != d.t {
				c.fail(d.pos, "", "%s is declared in line %d as %s", d.name, old.pos.Line, old.t)
			}
			old.kernel = old.kernel || s.kernel
			old.overloadable = old.overloadable || s.overloadable
			c.mergeAttributes(old, s)
			return old
		}
		if !old.overloadable && !s.overloadable {
			c.fail(d.pos, "Functions of one name need __attribute__((overloadable)).", "%s is declared in line %d as %s", d.name, old.pos.Line, old.t)
		}
		if !old.overloadable || !s.overloadable {
			// clang wants it on all of them but one
			continue
		}
	}
	f := &fun{name: d.name, t: d.t, pos: d.pos, overloadable: s.overloadable, kernel: s.kernel, attrs: &attributes{}, calls: map[*fun]tree.Pos{}, later: map[*fun]bool{}}
	f.f = &tree.Func{Name: d.name, Result: d.t.Elem, Overload: len(o.list), Pos: d.pos}
	c.mergeAttributes(f, s)
	o.list = append(o.list, f)
	c.funcs = append(c.funcs, f)
	return f
}

func (c *checker) sameParams(a, b *tree.Type) bool {
	if len(a.Params) != len(b.Params) {
		return false
	}
	for i := range a.Params {
		if a.Params[i] != b.Params[i] {
			return false
		}
	}
	return true
}

// mergeAttributes takes in what one of the declarations of a function says.
func (c *checker) mergeAttributes(f *fun, s *specs) {
	if s.reqd != [3]int64{} {
		f.attrs.reqd = s.reqd
	}
	if s.hint != [3]int64{} {
		f.attrs.hint = s.hint
	}
	if s.subGroup != 0 {
		f.attrs.subGroup = s.subGroup
	}
}

// functionDefinition checks a function with its body.
func (c *checker) functionDefinition(ds *cc.DeclarationSpecifiers, d *cc.Declarator, body *cc.CompoundStatement, old *cc.DeclarationList) {
	if old != nil {
		c.fail(c.pos(old), "Write the types of the parameters between the parentheses.", "this is a function declaration of C before C89")
	}
	if c.fn != nil {
		c.fail(c.pos(d), "Define it at program scope.", "a function cannot be defined in a function")
	}
	s := c.specifiers(ds)
	out := c.declarator(s, d)
	if out.t.Kind != tree.Function {
		c.fail(out.pos, "", "%s is not a function", out.name)
	}
	fun := c.prototype(s, out)
	if fun.defined {
		c.fail(out.pos, "", "%s is defined in line %d already", fun.name, fun.f.Pos.Line)
	}
	fun.defined = true
	f := fun.f
	f.Pos, f.Kernel = out.pos, fun.kernel
	f.ReqdWorkGroupSize, f.WorkGroupSizeHint, f.ReqdSubGroupSize = fun.attrs.reqd, fun.attrs.hint, fun.attrs.subGroup
	if out.t.Elem.Kind != tree.Void && !out.t.Elem.IsComplete() {
		c.fail(out.pos, "", "%s returns %s, which is declared but not defined", fun.name, out.t.Elem)
	}
	if f.Kernel {
		c.kernel(fun, out)
	}
	fn := &function{f: f, fun: fun, result: f.Result, labels: map[string]*label{}}
	c.fn = fn
	defer c.push()()
	defer func() { c.fn = nil }()
	fn.top = c.scope
	c.params(f, out.params)
	f.Body = c.compound(body, false)
	c.endFunction(fn)
}

// params declares the parameters of a function or block.
func (c *checker) params(f *tree.Func, list []*param) {
	for _, p := range list {
		v := &tree.Var{Name: p.name, Type: p.t, Quals: p.quals, Storage: tree.Param, Pos: p.pos, Owner: f}
		v.Quals.Space = tree.Private
		f.Params = append(f.Params, v)
		if p.name != "" {
			c.unused(p.name, p.pos)
			c.declare(p.name, v)
		}
	}
}

// kernel checks what holds for kernels only.
func (c *checker) kernel(f *fun, d *declared) {
	if f.t.Elem.Kind != tree.Void {
		c.fail(d.pos, "Write through a pointer.", "a kernel must return void, not %s", f.t.Elem)
	}
	if len(d.params) > maxParams {
		c.fail(d.params[maxParams].pos, "Devices need take 1,024 bytes of arguments only (CL_DEVICE_MAX_PARAMETER_SIZE).", "kernel %s has %d parameters; clmc takes up to %d", f.name, len(d.params), maxParams)
		return
	}
	for _, p := range d.params {
		if p.wide {
			c.fail(p.pos, "Write ulong or uint.", "an argument of a kernel whose size depends on the device")
		}
		c.kernelParam(p.t, p.pos)
	}
}

func (c *checker) kernelParam(t *tree.Type, pos tree.Pos) {
	switch t.Kind {
	case tree.Bool:
		c.fail(pos, "Write int or uchar.", "an argument of a kernel of type bool")
	case tree.Event, tree.ClkEvent, tree.ReserveID, tree.NDRange, tree.Block, tree.Atomic:
		c.fail(pos, "", "an argument of a kernel of type %s", t)
	case tree.Pointer:
		switch t.To.Space {
		case tree.Private, tree.Generic:
			c.fail(pos, "Write __global, __local or __constant before the type.", "an argument of a kernel points to __global, __local or __constant memory")
		}
		if t.Elem.Kind == tree.Pointer && c.o.Std < tree.CL20 {
			c.fail(pos, "", "an argument of a kernel that points to pointers needs OpenCL C 2.0")
		}
		switch innermost(t.Elem).Kind {
		case tree.Bool, tree.Image, tree.Sampler, tree.Event, tree.Queue, tree.ClkEvent, tree.Block:
			c.fail(pos, "", "an argument of a kernel that points to %s", t.Elem)
		}
	case tree.Struct, tree.Union:
		c.plainData(t, pos)
	}
}

// plainData sees that a record has no pointers and the like.
func (c *checker) plainData(t *tree.Type, pos tree.Pos) {
	for _, f := range t.Record.Fields {
		switch e := innermost(f.Type); e.Kind {
		case tree.Pointer, tree.Bool:
			c.fail(pos, "", "an argument of a kernel of type %s, whose member %s is of type %s", t, f.Name, f.Type)
		case tree.Struct, tree.Union:
			c.plainData(e, pos)
		}
	}
}
