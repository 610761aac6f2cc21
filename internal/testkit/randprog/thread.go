package randprog

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Thread writes the code of one unit of execution.
type Thread struct {
	b      *Builder
	id     int
	named  bool // its observations are, by its function's name
	kernel bool // which many work-items may execute
	f      *ir.Func
	loaded []Val   // registers to observe, in order
	exits  []int32 // branches whose Else is the end of the thread
	quiet  bool    // nothing is observed unless asked for
	local  int64   // cells of local memory of its own
	loops  []int32 // the enclosing loops, outermost first
	looped int32   // loops so far
	breaks []int32 // branches whose Target is the end of the innermost loop
}

// Val is an operand: a register or a constant of the thread.
type Val int32

// Int returns the constant v.
func (t *Thread) Int(v int64) Val { return Val(^intern(&t.f.Consts, v)) }

// Addr returns the address of cell i of a variable.
func (t *Thread) Addr(v *Var, i int64) Val { return t.Int(v.addr + i) }

// Reg returns a new register.
func (t *Thread) Reg() Val {
	t.f.Regs++
	t.f.RegNames = append(t.f.RegNames, "")
	return Val(t.f.Regs - 1)
}

// Set assigns a value to a register.
func (t *Thread) Set(r, v Val) { t.emit(ir.Instr{Op: ir.OpMove, Dst: int32(r), A: int32(v)}) }

// Bin computes a binary operation.
func (t *Thread) Bin(op ir.Alu, x, y Val) Val {
	r := t.Reg()
	t.emit(ir.Instr{Op: ir.OpBin, Alu: op, Type: ir.I32, Dst: int32(r), A: int32(x), B: int32(y)})
	return r
}

// Elem computes the address of an element that a register selects.
func (t *Thread) Elem(v *Var, index Val) Val {
	r := t.Reg()
	t.emit(ir.Instr{Op: ir.OpBin, Alu: ir.Add, Type: ir.Ptr, Dst: int32(r), A: int32(t.Addr(v, 0)), B: int32(index)})
	return r
}

// Load reads a variable, atomically unless the order is NonAtomic. The result
// is observed.
func (t *Thread) Load(v *Var, o memmodel.Order, s memmodel.Scope) Val {
	return t.LoadAt(t.Addr(v, 0), o, s)
}

// LoadAt is Load from an address.
func (t *Thread) LoadAt(addr Val, o memmodel.Order, s memmodel.Scope) Val {
	r := t.observed()
	t.LoadInto(r, addr, o, s)
	return r
}

// LoadInto is LoadAt into a given register, which is not observed.
func (t *Thread) LoadInto(r, addr Val, o memmodel.Order, s memmodel.Scope) {
	t.emit(ir.Instr{Op: ir.OpLoad, Type: ir.I32, Order: o, Scope: s, Dst: int32(r), A: int32(addr)})
}

// Store writes a variable, atomically unless the order is NonAtomic.
func (t *Thread) Store(v *Var, x Val, o memmodel.Order, s memmodel.Scope) {
	t.StoreAt(t.Addr(v, 0), x, o, s)
}

// StoreAt is Store to an address.
func (t *Thread) StoreAt(addr, x Val, o memmodel.Order, s memmodel.Scope) {
	t.emit(ir.Instr{Op: ir.OpStore, Type: ir.I32, Order: o, Scope: s, A: int32(addr), B: int32(x)})
}

// Read is a non-atomic Load.
func (t *Thread) Read(v *Var) Val { return t.Load(v, memmodel.NonAtomic, memmodel.ScopeWorkItem) }

// Write is a non-atomic Store.
func (t *Thread) Write(v *Var, x Val) { t.Store(v, x, memmodel.NonAtomic, memmodel.ScopeWorkItem) }

// RMW is an atomic fetch-and-op. The old value is observed.
func (t *Thread) RMW(op ir.Alu, v *Var, x Val, o memmodel.Order, s memmodel.Scope) Val {
	r := t.observed()
	t.RMWInto(r, op, v, x, o, s)
	return r
}

// RMWInto is RMW into a given register, which is not observed.
func (t *Thread) RMWInto(r Val, op ir.Alu, v *Var, x Val, o memmodel.Order, s memmodel.Scope) {
	t.RMWAt(r, op, t.Addr(v, 0), x, o, s)
}

