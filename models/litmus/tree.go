package litmus

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Tree is what a test says, with its names resolved, for those that write it in another
// language.
type Tree struct {
	Name      string
	Locations []Location
	Threads   []Thread
	Outcome   []Variable // those of Test.Vars, in their order
}

// Location is a shared variable.
type Location struct {
	Name   string
	Local  bool // local memory; otherwise global
	Fine   bool // a fine-grained buffer with atomics
	Atomic bool // of type atomic_int
	Init   int64
}

// Thread is one P.
type Thread struct {
	Number    int
	Place     memmodel.Place
	Registers []Register
	Body      []Stmt
}

// Register is a private variable of a thread.
type Register struct {
	Name string
	Init int64
}

// Variable is a part of an outcome: a location, or a register of the thread of this index.
type Variable struct {
	Thread int // -1: a location
	Name   string
}

// A Stmt is a statement: *Assign, *Store, *Do, *If or *While.
type Stmt any

type (
	// Assign gives a register a value.
	Assign struct {
		Register string
		Value    Expr
	}
	// Store writes a location non-atomically.
	Store struct {
		Location string
		Value    Expr
	}
	// Do is an operation whose value, if any, is dropped.
	Do struct{ Call *Call }
	// If is a conditional.
	If struct {
		Cond       Expr
		Then, Else []Stmt
	}
	// While is a loop.
	While struct {
		Cond Expr
		Body []Stmt
	}
)

// An Expr is an expression: Number, Name, *Load, *Unary, *Binary or *Call.
type Expr any

type (
	// Number is a constant.
	Number int64
	// Name is a register.
	Name string
	// Load reads a location non-atomically.
	Load struct{ Location string }
	// Unary applies one of - ! ~.
	Unary struct {
		Op string
		X  Expr
	}
	// Binary applies an operator of C.
	Binary struct {
		Op   string
		X, Y Expr
	}
	// Call is an atomic operation, a fence or a barrier.
	Call struct {
		Op       ir.Op
		Alu      ir.Alu // of a read-modify-write
		Weak     bool
		SubGroup bool   // a barrier of the sub-group
		Location string // of an operation
		// Operand is what is stored or combined, or the desired value of a compare_exchange, whose expected value is Expected.
		Operand, Expected Expr
		Order, Fail       memmodel.Order // NonAtomic of atomic_init
		Scope             memmodel.Scope
		Flags             memmodel.Flags
		Label             string // identity of a barrier
	}
)

// Tree returns what the test says.
func (t *Test) Tree() *Tree {
	l := t.source
	out := &Tree{Name: t.Name}
	for _, o := range l.prog.Objects {
		loc := l.shared[o.Name]
		out.Locations = append(out.Locations, Location{Name: o.Name, Local: loc.region == regionLocal, Fine: loc.region == regionGlobalFGA,
			Atomic: o.Layout.Atomic, Init: o.Init[0]})
	}
	index := map[int]int{}
	for i, th := range l.threads {
		index[th.num] = i
		b := &treeBuilder{function: &function{lowerer: l, thread: th, params: map[string]bool{}}}
		for _, p := range th.params {
			b.params[p.name] = true
		}
		b.labels = map[string]bool{}
		out.Threads = append(out.Threads, Thread{Number: th.num, Place: l.prog.Threads[i].Place, Registers: l.registersOf(th), Body: b.block(th.body)})
	}
	for _, v := range l.outcome {
		i := -1
		if v.thread >= 0 {
			i = index[v.thread]
		}
		out.Outcome = append(out.Outcome, Variable{i, v.name})
	}
	return out
}

// registersOf lists the registers of a thread with what they begin with.
func (l *lowerer) registersOf(t *thread) (list []Register) {
	seen := map[string]int{}
	add := func(name string) int {
		if _, ok := seen[name]; !ok {
			seen[name] = len(list)
			list = append(list, Register{Name: name})
		}
		return seen[name]
	}
	walk(t.body, func(s stmt) {
		if a, ok := s.(*assignStmt); ok {
			add(a.name)
		}
	})
	for _, in := range l.init {
		if in.thread == t.num {
			list[add(in.name)].Init = in.value
		}
	}
	return list
}

// treeBuilder resolves the statements of a thread. What is wrong with them was found when the
// test was parsed.
type treeBuilder struct{ *function }

func (b *treeBuilder) block(list []stmt) (out []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *assignStmt:
			value := Expr(Number(0))
			if s.value != nil {
				value = b.expr(s.value)
			}
			out = append(out, &Assign{s.name, value})
		case *storeStmt:
			out = append(out, &Store{s.loc, b.expr(s.value)})
		case *exprStmt:
			c := b.call(s.value.(*callExpr))
			if c.Op == ir.OpBarrier {
				c.Label = b.identity(s.value.(*callExpr), s.label)
			}
			out = append(out, &Do{c})
		case *ifStmt:
			out = append(out, b.ifElse(s))
		case *whileStmt:
			out = append(out, &While{b.expr(s.cond), b.block(s.body)})
		}
	}
	return out
}

// ifElse resolves both arms. Labels of barriers may be the same in both.
func (b *treeBuilder) ifElse(s *ifStmt) Stmt {
	cond, then := b.expr(s.cond), b.block(s.then)
	before := b.labels
	b.labels = map[string]bool{}
	alt := b.block(s.alt)
	for name := range before {
		b.labels[name] = true
	}
	return &If{cond, then, alt}
}

func (b *treeBuilder) expr(x expr) Expr {
	switch x := x.(type) {
	case *numberExpr:
		return Number(x.value)
	case *nameExpr:
		return Name(x.name)
	case *loadExpr:
		return &Load{x.loc}
	case *unaryExpr:
		return &Unary{x.op, b.expr(x.x)}
	case *binaryExpr:
		return &Binary{x.op, b.expr(x.x), b.expr(x.y)}
	}
	return b.call(x.(*callExpr))
}

// call resolves an operation, as function.operation lowers it.
func (b *treeBuilder) call(c *callExpr) *Call {
	o := b.operationNamed(c)
	in := ir.Instr{Op: o.op}
	b.annotate(c, o, &in)
	out := &Call{Op: o.op, Alu: o.alu, Weak: o.weak, SubGroup: o.sub, Order: in.Order, Fail: in.FailOrder, Scope: in.Scope, Flags: in.Flags}
	if o.op != ir.OpFence && o.op != ir.OpBarrier {
		out.Location = c.args[0].(*nameExpr).name
	}
	switch o.op {
	case ir.OpStore, ir.OpRMW:
		out.Operand = b.expr(c.args[1])
	case ir.OpCmpXchg:
		out.Operand = b.expr(c.args[2])
		if n, ok := c.args[1].(*nameExpr); ok && b.params[n.name] {
			out.Expected = &Load{n.name}
		} else {
			out.Expected = b.expr(c.args[1])
		}
	}
	return out
}
