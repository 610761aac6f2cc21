package load

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// lowering is the program under construction. What is made of SSA form here, package
// lower makes small and lays out.
type lowering struct {
	*model
	shapes
	p   *lower.Program
	pkg *ssa.Package
	// the text of what an operator or bracket that stands at a position applies to
	operands   map[token.Pos]string
	pointedTo  map[token.Pos]bool       // the stars of &*p
	literals   map[string]*ssa.Function // function literals, by the names that they were given
	starts     map[token.Pos]token.Pos  // where the expression starts whose operator or bracket stands at a position
	globals    map[*ssa.Global]int64    // addresses
	fixed      map[*ssa.Global][]int64  // values of variables that only their initialisers set
	owners     map[token.Pos]bool       // allocations of the host seen so far
	onStack    []extent                 // host variables that commands reach
	kernels    map[string]int           // functions already lowered as kernels
	embeddings []*clc.Embedding
	embedded   map[*types.Var][]*clc.Kernel // the kernels of //cl:program variables, by field
	cyclic     map[*ssa.BasicBlock]bool     // whether blocks lie on a cycle, as far as asked
	subBuffers bool                         // the model has sub-buffers
	late       []anyInput                   // what is decided late
	asked      []asked                      // what is asked of executions
}

// build turns a type-checked model into a program. The program is complete
// unless faults were reported. With kernel files it is made twice: the first time tells how they see memory.
func build(m *model, pkg *ssa.Package) *ir.Program {
	l := m.lower(pkg)
	if len(l.embeddings) > 0 && !l.failed() {
		for _, e := range l.embeddings {
			if err := e.Learn(); err != nil {
				l.refused(token.NoPos, err)
			}
		}
		if !l.failed() {
			l = m.lower(pkg)
		}
	}
	switch {
	case l.failed():
	case len(l.late) > 0:
		l.finishLate()
		if l.failed() {
			return nil
		}
	case len(l.embeddings) > 0:
		l.p.FinishSliced(m.opt.KeepValues)
	default:
		l.p.Finish()
	}
	l.p.TakeWritten()
	return l.p.Program
}

// lower makes the code of a program.
func (m *model) lower(pkg *ssa.Package) *lowering {
	l := &lowering{model: m, shapes: shapes{map[types.Type][]leaf{}}, pkg: pkg,
		p: lower.NewProgram(m.name), starts: map[token.Pos]token.Pos{}, operands: map[token.Pos]string{}, pointedTo: map[token.Pos]bool{}, literals: map[string]*ssa.Function{},
		globals: map[*ssa.Global]int64{}, fixed: map[*ssa.Global][]int64{}, owners: map[token.Pos]bool{},
		kernels: map[string]int{}, embedded: map[*types.Var][]*clc.Kernel{}, cyclic: map[*ssa.BasicBlock]bool{}}
	for _, s := range m.sources {
		l.p.Sources = append(l.p.Sources, ir.Source{Name: s.name, Text: string(s.text)})
		l.subBuffers = l.subBuffers || bytes.Contains(s.text, []byte("CreateSubBuffer"))
	}
	l.findStarts()
	l.findOperands()
	l.declareGlobals()
	l.initGlobals()
	if !l.embedPrograms() {
		return l
	}
	host := l.newFunc("host", m.pkg.Scope().Lookup("main").Pos(), inHost)
	l.inputs(host)
	host.run(&closure{fn: pkg.Func("main")}, nil)
	l.p.Constants = m.settable()
	l.p.SubGroupSize, l.p.LegacyScope, l.p.Unwritten = m.subGroupSize, m.opt.legacyScope(), m.opt.Unwritten
	l.p.Threads = []ir.Thread{{Name: "host", Func: host.Number(), Place: memmodel.Place{Host: true}}}
	return l
}

// unit is one function of the program under construction: the host thread or a
// kernel, with everything that it calls.
type unit struct {
	*lowering
	*lower.Func
	where context // which built-ins it may call
	// spawned: a host thread that a go statement starts, perhaps several times.
	spawned  bool
	callback bool // a callback, which may not wait
	locals   map[token.Pos]int32
	in       int32 // the inlined call whose code is being lowered, as ir.Pos.Call
}

func (l *lowering) newUnit(f *lower.Func, where context) *unit {
	return &unit{lowering: l, Func: f, where: where, locals: map[token.Pos]int32{}}
}

// newFunc adds a function to the program.
func (l *lowering) newFunc(name string, pos token.Pos, where context) *unit {
	return l.newUnit(l.p.NewFunc(name, l.posIn(pos, 0)), where)
}

// run lowers a function that the unit starts with.
func (u *unit) run(c *closure, free []value, args ...value) {
	f := &frame{unit: u, fn: c.fn, free: free, args: args, env: map[ssa.Value]value{}, numbered: map[int]int32{}}
	u.At = u.pos(c.fn.Pos())
	if c.fn.Blocks == nil {
		u.errorf(c.fn.Pos(), "give the function a body", "%s has no body", c.fn.Name())
		u.End()
		return
	}
	f.body()
	if s := c.fn.Syntax(); s != nil {
		u.At = u.pos(s.End() - 1) // the closing brace
	}
	u.End()
	if u.Full() {
		u.errorf(c.fn.Pos(), "make the model smaller: all calls are inlined",
			"%s is too large: more than %d instructions", c.fn.Name(), lower.MaxCode)
	}
}

// pos returns the index of a position in the code of the unit.
func (u *unit) pos(at token.Pos) int32 { return u.posIn(at, u.in) }

// posIn returns the index of a position in the code of an inlined call.
func (l *lowering) posIn(at token.Pos, call int32) int32 {
	if !at.IsValid() {
		return 0
	}
	if start, ok := l.starts[at]; ok {
		at = start
	}
	p := l.fset.PositionFor(at, false)
	return l.p.Position(ir.Pos{File: int32(l.fileIndex(p.Filename)), Line: int32(p.Line), Col: int32(p.Column), Call: call})
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
	return diag.Location(p)
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
