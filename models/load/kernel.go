package load

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// lowerEnqueue lowers cl.EnqueueNDRangeKernel. What the kernel captures it
// gets by value: values known at load time are built into its code, the others
// become parameters.
func lowerEnqueue(c *call) value {
	fn := c.kernelArgument()
	if fn == nil {
		return value{}
	}
	cap := c.capture(value{fn: fn}, fn.fn.Signature)
	ndrange := c.flat(c.arg[theNDRange], c.pos)
	if c.failed() && (cap == nil || len(ndrange) != 10) {
		return c.zero(c.ins.Type())
	}
	c.disjointViews(fn.fn, cap)
	at := c.At
	index := c.kernel(cap)
	c.unit.At = at
	return c.enqueue(ir.Instr{Op: ir.OpEnqueueNDRange, Target: int32(index)}, ndrange, cap.params())
}

// captured is a value that a kernel takes over from the host, or a child from
// its parent.
type captured struct {
	regs []int32 // operands of the code that enqueues
	// param tells the registers that become parameters though their values are
	// known: a block that enqueues itself is one function, whatever it captures.
	param []bool
	fn    *ssa.Function
	free  []*captured
	str   *string

	local []int64     // sizes of the local arguments
	code  *lower.Func // that enqueues
	by    bool        // free variables are pointers to the captured variables
	names []string
	types []types.Type
}

// capture evaluates what a kernel captures, as seen by the code that enqueues it
// at this point. It returns nil after reporting what cannot be captured.
func (c *call) capture(v value, t types.Type) *captured {
	switch {
	case v.str != nil:
		return &captured{str: v.str, code: c.Func}
	case holdsEvent(t) && c.by == "":
		c.noEventHere(c.pos, "the block captures")
		return nil
	case v.at != nil:
		c.fault(c.pos, "put the variable in global memory: at package level, or with cl.NewBuffer",
			"the %s captures a pointer to %s, a private variable (rule 12.20)", c.taker(), orValue(v.at.of.name))
		return nil
	case v.fn == nil:
		c.sharedPointers(v, t)
		return &captured{regs: v.regs, param: c.parameters(v, t), code: c.Func}
	}
	out := &captured{fn: v.fn.fn, code: c.Func, by: v.fn.byReference()}
	for i, free := range v.fn.free {
		fv := v.fn.fn.FreeVars[i]
		ft := fv.Type()
		if out.by {
			c.assignedLater(v.fn, i)
			c.notOnStack(free, fv.Name())
			ft = deref(ft)
			free = c.current(free, ft)
		}
		part := c.capture(free, ft)
		if part == nil {
			return nil
		}
		out.free = append(out.free, part)
		out.names = append(out.names, fv.Name())
		out.types = append(out.types, ft)
	}
	return out
}

// parameters tells which cells of a value that a block captures become
// parameters in any case: all but those of pointers and slices, whose values
// tell which memory is accessed.
func (c *call) parameters(v value, t types.Type) []bool {
	if c.where == inHost {
		return nil
	}
	if isReference(t) {
		return nil
	}
	param := make([]bool, len(v.regs))
	for i, l := range c.leaves(t) {
		param[i] = l.t != ir.Ptr
	}
	return param
}

// fixed returns the value of a captured cell that is built into the kernel.
func (c *captured) fixed(i int) (int64, bool) {
	if i < len(c.param) && c.param[i] {
		return 0, false
	}
	return c.code.Known(c.regs[i])
}

