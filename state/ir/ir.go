package ir

import (
	"strconv"
	"strings"

	"github.com/clmc/clmc/memmodel"
)

// Program is a complete model: the objects in memory, the code, and the units
// of execution that exist when it starts.
type Program struct {
	Name       string     // of the model
	Sources    []Source   // its files, for traces
	Positions  []Pos      // Instr.Pos indexes it; entry 0 is the unknown position
	Calls      []Call     // Pos.Call indexes it; entry 0 is no call
	Strings    []string   // Instr.Str indexes it: messages of assertions, names of observations
	Objects    []Object   // what is in memory
	Funcs      []*Func    // the code
	HostQueues []Queue    // that the host creates; the default queue is not among them
	Threads    []Thread   // running from the start: the host's main, or a litmus test's threads
	Final      []FinalVar // what of memory belongs to the outcome at the end
	Queues     []int32    // device-side queues beside the default one: how many commands each holds, 0 for any number
	// EnqueueFailure: every device-side enqueue may fail (rule 12.17).
	EnqueueFailure bool
	// SubGroupSize is the size of the device's sub-groups, in work-items of a
	// work-group's linear order; 0 means DefaultSubGroupSize.
	SubGroupSize int64
	// Called has, for reports, the function of the program that an OpCollective is a part of, by Instr.Str: where it has another name than
	// what the operation does.
	Called  map[int32]string
	Extents []Extent // for reports: what checks of objects are about
	// Constants are those of the model that the user can set.
	Constants []Constant
	// Forgiven are the places, by index in Positions, of which data races are known, and set aside; nil if none are.
	Forgiven []bool
	// Notes say what the front end took for granted, for reports.
	Notes []string
	// Data are what the program is given, in the order of their names.
	Data []Datum
	// HasData: the front end has listed Data. Otherwise nobody knows what depends on them.
	HasData bool
	// Unchecked are the assertions of its files that are not part of the program, and why: launches are not those
	// that they were written for.
	Unchecked []string
	// Assumed is what the program takes for granted because the user said so: the verdict rests on it, and says it.
	Assumed []string
	// LegacyScope is what the atomic functions of OpenCL 1.x, which have no scope
	// argument, were taken to name (rule 3.9).
	LegacyScope memmodel.Scope
	// Late says what is decided late; nil if nothing is.
	Late *Late
	// Unwritten is what reads of memory return that nothing has written; a front end sets it before it makes any code.
	Unwritten Indeterminate
}

// Late says of a program what is not known of its data and is chosen where something depends on it. The program has an execution for each one
// with any data, and perhaps others: what is not found in it goes wrong nowhere, and what is found has to be looked for with data.
type Late struct {
	// Exact: with all values of Inputs for each datum by itself, all that can happen happens.
	Exact bool
	// Waits: that executions end says nothing of those with data, which might go on for ever.
	Waits  bool
	Inputs []LateInput // in the order of the buffers, then of the scalars
}

// LateInput is a datum that is decided late.
type LateInput struct {
	Name   string  // of the argument
	Elem   string  // of a buffer: the type of its elements, as a launch names it; "" of a scalar
	Len    int     // of a buffer: how many there are
	Type   Type    // of the values
	Values []int64 // those that stand for all, as far as is known
}

// Forgives reports whether data races of what is at an instruction of a function are known, and set aside.
func (p *Program) Forgives(fn, pc int) bool {
	return p.Forgiven != nil && fn >= 0 && p.Forgiven[p.Funcs[fn].Code[pc].Pos]
}

// Constant is a constant of a model, with its value as text.
type Constant struct {
	Name  string // as the model has it
	Value string // as Go writes it
	Plain bool   // its type has no name but that of a number: it may be a size, and is no order or scope
}

