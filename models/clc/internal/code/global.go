package code

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// globalObject adds an object of n elements of type t to the memory that all share.
func (p *program) globalObject(name string, at tree.Pos, t *tree.Type, n int, kind memmodel.Kind) *object {
	layout := p.layout(t)
	if n != 1 {
		layout = &ir.Layout{Elem: layout, Len: n}
	}
	cells := layout.Cells()
	o := &object{typ: t, layout: layout, cells: cells, name: name}
	o.addr = p.p.Global(ir.Object{Name: name, Pos: p.pos(at), Region: memmodel.Global, Kind: kind, Layout: layout, Init: make([]int64, cells)})
	o.index = len(p.p.Objects) - 1
	return o
}

// declareGlobals gives the variables of program scope their memory and initial values.
func (p *program) declareGlobals() {
	for _, v := range p.src.Globals {
		if n := p.size(v.Type); n > maxCells {
			p.fault(v.Pos, "make it smaller", "%s takes more than %d cells", v.Name, maxCells)
			continue
		}
		kind := memmodel.ProgramScope
		if v.Quals.Space == tree.Constant {
			kind = memmodel.Buffer
		}
		p.globals[v] = p.globalObject(v.Name, v.Pos, v.Type, 1, kind)
	}
	if p.failed() {
		return
	}
	// Initialisers are computed by code that never runs: its stores leave the values.
	u := &unit{program: p, Func: p.p.NewInit(), sites: map[string]tree.Expr{}, launch: &Launch{Dim: 1, Global: ones, Local: ones}}
	f := &frame{unit: u, vars: map[*tree.Var]*variable{}, gotos: findGotos(&tree.BlockStmt{})}
	for _, v := range p.src.Globals {
		if o := p.globals[v]; o != nil {
			u.objects = append(u.objects, o)
		}
	}
	for _, v := range p.src.Globals {
		if v.Init != nil {
			f.mark(v.Pos)
			f.initialise(&place{typ: v.Type, name: v.Name, shared: true, ptr: f.pointer(p.globals[v]), offs: f.offsets(v.Type)}, v.Init)
		}
	}
	f.End()
	if p.failed() {
		return
	}
	memory, failed, ok := u.Evaluate()
	if !ok {
		at := p.p.Positions[failed]
		p.fault(tree.Pos{File: at.File, Line: at.Line, Col: at.Col}, "write a constant", "the initial value cannot be computed")
		return
	}
	for _, v := range p.src.Globals {
		o := p.globals[v]
		init := p.p.Objects[o.index].Init
		for c := range init {
			init[c] = memory[o.addr+int64(c)]
		}
		o.fixed = v.Quals.Space == tree.Constant
	}
}

var ones = [3]int64{1, 1, 1}

// text returns the object that holds a string literal.
func (p *program) text(x *tree.StringLit) *object {
	if o := p.strings[x.Value]; o != nil {
		return o
	}
	o := p.globalObject("string", x.Pos(), x.Type(), 1, memmodel.Buffer)
	init := p.p.Objects[o.index].Init
	for i := range min(len(x.Value), len(init)) {
		init[i] = int64(int8(x.Value[i]))
	}
	o.fixed = true
	p.strings[x.Value] = o
	return o
}
