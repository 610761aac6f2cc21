package load

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// context says where code runs; builtins say where they may be called.
type context uint8

const (
	inHost context = 1 << iota
	inKernel
	inInit   // initialisers of package-level variables
	anywhere = inHost | inKernel
)

// builtin describes a function of package cl.
type builtin struct {
	where  context
	params roles
	lower  func(*call) value

	// What tells functions apart that are lowered alike.
	op      ir.Op
	alu     ir.Alu
	query   ir.Query
	group   ir.Group
	order   memmodel.Order // without an argument for it
	scope   memmodel.Scope // without an argument for it
	weak    bool
	old     bool  // of OpenCL 1.x: its scope is an option
	sub     bool  // of the sub-group
	implied int64 // operand, if no argument is one; what a query of kernels returns
	dim     int   // how many dimensions an NDRange has; which one a size of an image is of
	space   int64 // segment of an address space
}

// builtins is the whole vocabulary. To add a function, declare it in package
// cl and add its line here.
var builtins map[string]builtin

// The table refers to functions that consult the table, hence init.
func init() {
	builtins = map[string]builtin{
		"AtomicInit":    {where: anywhere, params: roles{theObject, theOperand}, lower: lowerInit},
		"AtomicVarInit": {where: inInit, params: roles{theOperand}, lower: lowerVarInit},

		"AtomicWorkItemFence": {where: anywhere, params: roles{theFenceFlags, theOrder, theScope}, lower: lowerFence, op: ir.OpFence},
		"MemFence":            {where: inKernel, params: roles{theFenceFlags}, lower: lowerFence, op: ir.OpFence, order: memmodel.AcqRel, scope: memmodel.ScopeWorkGroup},
		"ReadMemFence":        {where: inKernel, params: roles{theFenceFlags}, lower: lowerFence, op: ir.OpFence, order: memmodel.Acquire, scope: memmodel.ScopeWorkGroup},
		"WriteMemFence":       {where: inKernel, params: roles{theFenceFlags}, lower: lowerFence, op: ir.OpFence, order: memmodel.Release, scope: memmodel.ScopeWorkGroup},

		"WorkGroupBarrier": {where: inKernel, params: roles{theFenceFlags, maybeScope}, lower: lowerBarrier, op: ir.OpBarrier, scope: memmodel.ScopeWorkGroup},
		"Barrier":          {where: inKernel, params: roles{theFenceFlags}, lower: lowerBarrier, op: ir.OpBarrier, scope: memmodel.ScopeWorkGroup},
		"SubGroupBarrier":  {where: inKernel, params: roles{theFenceFlags, maybeScope}, lower: lowerBarrier, op: ir.OpBarrier, scope: memmodel.ScopeSubGroup, sub: true},

		"ToGlobal":  {where: inKernel, params: roles{thePointer}, lower: lowerToSpace, space: ir.SegShared},
		"ToLocal":   {where: inKernel, params: roles{thePointer}, lower: lowerToSpace, space: ir.SegGroup},
		"ToPrivate": {where: inKernel, params: roles{thePointer}, lower: lowerToSpace, space: ir.SegPrivate},
		"GetFence":  {where: inKernel, params: roles{thePointer}, lower: lowerGetFence},

		"Local":     {where: inKernel, lower: lowerLocal},
		"LocalArg":  {where: inKernel, params: roles{theNumber}, lower: lowerLocalArg},
		"NewBuffer": {where: inHost | inInit, params: roles{theNumber}, lower: lowerNewBuffer},
		"SVMAlloc":  {where: inHost | inInit, params: roles{theNumber, theFlags}, lower: lowerSVMAlloc},

		"NDRange1D": {where: anywhere, params: roles{theNumbers}, lower: lowerNDRange, dim: 1},
		"NDRange2D": {where: anywhere, params: roles{theNumbers}, lower: lowerNDRange, dim: 2},
		"NDRange3D": {where: anywhere, params: roles{theNumbers}, lower: lowerNDRange, dim: 3},

		"Any":       {where: inInit, lower: func(c *call) value { return c.zero(c.ins.Type()) }}, // takeAnys takes it, and checkAny refuses it elsewhere
		"Choose":    {where: anywhere, params: roles{theNumber}, lower: lowerChoose},
		"Assume":    {where: anywhere, params: roles{theOperand}, lower: lowerAssume},
		"Assert":    {where: anywhere, params: roles{theOperand, theText}, lower: lowerAssert},
		"Observe":   {where: anywhere, params: roles{theText, theOperand}, lower: lowerObserve},
		"Reachable": {where: anywhere, params: roles{theText}, lower: lowerReachable},
	}
	addAtomics()
	addLegacy()
	addQueries()
	addCommands()
	addRegions()
	addCollectives()
	addImages()
	builtins["NewPipe"] = builtin{where: inHost | inInit, params: roles{theNumber}, lower: lowerNewPipe}
	addCopyFunctions()
	addEnqueue()
}

