package litmus

import (
	"maps"
	"strconv"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

func threadName(n int) string { return "P" + strconv.Itoa(n) }

// function lowers one thread.
type function struct {
	*lowerer
	thread *thread
	out    *ir.Func
	params map[string]bool
	regs   map[string]int32 // named registers
	consts map[int64]int32  // operands of constants
	base   int32            // first temporary register
	temps  int32            // temporaries in use
	barriers
}

// function returns the code of a thread. Its registers are those that the
// thread names, then temporaries.
func (l *lowerer) function(t *thread) *ir.Func {
	f := &function{lowerer: l, thread: t, params: map[string]bool{}, regs: map[string]int32{}, consts: map[int64]int32{}}
	f.out = &ir.Func{Name: threadName(t.num), Pos: l.pos(t.pos)}
	for _, p := range t.params {
		f.params[p.name] = true
	}
	f.registers()
	f.initialise()
	f.block(t.body)
	f.observe()
	f.emit(t.pos, ir.Instr{Op: ir.OpEnd})
	f.out.RegNames = append(f.out.RegNames, make([]string, f.out.Regs-len(f.out.RegNames))...)
	return f.out
}

// registers allocates the registers that the thread or the initial block
// gives a value. Reading any other is an error.
func (f *function) registers() {
	walk(f.thread.body, func(s stmt) {
		if a, ok := s.(*assignStmt); ok {
			f.register(a.pos, a.name)
		}
	})
	for _, in := range f.file.init {
		if in.thread == f.thread.num {
			f.register(in.pos, in.name)
		}
	}
	f.barriers = barriers{labels: map[string]bool{}}
	f.base = int32(f.out.Regs)
}

func (f *function) register(p pos, name string) {
	if f.params[name] {
		f.hintf(p, "write *"+name+" = ...; to store to it", "%s is a location, not a register", name)
	}
	if _, ok := f.regs[name]; !ok {
		if len(f.regs) == maxNames {
			f.failf(p, "more than %d registers", maxNames)
		}
		f.regs[name] = f.newRegister(name)
	}
}

func (f *function) newRegister(name string) int32 {
	f.out.RegNames = append(f.out.RegNames, name)
	f.out.Regs++
	return int32(f.out.Regs - 1)
}

// temp returns an unused temporary register.
func (f *function) temp() int32 {
	r := f.base + f.temps
	f.temps++
	f.out.Regs = max(f.out.Regs, int(r)+1)
	return r
}

// initialise gives registers their values from the initial block.
func (f *function) initialise() {
	for _, in := range f.file.init {
		if in.thread == f.thread.num {
			f.emit(in.pos, ir.Instr{Op: ir.OpMove, Dst: f.regs[in.name], A: f.constant(in.value)})
		}
	}
}

// observe reports the registers of the outcome.
func (f *function) observe() {
	for _, v := range f.outcome {
		if v.thread != f.thread.num {
			continue
		}
		r, ok := f.regs[v.name]
		switch {
		case ok:
		case f.params[v.name]:
			f.hintf(v.pos, "name a location without its thread: "+v.name, "P%d has no register %s, only a location", v.thread, v.name)
		default:
			f.hintf(v.pos, nearest(v.name, keys(f.regs)), "P%d has no register %s", v.thread, v.name)
		}
		f.emit(v.pos, ir.Instr{Op: ir.OpObserve, A: r, Str: f.prog.Str(v.String())})
	}
}

// emit appends an instruction and returns its index.
func (f *function) emit(p pos, in ir.Instr) int {
	in.Pos = f.pos(p)
	f.out.Code = append(f.out.Code, in)
	return len(f.out.Code) - 1
}

// here returns the index of the next instruction.
func (f *function) here() int32 { return int32(len(f.out.Code)) }

// constant returns the operand of a constant.
func (f *function) constant(v int64) int32 {
	operand, ok := f.consts[v]
	if !ok {
		operand = ^int32(len(f.out.Consts))
		f.out.Consts = append(f.out.Consts, v)
		f.consts[v] = operand
	}
	return operand
}

// address returns the operand of a location's address. Locations are cells of
// the shared segment, in the order of their declaration.
func (f *function) address(p pos, name string) int32 {
	return f.constant(ir.SegShared | int64(f.location(p, name).object))
}

// location resolves the name of one of the thread's locations.
func (f *function) location(p pos, name string) *location {
	if _, ok := f.regs[name]; ok {
		f.failf(p, "%s is a register, not a location", name)
	}
	if !f.params[name] {
		f.hintf(p, nearest(name, keys(f.params)), "%s is not a parameter of P%d", name, f.thread.num)
	}
	return f.shared[name]
}

func (f *function) block(list []stmt) {
	for _, s := range list {
		f.temps = 0
		f.statement(s)
	}
}

func (f *function) statement(s stmt) {
	switch s := s.(type) {
	case *assignStmt:
		if s.value != nil {
			f.exprTo(f.regs[s.name], s.value)
		} else {
			f.emit(s.pos, ir.Instr{Op: ir.OpMove, Dst: f.regs[s.name], A: f.constant(0)})
		}
	case *storeStmt:
		value := f.operand(s.value)
		f.emit(s.pos, ir.Instr{Op: ir.OpStore, Type: ir.I32, Order: memmodel.NonAtomic, A: f.address(s.pos, s.loc), B: value})
	case *exprStmt:
		f.call(s.value.(*callExpr), s)
	case *ifStmt:
		f.ifElse(s)
	case *whileStmt:
		f.while(s)
	}
}

// ifElse lowers a conditional. A barrier's label may occur once in each arm.
func (f *function) ifElse(s *ifStmt) {
	branch := f.branch(s.cond)
	before := maps.Clone(f.labels)
	f.out.Code[branch].Target = f.here()
	f.block(s.then)
	if len(s.alt) == 0 {
		f.out.Code[branch].Else = f.here()
		return
	}
	jump := f.emit(s.cond.position(), ir.Instr{Op: ir.OpJump})
	f.out.Code[branch].Else = f.here()
	inThen := f.labels
	f.labels = before
	f.block(s.alt)
	maps.Copy(f.labels, inThen)
	f.out.Code[jump].Target = f.here()
}

// while lowers a loop: the condition is tested at its head.
func (f *function) while(s *whileStmt) {
	head := f.here()
	branch := f.branch(s.cond)
	f.out.Code[branch].Target = f.here()
	leave := f.enterLoop(s)
	f.block(s.body)
	leave()
	f.emit(s.pos, ir.Instr{Op: ir.OpJump, Target: head})
	f.out.Code[branch].Else = f.here()
}

// branch evaluates a condition and returns the branch to be completed.
func (f *function) branch(cond expr) int {
	f.temps = 0
	a := f.operand(cond)
	return f.emit(cond.position(), ir.Instr{Op: ir.OpBranch, A: a})
}

// walk visits all statements, outer ones first.
func walk(list []stmt, visit func(stmt)) {
	for _, s := range list {
		visit(s)
		switch s := s.(type) {
		case *ifStmt:
			walk(s.then, visit)
			walk(s.alt, visit)
		case *whileStmt:
			walk(s.body, visit)
		}
	}
}
