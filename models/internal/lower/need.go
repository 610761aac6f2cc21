package lower

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// What can happen depends on the values that reach an address, a branch, a check, an assertion, an
// atomic operation or what is enqueued: those are needed. All others are moved about and computed with, and
// whatever they are, the same happens.

// Need says whether something depends on a value, and on what first.
type Need struct {
	how  howMuch
	Why  string // what it does: "used in an address"
	At   int32  // where, as Instr.Pos has it
	addr bool   // an address comes from it, whatever it does first
	read bool   // of an object: somebody reads it
	used bool   // and not only the first function, which is the host
}

// howMuch is what has to be known of a value.
type howMuch uint8

const (
	nothing howMuch = iota
	whether         // it was written: not ir.Unwritten
	what            // it is
)

// Decides reports whether what can happen depends on the value.
func (n *Need) Decides() bool { return n.how == what }

// Addresses reports whether the address of an access comes from the value.
func (n *Need) Addresses() bool { return n.addr }

// Read reports whether anything reads the object.
func (n *Need) Read() bool { return n.read }

// Used reports whether anything but the first function, which is the host, reads the object.
func (n *Need) Used() bool { return n.used }

func (n *Need) reads(host bool) { n.read, n.used = true, n.used || !host }

// Needs tells what is needed of the data of a program.
type Needs struct {
	Objects []Need   // of what each object holds
	Params  [][]Need // of the parameters of each function
}

// needing finds the needs of a program: backwards from what decides, through computations, and through
// memory by the objects that an address may mean (docs/exploration/slicing.md, "Values that nothing needs").
type needing struct {
	Needs
	p       *Program
	funcs   []*needingFunc
	changed bool
}

// needingFunc is what is known of one function, without regard to the order of instructions.
type needingFunc struct {
	*Func
	blocks []*Block
	regs   []Need
	sets   []bitset // what registers may point to
	all    bitset
	pinned []int32 // the register at each private address
	none   int32   // the operand ir.Unwritten
}

// findNeeds analyses the program as it is: before its code has been laid out.
func (p *Program) findNeeds() *needing {
	n := &needing{p: p, Needs: Needs{Objects: make([]Need, len(p.Objects))}}
	for _, f := range p.funcs {
		nf := &needingFunc{Func: f, blocks: f.order(), regs: make([]Need, len(f.names)), pinned: make([]int32, f.private), none: -1 << 31}
		if o, ok := f.constAt[ir.Unwritten]; ok {
			nf.none = o
		}
		for r, s := range f.slot {
			if s >= 0 {
				nf.pinned[s] = int32(r)
			}
		}
		nf.sets, nf.all = f.pointsTo(!p.Within)
		n.funcs = append(n.funcs, nf)
		n.Params = append(n.Params, make([]Need, len(f.params)))
	}
	for _, v := range p.Final {
		n.object(int64(v.Addr)|ir.SegShared, Need{how: what, Why: "part of the outcome"})
	}
	for n.changed = true; n.changed; {
		n.changed = false
		for i, f := range n.funcs {
			for j := len(f.blocks) - 1; j >= 0; j-- {
				n.block(f, f.blocks[j])
			}
			for j, r := range f.params {
				n.raise(&n.Params[i][j], f.regs[r])
			}
		}
	}
	return n
}

func (n *needing) object(addr int64, how Need) {
	n.funcs[0].constantPointsTo(addr, false).each(func(i int32) { n.raise(&n.Objects[i-1], how) })
}

// raise makes a need at least as great as another one.
func (n *needing) raise(to *Need, by Need) {
	if by.how > to.how {
		to.how, to.Why, to.At = by.how, by.Why, by.At
		n.changed = true
	}
	if by.addr && !to.addr {
		to.addr, n.changed = true, true
	}
}

// operand notes a need of an operand.
func (n *needing) operand(f *needingFunc, o int32, by Need) {
	if o >= 0 {
		n.raise(&f.regs[o], by)
	}
}

func (n *needing) block(f *needingFunc, b *Block) {
	if b.op == ir.OpBranch {
		n.operand(f, b.cond, Need{how: what, Why: "decides a branch", At: b.pos})
	}
	for i := len(b.ins) - 1; i >= 0; i-- {
		n.step(f, &b.ins[i])
	}
}

