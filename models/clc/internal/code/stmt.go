package code

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// body lowers the function of the frame, whose parameters have been set.
func (f *frame) body() {
	f.gotos = findGotos(f.fn.Body)
	f.block(f.fn.Body)
	f.mark(f.fn.Body.End)
	if f.used && f.fn.Result.Kind != tree.Void { // the end of a function that should have returned
		f.mustBeWritten(f.Constant(0), "the result of "+f.fn.Name)
	}
	f.Jump(f.ret)
	f.Enter(f.ret)
}

func (f *frame) block(b *tree.BlockStmt) {
	defer f.upTo(b.End.Line)()
	f.enterBlock(b)
	for _, s := range b.List {
		f.stmt(s)
	}
}

func (f *frame) stmt(s tree.Stmt) {
	if f.Full() {
		return
	}
	f.at = f.numberOf(s)
	f.mark(s.Pos())
	f.Pass()
	switch s := s.(type) {
	case *tree.BlockStmt:
		f.block(s)
	case *tree.DeclStmt:
		f.declaration(s.Var)
	case *tree.ExprStmt:
		f.effect(s.X)
	case *tree.If:
		f.ifStmt(s)
	case *tree.While:
		f.loop(s, nil, s.Cond, nil, s.Body, false)
	case *tree.DoWhile:
		f.loop(s, nil, s.Cond, nil, s.Body, true)
	case *tree.For:
		last := s.Body.Pos().Line
		if b, ok := s.Body.(*tree.BlockStmt); ok {
			last = b.End.Line
		}
		defer f.upTo(last)()
		for _, i := range s.Init {
			f.stmt(i)
		}
		f.loop(s, s.Init, s.Cond, s.Post, s.Body, false)
	case *tree.Switch:
		f.switchStmt(s)
	case *tree.Case:
		f.passTo(f.gotos.caseBlock(s))
	case *tree.Label:
		f.passTo(f.gotos.labelBlock(s))
	case *tree.Goto:
		if n, ok := f.gotos.back(s); ok {
			f.BeginRound(f.gotoLoop(n))
		}
		f.jumpInto(s)
		f.Jump(f.gotos.labelBlock(s.To))
	case *tree.Break:
		f.Jump(f.jumps[len(f.jumps)-1].leave)
	case *tree.Continue:
		for i := len(f.jumps) - 1; i >= 0; i-- {
			if f.jumps[i].next != nil {
				f.Jump(f.jumps[i].next)
				break
			}
		}
	case *tree.Return:
		f.returnStmt(s)
	case *tree.Empty:
	default:
		f.notYet(s.Pos(), "this statement")
	}
}

// passTo ends the current block at a label.
func (f *frame) passTo(b *lower.Block) {
	f.Jump(b)
	f.Enter(b)
}

func (f *frame) declaration(v *tree.Var) {
	if v.Storage != tree.Auto {
		return
	}
	if v.Type.Kind == tree.Block && v.Init != nil {
		if b := f.blockOf(v.Init); b != nil {
			f.blocks[v] = b
		}
		return
	}
	early := f.gotos.lives.early[v] || names(v.Init, v)
	if v.Init != nil && f.isGiven(v.Init) {
		f.given[v] = true
	}
	if early {
		f.unset(f.ofVariable(f.declare(v), v.Name))
	}
	switch v.Init.(type) {
	case nil, *tree.InitList, *tree.StringLit:
	default:
		if v.Type.Kind != tree.Atomic && !early {
			f.full(v.Init, func() { f.bind(v, f.expr(v.Init)) })
			return
		}
	}
	x := f.declare(v)
	p := f.ofVariable(x, v.Name)
	if v.Init != nil {
		f.full(v.Init, func() { f.initialise(p, v.Init) })
		return
	}
	f.unset(p)
}

// manyCells is the number of cells from which on a loop sets them.
const manyCells = 32

// unset makes a place one that has never been written.
func (f *frame) unset(p *place) {
	none := ir.Unwritten
	if f.p.Unwritten == ir.IndeterminateAny {
		none = 0
	}
	f.fill(p, f.Constant(none))
}