// RMWAt is RMWInto at an address.
func (t *Thread) RMWAt(r Val, op ir.Alu, addr, x Val, o memmodel.Order, s memmodel.Scope) {
	t.emit(ir.Instr{Op: ir.OpRMW, Alu: op, Type: ir.I32, Order: o, Scope: s, Dst: int32(r), A: int32(addr), B: int32(x)})
}

// Assume leaves out the executions in which a value is zero.
func (t *Thread) Assume(v Val) { t.emit(ir.Instr{Op: ir.OpAssume, A: int32(v)}) }

// Choose returns any of 0 to n-1.
func (t *Thread) Choose(n int64) Val {
	r := t.Reg()
	t.emit(ir.Instr{Op: ir.OpChoose, Dst: int32(r), A: int32(t.Int(n))})
	return r
}

// Blind is an atomic fetch-and-op whose result nobody looks at.
func (t *Thread) Blind(op ir.Alu, v *Var, x Val, o memmodel.Order, s memmodel.Scope) {
	t.emit(ir.Instr{Op: ir.OpRMW, Alu: op, Type: ir.I32, Order: o, Scope: s, Dst: -1, A: int32(t.Addr(v, 0)), B: int32(x)})
}

// Glance is a load whose result nobody looks at.
func (t *Thread) Glance(v *Var, o memmodel.Order, s memmodel.Scope) {
	t.emit(ir.Instr{Op: ir.OpLoad, Type: ir.I32, Order: o, Scope: s, Dst: -1, A: int32(t.Addr(v, 0))})
}

// CmpXchg describes a compare-exchange.
type CmpXchg struct {
	Expected, Desired Val
	Order, FailOrder  memmodel.Order
	Scope             memmodel.Scope
	Weak              bool
}

// CAS is a compare-exchange. Both results are observed.
func (t *Thread) CAS(v *Var, c CmpXchg) (ok, old Val) {
	ok, old = t.observed(), t.observed()
	t.CASInto(ok, old, v, c)
	return ok, old
}

// CASInto is CAS into given registers, which are not observed.
func (t *Thread) CASInto(ok, old Val, v *Var, c CmpXchg) { t.CASAt(ok, old, t.Addr(v, 0), c) }

// CASAt is CASInto at an address.
func (t *Thread) CASAt(ok, old, addr Val, c CmpXchg) {
	t.emit(ir.Instr{Op: ir.OpCmpXchg, Type: ir.I32, Order: c.Order, FailOrder: c.FailOrder, Scope: c.Scope, Weak: c.Weak,
		Dst: int32(ok), Dst2: int32(old), A: int32(addr), B: int32(c.Expected), C: int32(c.Desired)})
}

// Fence is an atomic_work_item_fence.
func (t *Thread) Fence(f memmodel.Flags, o memmodel.Order, s memmodel.Scope) {
	t.emit(ir.Instr{Op: ir.OpFence, Flags: f, Order: o, Scope: s})
}

// Barrier is a work_group_barrier; site names the call.
func (t *Thread) Barrier(site string, f memmodel.Flags, s memmodel.Scope) {
	t.barrier(site, f, s, false)
}

// SubGroupBarrier is a sub_group_barrier.
func (t *Thread) SubGroupBarrier(site string, f memmodel.Flags, s memmodel.Scope) {
	t.barrier(site, f, s, true)
}

func (t *Thread) barrier(site string, f memmodel.Flags, s memmodel.Scope, sub bool) {
	t.emit(ir.Instr{Op: ir.OpBarrier, Flags: f, Scope: s, SubGroup: sub, Str: t.b.str(site), Rounds: around(t.loops)})
}

// around returns what a meeting says of the loops around it.
func around(loops []int32) *ir.Rounds {
	if len(loops) == 0 {
		return nil
	}
	return &ir.Rounds{Loops: slices.Clone(loops)}
}

// If executes one of two blocks; either may be nil.
func (t *Thread) If(cond Val, then, els func()) {
	branch := t.emit(ir.Instr{Op: ir.OpBranch, A: int32(cond), Target: t.pc() + 1})
	t.block(then)
	if els != nil {
		jump := t.emit(ir.Instr{Op: ir.OpJump})
		t.f.Code[branch].Else = t.pc()
		t.block(els)
		t.f.Code[jump].Target = t.pc()
		return
	}
	t.f.Code[branch].Else = t.pc()
}

