package ir

import "github.com/clmc/clmc/memmodel"

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