// step goes backwards through an instruction.
func (n *needing) step(f *needingFunc, in *ir.Instr) {
	decides := func(why string) Need { return Need{how: what, Why: why, At: in.Pos} }
	address := decides("used in an address")
	address.addr = true
	switch in.Op {
	case ir.OpNop, ir.OpRound, ir.OpReach:
	case ir.OpMove:
		n.operand(f, in.A, n.result(f, in))
	case ir.OpBin, ir.OpUn, ir.OpConv, ir.OpQuery:
		n.computed(f, in)
	case ir.OpLoad:
		n.operand(f, in.A, address)
		by := n.result(f, in)
		if in.Order != memmodel.NonAtomic {
			found := by.addr
			by = decides("used in an atomic operation")
			by.addr = found
		}
		n.memory(f, in.A, func(cell *Need) { cell.reads(f == n.funcs[0]); n.raise(cell, by) })
	case ir.OpStore:
		n.operand(f, in.A, address)
		if in.Order != memmodel.NonAtomic {
			n.atomic(f, in, decides("stored by an atomic operation"))
			return
		}
		n.operand(f, in.B, n.held(f, in.A))
	case ir.OpRMW, ir.OpCmpXchg:
		// What an atomic operation finds, others may have come first to change: it decides.
		n.atomic(f, in, decides("used in an atomic operation"))
	case ir.OpCheck:
		why := decides("decides whether an operation is allowed")
		if in.Check == ir.CheckIndex || in.Check == ir.CheckObject {
			why = address
		}
		n.operand(f, in.A, why)
	case ir.OpAssert, ir.OpAssume:
		n.operand(f, in.A, decides("decides an assertion"))
	case ir.OpCollective:
		n.operand(f, in.C, decides("used"))
		if by := n.result(f, in); by.how != nothing {
			by.how = what
			n.operand(f, in.B, by)
		}
	case ir.OpAsyncCopy:
		uses(in, func(o *int32) { n.operand(f, *o, decides("used")) })
		by := n.held(f, in.Args[0])
		n.memory(f, in.Args[1], func(cell *Need) { cell.reads(f == n.funcs[0]); n.raise(cell, by) })
	case ir.OpEnqueueNDRange, ir.OpEnqueueKernel:
		n.enqueue(f, in, decides("used"))
	default:
		uses(in, func(o *int32) { n.operand(f, *o, decides("used")) })
	}
}

// result returns what is needed of an instruction's result.
func (n *needing) result(f *needingFunc, in *ir.Instr) (by Need) {
	defs(in, func(d *int32) { by = f.regs[*d] })
	return by
}

// computed goes backwards through a computation, whose result was written, whatever it is.
func (n *needing) computed(f *needingFunc, in *ir.Instr) {
	by := n.result(f, in)
	if by.how != what {
		return
	}
	if in.Op == ir.OpBin && in.B == f.none && (in.Alu == ir.Ne || in.Alu == ir.Eq) {
		by.how, by.addr = whether, false
		n.operand(f, in.A, by)
		return
	}
	uses(in, func(o *int32) { n.operand(f, *o, by) })
}

// atomic notes that an operation needs all that it works with, and what the memory holds.
func (n *needing) atomic(f *needingFunc, in *ir.Instr, by Need) {
	uses(in, func(o *int32) { n.operand(f, *o, by) })
	by.addr = n.result(f, in).addr
	n.memory(f, in.A, func(cell *Need) { cell.reads(f == n.funcs[0]); n.raise(cell, by) })
}

// enqueue passes on what the kernel needs of its parameters.
func (n *needing) enqueue(f *needingFunc, in *ir.Instr, rest Need) {
	params := n.Params[in.Target]
	fixed := len(in.Args) - len(params)
	for i, o := range in.Args {
		if i < fixed {
			n.operand(f, o, rest)
		} else {
			n.operand(f, o, params[i-fixed])
		}
	}
}

// memory calls do with what may be at an address: objects, and registers that are private memory.
func (n *needing) memory(f *needingFunc, addr int32, do func(*Need)) {
	if a, known := f.Known(addr); known {
		if a&ir.SegMask == ir.SegPrivate {
			if at := a &^ ir.SegMask; at < int64(len(f.pinned)) { // else a check has failed before
				do(&f.regs[f.pinned[at]])
			}
			return
		}
		f.constantPointsTo(a, false).each(func(i int32) { do(&n.Objects[i-1]) })
		return
	}
	n.objects(f, f.sets[addr], do)
}

func (n *needing) objects(f *needingFunc, set bitset, do func(*Need)) {
	if set.empty() {
		set = f.all
	}
	set.each(func(i int32) {
		if i == inPrivate {
			for _, r := range f.pinned {
				do(&f.regs[r])
			}
			return
		}
		do(&n.Objects[i-1])
	})
}

// held returns what is needed of what is at an address.
func (n *needing) held(f *needingFunc, addr int32) (by Need) {
	n.memory(f, addr, func(cell *Need) {
		addr := by.addr || cell.addr
		if cell.how > by.how {
			by = *cell
		}
		by.addr = addr
	})
	return by
}
