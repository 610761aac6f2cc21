package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// lowering is the program under construction.
type lowering struct {
	*model
	shapes
	p         *ir.Program
	pkg       *ssa.Package
	strings   map[string]int32
	positions map[ir.Pos]int32
	starts    map[token.Pos]token.Pos  // where the expression starts whose operator or bracket stands at a position
	globals   map[*ssa.Global]int64    // addresses
	fixed     map[*ssa.Global][]int64  // values of variables that only their initialisers set
	shared    int32                    // cells of the shared segment so far
	owners    map[token.Pos]bool       // allocations of the host seen so far
	kernels   map[string]int           // functions already lowered as kernels
	units     []*unit                  // by index in Program.Funcs
	cyclic    map[*ssa.BasicBlock]bool // whether blocks lie on a cycle, as far as asked
	legacy    map[ir.Type]bool         // types of cells that OpenCL 1.x atomics may access
}

// lower turns a type-checked model into a program. The program is complete
// unless faults were reported.
func lower(m *model, pkg *ssa.Package) *ir.Program {
	l := &lowering{model: m, shapes: shapes{map[types.Type][]leaf{}}, pkg: pkg,
		p:       &ir.Program{Name: m.name, Positions: []ir.Pos{{}}},
		strings: map[string]int32{}, positions: map[ir.Pos]int32{}, starts: map[token.Pos]token.Pos{},
		globals: map[*ssa.Global]int64{}, fixed: map[*ssa.Global][]int64{}, owners: map[token.Pos]bool{},
		kernels: map[string]int{}, legacy: map[ir.Type]bool{}, cyclic: map[*ssa.BasicBlock]bool{}}
	for _, s := range m.sources {
		l.p.Sources = append(l.p.Sources, ir.Source{Name: s.name, Text: string(s.text)})
	}
	l.findStarts()
	l.declareGlobals()
	l.initGlobals()
	host := l.newFunc("host", m.pkg.Scope().Lookup("main").Pos(), inHost)
	host.run(&closure{fn: pkg.Func("main")}, nil)
	l.p.SubGroupSize, l.p.LegacyScope = m.subGroupSize, m.opt.legacyScope()
	l.p.Threads = []ir.Thread{{Name: "host", Func: host.number, Place: memmodel.Place{Host: true}}}
	l.markLegacy()
	if !l.failed() {
		for _, u := range l.units {
			l.finish(u)
		}
	}
	return l.p
}

// newFunc adds a function to the program.
func (l *lowering) newFunc(name string, pos token.Pos, where context) *unit {
	l.p.Funcs = append(l.p.Funcs, &ir.Func{Name: name, Pos: l.pos(pos)})
	u := l.newUnit(len(l.p.Funcs)-1, where)
	l.units = append(l.units, u)
	return u
}

// run lowers a function that the unit starts with.
func (u *unit) run(c *closure, free []value, args ...value) {
	f := &frame{unit: u, fn: c.fn, free: free, args: args, env: map[ssa.Value]value{}, numbered: map[int]int32{}}
	u.at = u.pos(c.fn.Pos())
	f.body()
	if s := c.fn.Syntax(); s != nil {
		u.at = u.pos(s.End() - 1) // the closing brace
	}
	u.end()
	if u.count > maxCode {
		u.errorf(c.fn.Pos(), "make the model smaller: all calls are inlined",
			"%s is too large: more than %d instructions", c.fn.Name(), maxCode)
	}
}

// finish turns the unit's graph into the code of its function.
func (l *lowering) finish(u *unit) {
	f := l.p.Funcs[u.number]
	u.dropRounds()
	u.optimise()
	alloc := u.allocate()
	u.assign(alloc)
	f.Code = u.linearise()
	f.Consts = u.consts
	f.Regs, f.Private, f.Params = alloc.regs, int(u.private), len(u.params)
	f.RegNames = alloc.names
	addCopies(f)
	compactConsts(f)
}

// str returns the index of a string.
func (l *lowering) str(s string) int32 {
	if i, ok := l.strings[s]; ok {
		return i
	}
	i := int32(len(l.p.Strings))
	l.strings[s] = i
	l.p.Strings = append(l.p.Strings, s)
	return i
}

// pos returns the index of a position.
func (l *lowering) pos(at token.Pos) int32 {
	if !at.IsValid() {
		return 0
	}
	if start, ok := l.starts[at]; ok {
		at = start
	}
	p := l.fset.PositionFor(at, false)
	key := ir.Pos{File: int32(l.fileIndex(p.Filename)), Line: int32(p.Line), Col: int32(p.Column)}
	if i, ok := l.positions[key]; ok {
		return i
	}
	i := int32(len(l.p.Positions))
	l.positions[key] = i
	l.p.Positions = append(l.p.Positions, key)
	return i
}

func (l *lowering) fileIndex(name string) int {
	for i, s := range l.sources {
		if s.name == name {
			return i
		}
	}
	return 0
}

// fault reports a problem at the expression to which pos belongs.
func (l *lowering) fault(pos token.Pos, hint, format string, args ...any) {
	if start, ok := l.starts[pos]; ok {
		pos = start
	}
	l.errorf(pos, hint, format, args...)
}

// site returns a position as text, for the identity of barriers.
func (l *lowering) site(at token.Pos) string {
	if start, ok := l.starts[at]; ok {
		at = start
	}
	p := l.fset.PositionFor(at, false)
	p.Filename = filepath.Base(p.Filename)
	return location(p)
}

// findStarts maps the positions that SSA gives to calls, indexing and field
// selection, which are those of the bracket or name, to the start of the expression.
func (l *lowering) findStarts() {
	for _, f := range l.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				l.starts[n.Lparen] = n.Pos()
			case *ast.IndexExpr:
				l.starts[n.Lbrack] = n.Pos()
			case *ast.SliceExpr:
				l.starts[n.Lbrack] = n.Pos()
			case *ast.SelectorExpr:
				l.starts[n.Sel.Pos()] = n.Pos()
			}
			return true
		})
	}
}