func (t *Thread) block(f func()) {
	if f != nil {
		f()
	}
}

// ExitUnless ends the thread unless cond holds.
func (t *Thread) ExitUnless(cond Val) {
	t.exits = append(t.exits, t.emit(ir.Instr{Op: ir.OpBranch, A: int32(cond), Target: t.pc() + 1}))
}

// Assert asserts a condition.
func (t *Thread) Assert(cond Val) {
	t.emit(ir.Instr{Op: ir.OpAssert, A: int32(cond), Str: t.b.str("asserted")})
}

// While repeats a block, which may be nil, as long as the condition holds.
func (t *Thread) While(cond func() Val, body func()) {
	top, breaks := t.pc(), t.breaks
	t.breaks, t.loops = nil, append(t.loops, t.looped)
	t.looped++
	c := cond()
	branch := t.emit(ir.Instr{Op: ir.OpBranch, A: int32(c), Target: t.pc() + 1})
	t.block(body)
	if slices.ContainsFunc(t.f.Code[top:], func(in ir.Instr) bool { return in.Op.Meets() }) {
		t.emit(ir.Instr{Op: ir.OpRound, Rounds: around(t.loops[len(t.loops)-1:])})
	}
	t.emit(ir.Instr{Op: ir.OpJump, Target: top})
	t.f.Code[branch].Else = t.pc()
	for _, at := range t.breaks {
		t.f.Code[at].Target = t.pc()
	}
	t.breaks, t.loops = breaks, t.loops[:len(t.loops)-1]
}

// BreakIf leaves the innermost loop if cond holds.
func (t *Thread) BreakIf(cond Val) {
	t.breaks = append(t.breaks, t.emit(ir.Instr{Op: ir.OpBranch, A: int32(cond), Else: t.pc() + 1}))
}

// Repeat executes a block n times.
func (t *Thread) Repeat(n int64, body func(i Val)) {
	i := t.Reg()
	t.Set(i, t.Int(0))
	t.While(func() Val { return t.Bin(ir.Lt, i, t.Int(n)) }, func() {
		body(i)
		t.Set(i, t.Bin(ir.Add, i, t.Int(1)))
	})
}

// Observe makes a register part of the outcome, as those of Load, RMW and CAS
// already are.
func (t *Thread) Observe(r Val) { t.loaded = append(t.loaded, r) }

// ObservePerItem makes a value part of the outcome, under a name that each
// work-item has for itself.
func (t *Thread) ObservePerItem(x Val) {
	t.emit(ir.Instr{Op: ir.OpObserve, A: int32(x), Str: t.b.str("item"), PerItem: true})
}

// Reach notes that the thread has come here, by a name.
func (t *Thread) Reach(name string) { t.emit(ir.Instr{Op: ir.OpReach, Str: t.b.str(name)}) }

// Divisor checks that a value is not 0, as code does before it divides.
func (t *Thread) Divisor(x Val) {
	t.emit(ir.Instr{Op: ir.OpCheck, Check: ir.CheckDivisor, A: int32(x), Str: t.b.str("")})
}

// Go starts a host thread that runs code.
func (t *Thread) Go(code *Thread, args ...Val) {
	t.emit(ir.Instr{Op: ir.OpGo, Target: int32(code.id), Args: operands(args)})
}

func (t *Thread) observed() Val {
	r := t.Reg()
	if !t.quiet {
		t.Observe(r)
	}
	return r
}

// finish appends the observations and the end.
func (t *Thread) finish() {
	for _, at := range t.exits {
		t.f.Code[at].Else = t.pc()
	}
	for i, r := range t.loaded {
		name := fmt.Sprintf("r%d", i)
		t.f.RegNames[r] = name
		whose := fmt.Sprint(t.id)
		if t.named {
			whose = t.f.Name
		}
		t.emit(ir.Instr{Op: ir.OpObserve, A: int32(r), Str: t.b.str(whose + ":" + name), PerItem: t.kernel})
	}
	t.emit(ir.Instr{Op: ir.OpEnd})
}

func (t *Thread) pc() int32 { return int32(len(t.f.Code)) }

func (t *Thread) emit(in ir.Instr) int32 {
	t.f.Code = append(t.f.Code, in)
	return t.pc() - 1
}
