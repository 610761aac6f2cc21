package axiom

import "github.com/clmc/clmc/state/ir"

// pipe returns the state of a pipe after an operation on it: unpacked into slots, changed, and packed again.
func pipe(state, operand int64) int64 {
	field := func(v int64, bit int) int { return int(v >> bit & 63) }
	n, at, size := field(operand, ir.PipeCountShift), field(operand, ir.PipeAtShift), field(operand, ir.PipeSizeShift)
	held, used, oldest := field(state, ir.PipeHeldBit), field(state, ir.PipeUsedBit), field(state, ir.PipeOldestBit)
	var marks []bool // of the slots in use, the oldest first
	for i := range used {
		marks = append(marks, state>>i&1 != 0)
	}
	switch op := ir.PipeOp(field(operand, 0)); op {
	case ir.PipeReserveWrite, ir.PipeWrite:
		if used+n > size {
			return state
		}
		for range n {
			marks = append(marks, op == ir.PipeWrite)
		}
	case ir.PipeReserveRead, ir.PipeRead:
		for i := held; i < held+n; i++ {
			if i >= used || !marks[i] {
				return state
			}
		}
		for i := held; i < held+n; i++ {
			marks[i] = op == ir.PipeRead
		}
		held += n
	default:
		for i := range n {
			for k := range marks {
				if (oldest+k)%size == (at+i)%size {
					marks[k] = true
				}
			}
		}
	}
	for held > 0 && marks[0] {
		marks, held, oldest = marks[1:], held-1, oldest+1
	}
	var packed int64
	for i, m := range marks {
		if m {
			packed |= 1 << i
		}
	}
	if len(marks) == 0 {
		return 0
	}
	return packed | int64(held)<<ir.PipeHeldBit | int64(len(marks))<<ir.PipeUsedBit | int64(oldest%size)<<ir.PipeOldestBit
}
