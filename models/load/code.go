package load

import "github.com/clmc/clmc/state/ir"

// code is the body of one function under construction: a control-flow graph of
// ir instructions over any number of virtual registers. Operands are as in
// package ir: a register, or ^i for consts[i].
type code struct {
	entry   *block
	consts  []int64
	constAt map[int64]int32
	names   []string // source name of each virtual register
	slot    []int32  // private address of each virtual register, or -1
	private int32    // number of private addresses given out
	params  []int32
}

// block is a sequence of instructions that ends in a jump, a branch or the end
// of the unit of execution.
type block struct {
	ins  []ir.Instr
	op   ir.Op // OpJump, OpBranch, OpEnd; OpNop while the block is open
	cond int32 // of OpBranch
	to   [2]*block
	pos  int32
	num  int // position in the order of the blocks; set by order
}

// succ returns the blocks that control may go to next.
func (b *block) succ() []*block {
	switch b.op {
	case ir.OpJump:
		return b.to[:1]
	case ir.OpBranch:
		return b.to[:]
	}
	return nil
}

func newCode() *code {
	return &code{entry: &block{}, constAt: map[int64]int32{}}
}

// constant returns the operand that stands for v.
func (c *code) constant(v int64) int32 {
	if o, ok := c.constAt[v]; ok {
		return o
	}
	o := ^int32(len(c.consts))
	c.consts = append(c.consts, v)
	c.constAt[v] = o
	return o
}

// known returns the constant that operand o stands for.
func (c *code) known(o int32) (int64, bool) {
	if o >= 0 {
		return 0, false
	}
	return c.consts[^o], true
}

// newReg returns a fresh virtual register.
func (c *code) newReg(name string) int32 {
	c.names = append(c.names, name)
	c.slot = append(c.slot, -1)
	return int32(len(c.names) - 1)
}

// order returns the reachable blocks in reverse postorder and numbers them.
func (c *code) order() []*block {
	var post []*block
	seen := map[*block]bool{}
	var visit func(*block)
	visit = func(b *block) {
		seen[b] = true
		succ := b.succ()
		for i := len(succ) - 1; i >= 0; i-- {
			if !seen[succ[i]] {
				visit(succ[i])
			}
		}
		post = append(post, b)
	}
	visit(c.entry)
	blocks := make([]*block, len(post))
	for i, b := range post {
		b.num = len(post) - 1 - i
		blocks[b.num] = b
	}
	return blocks
}

// predecessors returns the predecessors of each of the ordered blocks.
func predecessors(blocks []*block) [][]*block {
	preds := make([][]*block, len(blocks))
	for _, b := range blocks {
		for _, s := range b.succ() {
			preds[s.num] = append(preds[s.num], b)
		}
	}
	return preds
}

// uses calls f with every operand that the instruction reads, so that f may
// replace it.
func uses(in *ir.Instr, f func(*int32)) {
	switch in.Op {
	case ir.OpMove, ir.OpUn, ir.OpConv, ir.OpQuery, ir.OpCheck, ir.OpAssert, ir.OpAssume, ir.OpObserve,
		ir.OpLoad, ir.OpChoose, ir.OpCopied,
		ir.OpRetainEvent, ir.OpReleaseEvent, ir.OpValidEvent, ir.OpFinish, ir.OpEventStatus, ir.OpMapCell:
		f(&in.A)
	case ir.OpBin, ir.OpStore, ir.OpRMW, ir.OpSetEvent, ir.OpMap, ir.OpUnmap:
		f(&in.A)
		f(&in.B)
	case ir.OpCmpXchg:
		f(&in.A)
		f(&in.B)
		f(&in.C)
	case ir.OpCollective:
		f(&in.B)
		f(&in.C)
	case ir.OpAsyncCopy, ir.OpWaitCopies:
		for i := range in.Args {
			f(&in.Args[i])
		}
	case ir.OpEnqueueNDRange, ir.OpGo, ir.OpEnqueueKernel, ir.OpEnqueueMarker, ir.OpEnqueueNative, ir.OpMarker,
		ir.OpQueueBarrier, ir.OpWaitEvents, ir.OpCallback:
		for i := range in.Args {
			f(&in.Args[i])
		}
	}
}

// defs calls f with every register that the instruction writes.
func defs(in *ir.Instr, f func(*int32)) {
	switch in.Op {
	case ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv, ir.OpQuery, ir.OpLoad, ir.OpRMW, ir.OpCollective, ir.OpAsyncCopy, ir.OpChoose,
		ir.OpCreateEvent, ir.OpValidEvent, ir.OpEnqueueNDRange, ir.OpEnqueueNative, ir.OpMarker, ir.OpQueueBarrier,
		ir.OpWaitEvents, ir.OpEventStatus:
		if in.Dst >= 0 {
			f(&in.Dst)
		}
	case ir.OpCmpXchg, ir.OpEnqueueKernel, ir.OpEnqueueMarker:
		if in.Dst >= 0 {
			f(&in.Dst)
		}
		if in.Dst2 >= 0 {
			f(&in.Dst2)
		}
	}
}

// pure reports whether the instruction does nothing but compute its result.
func pure(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv, ir.OpQuery:
		return true
	}
	return false
}
