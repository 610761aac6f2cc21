package ir

import (
	"slices"
	"strconv"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir/flow"
)

// Link completes a program that a front end has built: it lays the objects
// out in their segments, counts the rounds of loops around meetings, and computes
// liveness. Front ends call it once, last.
func (p *Program) Link() {
	shared := int32(0)
	for _, f := range p.Funcs {
		f.GroupSize = 0
	}
	for i := range p.Objects {
		o := &p.Objects[i]
		seg := &shared
		if o.Func >= 0 {
			seg = &p.Funcs[o.Func].GroupSize
		}
		o.Base = *seg
		*seg += int32(o.Layout.Cells())
	}
	for _, f := range p.Funcs {
		f.countRounds()
		f.liveness()
		f.findIdles()
	}
}

// SharedCells returns the size of the shared segment.
func (p *Program) SharedCells() int {
	n := 0
	for i := range p.Objects {
		if p.Objects[i].Func < 0 {
			n += p.Objects[i].Layout.Cells()
		}
	}
	return n
}

// ObjectAt returns the object that holds the cell at addr of the shared
// segment (fn < 0) or of the group segment of Funcs[fn], or nil.
func (p *Program) ObjectAt(fn int, addr int32) *Object {
	for i := range p.Objects {
		o := &p.Objects[i]
		own := o.Func < 0 && fn < 0 || o.Func >= 0 && o.Func == fn
		if own && addr >= o.Base && addr < o.Base+int32(o.Layout.Cells()) {
			return o
		}
	}
	return nil
}

// CellName names the cell at addr as the program would: "a[3].next".
func (p *Program) CellName(fn int, addr int32) string {
	o := p.ObjectAt(fn, addr)
	if o == nil {
		return "?"
	}
	_, path := o.Layout.Cell(int(addr - o.Base))
	return o.Name + path
}

// PlaceName names what a pointer to the cell at addr points to: of a struct its first
// field is, so "a[3]" and not "a[3].next".
func (p *Program) PlaceName(fn int, addr int32) string {
	o := p.ObjectAt(fn, addr)
	if o == nil {
		return "?"
	}
	return o.Name + o.Layout.place(int(addr-o.Base))
}

// place is the name of the largest struct or the scalar that begins at cell i.
func (l *Layout) place(i int) string {
	switch {
	case l.Elem != nil:
		n := l.Elem.Cells()
		return "[" + strconv.Itoa(i/n) + "]" + l.Elem.place(i%n)
	case l.Fields != nil && i > 0:
		for k := range l.Fields {
			f := &l.Fields[k]
			n := f.Layout.Cells()
			if i < n {
				return f.suffix() + f.Layout.place(i)
			}
			i -= n
		}
	}
	return ""
}

// liveness computes Live by the usual backward fixpoint.
func (f *Func) liveness() {
	words := (f.Regs + 63) / 64
	f.Live = make([][]uint64, len(f.Code)+1)
	flat := make([]uint64, words*(len(f.Code)+1))
	for pc := range f.Live {
		f.Live[pc] = flat[pc*words : (pc+1)*words : (pc+1)*words]
	}
	now := make([]uint64, words)
	for changed := true; changed; {
		changed = false
		for pc := len(f.Code) - 1; pc >= 0; pc-- {
			f.transfer(pc, now)
			for i, w := range now {
				if f.Live[pc][i] != w {
					f.Live[pc][i] = w
					changed = true
				}
			}
		}
	}
}

// transfer computes in now the registers live before pc from those after it.
func (f *Func) transfer(pc int, now []uint64) {
	in := &f.Code[pc]
	clear(now)
	for _, next := range in.Successors(pc) {
		for i, w := range f.Live[next] {
			now[i] |= w
		}
	}
	for _, d := range [...]int32{in.dst(), in.dst2()} {
		if d >= 0 {
			now[d>>6] &^= 1 << (d & 63)
		}
	}
	if in.Rounds != nil {
		for _, d := range in.Rounds.Clears {
			now[d>>6] &^= 1 << (d & 63)
		}
	}
	in.Uses(func(r int32) {
		if r >= 0 {
			now[r>>6] |= 1 << (r & 63)
		}
	})
	if f.MayTouchPrivate(in) {
		for r := 0; r < f.Private; r++ {
			now[r>>6] |= 1 << (r & 63)
		}
	}
}

