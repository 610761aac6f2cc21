package load

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

// loop is a loop of the source: a for statement, or what stands between a label and
// the last goto that leads back to it. The loops of a function are nested.
type loop struct{ from, to token.Pos }

// roundFunc is what a model calls where a loop begins a round. SSA form does not
// tell which loop a block belongs to, or which of two loops with one head goes
// round, so the syntax says so before it is lost. No source can spell the name.
const roundFunc = "·round"

// markRounds finds the loops of the model, and lets each say when it begins a
// round.
func (m *model) markRounds() {
	for _, f := range m.files {
		back := m.gotoLoops(f)
		astutil.Apply(f, nil, func(c *astutil.Cursor) bool {
			switch n := c.Node().(type) {
			case *ast.ForStmt:
				from := n.For
				if n.Init != nil {
					from = n.Init.End()
				}
				m.markBody(n.Body, loop{from, n.End()})
			case *ast.RangeStmt:
				m.markBody(n.Body, loop{n.Body.Pos(), n.End()})
			case *ast.BranchStmt:
				if i, ok := back[n]; ok {
					c.Replace(&ast.BlockStmt{Lbrace: n.Pos(), List: []ast.Stmt{beginRound(i), n}, Rbrace: n.End()})
				}
			}
			return true
		})
	}
}

func (m *model) markBody(body *ast.BlockStmt, l loop) {
	m.loops = append(m.loops, l)
	body.List = slices.Insert(body.List, 0, beginRound(len(m.loops)-1))
}

// beginRound returns the statement that begins a round of loop number i. It has no
// position, as it has none in the source.
func beginRound(i int) ast.Stmt {
	number := &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(i)}
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent(roundFunc), Args: []ast.Expr{number}}}
}

// declareRounds returns a file of a package that declares roundFunc.
func (m *model) declareRounds(pkg string) *ast.File {
	f, err := parser.ParseFile(m.fset, "", "package "+pkg+"\nfunc round(int) {}\n", parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	f.Decls[0].(*ast.FuncDecl).Name.Name = roundFunc
	return f
}

// gotoLoops finds the loops that goto statements make, and which of them each goto
// statement that leads back begins a round of.
func (m *model) gotoLoops(f *ast.File) map[*ast.BranchStmt]int {
	back := map[*ast.BranchStmt]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			m.gotoLoopsIn(n.List, back)
		case *ast.CaseClause:
			m.gotoLoopsIn(n.Body, back)
		}
		return true
	})
	return back
}

// gotoLoopsIn finds those whose labels stand in a list of statements. Of two that
// overlap, the one that begins first becomes the outer one.
func (m *model) gotoLoopsIn(list []ast.Stmt, back map[*ast.BranchStmt]int) {
	first := len(m.loops)
	for i, s := range list {
		for label, ok := s.(*ast.LabeledStmt); ok; label, ok = label.Stmt.(*ast.LabeledStmt) {
			l := loop{from: label.Pos()}
			for _, s := range list[i:] {
				for _, b := range gotosTo(label, s) {
					back[b] = len(m.loops)
					l.to = s.End()
				}
			}
			if l.to.IsValid() {
				m.loops = append(m.loops, l)
			}
		}
	}
	found := m.loops[first:]
	for i := len(found) - 1; i >= 0; i-- {
		for _, inner := range found[i+1:] { // in their order, each with those that it reaches into
			if inner.from < found[i].to {
				found[i].to = max(found[i].to, inner.to)
			}
		}
	}
}

// gotosTo returns the goto statements in s that lead back to a label.
func gotosTo(label *ast.LabeledStmt, s ast.Stmt) (list []*ast.BranchStmt) {
	ast.Inspect(s, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		if ok && b.Tok == token.GOTO && b.Label.Name == label.Label.Name && b.Pos() > label.Pos() {
			list = append(list, b)
		}
		_, inner := n.(*ast.FuncLit) // which has labels of its own
		return !inner
	})
	return list
}

// loopNumber returns the number, in the unit's function, of a loop of the model as this
// call of its function has it.
func (f *frame) loopNumber(i int) int32 {
	n, ok := f.numbered[i]
	if !ok {
		n = f.NewLoop()
		f.numbered[i] = n
	}
	return n
}

// around returns the numbers of the loops around a position in the function,
// outermost first, after those around the call of the function.
func (f *frame) around(at token.Pos) []int32 {
	list := slices.Clip(f.outer)
	s := f.fn.Syntax()
	if s == nil {
		return list
	}
	var in []int
	for i, l := range f.model.loops {
		if s.Pos() <= l.from && l.from <= at && at < l.to {
			in = append(in, i)
		}
	}
	slices.SortFunc(in, func(i, j int) int { return int(f.model.loops[i].from - f.model.loops[j].from) })
	for _, i := range in {
		list = append(list, f.loopNumber(i))
	}
	return list
}

// rounds returns what a meeting must know of the loops around it.
func (c *call) rounds() *ir.Rounds {
	if loops := c.around(c.pos); len(loops) > 0 {
		return &ir.Rounds{Loops: loops}
	}
	return nil
}

// beginRound lowers a call of roundFunc, and reports whether c is one.
func (f *frame) beginRound(c *ssa.Call) bool {
	fn, ok := c.Call.Value.(*ssa.Function)
	if !ok || fn.Name() != roundFunc {
		return false
	}
	if f.where == inKernel {
		i, _ := constant.Int64Val(c.Call.Args[0].(*ssa.Const).Value)
		f.BeginRound(f.loopNumber(int(i)))
	}
	return true
}