// Unsigned reports whether a value of the outcome is an unsigned integer of 64 bits: wherever it is observed under
// the name Strings[str], or, if that is negative, the last value at an address.
func (p *Program) Unsigned(str, addr int32) bool {
	if str < 0 {
		o := p.ObjectAt(-1, addr)
		if o == nil {
			return false
		}
		cell, _ := o.Layout.Cell(int(addr - o.Base))
		return cell.Type == U64
	}
	found := false
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == OpObserve && in.Str == str {
				if in.Type != U64 {
					return false
				}
				found = true
			}
		}
	}
	return found
}

// DefaultSubGroupSize is the size of sub-groups where a program asks for none.
const DefaultSubGroupSize = 4

// Queue is a command queue of the host. Its handle is QueueHandle of its index in Program.HostQueues;
// that of the default queue, which is in-order and of device 0, is 0.
type Queue struct {
	Name       string // for traces
	Device     uint16 // which executes its commands
	OutOfOrder bool   // a command need not wait for those before it
}

// QueueHandle returns the handle of HostQueues[i]. Handles of device queues are
// positive.
func QueueHandle(i int) int64 { return int64(-1 - i) }

// Source is the text of one file of the model, kept for traces.
type Source struct {
	Name string // as messages name the file
	Text string // all of it
}

// Pos is a place in the text of the model; lines and columns count from 1,
// columns in bytes. The zero Pos is unknown.
type Pos struct {
	File int32 // index into Program.Sources
	Line int32 // 0 if unknown
	Col  int32 // 0 if unknown
	Call int32 // the inlined call that the code belongs to: an index into Program.Calls
}

// Thread is a unit of execution that exists from the start.
type Thread struct {
	Name  string         // for traces and outcomes: "host", "P0"
	Func  int            // index into Program.Funcs
	Place memmodel.Place // where it runs
	Item  Item           // what the work-item queries answer
}

// Item holds the coordinates that a work-item may ask for.
type Item struct {
	WorkDim      uint8    // the number of dimensions
	GlobalID     [3]int64 // without the offset
	LocalID      [3]int64 // within the work-group
	GroupID      [3]int64 // the work-group's
	GlobalSize   [3]int64 // of the index space
	LocalSize    [3]int64 // enqueued local size
	GlobalOffset [3]int64 // which get_global_id adds
	SubGroupID   int64    // within the work-group
	SubGroupSize int64    // of this sub-group
	SubLocalID   int64    // within the sub-group
	NumSubGroups int64    // of this work-group
	// The size of the largest sub-group of a full work-group, and their number.
	MaxSubGroupSize      int64
	EnqueuedNumSubGroups int64 // of a full work-group
}

// FinalVar is a cell of shared memory whose last value in modification order
// belongs to the outcome of an execution.
type FinalVar struct {
	Name string // by which the outcome has it
	Addr int32  // address in the shared segment
}

// Object is a variable or buffer in memory that work-items share. Objects
// with Func < 0 live in the shared segment and exist once; the others are the
// __local variables of a kernel and exist once for each of its work-groups.
type Object struct {
	Name   string          // for reports and outcomes
	Pos    int32           // of its declaration: index into Program.Positions
	Region memmodel.Region // the address space
	Kind   memmodel.Kind   // how the host shares it
	// HostMaps: the host may touch the object only while it is mapped, or, if of
	// program scope, not at all.
	HostMaps bool
	Func     int        // owner of a per-group local object, else -1
	Layout   *Layout    // its shape: which cells it has
	Base     int32      // first cell's address in its segment; set by Program.Link
	Init     []int64    // one value a cell; nil: uninitialised
	Sliced   bool       // for reports: zeros stand for values that nothing depends on
	Pipe     *PipeShape // for reports: what a pipe holds; nil of anything else
}

// Layout is the shape of an object: a tree of arrays and structs whose leaves
// are scalar cells. A cell is the unit of access: there are no mixed-size
// accesses.
type Layout struct {
	Type   Type    // of a scalar
	Atomic bool    // scalar of an atomic type: only such cells take atomic operations
	Handle string  // for reports, of a scalar: what its number is a handle of, such as "event"; the number means nothing then
	Elem   *Layout // of an array
	Len    int     // of an array
	Step   int     // of an array whose elements are named by every so many numbers; 0 is 1
	Fields []Field // of a struct
}