// Successors returns the indexes of the instructions that may follow the
// instruction, which is number pc, in its unit's code or that of a copy that it
// starts.
func (in *Instr) Successors(pc int) []int32 {
	next, n := in.next(pc)
	return next[:n]
}

// next is Successors without memory from the heap.
func (in *Instr) next(pc int) (next [2]int32, n int) {
	switch in.Op {
	case OpJump:
		return [2]int32{in.Target}, 1
	case OpBranch:
		return [2]int32{in.Target, in.Else}, 2
	case OpAsyncCopy:
		return [2]int32{int32(pc) + 1, in.Target}, 2
	case OpEnd, OpCopied:
		return next, 0
	}
	return [2]int32{int32(pc) + 1}, 1
}

// Flow returns the edges from each instruction to those that may follow it.
func (f *Func) Flow() flow.Edges {
	return func(pc int, visit func(int)) {
		next, n := f.Code[pc].next(pc)
		for _, to := range next[:n] {
			visit(int(to))
		}
	}
}

// ComesBack tells which instructions control may come back to.
func (f *Func) ComesBack() []bool { return f.Flow().ComesBack(len(f.Code)) }

// MayTouchPrivate reports whether the instruction may access private memory.
func (f *Func) MayTouchPrivate(in *Instr) bool {
	if !in.Op.Access() || in.Order != memmodel.NonAtomic {
		return false
	}
	return in.A >= 0 || f.Consts[^in.A]&SegMask == SegPrivate
}

func (in *Instr) dst() int32 {
	switch in.Op {
	case OpMove, OpBin, OpUn, OpConv, OpQuery, OpLoad, OpRMW, OpCmpXchg, OpCollective, OpAsyncCopy, OpChoose,
		OpEnqueueKernel, OpEnqueueMarker, OpCreateEvent, OpValidEvent,
		OpEnqueueNDRange, OpEnqueueNative, OpMarker, OpQueueBarrier, OpWaitEvents, OpEventStatus:
		return in.Dst
	}
	return -1
}

func (in *Instr) dst2() int32 {
	switch in.Op {
	case OpCmpXchg, OpEnqueueKernel, OpEnqueueMarker:
		return in.Dst2
	}
	return -1
}

// Results returns the registers that the instruction sets, each -1 if there is none.
func (in *Instr) Results() (int32, int32) { return in.dst(), in.dst2() }

// Uses calls f with every operand that the instruction reads, constants included.
func (in *Instr) Uses(f func(int32)) {
	switch in.Op {
	case OpMove, OpUn, OpConv, OpBranch, OpQuery, OpCheck, OpAssert, OpAssume, OpObserve, OpCopied, OpLoad, OpChoose,
		OpRetainEvent, OpReleaseEvent, OpValidEvent, OpFinish, OpEventStatus, OpMapCell, OpFree:
		f(in.A)
	case OpBin, OpStore, OpRMW, OpSetEvent, OpMap, OpUnmap:
		f(in.A)
		f(in.B)
	case OpCmpXchg:
		f(in.A)
		f(in.B)
		f(in.C)
	case OpCollective:
		f(in.B)
		f(in.C)
	case OpAsyncCopy, OpWaitCopies:
		for _, a := range in.Args {
			f(a)
		}
	case OpEnqueueNDRange, OpEnqueueKernel, OpEnqueueMarker, OpGo,
		OpEnqueueNative, OpMarker, OpQueueBarrier, OpWaitEvents, OpCallback:
		for _, a := range in.Args {
			f(a)
		}
	}
	if in.Rounds != nil {
		for _, r := range slices.Concat(in.Rounds.Counts, in.Rounds.Idles) {
			f(r)
		}
	}
}
