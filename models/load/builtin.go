package load

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

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
	where context

	// params gives the meaning of each parameter:
	//
	//	o  atomic object            v  operand         e  pointer to the expected value, event
	//	s  order (of success)       f  order of failure
	//	c  optional scope           C  scope           F  fence flags
	//	m  message or name          n  number          k  kernel      r  ndrange
	//	l  list of numbers          x  flags of an allocation or enqueue   p  generic pointer
	//	i  image                    a  coordinates
	//	d  destination slice        w  source slice     t  stride
	//	q  queue                    w  wait list       z  sizes of local arguments or of a queue
	//	O  options of a command     E  events          Q  optional queue   .  by its position
	// Of an enqueue, e points to the event; h is the event of a function that works on one.
	params string

	lower func(*call) value

	op    ir.Op
	alu   ir.Alu
	query ir.Query
	group ir.Group
	order memmodel.Order // without an argument for it
	scope memmodel.Scope // without an argument for it
	weak  bool
	old   bool  // of OpenCL 1.x: its scope is an option
	sub   bool  // of the sub-group
	one   int64 // operand without an argument for it: 1 or, for dec, still 1 with Sub
	sizes int   // dimensions of an NDRange; of an image's size, which
	space int64 // segment of an address space
}

// builtins is the whole vocabulary. To add a function, declare it in package
// cl and add its line here.
var builtins map[string]builtin

// The table refers to functions that consult the table, hence init.
func init() {
	builtins = map[string]builtin{
		"AtomicInit":    {where: anywhere, params: "ov", lower: lowerInit},
		"AtomicVarInit": {where: inInit, params: "v", lower: lowerVarInit},

		"AtomicWorkItemFence": {where: anywhere, params: "FsC", lower: lowerFence, op: ir.OpFence},
		"MemFence":            {where: inKernel, params: "F", lower: lowerFence, op: ir.OpFence, order: memmodel.AcqRel, scope: memmodel.ScopeWorkGroup},
		"ReadMemFence":        {where: inKernel, params: "F", lower: lowerFence, op: ir.OpFence, order: memmodel.Acquire, scope: memmodel.ScopeWorkGroup},
		"WriteMemFence":       {where: inKernel, params: "F", lower: lowerFence, op: ir.OpFence, order: memmodel.Release, scope: memmodel.ScopeWorkGroup},

		"WorkGroupBarrier": {where: inKernel, params: "Fc", lower: lowerBarrier, op: ir.OpBarrier, scope: memmodel.ScopeWorkGroup},
		"Barrier":          {where: inKernel, params: "F", lower: lowerBarrier, op: ir.OpBarrier, scope: memmodel.ScopeWorkGroup},
		"SubGroupBarrier":  {where: inKernel, params: "Fc", lower: lowerBarrier, op: ir.OpBarrier, scope: memmodel.ScopeSubGroup, sub: true},

		"ToGlobal":  {where: inKernel, params: "p", lower: lowerToSpace, space: ir.SegShared},
		"ToLocal":   {where: inKernel, params: "p", lower: lowerToSpace, space: ir.SegGroup},
		"ToPrivate": {where: inKernel, params: "p", lower: lowerToSpace, space: ir.SegPrivate},
		"GetFence":  {where: inKernel, params: "p", lower: lowerGetFence},

		"Local":     {where: inKernel, params: "", lower: lowerLocal},
		"NewBuffer": {where: inHost | inInit, params: "n", lower: lowerNewBuffer},
		"SVMAlloc":  {where: inHost | inInit, params: "nx", lower: lowerSVMAlloc},

		"NDRange1D": {where: anywhere, params: "l", lower: lowerNDRange, sizes: 1},
		"NDRange2D": {where: anywhere, params: "l", lower: lowerNDRange, sizes: 2},
		"NDRange3D": {where: anywhere, params: "l", lower: lowerNDRange, sizes: 3},

		"Choose":    {where: anywhere, params: "n", lower: lowerChoose},
		"Assume":    {where: anywhere, params: "v", lower: lowerAssume},
		"Assert":    {where: anywhere, params: "vm", lower: lowerAssert},
		"Observe":   {where: anywhere, params: "mv", lower: lowerObserve},
		"Reachable": {where: anywhere, params: "m", lower: lowerReachable},
	}
	addAtomics()
	addLegacy()
	addQueries()
	addCommands()
	addCollectives()
	addImages()
	addCopyFunctions()
	addEnqueue()
}