// Field is one member of a struct layout.
type Field struct {
	Name   string  // of the member; one that does not begin with a letter stands behind the object's name as it is
	Layout *Layout // its shape
	After  int     // of what several elements of an array have in common: the elements before the one that it is in
}

// suffix is what the name of a member adds to that of the object that it is in.
func (f *Field) suffix() string {
	switch {
	case f.Name == "", strings.ContainsAny(f.Name[:1], "[ ."):
		return f.Name
	}
	return "." + f.Name
}

// Scalar returns the layout of a single cell.
func Scalar(t Type, atomic bool) *Layout { return &Layout{Type: t, Atomic: atomic} }

// Cells returns the number of cells.
func (l *Layout) Cells() int {
	switch {
	case l.Elem != nil:
		return l.Len * l.Elem.Cells()
	case l.Fields != nil:
		n := 0
		for _, f := range l.Fields {
			n += f.Layout.Cells()
		}
		return n
	}
	return 1
}

// Cell returns the scalar layout of cell i and its name relative to the
// object: "", "[3]", ".next", "[2].key".
func (l *Layout) Cell(i int) (*Layout, string) {
	path := ""
	for {
		switch {
		case l.Elem != nil:
			n := l.Elem.Cells()
			k := i/n*max(l.Step, 1) + l.Elem.elementsBefore(i%n)
			path += "[" + strconv.Itoa(k) + "]"
			l, i = l.Elem, i%n
		case l.Fields != nil:
			for k := range l.Fields {
				f := &l.Fields[k]
				n := f.Layout.Cells()
				if i < n {
					path += f.suffix()
					l = f.Layout
					break
				}
				i -= n
			}
		default:
			return l, path
		}
	}
}

// elementsBefore returns how many elements of an array come before the one that cell i is in, if l is several of them.
func (l *Layout) elementsBefore(i int) int {
	for k := range l.Fields {
		if i < l.Fields[k].Layout.Cells() {
			return l.Fields[k].After
		}
		i -= l.Fields[k].Layout.Cells()
	}
	return 0
}

// Pointers are integers. The upper half names the segment, the lower half is
// an offset in cells; nil is 0.
const (
	SegShift         = 32
	SegShared  int64 = 1 << SegShift // Objects with Func < 0, by address
	SegGroup   int64 = 2 << SegShift // the work-group's local objects
	SegPrivate int64 = 3 << SegShift // the work-item's addressable registers
	SegMask    int64 = -1 << SegShift
)

// Func is the code of a kernel, a block or a host thread, with every call
// inlined. Registers 0..Private-1 can be addressed by private pointers;
// Params arguments follow at Private..Private+Params-1. The others start at 0.
type Func struct {
	Name    string  // for reports
	Pos     int32   // of its declaration: index into Program.Positions
	Code    []Instr // by pc
	Consts  []int64 // operand ^i reads Consts[i]
	Regs    int     // number of registers
	Private int     // how many of them, from 0, private pointers can reach
	Params  int     // the number of arguments
	// SubGroupSize is the size of the sub-groups of a kernel's work-items; 0 means that of the program.
	SubGroupSize int64
	Copies       int // the code of asynchronous copies finds their Args in the registers from here on
	// Counters is the number of registers before those that count rounds; set by Link.
	Counters int

	Vars      []Var      // for reports: private variables, and what checks are about
	Notes     []Note     // for reports: by PC, which values variables take
	RegNames  []string   // source name of each register, "" when it has none
	RuledOut  []Pos      // for reports, in no order: lines whose code is left out for the values that the launch gives
	GroupSize int32      // cells of the group segment; set by Program.Link
	Live      [][]uint64 // Live[pc]: registers whose value matters when the code is about to execute pc; set by Program.Link
}