// addAtomics enters the atomic functions, each in its short form, which is seq_cst and has device scope (rule 3.8), and its explicit form.
func addAtomics() {
	add := func(name string, params roles, b builtin) {
		b.where, b.order, b.scope, b.params = anywhere, memmodel.SeqCst, memmodel.ScopeDevice, params
		builtins[name] = b
		b.params = append(slices.Clip(params), theOrder, maybeScope)
		if b.op == ir.OpCmpXchg {
			b.params = append(slices.Clip(params), theOrder, theFailOrder, maybeScope)
		}
		builtins[name+"Explicit"] = b
	}
	add("AtomicLoad", roles{theObject}, builtin{lower: lowerAtomicLoad, op: ir.OpLoad})
	add("AtomicStore", roles{theObject, theOperand}, builtin{lower: lowerAtomicStore, op: ir.OpStore})
	add("AtomicExchange", roles{theObject, theOperand}, builtin{lower: lowerRMW, op: ir.OpRMW, alu: ir.Xchg})
	add("AtomicCompareExchangeStrong", roles{theObject, theExpected, theOperand}, builtin{lower: lowerCompareExchange, op: ir.OpCmpXchg})
	add("AtomicCompareExchangeWeak", roles{theObject, theExpected, theOperand}, builtin{lower: lowerCompareExchange, op: ir.OpCmpXchg, weak: true})
	add("AtomicFlagTestAndSet", roles{theObject}, builtin{lower: lowerTestAndSet, op: ir.OpRMW, alu: ir.Xchg, implied: 1})
	add("AtomicFlagClear", roles{theObject}, builtin{lower: lowerAtomicStore, op: ir.OpStore})
	for name, alu := range map[string]ir.Alu{"Add": ir.Add, "Sub": ir.Sub, "Or": ir.Or, "Xor": ir.Xor,
		"And": ir.And, "Min": ir.Min, "Max": ir.Max} {
		add("AtomicFetch"+name, roles{theObject, theOperand}, builtin{lower: lowerRMW, op: ir.OpRMW, alu: alu})
	}
}

// addLegacy enters the atomic functions of OpenCL 1.x, which are relaxed, on
// ordinary integers, and of a scope that Options say (rule 3.9).
func addLegacy() {
	add := func(name string, params roles, b builtin) {
		b.where, b.order, b.old, b.params = inKernel, memmodel.Relaxed, true, params
		builtins[name] = b
	}
	for name, alu := range map[string]ir.Alu{"AtomicAdd": ir.Add, "AtomicSub": ir.Sub, "AtomicXchg": ir.Xchg, "AtomicMin": ir.Min,
		"AtomicMax": ir.Max, "AtomicAnd": ir.And, "AtomicOr": ir.Or, "AtomicXor": ir.Xor} {
		add(name, roles{theObject, theOperand}, builtin{lower: lowerRMW, op: ir.OpRMW, alu: alu})
	}
	add("AtomicInc", roles{theObject}, builtin{lower: lowerRMW, op: ir.OpRMW, alu: ir.Add, implied: 1})
	add("AtomicDec", roles{theObject}, builtin{lower: lowerRMW, op: ir.OpRMW, alu: ir.Sub, implied: 1})
	add("AtomicCmpxchg", roles{theObject, theOperand, theOperand}, builtin{lower: lowerCmpxchg, op: ir.OpCmpXchg})
}

