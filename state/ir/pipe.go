package ir

import "math/bits"

// A pipe is an atomic cell, its state, and behind it cells for the packets of each of its slots. The state is one number, so that
// a function of OpenCL C changes it in one step, by OpRMW with Pipe. The slots are a ring. From the oldest packet that
// is not removed on, some are held by readers, the others are packets to come or packets that are there:
//
//	bits 0 to 39   a mark for each slot, from the oldest on: of those held, that the reader is done; of the others, that the packet is there
//	bits 40 to 45  how many are held
//	bits 46 to 51  how many slots are in use, those held counted
//	bits 52 to 57  which slot is the oldest
//
// The state of an empty pipe is 0.
const (
	MaxPipe       = 40 // slots of a pipe
	PipeHeldBit   = 40
	PipeUsedBit   = 46
	PipeOldestBit = 52
	PipeField     = 1<<6 - 1
	PipeMarks     = 1<<MaxPipe - 1
)

// PipeOp is what is done to the state of a pipe. It changes nothing where it is impossible, which the old state tells.
type PipeOp int64

// The operations. Packets are n in a row.
const (
	PipeReserveWrite PipeOp = iota // n more slots are in use, if there are so many
	PipeReserveRead                // n more packets are held, if so many are there
	PipeCommitWrite                // the packets of the slots from At on are there
	PipeCommitRead                 // the reader of the slots from At on is done
	PipeWrite                      // both at once
	PipeRead
)

// Where an operand of Pipe has what, above the operation.
const (
	PipeCountShift = 8  // n
	PipeAtShift    = 16 // the first slot
	PipeSizeShift  = 24 // the slots of the pipe
)

// PipeShape is what reports say of a pipe: how many slots it has, and of what the packets consist.
type PipeShape struct {
	Slots int        // the packets that it has room for
	Parts []PipePart // one for each cell of a slot
}

// PipePart is up to 32 bits of a scalar of a packet.
type PipePart struct {
	Name string // of the scalar within the packet: "", ".a", "[2]"
	Type Type   // of the scalar
	From int    // the first bit
}

// PipeLayout returns the shape of a pipe. Its state has the name of the pipe, and its slots are numbered.
func PipeLayout(p *PipeShape) *Layout {
	packet := Scalar(U64, true)
	if len(p.Parts) != 1 {
		packet = &Layout{Fields: []Field{}}
		for _, part := range p.Parts {
			name := part.Name
			switch {
			case part.Type.Bits() <= 32:
			case part.From == 0:
				name += " (low half)"
			default:
				name += " (high half)"
			}
			packet.Fields = append(packet.Fields, Field{Name: name, Layout: Scalar(U64, true)})
		}
	}
	return &Layout{Fields: []Field{{Layout: Scalar(U64, true)}, {Layout: &Layout{Elem: packet, Len: p.Slots}}}}
}

// PipeCount is what a state of a pipe means.
type PipeCount struct {
	Used  int // slots in use, those included that are reserved
	Ready int // packets that can be read
}

// CountPipe takes a state of a pipe apart.
func CountPipe(state int64) PipeCount {
	marks, held := uint64(state&PipeMarks), state>>PipeHeldBit&PipeField
	return PipeCount{int(state >> PipeUsedBit & PipeField), bits.TrailingZeros64(^(marks >> held))}
}

// PipeRequest takes an operand of Pipe apart: what is to be done, to how many packets.
func PipeRequest(operand int64) (op PipeOp, n int) {
	return PipeOp(operand & PipeField), int(operand >> PipeCountShift & PipeField)
}

// pipe returns the state of a pipe after an operation, which changes nothing where the pipe is full or empty (rule 14.3).
// What is read takes room until it is committed (rule 14.4).
func pipe(state, operand int64) int64 {
	op, n, at, size := PipeOp(operand&PipeField), operand>>PipeCountShift&PipeField, operand>>PipeAtShift&PipeField, operand>>PipeSizeShift&PipeField
	marks, held := state&PipeMarks, state>>PipeHeldBit&PipeField
	used, oldest := state>>PipeUsedBit&PipeField, state>>PipeOldestBit&PipeField
	if size < 1 || size > MaxPipe {
		return state
	}
	run := func(from int64) int64 { return (1<<n - 1) << from & PipeMarks }
	switch op {
	case PipeReserveWrite, PipeWrite:
		if used+n > size {
			return state
		}
		if op == PipeWrite {
			marks |= run(used)
		}
		used += n
	case PipeReserveRead, PipeRead:
		if held+n > used || marks&run(held) != run(held) {
			return state
		}
		if op == PipeReserveRead {
			marks &^= run(held)
		}
		held += n
	case PipeCommitWrite, PipeCommitRead:
		marks |= run(((at-oldest)%size + size) % size)
	}
	for ; held > 0 && marks&1 != 0; held-- {
		marks, used, oldest = marks>>1, used-1, (oldest+1)%size
	}
	if used == 0 {
		oldest = 0 // which slots of an empty pipe come next makes no difference
	}
	return marks | held<<PipeHeldBit | used<<PipeUsedBit | oldest<<PipeOldestBit
}
