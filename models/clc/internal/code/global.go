package code

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// globalObject adds an object to the memory that all share.
func (p *program) globalObject(key objectKey, name string, at tree.Pos, t *tree.Type, kind memmodel.Kind) *object {
	o := p.newObject(key, name, t)
	if p.sharedCells += o.cells; p.sharedCells > 2*maxCells {
		p.fault(at, "make the buffers smaller", "the memory of the program takes more than %d scalars, with %s of %d", 2*maxCells, name, o.cells)
		o.cells = 1
	}
	o.addr = p.p.Global(ir.Object{Name: name, Pos: p.pos(at), Region: memmodel.Global, Kind: kind, Layout: o.grid.layout(&p.shapes, t), Init: make([]int64, o.cells)})
	o.index = len(p.p.Objects) - 1
	p.shared = append(p.shared, o)
	return o
}

// declareGlobals gives the variables of program scope their memory and initial values.
func (p *program) declareGlobals() {
	for _, v := range p.src.Globals {
		if p.tooLarge(v.Type) {
			p.fault(v.Pos, "make it smaller", "%s takes more than %d cells", v.Name, maxCells)
			continue
		}
		kind := memmodel.ProgramScope
		if v.Quals.Space == tree.Constant {
			kind = memmodel.Buffer
		}
		p.globals[v] = p.globalObject(objectKey{what: v}, v.Name, v.Pos, v.Type, kind)
	}
	if p.failed() {
		return
	}
	if p.known == nil {
		p.initialValues()
	}
	for _, v := range p.src.Globals {
		o := p.globals[v]
		if m, ok := p.images[v]; ok {
			p.holdsPointers(v, m)
			p.pour(o, m)
		}
		o.fixed = v.Quals.Space == tree.Constant
	}
}

// initialValues computes initialisers, by code that never runs: its stores leave the values.
func (p *program) initialValues() {
	u := &unit{program: p, Func: p.p.NewInit(), sites: map[string]tree.Expr{}, launch: &Launch{Dim: 1, Global: ones, Local: ones},
		lin: map[int32]linear{}, rows: map[int32]*row{}, quiet: true}
	f := &frame{unit: u, vars: map[*tree.Var]*variable{}, given: map[*tree.Var]bool{}, blocks: map[*tree.Var]*blockValue{}, gotos: findGotos(&tree.BlockStmt{})}
	for _, v := range p.src.Globals {
		if o := p.globals[v]; o != nil {
			u.objects = append(u.objects, o)
		}
	}
	for _, v := range p.src.Globals {
		if v.Init != nil {
			f.mark(v.Pos)
			at := f.behind(f.pointer(p.globals[v]), v.Type)
			at.name, at.shared, at.align = v.Name, true, 0
			f.initialise(at, v.Init)
		}
	}
	f.End()
	if p.failed() {
		return
	}
	memory, failed, ok := u.Evaluate()
	if !ok {
		at := p.p.Positions[failed]
		p.fault(tree.Pos{File: at.File - p.first, Line: at.Line, Col: at.Col}, "write a constant", "the initial value cannot be computed")
		return
	}
	for _, v := range p.src.Globals {
		p.images[v] = p.capture(p.globals[v], memory)
	}
}

var ones = [3]int64{1, 1, 1}

// text returns the object that holds a string literal.
func (p *program) text(x *tree.StringLit) *object {
	if o := p.strings[x.Value]; o != nil {
		return o
	}
	o := p.globalObject(objectKey{what: x.Value}, "string", x.Pos(), x.Type(), memmodel.Buffer)
	m := newImage(o.bytes)
	copy(m.bytes, x.Value)
	p.pour(o, m)
	o.fixed = true
	p.strings[x.Value] = o
	p.literals = append(p.literals, x)
	return o
}