// addAtomics enters the atomic functions, each in its short and its explicit form.
func addAtomics() {
	add := func(name, params string, b builtin) {
		b.where, b.order, b.scope, b.params = anywhere, memmodel.SeqCst, memmodel.ScopeDevice, params
		builtins[name] = b
		b.params += "sc"
		if b.op == ir.OpCmpXchg {
			b.params = params + "sfc"
		}
		builtins[name+"Explicit"] = b
	}
	add("AtomicLoad", "o", builtin{lower: lowerAtomicLoad, op: ir.OpLoad})
	add("AtomicStore", "ov", builtin{lower: lowerAtomicStore, op: ir.OpStore})
	add("AtomicExchange", "ov", builtin{lower: lowerRMW, op: ir.OpRMW, alu: ir.Xchg})
	add("AtomicCompareExchangeStrong", "oev", builtin{lower: lowerCompareExchange, op: ir.OpCmpXchg})
	add("AtomicCompareExchangeWeak", "oev", builtin{lower: lowerCompareExchange, op: ir.OpCmpXchg, weak: true})
	add("AtomicFlagTestAndSet", "o", builtin{lower: lowerTestAndSet, op: ir.OpRMW, alu: ir.Xchg, one: 1})
	add("AtomicFlagClear", "o", builtin{lower: lowerAtomicStore, op: ir.OpStore})
	for name, alu := range map[string]ir.Alu{"Add": ir.Add, "Sub": ir.Sub, "Or": ir.Or, "Xor": ir.Xor,
		"And": ir.And, "Min": ir.Min, "Max": ir.Max} {
		add("AtomicFetch"+name, "ov", builtin{lower: lowerRMW, op: ir.OpRMW, alu: alu})
	}
}

// addLegacy enters the atomic functions of OpenCL 1.x, which are relaxed, on
// ordinary integers, and of a scope that Options say (rule 3.9).
func addLegacy() {
	add := func(name, params string, b builtin) {
		b.where, b.order, b.old, b.params = inKernel, memmodel.Relaxed, true, params
		builtins[name] = b
	}
	for name, alu := range map[string]ir.Alu{"AtomicAdd": ir.Add, "AtomicSub": ir.Sub, "AtomicXchg": ir.Xchg, "AtomicMin": ir.Min,
		"AtomicMax": ir.Max, "AtomicAnd": ir.And, "AtomicOr": ir.Or, "AtomicXor": ir.Xor} {
		add(name, "ov", builtin{lower: lowerRMW, op: ir.OpRMW, alu: alu})
	}
	add("AtomicInc", "o", builtin{lower: lowerRMW, op: ir.OpRMW, alu: ir.Add, one: 1})
	add("AtomicDec", "o", builtin{lower: lowerRMW, op: ir.OpRMW, alu: ir.Sub, one: 1})
	add("AtomicCmpxchg", "ovv", builtin{lower: lowerCmpxchg, op: ir.OpCmpXchg})
}

// addQueries enters the work-item functions.
func addQueries() {
	for name, q := range map[string]ir.Query{
		"GetGlobalSize": ir.QueryGlobalSize, "GetGlobalID": ir.QueryGlobalID, "GetLocalSize": ir.QueryLocalSize,
		"GetEnqueuedLocalSize": ir.QueryEnqueuedLocalSize, "GetLocalID": ir.QueryLocalID, "GetNumGroups": ir.QueryNumGroups,
		"GetGroupID": ir.QueryGroupID, "GetGlobalOffset": ir.QueryGlobalOffset,
	} {
		builtins[name] = builtin{where: inKernel, params: "n", lower: lowerQuery, query: q}
	}
	for name, q := range map[string]ir.Query{
		"GetWorkDim": ir.QueryWorkDim, "GetGlobalLinearID": ir.QueryGlobalLinearID, "GetLocalLinearID": ir.QueryLocalLinearID,
		"GetSubGroupSize": ir.QuerySubGroupSize, "GetMaxSubGroupSize": ir.QueryMaxSubGroupSize,
		"GetNumSubGroups": ir.QueryNumSubGroups, "GetEnqueuedNumSubGroups": ir.QueryEnqueuedNumSubGroups, "GetSubGroupID": ir.QuerySubGroupID, "GetSubGroupLocalID": ir.QuerySubGroupLocalID,
	} {
		builtins[name] = builtin{where: inKernel, params: "", lower: lowerQuery, query: q}
	}
}