// addQueries enters the work-item functions.
func addQueries() {
	for name, q := range map[string]ir.Query{
		"GetGlobalSize": ir.QueryGlobalSize, "GetGlobalID": ir.QueryGlobalID, "GetLocalSize": ir.QueryLocalSize,
		"GetEnqueuedLocalSize": ir.QueryEnqueuedLocalSize, "GetLocalID": ir.QueryLocalID, "GetNumGroups": ir.QueryNumGroups,
		"GetGroupID": ir.QueryGroupID, "GetGlobalOffset": ir.QueryGlobalOffset,
	} {
		builtins[name] = builtin{where: inKernel, params: roles{theNumber}, lower: lowerQuery, query: q}
	}
	for name, q := range map[string]ir.Query{
		"GetWorkDim": ir.QueryWorkDim, "GetGlobalLinearID": ir.QueryGlobalLinearID, "GetLocalLinearID": ir.QueryLocalLinearID,
		"GetSubGroupSize": ir.QuerySubGroupSize, "GetMaxSubGroupSize": ir.QueryMaxSubGroupSize,
		"GetNumSubGroups": ir.QueryNumSubGroups, "GetEnqueuedNumSubGroups": ir.QueryEnqueuedNumSubGroups, "GetSubGroupID": ir.QuerySubGroupID, "GetSubGroupLocalID": ir.QuerySubGroupLocalID,
	} {
		builtins[name] = builtin{where: inKernel, lower: lowerQuery, query: q}
	}
}

// addCollectives enters the collective functions of work-groups and sub-groups.
func addCollectives() {
	for prefix, sub := range map[string]bool{"WorkGroup": false, "SubGroup": true} {
		add := func(name string, params roles, b builtin) {
			b.where, b.params, b.sub = inKernel, params, sub
			builtins[prefix+name] = b
		}
		add("All", roles{theOperand}, builtin{lower: lowerCollective, group: ir.GroupReduce, alu: ir.And})
		add("Any", roles{theOperand}, builtin{lower: lowerCollective, group: ir.GroupReduce, alu: ir.Or})
		for name, group := range map[string]ir.Group{"Reduce": ir.GroupReduce, "ScanExclusive": ir.GroupScanExclusive, "ScanInclusive": ir.GroupScanInclusive} {
			for op, alu := range map[string]ir.Alu{"Add": ir.Add, "Min": ir.Min, "Max": ir.Max} {
				add(name+op, roles{theOperand}, builtin{lower: lowerCollective, group: group, alu: alu})
			}
		}
	}
	builtins["WorkGroupBroadcast"] = builtin{where: inKernel, params: roles{theOperand, theNumbers}, lower: lowerBroadcast, group: ir.GroupBroadcast}
	builtins["SubGroupBroadcast"] = builtin{where: inKernel, params: roles{theOperand, theNumber}, lower: lowerBroadcast, group: ir.GroupBroadcast, sub: true}
}

// addImages enters the functions on images.
func addImages() {
	for d, size := range []string{"Width", "Height", "Depth"} {
		builtins[fmt.Sprintf("NewImage%dD", d+1)] = builtin{where: inHost | inInit, params: slices.Repeat(roles{theNumber}, d+1), lower: lowerNewImage}
		builtins["GetImage"+size] = builtin{where: inKernel, params: roles{theImage}, lower: lowerImageSize, dim: d}
	}
	for _, suffix := range []string{"i", "ui", "f"} {
		builtins["ReadImage"+suffix] = builtin{where: inKernel, params: roles{theImage, theCoord}, lower: lowerReadImage}
		builtins["WriteImage"+suffix] = builtin{where: inKernel, params: roles{theImage, theCoord, theOperand}, lower: lowerWriteImage}
	}
}

