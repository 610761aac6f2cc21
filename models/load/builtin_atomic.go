package load

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// object returns the address of the atomic object of a call, and the type of
// its cell.
func (c *call) object() (int32, ir.Type) {
	v, p := c.arg[theObject], c.val[theObject]
	elem := deref(p.Type())
	t, atomic := atomicOf(elem)
	if !atomic { // an ordinary integer, for OpenCL 1.x functions
		t = c.scalar(elem)
	}
	if v.at != nil {
		c.fault(c.pos, "put the variable in global memory, or in local memory with cl.Local",
			"atomic operation on private variable %s (rule 1.6; OpenCL C 6.15.12)", orValue(v.at.of.name))
		return c.Constant(0), t
	}
	addr := c.operandOf(theObject)
	if !atomic {
		c.NoteLegacy(addr, t)
	}
	c.checkNil(p, addr)
	return addr, t
}

// access returns an instruction with what all atomic accesses share.
func (c *call) access() ir.Instr {
	addr, t := c.object()
	return ir.Instr{Op: c.op, Alu: c.alu, Type: t, Order: c.ord, Scope: c.scp, Legacy: c.old, A: addr, Dst: -1, Dst2: -1}
}

// lowerInit lowers atomic_init, an ordinary store (rule 4.7).
func lowerInit(c *call) value {
	addr, t := c.object()
	c.Store(t, addr, c.operandOf(theOperand))
	return value{}
}

func lowerVarInit(c *call) value { return one(c.operandOf(theOperand)) }

func lowerAtomicLoad(c *call) value {
	in := c.access()
	in.Dst = c.NewReg("")
	c.Emit(in)
	return one(in.Dst)
}

func lowerAtomicStore(c *call) value {
	in := c.access()
	in.B = c.operandOf(theOperand) // absent for atomic_flag_clear, and then 0
	c.Emit(in)
	return value{}
}

func lowerRMW(c *call) value {
	in := c.access()
	in.Dst = c.NewReg("")
	in.B = c.Constant(c.implied)
	if c.implied == 0 {
		in.B = c.operandOf(theOperand)
	}
	c.Emit(in)
	return one(in.Dst)
}

// lowerTestAndSet lowers atomic_flag_test_and_set, a read-modify-write (rule 10.4).
func lowerTestAndSet(c *call) value {
	was := lowerRMW(c)
	return one(c.Bin(ir.Ne, ir.I32, was.regs[0], c.Constant(0)))
}

// lowerCompareExchange lowers the functions that write the value found back to
// *expected. That write is an ordinary one, and happens on failure only; in
// private memory it makes no difference to write on success too.
func lowerCompareExchange(c *call) value {
	in := c.access()
	in.FailOrder, in.Weak = c.fail, c.weak
	t := deref(c.val[theExpected].Type())
	e := c.arg[theExpected]
	private := e.at != nil
	var addr int32
	if private {
		in.B = c.reg(c.readPlace(e.at, t, c.pos))
	} else {
		addr = c.operandOf(theExpected)
		c.checkNil(c.val[theExpected], addr)
		in.B = c.Load(in.Type, addr)
	}
	in.C = c.operandOf(theOperand)
	in.Dst, in.Dst2 = c.NewReg(""), c.NewReg("")
	c.Emit(in)
	if private {
		c.assign(e.at, in.Dst2)
		return one(in.Dst)
	}
	failed, done := lower.NewBlock(), lower.NewBlock()
	c.Branch(in.Dst, done, failed)
	c.Enter(failed)
	c.Store(in.Type, addr, in.Dst2)
	c.Jump(done)
	c.Enter(done)
	return one(in.Dst)
}

// reg returns the operand of a value of one cell.
func (c *call) reg(v value) int32 { return c.unit.reg(v) }

// assign sets a private variable of one cell.
func (c *call) assign(p *place, r int32) {
	switch {
	case p.of.fixed:
		c.fault(c.pos, "write instead: a variable of the kernel's own", "%s was captured: a kernel has its own copy, which cannot be assigned", orValue(p.of.name))
	case p.off < len(p.of.regs):
		c.Move(p.of.regs[p.off], r)
	}
}

// lowerCmpxchg lowers OpenCL 1.x's atomic_cmpxchg, which returns the value found.
func lowerCmpxchg(c *call) value {
	in := c.access()
	in.FailOrder = c.fail
	in.B = c.operandOf(theOperand)
	if len(c.more) > 0 {
		in.C = c.reg(c.more[0])
	}
	in.Dst2 = c.NewReg("")
	c.Emit(in)
	return one(in.Dst2)
}

func lowerFence(c *call) value {
	if c.ord != memmodel.Relaxed { // a relaxed fence has no effect (rule 6.9)
		c.Emit(ir.Instr{Op: ir.OpFence, Flags: c.flags, Order: c.ord, Scope: c.scp})
	}
	return value{}
}

func lowerBarrier(c *call) value {
	c.Emit(ir.Instr{Op: ir.OpBarrier, Flags: c.flags, Scope: c.scp, SubGroup: c.sub,
		Str: c.p.Str(c.site(c.pos) + c.path), Rounds: c.rounds()})
	return value{}
}

func lowerQuery(c *call) value {
	dim := c.Constant(0)
	if _, ok := c.arg[theNumber]; ok {
		dim = c.operandOf(theNumber)
	}
	return one(c.Query(c.query, dim))
}