// fill sets all that a place has to one value: 0, or unwritten. Memory that is not private holds zeros already.
func (f *frame) fill(p *place, v int32) {
	for _, r := range p.regs {
		f.Move(r, v)
	}
	if p.regs != nil {
		f.noted(p.of)
	}
	base, ok := f.Known(f.first(p))
	if p.regs != nil || !ok || base&ir.SegMask != ir.SegPrivate {
		return
	}
	o := f.objectAt(base)
	off, ok := f.Known(p.ptr[ptrOff])
	if o == nil || !ok {
		return
	}
	from := int(off) + p.start
	var cells []int64
	for n := range o.cells {
		c := o.grid.cells[n%len(o.grid.cells)]
		at := n/len(o.grid.cells)*o.grid.period + c.off
		if at >= from && at+c.bytes <= from+f.size(p.typ) {
			cells = append(cells, o.addr+int64(n))
		}
	}
	if n := len(cells); n >= manyCells && cells[n-1] == cells[0]+int64(n-1) {
		f.Repeat(f.Constant(int64(n)), func(i int32) {
			f.Store(ir.I64, f.Bin(ir.Add, ir.Ptr, f.Constant(cells[0]), i), v)
		})
		return
	}
	for _, addr := range cells {
		if r, ok := f.register(f.Constant(addr)); ok {
			f.Move(r, v)
		}
	}
}

// first returns the address of the object that a place is in, or none.
func (f *frame) first(p *place) int32 {
	if len(p.ptr) != ptrParts {
		return f.Constant(0)
	}
	return p.ptr[ptrBase]
}

// initialise sets a place to what an initialiser says.
func (f *frame) initialise(p *place, x tree.Expr) {
	switch x := x.(type) {
	case *tree.InitList:
		f.initList(p, x)
	case *tree.StringLit:
		f.fill(p, f.Constant(0))
		for i := range min(len(x.Value), len(p.offs)) {
			f.write(f.part(p, i, p.typ.Elem), value{f.Constant(int64(int8(x.Value[i])))})
		}
	default:
		if p.typ.Kind == tree.Atomic {
			f.put(p, f.expr(x))
			return
		}
		f.write(p, f.expr(x))
	}
}

// put writes one scalar to a place of one cell, whatever its type.
func (f *frame) put(p *place, v value) {
	q := *p
	if q.typ.Kind == tree.Atomic {
		q.typ = q.typ.Elem
	}
	f.write(&q, v)
}

func (f *frame) initList(p *place, x *tree.InitList) {
	t := x.Type()
	n := len(f.leaves(t))
	covered := 0
	for _, e := range x.Elems {
		if e != nil {
			covered++
		}
	}
	if whole := int64(covered); t.Kind == tree.Array && whole < t.Len || t.Kind == tree.Struct && covered < len(t.Record.Fields) ||
		t.Kind == tree.Union && n > 0 {
		f.fill(p, f.Constant(0))
	}
	for i, e := range x.Elems {
		if e == nil {
			continue
		}
		at, elem := 0, t
		switch t.Kind {
		case tree.Array:
			elem = t.Elem
			at = i * f.size(elem)
		case tree.Struct:
			elem = t.Record.Fields[i].Type
			at = f.member(t, i)
		case tree.Union:
			elem = t.Record.Fields[x.Field].Type
		case tree.Vector:
			elem, at = t.Elem, i
		}
		if t.Kind == tree.Vector {
			f.initialise(f.someLanes(p, []int{at}, elem), e)
			continue
		}
		f.initialise(f.part(p, at, elem), e)
	}
}

func (f *frame) ifStmt(s *tree.If) {
	yes, no, done := lower.NewBlock(), lower.NewBlock(), lower.NewBlock()
	f.fullBranch(s.Cond, yes, no)
	f.Enter(yes)
	f.stmt(s.Then)
	f.Jump(done)
	f.Enter(no)
	if s.Else != nil {
		f.stmt(s.Else)
	}
	f.Jump(done)
	f.Enter(done)
}

// loop lowers a loop of any kind, of which some parts may be missing.
func (f *frame) loop(s tree.Stmt, init []tree.Stmt, cond, post tree.Expr, body tree.Stmt, bodyFirst bool) {
	at := f.numberOf(s)
	l := loop{f.NewLoop(), at}
	f.loops = append(f.loops, l)
	head, round, next, leave := lower.NewBlock(), lower.NewBlock(), lower.NewBlock(), lower.NewBlock()
	f.jumps = append(f.jumps, jump{leave, next})
	if bodyFirst {
		f.Jump(round)
	} else {
		f.Jump(head)
	}
	f.Enter(head)
	f.at = at
	if cond != nil {
		f.fullBranch(cond, round, leave)
	} else {
		f.Jump(round)
	}
	f.Enter(round)
	f.BeginRound(l.number)
	f.stmt(body)
	f.Jump(next)
	f.Enter(next)
	if post != nil {
		f.at = at
		f.effect(post)
	}
	f.at = at
	f.Jump(head)
	f.Enter(leave)
	f.jumps = f.jumps[:len(f.jumps)-1]
	f.loops = f.loops[:len(f.loops)-1]
}