// sharedPointers checks that captured pointers and slices do not lead to
// private or local memory, which a kernel has of its own.
func (c *call) sharedPointers(v value, t types.Type) {
	for i, l := range c.leaves(t) {
		if l.t != ir.Ptr || i >= len(v.regs) {
			continue
		}
		if k, ok := c.Known(v.regs[i]); !ok {
			segment := c.Bin(ir.And, ir.I64, v.regs[i], c.Constant(ir.SegMask))
			c.Check(ir.CheckArgument, c.Bin(ir.Le, ir.I64, segment, c.Constant(ir.SegShared)), "a captured pointer must point to global memory (rule 12.20)")
		} else if at := k & ir.SegMask; at == ir.SegPrivate || c.isOnStack(k) {
			c.fault(c.pos, "put the variable in global memory: at package level, or with cl.NewBuffer",
				"the %s captures a pointer to a private variable (rule 12.20)", c.taker())
		} else if at == ir.SegGroup {
			c.fault(c.pos, "write instead: cl.EnqueueKernelLocal, which gives the child local memory of its own",
				"the block captures a pointer to local memory (rule 12.20)")
		}
	}
}

// notOnStack checks that a captured variable is none that commands write: what captures it would have a copy of its own.
func (c *call) notOnStack(p value, name string) {
	if p.at != nil || len(p.regs) == 0 {
		return
	}
	if k, ok := c.Known(p.regs[0]); ok && c.isOnStack(k) {
		c.fault(c.pos, "put the variable in global memory: at package level, or with cl.NewBuffer",
			"the %s captures %s, a host variable that commands access (rule 12.20)", c.taker(), name)
	}
}

// taker names what captures values.
func (c *call) taker() string { return orName(c.by, "kernel") }

// current returns the value that the variable behind pointer p has now.
func (c *call) current(p value, t types.Type) value {
	if p.at != nil {
		return c.readPlace(p.at, t, c.pos)
	}
	return c.read(c.reg(p), t, c.pos)
}

// assignedLater reports assignments to a captured variable that may be
// executed after the capture.
func (c *call) assignedLater(fn *closure, i int) {
	if fn.made == nil {
		return
	}
	variable := fn.made.Bindings[i]
	for _, s := range assignments(variable) {
		if later(fn.made, s, variable) {
			c.fault(s.Pos(), "write instead: a new variable for each enqueue, or a variable in global memory",
				"%s is assigned after a %s captured it: the %[2]s has its own copy (OpenCL C, \"Blocks\")", fn.fn.FreeVars[i].Name(), c.taker())
		}
	}
}

// assignments returns the stores through pointer p, also of closures that
// capture it.
func assignments(p ssa.Value) []ssa.Instruction {
	var found []ssa.Instruction
	for _, r := range *p.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == p {
				found = append(found, r)
			}
		case *ssa.FieldAddr:
			found = append(found, assignments(r)...)
		case *ssa.IndexAddr:
			if r.X == p {
				found = append(found, assignments(r)...)
			}
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == p {
					found = append(found, assignments(r.Fn.(*ssa.Function).FreeVars[i])...)
				}
			}
		}
	}
	return found
}

// later reports whether store s may be executed after the capture while the
// variable is still the same: not a new one of the next iteration.
func later(made *ssa.MakeClosure, s ssa.Instruction, variable ssa.Value) bool {
	if s.Parent() != made.Parent() {
		return true
	}
	if s.Block() == made.Block() && precedes(made, s) {
		return true
	}
	var born *ssa.BasicBlock
	if in, ok := variable.(ssa.Instruction); ok {
		born = in.Block()
		if born == s.Block() && precedes(in, s) {
			return false
		}
	}
	return reaches(made.Block(), s.Block(), born)
}

// params returns the operands that the kernel needs as arguments.
func (c *captured) params() []int32 {
	var list []int32
	for i, r := range c.regs {
		if _, ok := c.fixed(i); !ok {
			list = append(list, r)
		}
	}
	for _, f := range c.free {
		list = append(list, f.params()...)
	}
	return list
}

