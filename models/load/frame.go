package load

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir/flow"
)

// maxDepth bounds the nesting of inlined calls.
const maxDepth = 200

// frame is one inlined call of a function.
type frame struct {
	*unit
	fn       *ssa.Function
	args     []value
	free     []value
	env      map[ssa.Value]value
	caller   *frame
	depth    int
	path     string        // positions of the calls that led here, innermost first
	looped   bool          // the call stands in a loop
	outer    []int32       // the loops around the call, outermost first
	numbered map[int]int32 // the numbers of the function's loops, by their index in the model

	blocks  map[*ssa.BasicBlock]*lower.Block
	todo    []*ssa.BasicBlock
	exit    *lower.Block
	results [][]int32                // registers of the results, if there are several returns
	result  []value                  // the results, if there is one return
	vars    map[ssa.Value]*types.Var // of the source, that values stand for
}

// body lowers the function into the unit's current block and leaves the block
// that follows the call current.
func (f *frame) body() {
	f.blocks = map[*ssa.BasicBlock]*lower.Block{}
	f.exit = lower.NewBlock()
	f.vars = sourceVars(f.fn)
	for i, p := range f.fn.Params {
		if i < len(f.args) {
			f.env[p] = f.args[i]
		}
	}
	for i, v := range f.fn.FreeVars {
		if i < len(f.free) {
			f.env[v] = f.free[i]
		}
	}
	f.noteParams()
	f.prepareResults()
	f.Jump(f.blockOf(f.fn.Blocks[0]))
	for len(f.todo) > 0 && !f.Full() {
		b := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		f.Enter(f.blocks[b])
		f.At = f.startOf(b)
		for _, in := range b.Instrs {
			f.instr(in)
		}
	}
	f.Enter(f.exit)
}

// startOf returns a position for instructions at the start of the block that
// have none of their own, as those that step a range loop.
func (f *frame) startOf(b *ssa.BasicBlock) int32 {
	for _, c := range append([]*ssa.BasicBlock{b}, b.Succs...) {
		for _, in := range c.Instrs {
			if _, isPhi := in.(*ssa.Phi); !isPhi && in.Pos().IsValid() {
				return f.pos(in.Pos())
			}
		}
	}
	return f.At
}

// prepareResults reserves registers for the results of a function that
// returns in several places.
func (f *frame) prepareResults() {
	returns := 0
	for _, b := range f.fn.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			returns++
		}
	}
	if returns <= 1 {
		return
	}
	f.results = [][]int32{}
	for r := range f.fn.Signature.Results().Variables() {
		f.results = append(f.results, f.newRegs(r.Type(), r.Name()))
	}
}

// newRegs returns fresh registers for the cells of a value of type t.
func (u *unit) newRegs(t types.Type, name string) []int32 {
	var regs []int32
	if u.size(t) > maxByValue {
		return nil
	}
	for range u.leaves(t) {
		regs = append(regs, u.NewReg(name))
	}
	return regs
}

// blockOf returns the block that b becomes, and sees to it that b is lowered.
// Only blocks that may be reached are asked for, so those that a constant
// condition excludes are never lowered.
func (f *frame) blockOf(b *ssa.BasicBlock) *lower.Block {
	if to, ok := f.blocks[b]; ok {
		return to
	}
	to := lower.NewBlock()
	f.blocks[b] = to
	f.todo = append(f.todo, b)
	return to
}

// value returns what is known of an SSA value.
func (f *frame) value(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const:
		return f.constValue(v)
	case *ssa.Global:
		return value{regs: []int32{f.Constant(f.globals[v])}}
	case *ssa.Function:
		return value{fn: &closure{fn: v}}
	}
	if x, ok := f.env[v]; ok {
		return x
	}
	if phi, ok := v.(*ssa.Phi); ok {
		return f.phi(phi)
	}
	return f.zero(v.Type())
}

// regs returns the cells of v as operands. A pointer into private storage
// becomes an address.
func (f *frame) regs(v ssa.Value) []int32 { return f.flat(f.value(v), v.Pos()) }

// operand returns the operand of an SSA value of one cell.
func (f *frame) operand(v ssa.Value) int32 {
	r := f.regs(v)
	if len(r) == 0 {
		return f.Constant(0)
	}
	return r[0]
}

// flat returns a value's cells as operands.
func (u *unit) flat(v value, pos token.Pos) []int32 {
	switch {
	case v.at != nil:
		return []int32{u.address(v.at)}
	case v.fn != nil:
		u.fault(pos, "write instead: a direct call, or a switch over an integer that says which function to call",
			"a function value can only be called, enqueued, or passed to a function")
	case v.str != nil:
		u.fault(pos, noStrings.hint, "%s", noStrings.message)
	}
	return v.regs
}

// constValue returns the value of a constant.
func (f *frame) constValue(c *ssa.Const) value {
	b, basic := c.Type().Underlying().(*types.Basic)
	switch {
	case c.Value == nil || !basic:
		return f.zero(c.Type())
	case b.Info()&types.IsString != 0:
		s := stringOf(c)
		return value{str: &s}
	}
	return value{regs: []int32{f.Constant(constBits(c, f.scalar(c.Type())))}}
}

