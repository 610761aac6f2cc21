package ir

import "slices"

// properties are what the rest of the checker may know of an operation. An operation without a row has none of
// them, and Verify refuses each program that has it: nothing is taken for granted of what nobody has decided.
type properties uint16

const (
	decided properties = 1 << iota // it has a row
	private                        // no other unit of execution can notice it, and it is no choice of the search
	access                         // it accesses shared memory at address A
	meets                          // the work-items of a group execute it together: each waits there until all have come
	starts                         // it brings about units that execute Funcs[Target]
	makes                          // it brings about units: a command, an event or a host thread
	maps                           // it is part of what maps, unmaps or frees memory
	queued                         // it is a command of a host queue
	waits                          // units may wait there for others
)

// operations has a row for each operation.
var operations = [1 << 8]properties{
	OpNop:     decided | private,
	OpMove:    decided | private,
	OpBin:     decided | private,
	OpUn:      decided | private,
	OpConv:    decided | private,
	OpJump:    decided | private,
	OpBranch:  decided | private,
	OpQuery:   decided | private,
	OpCheck:   decided | private,
	OpAssert:  decided | private,
	OpAssume:  decided | private,
	OpObserve: decided | private,
	OpReach:   decided | private,
	OpRound:   decided | private,
	OpEnd:     decided | private,
	OpCopied:  decided | private,

	OpLoad:           decided | access,
	OpStore:          decided | access,
	OpRMW:            decided | access,
	OpCmpXchg:        decided | access,
	OpFence:          decided,
	OpBarrier:        decided | meets | waits,
	OpCollective:     decided | meets | waits,
	OpAsyncCopy:      decided | meets | waits,
	OpWaitCopies:     decided | meets | waits,
	OpChoose:         decided,
	OpEnqueueNDRange: decided | starts | makes | queued,
	OpFinish:         decided | waits,
	OpGo:             decided | starts | makes,

	OpEnqueueKernel: decided | starts | makes,
	OpEnqueueMarker: decided | makes,
	OpCreateEvent:   decided | makes,
	OpSetEvent:      decided,
	OpRetainEvent:   decided,
	OpReleaseEvent:  decided,
	OpValidEvent:    decided,

	OpEnqueueNative: decided | starts | makes | queued,
	OpMarker:        decided | makes | queued,
	OpQueueBarrier:  decided | makes | queued,
	OpWaitEvents:    decided | waits,
	OpEventStatus:   decided,
	OpCallback:      decided | starts | makes,

	OpMapCell: decided | maps,
	OpMap:     decided | maps,
	OpUnmap:   decided | maps,
	OpFree:    decided | maps,
}

// modifications are the arithmetic operations that a read-modify-write can perform. Verify refuses a program with another one, and tests of
// the packages that name these operations demand a name for each.
var modifications = []Alu{Add, Sub, And, Or, Xor, Min, Max, Pipe, Xchg}

// Modifications returns the arithmetic operations that a read-modify-write can perform.
func Modifications() []Alu { return slices.Clone(modifications) }

// has reports whether the operation has a property.
func (o Op) has(p properties) bool { return operations[o]&p != 0 }

// Visible reports whether the operation is one that other units of execution
// may notice, or a choice of the search: a step of the machine ends just before one.
func (o Op) Visible() bool { return !o.has(private) }

// Access reports whether the operation accesses shared memory at address A.
func (o Op) Access() bool { return o.has(access) }

// Meets reports whether the work-items of a group execute the operation
// together: each waits there until all have come.
func (o Op) Meets() bool { return o.has(meets) }

// Starts reports whether the operation brings about units that execute
// Funcs[Target].
func (o Op) Starts() bool { return o.has(starts) }

// Makes reports whether the operation brings about units: a command, an event or
// a host thread.
func (o Op) Makes() bool { return o.has(makes) }

// Maps reports whether the operation is part of what maps, unmaps or frees memory.
func (o Op) Maps() bool { return o.has(maps) }

// Queued reports whether the operation is a command of a host queue.
func (o Op) Queued() bool { return o.has(queued) }

// Enqueues reports whether the operation enqueues the kernel Funcs[Target].
func (o Op) Enqueues() bool { return o == OpEnqueueNDRange || o == OpEnqueueKernel }

// Class is a class of modifications that commute: whatever the order in which those of one class are performed,
// and whatever their operands are, they leave the same value. Modifications of different classes do not.
type Class uint8

// The classes.
const (
	Ordered Class = iota // commutes with nothing: what an operation is that nobody has found a class for
	Adding
	Masking
	Setting
	Toggling
	Lowering
	Raising
	NumClasses
)

// classes has the operations that commute.
var classes = [1 << 8]Class{
	Add:    Adding,
	Sub:    Adding,
	And:    Masking,
	AndNot: Masking,
	Or:     Setting,
	Xor:    Toggling,
	Min:    Lowering,
	Max:    Raising,
}

// Class returns the class of the modification that a read-modify-write makes of values of a type. Additions
// of floating-point numbers round, so that their order matters.
func (a Alu) Class(t Type) Class {
	if t.Float() {
		return Ordered
	}
	return classes[a]
}