// LiveAt reports whether register r matters before pc.
func (f *Func) LiveAt(pc int, r int) bool { return f.Live[pc][r>>6]&(1<<(r&63)) != 0 }

// Instr is one instruction. Operands A, B and C name a register, or, when
// negative, the constant Consts[^operand]. Dst is a register, or -1 when the
// result is dead.
type Instr struct {
	Op    Op    // what it does
	Alu   Alu   // of OpBin, OpUn, OpRMW; of OpCollective: how values are combined
	Type  Type  // of the operands of OpBin, OpUn; of the result of OpConv; of the cell of an access
	From  Type  // of the operand of OpConv
	Check Check // of OpCheck
	Query Query // of OpQuery
	Group Group // of OpCollective

	Order     memmodel.Order // of an access or fence; of a successful OpCmpXchg
	FailOrder memmodel.Order // of a failed OpCmpXchg
	Scope     memmodel.Scope // of what has an Order, and of OpBarrier
	Flags     memmodel.Flags // of OpFence, OpBarrier
	Weak      bool           // OpCmpXchg may fail spuriously
	Legacy    bool           // of an access: an atomic function of OpenCL 1.x; its scope is Program.LegacyScope
	PerItem   bool           // OpObserve: the name is qualified by the work-item
	SubGroup  bool           // OpBarrier, OpCollective: of the sub-group, not the work-group

	Dst, Dst2    int32   // the results' registers, or -1
	A, B, C      int32   // operands
	Target, Else int32   // of OpJump, OpBranch; of OpAsyncCopy: Target; kernel of OpEnqueueNDRange: Target indexes Program.Funcs
	Str          int32   // index into Program.Strings
	Pos          int32   // index into Program.Positions
	Writes       bool    // of OpMap
	Var          int32   // of OpCheck, for reports: what is checked, as an index into Func.Vars; of OpNop: a note of a front end
	Waits        int32   // of an enqueue: how many of Args are the events of its wait list
	Args         []int32 // operands of what has more: see Op
	Rounds       *Rounds // of OpRound; of what Meets: nil outside loops
}

// Op is an instruction's operation.
type Op uint8