// phi returns the registers that the edges into a phi's block assign.
func (f *frame) phi(p *ssa.Phi) value {
	name := p.Comment
	if !token.IsIdentifier(name) || name == "rangeindex" {
		name = ""
	}
	v := value{regs: f.newRegs(p.Type(), name)}
	f.env[p] = v
	if _, ok := p.Type().Underlying().(*types.Signature); ok {
		f.fault(p.Pos(), "write instead: if and else with a direct call in each branch",
			"clmc cannot determine at load time which function %s is", orValue(p.Comment))
	}
	return v
}

func orValue(name string) string {
	if name == "" {
		return "this value"
	}
	return name
}

// goTo returns the block that the edge from b to its successor i leads to. Phis
// become moves on the edge, in a block of their own if b has two successors.
func (f *frame) goTo(b *ssa.BasicBlock, i int) *lower.Block {
	to := b.Succs[i]
	dst, src := f.phiMoves(b, i)
	target := f.blockOf(to)
	if len(dst) == 0 {
		return target
	}
	if len(b.Succs) == 1 {
		f.Parallel(dst, src)
		return target
	}
	cur := f.Current()
	edge := lower.NewBlock()
	f.Enter(edge)
	f.Parallel(dst, src)
	f.Jump(target)
	f.Enter(cur)
	return edge
}

// phiMoves returns the moves that the edge needs, all to be made at once.
func (f *frame) phiMoves(b *ssa.BasicBlock, i int) (dst, src []int32) {
	to := b.Succs[i]
	edge := predIndex(b, i)
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		d := f.value(phi).regs
		v := f.value(phi.Edges[edge])
		if f.escapes(v, phi) {
			f.loopPointer(phi.Pos(), v.at.of)
		}
		s := f.flat(v, phi.Pos())
		n := min(len(d), len(s))
		dst, src = append(dst, d[:n]...), append(src, s[:n]...)
	}
	return dst, src
}

// predIndex returns which predecessor of its successor i block b is. A branch
// may have one block as both successors.
func predIndex(b *ssa.BasicBlock, i int) int {
	to := b.Succs[i]
	nth := 0
	for _, s := range b.Succs[:i] {
		if s == to {
			nth++
		}
	}
	for j, p := range to.Preds {
		if p == b {
			if nth == 0 {
				return j
			}
			nth--
		}
	}
	return 0
}

// doReturn lowers a return statement.
func (f *frame) doReturn(r *ssa.Return) {
	if s := f.fn.Syntax(); !r.Pos().IsValid() && s != nil {
		f.At = f.pos(s.End() - 1) // the closing brace
	}
	if f.results == nil {
		for _, v := range r.Results {
			f.result = append(f.result, f.value(v))
		}
		f.Jump(f.exit)
		return
	}
	var dst, src []int32
	for i, v := range r.Results {
		s := f.regs(v)
		n := min(len(f.results[i]), len(s))
		dst, src = append(dst, f.results[i][:n]...), append(src, s[:n]...)
	}
	f.Parallel(dst, src)
	f.Jump(f.exit)
}

// outcome returns the value of the call.
func (f *frame) outcome() value {
	n := f.fn.Signature.Results().Len()
	vs := f.result
	for _, regs := range f.results {
		vs = append(vs, value{regs: regs})
	}
	for len(vs) < n { // the function never returns
		vs = append(vs, f.zero(f.fn.Signature.Results().At(len(vs)).Type()))
	}
	if n == 1 {
		return vs[0]
	}
	return value{list: vs}
}

// sourceVars finds the variables that SSA values stand for.
func sourceVars(fn *ssa.Function) map[ssa.Value]*types.Var {
	vars := map[ssa.Value]*types.Var{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			d, ok := in.(*ssa.DebugRef)
			if !ok || d.Object() == nil {
				continue
			}
			if v, ok := d.Object().(*types.Var); ok && !v.IsField() && !isGlobal(v) && vars[d.X] == nil {
				vars[d.X] = v
			}
		}
	}
	return vars
}

// nameOf returns the name of the variable that an SSA value stands for, or "".
func (f *frame) nameOf(v ssa.Value) string {
	if obj := f.vars[v]; obj != nil && obj.Name() != "_" {
		return obj.Name()
	}
	return ""
}

// isGlobal reports whether v is a package-level variable.
func isGlobal(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// inLoop reports whether the code of block b may be executed several times.
func (f *frame) inLoop(b *ssa.BasicBlock) bool {
	if f.looped {
		return true
	}
	on, ok := f.cyclic[b]
	if !ok {
		on = reaches(b, b, nil)
		f.cyclic[b] = on
	}
	return on
}

// reaches reports whether some path of at least one edge leads from a block to
// another, or to itself, without passing the block avoid.
func reaches(from, to, avoid *ssa.BasicBlock) bool {
	blocks := from.Parent().Blocks
	edges := flow.Edges(func(i int, visit func(int)) {
		for _, s := range blocks[i].Succs {
			visit(s.Index)
		}
	})
	return edges.Reach(len(blocks), from.Index, func(i int) bool { return blocks[i] == avoid })[to.Index]
}
