package lower

import (
	"cmp"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// MaxCode bounds the instructions of one function after inlining.
const MaxCode = 1 << 17

// Func is one function under construction, with everything that it calls: a
// control-flow graph of instructions over any number of virtual registers.
//
// Operands are as in package ir: a register, or ^i for a constant, which
// Constant gives out. They are operands of this function only.
type Func struct {
	// At is the position of the instructions that are emitted (Program.Position).
	At int32

	prog   *Program
	number int // in Program.Funcs, or -1
	entry  *Block
	cur    *Block
	count  int // instructions so far, or what stands for them

	consts  []int64
	constAt map[int64]int32
	names   []string // source name of each virtual register
	vars    []ir.Var // for reports
	varAt   map[ir.Var]int32
	folded  map[int32]ir.Instr // by the register that they had: computations of constants
	lossy   map[int32]bool     // registers that have lost an assignment
	slot    []int32            // private address of each virtual register, or -1
	private int32              // number of private addresses given out
	pins    [][]int32          // registers of the objects of private memory, in the order of their addresses
	held    map[int32]Held     // what those registers hold, if Hold said it
	params  []int32
	group   int32 // cells of local memory so far
	loops   int32 // loops so far
	walks   int   // of the graph so far, see order
	// ruledOut are the positions of instructions that a value which the launch gives rules out.
	ruledOut map[int32]bool
}

func newFunc(p *Program, number int) *Func {
	f := &Func{prog: p, number: number, entry: NewBlock(), constAt: map[int64]int32{},
		vars: make([]ir.Var, 1), varAt: map[ir.Var]int32{}, held: map[int32]Held{}, folded: map[int32]ir.Instr{}, lossy: map[int32]bool{}, ruledOut: map[int32]bool{}}
	f.cur = f.entry
	f.entry.way = open
	return f
}

// Number returns the index of the function in Program.Funcs, which is what an
// instruction names that starts it, or -1 for an initialiser.
func (f *Func) Number() int { return f.number }

// Constant returns the operand that stands for v.
func (f *Func) Constant(v int64) int32 {
	if o, ok := f.constAt[v]; ok {
		return o
	}
	o := ^int32(len(f.consts))
	f.consts = append(f.consts, v)
	f.constAt[v] = o
	return o
}

// Known returns the constant that operand o stands for.
func (f *Func) Known(o int32) (int64, bool) {
	if o >= 0 {
		return 0, false
	}
	return f.consts[^o], true
}

// computable returns the value of an operand that is known, and of which something may be computed.
func (f *Func) computable(o int32) (int64, bool) {
	v, ok := f.Known(o)
	return v, ok && !(v == ir.Unwritten && f.prog.Opaque)
}

// NewReg returns a fresh virtual register. The name is that of the variable that
// it holds, for reports, or "".
func (f *Func) NewReg(name string) int32 {
	f.names = append(f.names, name)
	f.slot = append(f.slot, -1)
	return int32(len(f.names) - 1)
}

// Name names a register that has no name yet. Of a constant it does nothing.
func (f *Func) Name(r int32, name string) {
	if r >= 0 && f.names[r] == "" {
		f.names[r] = name
	}
}

// Param declares a further parameter: a register that whoever starts the function
// sets, from what follows the fixed part of its Args.
func (f *Func) Param(name string) int32 {
	r := f.NewReg(name)
	f.params = append(f.params, r)
	return r
}

// Params returns the parameters so far.
func (f *Func) Params() []int32 { return f.params }

// Pin fixes registers at consecutive private addresses, so that pointers may reach
// them, and returns the address of the first. A register without one may be moved
// about and removed, and is what a variable should be that nothing points to.
func (f *Func) Pin(regs []int32) (addr int64) {
	base := f.private
	for i, r := range regs {
		f.slot[r] = base + int32(i)
	}
	f.private += int32(len(regs))
	f.pins = append(f.pins, slices.Clone(regs))
	return ir.SegPrivate | int64(base)
}

// Hold says what a register holds that has a private address, for Values.
func (f *Func) Hold(r int32, h Held) { f.held[r] = h }

// objectOf returns which of the objects of private memory has an address: their number if it is behind all of them.
func (f *Func) objectOf(addr int32) int {
	n, _ := slices.BinarySearchFunc(f.pins, addr, func(regs []int32, addr int32) int {
		return cmp.Compare(f.slot[regs[len(regs)-1]], addr)
	})
	return n
}

// Pinned returns the number of private addresses given out.
func (f *Func) Pinned() int { return int(f.private) }

// Local adds an object to the local memory of the function, a kernel, and returns
// its address. Each work-group that executes the kernel has its own.
func (f *Func) Local(o ir.Object) (addr int64) {
	o.Region, o.Func, o.Base = memmodel.Local, f.number, f.group
	f.prog.Objects = append(f.prog.Objects, o)
	f.group += int32(o.Layout.Cells())
	return ir.SegGroup | int64(o.Base)
}

// NewLoop returns the number of a further loop of the function, as ir.Rounds has it.
// A loop of a function that is inlined twice gets two.
func (f *Func) NewLoop() int32 {
	f.loops++
	return f.loops - 1
}

// BeginRound emits the begin of a round of a loop. Loops in which no work-items meet
// may have rounds, too: Finish removes what nothing counts.
func (f *Func) BeginRound(loop int32) {
	f.Emit(ir.Instr{Op: ir.OpRound, Rounds: &ir.Rounds{Loops: []int32{loop}}})
}

// Spend counts n towards the size of the function: a call that is inlined costs
// something even if it emits nothing.
func (f *Func) Spend(n int) { f.count += n }

// SetSubGroups sets the size of the sub-groups of the work-items that execute the function; 0 is that of the program.
func (f *Func) SetSubGroups(size int64) { f.prog.Funcs[f.number].SubGroupSize = size }

// SubGroups returns the size of the sub-groups of the work-items that execute the function.
func (f *Func) SubGroups() int64 {
	return cmp.Or(f.prog.Funcs[f.number].SubGroupSize, f.prog.SubGroupSize, ir.DefaultSubGroupSize)
}

// Full reports whether the function is too large. Further instructions are dropped,
// so that a front end may look at the end, and in between where it could go on for long.
func (f *Func) Full() bool { return f.count > MaxCode }

// layOut turns the graph into the code of the function.
func (f *Func) layOut() {
	alloc := f.allocate()
	f.decideNotes(alloc)
	f.assign(alloc)
	out := f.prog.Funcs[f.number]
	out.Code, out.Notes = f.linearise()
	out.Vars = f.vars
	out.Consts = f.consts
	for at := range f.ruledOut {
		if line := f.prog.line(at); !f.prog.passed[line] {
			out.RuledOut = append(out.RuledOut, line)
		}
	}
	out.Regs, out.Private, out.Params = alloc.regs, int(f.private), len(f.params)
	out.RegNames = alloc.names
	addCopies(out)
	compactConsts(out)
}