// addCopyFunctions enters asynchronous copies and what belongs to them.
func addCopyFunctions() {
	builtins["AsyncWorkGroupCopy"] = builtin{where: inKernel, params: roles{theTarget, theSource, theNumber, theGroupEvent}, lower: lowerAsyncCopy}
	builtins["AsyncWorkGroupStridedCopy"] = builtin{where: inKernel, params: roles{theTarget, theSource, theNumber, theStride, theGroupEvent}, lower: lowerAsyncCopy}
	builtins["WaitGroupEvents"] = builtin{where: inKernel, params: roles{theCopies}, lower: lowerWaitGroupEvents}
	builtins["Prefetch"] = builtin{where: inKernel, params: roles{theSource, theNumber}, lower: func(*call) value { return value{} }}
}

// call is a call of a built-in with its arguments by their roles.
type call struct {
	*frame
	builtin
	ins    *ssa.Call
	callee *ssa.Function
	name   string
	pos    token.Pos
	arg    map[role]value
	val    map[role]ssa.Value
	by     string  // what captures values, if not a kernel
	all    []value // all arguments in order
	more   []value // the second and later arguments in one role

	ord, fail memmodel.Order
	scp       memmodel.Scope
	flags     memmodel.Flags
}

// builtin lowers a call of a function of package cl.
func (f *frame) builtin(ins *ssa.Call, fn *ssa.Function) value {
	name := builtinName(fn)
	if name == "init" {
		return value{}
	}
	b, ok := builtins[name]
	if !ok {
		f.fault(ins.Pos(), "", "cl.%s is not supported yet", name)
		return f.zero(ins.Type())
	}
	if b.where&f.where == 0 {
		f.wrongContext(ins.Pos(), name, b.where)
		return f.zero(ins.Type())
	}
	c := &call{frame: f, builtin: b, ins: ins, callee: fn, name: name, pos: ins.Pos(), arg: map[role]value{}, val: map[role]ssa.Value{}}
	for i, a := range ins.Call.Args {
		what := b.params[i]
		c.all = append(c.all, f.value(a))
		if _, again := c.arg[what]; again {
			c.more = append(c.more, f.value(a))
			continue
		}
		c.arg[what], c.val[what] = f.value(a), a
	}
	if !c.constants() {
		return f.zero(ins.Type())
	}
	return b.lower(c)
}

func (f *frame) wrongContext(pos token.Pos, name string, where context) {
	switch {
	case where == inInit:
		f.fault(pos, "write instead: cl.AtomicInit", "cl.%s is for the initial values of package-level variables only (rule 4.8)", name)
	case f.where == inInit:
		f.fault(pos, "move the call into main or a kernel", "cl.%s cannot be called to initialise a package-level variable", name)
	case f.where == inHost:
		f.fault(pos, "move the call into a kernel, a function that main passes to cl.EnqueueNDRangeKernel", "cl.%s cannot be called in the host program", name)
	default:
		f.fault(pos, "move the call into main", "cl.%s cannot be called in a kernel", name)
	}
}

// operandOf returns the operand of the argument in a role.
func (c *call) operandOf(what role) int32 {
	r := c.flat(c.arg[what], c.pos)
	if len(r) == 0 {
		return c.Constant(0)
	}
	return r[0]
}

// text returns the constant string of the argument theText.
func (c *call) text() int32 {
	if s := c.arg[theText].str; s != nil {
		return c.p.Str(*s)
	}
	c.fault(c.pos, "write a string constant", "the text that cl.%s takes must be a constant", c.name)
	return c.p.Str("")
}

// typeArg returns the type argument of a generic built-in.
func (c *call) typeArg() types.Type {
	if args := c.callee.TypeArgs(); len(args) > 0 {
		return args[0]
	}
	return types.Typ[types.Invalid]
}