// The operations. Each has a row in the table operations, which says what the rest of the checker may know of it.
const (
	OpNop     Op = iota
	OpMove       // Dst = A
	OpBin        // Dst = A Alu B, wrapped to Type
	OpUn         // Dst = Alu A
	OpConv       // Dst = Type(A of type From)
	OpJump       // continue at Target
	OpBranch     // if A != 0 continue at Target, else at Else
	OpQuery      // Dst = a coordinate of the work-item, in dimension A
	OpCheck      // violation unless A != 0. For reports: B and C, if constants, are what was compared by Alu when the code was made
	OpAssert     // violation with message Str unless A != 0. B and C likewise
	OpAssume     // abandon the execution unless A != 0
	OpObserve    // add Str = A, of Type, to the outcome
	OpReach      // note that Str was reached
	OpRound      // a round of the loop Rounds.Loops[0] begins
	OpEnd        // the unit of execution ends
	OpCopied     // an asynchronous copy of event A is complete

	OpLoad           // Dst = *A, of Order and Scope. Through a private pointer it is not visible
	OpStore          // *A = B, likewise
	OpRMW            // Dst = *A; *A = Dst Alu B, as one atomic operation
	OpCmpXchg        // Dst2 = *A; if Dst2 == B { *A = C; Dst = 1 } else { Dst = 0 }, atomic
	OpFence          // atomic_work_item_fence(Flags, Order, Scope)
	OpBarrier        // work_group_barrier(Flags, Scope) or sub_group_barrier. Str names the call site; all work-items must also agree on Rounds
	OpCollective     // Dst = what Group says of the values B of all work-items of the group; C is the index of the one that broadcasts. Str and Rounds as for OpBarrier
	OpAsyncCopy      // start an asynchronous copy of the work-group. Args: destination, source, number of elements, the distances in cells between those of the destination and of the source, and 0 or the event to join; Dst = its event. The copy is made by the code at Target. Str and Rounds as for OpBarrier
	OpWaitCopies     // wait_group_events: wait until the copies of the events Args are complete. Str and Rounds likewise
	OpChoose         // Dst = any of 0 .. A-1; A is from 1 to MaxChoices. Str: what each means, for reports, with "; " between them; "" if they are numbers
	OpEnqueueNDRange // host: enqueue Funcs[Target]. Args: the queue, work_dim, then global offset, global size and local size with three entries each, Waits events, then the kernel's parameters. Dst as for the other commands of the host
	OpFinish         // host: clFinish of queue A
	OpGo             // host: start a host thread that executes Funcs[Target] with the parameters Args

	// Device-side enqueue. Dst is the result: Success or EnqueueFailure; Dst2 the
	// handle of the event, 0 without one. Args begin with the queue.
	OpEnqueueKernel // enqueue Funcs[Target]. Args: queue, flags, the index space as for OpEnqueueNDRange, Waits events, then the kernel's parameters
	OpEnqueueMarker // Args: queue, Waits events
	OpCreateEvent   // Dst = the handle of a new user event
	OpSetEvent      // the execution status of user event A becomes B
	OpRetainEvent   // retain_event(A)
	OpReleaseEvent  // release_event(A)
	OpValidEvent    // Dst = is_valid_event(A)

	// Commands of the host, and its events. Args begin with the queue; Dst is the
	// handle of the command's event.
	OpEnqueueNative // a command that executes Funcs[Target] once; Str names it. Args: queue, Waits events, then the parameters
	OpMarker        // clEnqueueMarkerWithWaitList. Args: queue, Waits events
	OpQueueBarrier  // clEnqueueBarrierWithWaitList. Args: queue, Waits events
	OpWaitEvents    // clWaitForEvents(Args). Dst = whether none has failed
	OpEventStatus   // Dst = the execution status of event A
	OpCallback      // clSetEventCallback: Funcs[Target] is called back. Args: the event, then the parameters, of which the first is the status that is waited for, 0 to 2, and then the one that it has

	// What the commands that map and free memory do.
	OpMapCell // the command may overwrite cell A by what it has seen of it
	OpMap     // the host may touch the B cells from A on; write to them if Writes
	OpUnmap   // and may no longer
	OpFree    // clSVMFree(A), A being the first cell of an object, or 0: nobody may touch the object any more

	numOps = iota
)

// CopyArgs is the number of Args of OpAsyncCopy.
const CopyArgs = 6

// Group names a collective function.
type Group uint8

// The collective functions of work-groups and sub-groups. work_group_all is a
// GroupReduce of booleans by And, work_group_any one by Or. Work-items count in
// their linear order.
const (
	GroupBroadcast     Group = iota // the value of work-item number C
	GroupReduce                     // all values combined by Alu
	GroupScanInclusive              // those of the work-items up to this one
	GroupScanExclusive              // those of the work-items before this one; of the first, the identity of Alu
	GroupShuffle                    // the value of work-item number C, each its own; 0 of one that there is not
)

// Type is the type of a scalar.
type Type uint8

// The scalar types. Every value is an int64: integers sign- or zero-extended
// from their type, F16, F32 and F64 as their IEEE 754 bit patterns, zero-extended.
// Pointers are compared as integers.
const (
	Bool Type = iota
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F16
	F32
	F64
	Ptr
)

// Unwritten is what a private variable holds that nothing was written to: front ends move
// it there, and guard reads by CheckWritten. No value of up to 32 bits is equal to it, and
// whoever computes this one of 64 bits does so on purpose.
const Unwritten int64 = -0x6c2f0b5e7d1a4f83

// Alu names an arithmetic operation.
type Alu uint8

