package check

import (
	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
)

// checker checks one program.
type checker struct {
	o        Options
	files    *files
	macros   map[string]*cc.Macro
	unit     *tree.Unit
	ts       *tree.Types
	found    diag.Diagnostics
	warnings diag.Diagnostics
	// oddPragmas are those that are refused, or unknown, of the last pass over the program.
	oddPragmas []oddPragma
	told       map[tree.Pos]bool
	at         tree.Pos // of the statement that is being checked
	depth      int      // of nested expressions

	values map[*tree.Var]tree.Expr // of constant variables; nil while it is worked out

	scope *scope
	fn    *function // the innermost function or block, nil at program scope
	funcs []*fun    // all functions, in order
}

// scope is what names mean, from a place on.
type scope struct {
	parent *scope
	names  map[string]any // *tree.Var, *overloads, typedef, *tree.Const (an enumerator), poison
	tags   map[string]*tag
	fn     *function // whose scope it is
}

// typedef is a name for a type.
type typedef struct {
	t     *tree.Type
	quals tree.Quals
	space bool // the space is given
	wide  bool // see namedType
	align int64
}

// poison is a name whose declaration is wrong.
type poison struct{}

// tag is a struct, union or enum by its tag.
type tag struct {
	kind    string
	t       *tree.Type
	pos     tree.Pos
	defined bool // also while its members are read
}

// overloads are the functions of one name.
type overloads struct {
	list []*fun
}

// fun is a function of the program.
type fun struct {
	name         string
	t            *tree.Type
	f            *tree.Func
	pos          tree.Pos
	overloadable bool
	defined      bool
	kernel       bool
	attrs        *attributes
	calls        map[*fun]tree.Pos // where first
	order        []*fun            // calls, in order
	later        map[*fun]bool     // those only from blocks, which may be executed later
}

// function is the function or block that is being checked.
type function struct {
	outer     *function // of a block
	f         *tree.Func
	fun       *fun
	block     *tree.BlockLit // nil for a function
	captured  map[*tree.Var]*tree.Var
	labels    map[string]*label
	top       *scope     // its outermost scope
	result    *tree.Type // nil: a block that does not say it, and has not returned yet
	hasGoto   bool
	hasSwitch bool
	switches  []*switching
	loops     int
	breaks    int
}

func newChecker(o Options, f *files) *checker {
	c := &checker{o: o, files: f, told: map[tree.Pos]bool{}, ts: &tree.Types{}, values: map[*tree.Var]tree.Expr{}}
	c.unit = &tree.Unit{Std: o.Std, Types: c.ts}
	c.scope = &scope{names: map[string]any{}, tags: map[string]*tag{}}
	return c
}

// push opens a scope and returns what closes it.
func (c *checker) push() func() {
	outer := c.scope
	c.scope = &scope{parent: outer, fn: c.fn}
	return func() { c.scope = outer }
}

// declare gives a name a meaning in the innermost scope.
func (c *checker) declare(name string, meaning any) {
	if c.scope.names == nil {
		c.scope.names = map[string]any{}
	}
	c.scope.names[name] = meaning
}

// lookup returns the meaning of a name and the scope that has it.
func (c *checker) lookup(name string) (any, *scope) {
	for s := c.scope; s != nil; s = s.parent {
		if m, ok := s.names[name]; ok {
			return m, s
		}
	}
	return nil, nil
}

// lookupTag returns what a tag means.
func (c *checker) lookupTag(name string) *tag {
	for s := c.scope; s != nil; s = s.parent {
		if t := s.tags[name]; t != nil {
			return t
		}
	}
	return nil
}

// atTop reports whether declarations are at program scope.
func (c *checker) atTop() bool { return c.scope.parent == nil }
