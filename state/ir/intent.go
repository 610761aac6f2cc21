package ir

import "github.com/clmc/clmc/memmodel"

// Intent is what an instruction is to write: all but where, and what it will find there.
type Intent struct {
	Op    Op             // what writes: a store, a read-modify-write or a compare-exchange
	Alu   Alu            // of a read-modify-write: the arithmetic
	Type  Type           // and its type
	Order memmodel.Order // the order of the operation
	Scope memmodel.Scope // and its scope
	B, C  int64          // its operands: what is stored, combined, or expected and exchanged
}

// Intent returns what an instruction of the function that may write is to write.
func (f *Func) Intent(in *Instr, regs []int64) Intent {
	i := Intent{Op: in.Op, Order: in.Order, Scope: in.Scope}
	if in.Op != OpLoad { // which has no second operand, nor perhaps its function any register
		i.B = f.Operand(regs, in.B)
	}
	switch in.Op {
	case OpRMW:
		i.Alu, i.Type = in.Alu, in.Type
	case OpCmpXchg:
		i.C = f.Operand(regs, in.C)
	}
	return i
}

// Takes reports whether the write directly follows what is read.
func (i Intent) Takes() bool { return i.Op != OpStore }

// Modified returns what a read-modify-write makes of a value, and whether it writes at all.
func (i Intent) Modified(old int64) (val int64, ok bool) {
	if i.Op == OpCmpXchg {
		return i.C, old == i.B
	}
	val, _ = Eval(i.Alu, i.Type, old, i.B)
	return val, true
}
