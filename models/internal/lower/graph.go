package lower

import (
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// Block is a sequence of instructions that ends in a jump, a branch or the end
// of the unit of execution.
type Block struct {
	ins  []ir.Instr
	op   ir.Op // OpJump, OpBranch, OpEnd; OpNop while the block is open
	cond int32 // of OpBranch
	to   [2]*Block
	pos  int32
	way  way // by which control can come here, as far as was emitted
	num  int // position in the order of the blocks; set by order
	walk int // the last walk of order that came here
}

// way says whether control can come to a block.
type way uint8

const (
	noWay    way = iota // no text leads there, or none so far
	ruledOut            // a value that the launch gives rules out what leads there
	open                // it can
)

// NewBlock returns a block of whatever function comes to emit into it.
func NewBlock() *Block { return &Block{} }

// succ returns the blocks that control may go to next.
func (b *Block) succ() []*Block {
	switch b.op {
	case ir.OpJump:
		return b.to[:1]
	case ir.OpBranch:
		return b.to[:]
	}
	return nil
}

// order returns the reachable blocks in reverse postorder and numbers them.
func (f *Func) order() []*Block {
	var post []*Block
	f.walks++
	var visit func(*Block)
	visit = func(b *Block) {
		b.walk = f.walks
		succ := b.succ()
		for i := len(succ) - 1; i >= 0; i-- {
			if succ[i].walk != f.walks {
				visit(succ[i])
			}
		}
		post = append(post, b)
	}
	visit(f.entry)
	blocks := make([]*Block, len(post))
	for i, b := range post {
		b.num = len(post) - 1 - i
		blocks[b.num] = b
	}
	return blocks
}

// mustEnd panics if control can get to the end of a block that was never ended.
func (f *Func) mustEnd() {
	for _, b := range f.order() {
		if b.op == ir.OpNop {
			panic("lower: a block of " + f.prog.Funcs[f.number].Name + " has no end")
		}
	}
}

// predecessors returns the predecessors of each of the ordered blocks.
func predecessors(blocks []*Block) [][]*Block {
	preds := make([][]*Block, len(blocks))
	for _, b := range blocks {
		for _, s := range b.succ() {
			preds[s.num] = append(preds[s.num], b)
		}
	}
	return preds
}

// dominators returns the dominators of the ordered blocks, by their numbers.
func dominators(blocks []*Block) *flow.Dominators {
	edges := flow.Edges(func(i int, visit func(int)) {
		for _, s := range blocks[i].succ() {
			visit(s.num)
		}
	})
	return edges.Dominators(0)
}

// uses calls f with every operand that the instruction reads, so that f may
// replace it.
func uses(in *ir.Instr, f func(*int32)) {
	switch in.Op {
	case ir.OpMove, ir.OpUn, ir.OpConv, ir.OpQuery, ir.OpCheck, ir.OpAssert, ir.OpAssume, ir.OpObserve,
		ir.OpLoad, ir.OpChoose, ir.OpCopied,
		ir.OpRetainEvent, ir.OpReleaseEvent, ir.OpValidEvent, ir.OpFinish, ir.OpEventStatus, ir.OpMapCell, ir.OpFree:
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