// The arithmetic operations. Comparisons yield 0 or 1. Pipe and Xchg are for OpRMW alone.
const (
	Add Alu = iota
	Sub
	Mul
	Div
	Rem
	And
	Or
	Xor
	AndNot
	Shl
	Shr
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Neg
	Not   // logical: 1 if 0, else 0
	Compl // bitwise
	Min
	Max
	Pipe // what the operation b does to a pipe whose state a is; see PipeOp
	Xchg

	// Of integers.
	MulHi // the upper half of the product
	Clz   // of one operand: leading zeros
	Ctz   // trailing zeros
	Popcount

	// Of floating-point numbers; those up to Hypot have two operands, Ldexp and Rootn an integer
	// as the second one. They are computed in double precision and rounded to the type: one of
	// the results that OpenCL allows.
	Fmod
	IRemainder
	Pow
	Atan2
	Copysign
	Nextafter
	Ldexp
	Rootn
	Hypot
	Sqrt
	Cbrt
	Exp
	Exp2
	Exp10
	Expm1
	Log
	Log2
	Log10
	Log1p
	Logb
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh
	Erf
	Erfc
	Tgamma
	Lgamma
	Ceil
	Floor
	Trunc
	Rint     // to the nearest integer, ties to even
	Round    // ties away from zero
	Mantissa // frexp
	Exponent // frexp, as a number of the type
)

// Check says what OpCheck guards.
type Check uint8

// What can be wrong with a value at run time.
const (
	CheckIndex    Check = iota // index in range
	CheckNil                   // pointer not nil
	CheckDivisor               // divisor not zero
	CheckShift                 // shift count not negative
	CheckArgument              // an argument that OpenCL requires to be valid; Str says which
	CheckObject                // address within the object that the pointer was made from; Str is its name, or ""
	CheckWritten               // private variable written before it is read; Str is its name
	CheckAligned               // address a multiple of what the type accessed needs; Str is the type

	// What follows guards limits of clmc, which OpenCL does not have: beyond them nothing is known of an execution.

	CheckReservations // as many reservations of pipes as are followed
	CheckChoices      // as many values to choose from as are explored
)

// MaxReservations is how many reservations of pipes a work-item can have at a time that are not committed.
const MaxReservations = 8

// Limit reports whether the check guards a limit of clmc, and not what OpenCL demands.
func (c Check) Limit() bool { return c == CheckReservations || c == CheckChoices }

// The values that OpenCL C gives to kernel_enqueue_flags_t (rule 12.12), and
// the results of an enqueue.
const (
	NoWait        = 0
	WaitKernel    = 1
	WaitWorkGroup = 2

	Success        = 0
	EnqueueFailure = -101
)

// NDRangeHeader is the number of arguments of an OpEnqueueNDRange that come
// before the events of its wait list.
const NDRangeHeader = 11

// DefaultQueue is the value of the queue_t that get_default_queue returns. Those
// of Program.Queues follow it.
const DefaultQueue = 1

// MaxItems bounds the work-items of a kernel-instance, and so of a work-group.
const MaxItems = 1 << 14

// MaxChoices bounds the values of one OpChoose: each is explored.
const MaxChoices = 1 << 16

// EnqueueHeader is the number of arguments of an OpEnqueueKernel that come
// before the events of its wait list.
const EnqueueHeader = 12

// Query names a work-item function.
type Query uint8

// The work-item functions of OpenCL C that a kernel may call.
const (
	QueryWorkDim Query = iota
	QueryGlobalID
	QueryLocalID
	QueryGroupID
	QueryGlobalSize
	QueryLocalSize
	QueryEnqueuedLocalSize
	QueryNumGroups
	QueryGlobalOffset
	QueryGlobalLinearID
	QueryLocalLinearID
	QuerySubGroupSize
	QueryMaxSubGroupSize
	QueryNumSubGroups
	QueryEnqueuedNumSubGroups
	QuerySubGroupID
	QuerySubGroupLocalID
)