// addCollectives enters the collective functions of work-groups and sub-groups.
func addCollectives() {
	for prefix, sub := range map[string]bool{"WorkGroup": false, "SubGroup": true} {
		add := func(name, params string, b builtin) {
			b.where, b.params, b.sub = inKernel, params, sub
			builtins[prefix+name] = b
		}
		add("All", "v", builtin{lower: lowerCollective, group: ir.GroupReduce, alu: ir.And})
		add("Any", "v", builtin{lower: lowerCollective, group: ir.GroupReduce, alu: ir.Or})
		for name, group := range map[string]ir.Group{"Reduce": ir.GroupReduce, "ScanExclusive": ir.GroupScanExclusive, "ScanInclusive": ir.GroupScanInclusive} {
			for op, alu := range map[string]ir.Alu{"Add": ir.Add, "Min": ir.Min, "Max": ir.Max} {
				add(name+op, "v", builtin{lower: lowerCollective, group: group, alu: alu})
			}
		}
	}
	builtins["WorkGroupBroadcast"] = builtin{where: inKernel, params: "vl", lower: lowerBroadcast, group: ir.GroupBroadcast}
	builtins["SubGroupBroadcast"] = builtin{where: inKernel, params: "vn", lower: lowerBroadcast, group: ir.GroupBroadcast, sub: true}
}

// addImages enters the functions on images.
func addImages() {
	for d, size := range []string{"Width", "Height", "Depth"} {
		builtins[fmt.Sprintf("NewImage%dD", d+1)] = builtin{where: inHost | inInit, params: strings.Repeat("n", d+1), lower: lowerNewImage}
		builtins["GetImage"+size] = builtin{where: inKernel, params: "i", lower: lowerImageSize, sizes: d}
	}
	for _, suffix := range []string{"i", "ui", "f"} {
		builtins["ReadImage"+suffix] = builtin{where: inKernel, params: "ia", lower: lowerReadImage}
		builtins["WriteImage"+suffix] = builtin{where: inKernel, params: "iav", lower: lowerWriteImage}
	}
}

// addCopyFunctions enters asynchronous copies and what belongs to them.
func addCopyFunctions() {
	builtins["AsyncWorkGroupCopy"] = builtin{where: inKernel, params: "dwne", lower: lowerAsyncCopy}
	builtins["AsyncWorkGroupStridedCopy"] = builtin{where: inKernel, params: "dwnte", lower: lowerAsyncCopy}
	builtins["WaitGroupEvents"] = builtin{where: inKernel, params: "l", lower: lowerWaitGroupEvents}
	builtins["Prefetch"] = builtin{where: inKernel, params: "wn", lower: func(*call) value { return value{} }}
}

// call is a call of a built-in with its arguments sorted by meaning.
type call struct {
	*frame
	builtin
	ins    *ssa.Call
	callee *ssa.Function
	name   string
	pos    token.Pos
	arg    map[byte]value
	val    map[byte]ssa.Value
	by     string  // what captures values, if not a kernel
	all    []value // all arguments in order
	more   []value // the second and later arguments of one meaning

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
	c := &call{frame: f, builtin: b, ins: ins, callee: fn, name: name, pos: ins.Pos(), arg: map[byte]value{}, val: map[byte]ssa.Value{}}
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

// operandOf returns the operand of the argument of the given meaning.
func (c *call) operandOf(what byte) int32 {
	r := c.flat(c.arg[what], c.pos)
	if len(r) == 0 {
		return c.Constant(0)
	}
	return r[0]
}

// text returns the constant string of the argument m.
func (c *call) text() int32 {
	if s := c.arg['m'].str; s != nil {
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