func (f *frame) switchStmt(s *tree.Switch) {
	var x int32
	f.full(s.X, func() { x = f.Copy(f.expr(s.X).one()) })
	t := scalar(s.X.Type())
	f.jumpInto(s)
	leave := lower.NewBlock()
	f.jumps = append(f.jumps, jump{leave: leave})
	otherwise := leave
	for _, c := range s.Cases {
		b := f.gotos.caseBlock(c)
		if c.Default {
			otherwise = b
			continue
		}
		f.mark(c.Pos())
		hit := f.Bin(ir.Eq, t, x, f.Constant(c.Lo))
		if c.Lo != c.Hi {
			hit = f.Bin(ir.And, ir.Bool, f.Bin(ir.Ge, t, x, f.Constant(c.Lo)), f.Bin(ir.Le, t, x, f.Constant(c.Hi)))
		}
		miss := lower.NewBlock()
		if f.isGiven(s.X) {
			f.BranchGiven(hit, b, miss)
		} else {
			f.Branch(hit, b, miss)
		}
		f.Enter(miss)
	}
	f.Jump(otherwise)
	f.Enter(lower.NewBlock()) // what comes before the first label is not reached
	f.stmt(s.Body)
	f.Jump(leave)
	f.Enter(leave)
	f.jumps = f.jumps[:len(f.jumps)-1]
}

func (f *frame) returnStmt(s *tree.Return) {
	if s.X != nil {
		f.full(s.X, func() {
			if v := f.expr(s.X); len(v) == len(f.result) {
				f.Parallel(f.result, v)
			}
		})
	}
	f.Jump(f.ret)
}

// effect evaluates a full expression for what it does.
func (f *frame) effect(x tree.Expr) {
	f.drop(x)
	f.full(x, func() { f.expr(x) })
}

// full evaluates a full expression: do does.
func (f *frame) full(x tree.Expr, do func()) {
	was := f.busy
	f.busy = assigned(x, was)
	do()
	f.busy = was
}

// fullBranch branches on a full expression.
func (f *frame) fullBranch(x tree.Expr, yes, no *lower.Block) {
	f.full(x, func() { f.branch(x, yes, no) })
}

// branch ends the block: at yes if x is not zero, at no if it is.
func (f *frame) branch(x tree.Expr, yes, no *lower.Block) {
	switch x := x.(type) {
	case *tree.Unary:
		if x.Op == tree.Not && x.Type().Kind != tree.Vector {
			f.branch(x.X, no, yes)
			return
		}
	case *tree.Logic:
		if x.Type().Kind == tree.Vector {
			break
		}
		more := lower.NewBlock()
		if x.Or {
			f.branch(x.X, yes, more)
		} else {
			f.branch(x.X, more, no)
		}
		f.Enter(more)
		f.branch(x.Y, yes, no)
		return
	case *tree.Convert:
		if x.Type().IsInteger() && x.X.Type().IsInteger() && x.Type().Size() >= x.X.Type().Size() {
			f.branch(x.X, yes, no)
			return
		}
	}
	c := f.truth(f.expr(x), x.Type())
	f.mark(x.Pos())
	if f.isGiven(x) {
		f.BranchGiven(c, yes, no)
		return
	}
	f.Branch(c, yes, no)
}

// isGiven reports whether an expression names what the launch gives, or what is made of that where it is declared.
func (f *frame) isGiven(x tree.Expr) (given bool) {
	tree.Walk(x, func(n any) {
		if ref, ok := n.(*tree.VarRef); ok {
			given = given || f.given[ref.Var]
		}
	})
	return given
}

// truth returns an operand that is not zero if v is.
func (f *frame) truth(v value, t *tree.Type) int32 {
	switch {
	case len(v) == 0:
		return f.Constant(0)
	case t.IsFloating():
		return f.Bin(ir.Ne, scalar(t), v[0], f.Constant(0))
	}
	return v[0] // of a pointer, its object
}