// key identifies the code that the kernel needs: kernels that differ in the
// values of parameters only share it.
func (c *captured) key() string {
	var b strings.Builder
	if c.fn != nil {
		fmt.Fprintf(&b, "%p", c.fn)
	}
	if c.str != nil {
		fmt.Fprintf(&b, "%q", *c.str)
	}
	for _, n := range c.local {
		fmt.Fprintf(&b, ";%d", n)
	}
	for i := range c.regs {
		if v, ok := c.fixed(i); ok {
			fmt.Fprintf(&b, ",%d", v)
		} else {
			b.WriteString(",?")
		}
	}
	for _, f := range c.free {
		b.WriteString("(" + f.key() + ")")
	}
	return b.String()
}

// kernel returns the function, in the program, of a captured kernel.
func (l *lowering) kernel(c *captured) int {
	key := c.key()
	if i, ok := l.kernels[key]; ok {
		return i
	}
	u := l.newFunc(l.functionName(c.fn), c.fn.Pos(), inKernel)
	l.kernels[key] = u.Number()
	v := u.receive(c, "", nil)
	u.run(v.fn, v.fn.free, u.localArguments(c)...)
	return u.Number()
}

// receive returns a captured value as the kernel sees it, and declares its
// parameters.
func (u *unit) receive(c *captured, name string, t types.Type) value {
	if c.str != nil {
		return value{str: c.str}
	}
	if c.fn == nil {
		var v value
		for i := range c.regs {
			if k, ok := c.fixed(i); ok {
				v.regs = append(v.regs, u.Constant(k))
				continue
			}
			v.regs = append(v.regs, u.Param(name))
		}
		return v
	}
	fn := &closure{fn: c.fn}
	for i, f := range c.free {
		v := u.receive(f, c.names[i], c.types[i])
		if c.by {
			v = value{at: &place{of: &storage{name: c.names[i], size: u.size(c.types[i]), base: -1,
				fixed: true, captured: true, val: v, typ: c.types[i]}}}
		}
		fn.free = append(fn.free, v)
	}
	return value{fn: fn}
}

// functionName names what runs as a kernel or host thread: a function literal after the
// variable that holds it or, if none does, after its line.
func (l *lowering) functionName(fn *ssa.Function) string {
	if fn.Parent() == nil || fn.Object() != nil {
		return kernelName(fn)
	}
	at := l.fset.PositionFor(fn.Pos(), false)
	name := holder(fn)
	if k := l.onlyKernel(fn); k != nil && name == "" {
		name = k.Name
	}
	if name == "" {
		name = fmt.Sprintf("func%d", at.Line)
	}
	for unique := name; ; unique = fmt.Sprintf("%s_%d", unique, at.Column) {
		if other := l.literals[unique]; l.pkg.Members[unique] == nil && (other == nil || other == fn) {
			name = unique
			break
		}
	}
	l.literals[name] = fn
	return name
}

// holder returns the name of the variable that holds a function literal, or "".
func holder(fn *ssa.Function) string {
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			d, ok := in.(*ssa.DebugRef)
			if !ok || d.Object() == nil {
				continue
			}
			if made, ok := d.X.(*ssa.MakeClosure); d.X == ssa.Value(fn) || ok && made.Fn == fn {
				return d.Object().Name()
			}
		}
	}
	return ""
}

// kernelName names a kernel: a function by its name, a function literal after
// the function around it, a method after its type: queue.push.
func kernelName(fn *ssa.Function) string {
	m, ok := fn.Object().(*types.Func)
	if !ok || m.Signature().Recv() == nil {
		return fn.Name()
	}
	t := m.Signature().Recv().Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.TypeString(t, func(*types.Package) string { return "" }) + "." + m.Name()
}

// storedTo returns the name of the variable that instruction r stores v to.
func storedTo(r ssa.Instruction, v ssa.Value) string {
	s, ok := r.(*ssa.Store)
	if !ok || s.Val != v {
		return ""
	}
	switch a := s.Addr.(type) {
	case *ssa.Alloc:
		return allocName(a)
	case *ssa.Global:
		return a.Name()
	}
	return ""
}
