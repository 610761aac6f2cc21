package ir

import (
	"math/rand/v2"
	"testing"
)

// TestPipe performs random operations, and follows by a list what is in the pipe.
func TestPipe(t *testing.T) {
	type entry struct{ slot, mark int64 } // of one in use: committed or done; 1 if so
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		size := 1 + r.Int64N(MaxPipe)
		var list []entry
		var held int
		state := int64(0)
		var open [2][][2]int64 // reservations to read and to write: slot and count
		do := func(op PipeOp, n, at int64) bool {
			old := state
			state, _ = Eval(Pipe, U64, old, int64(op)|n<<PipeCountShift|at<<PipeAtShift|size<<PipeSizeShift)
			return state != old
		}
		for range 400 {
			n := 1 + r.Int64N(3)
			next := int64(0)
			if len(list) > 0 {
				next = (list[len(list)-1].slot + 1) % size
			}
			switch op := PipeOp(r.IntN(6)); op {
			case PipeReserveWrite, PipeWrite:
				if done := do(op, n, 0); done != (int64(len(list))+n <= size) {
					t.Fatalf("seed %d: %d packets in %d of %d: %v", seed, n, len(list), size, done)
				} else if !done {
					continue
				}
				for i := range n {
					list = append(list, entry{(next + i) % size, int64(op) / int64(PipeWrite)})
				}
				if op == PipeReserveWrite {
					open[1] = append(open[1], [2]int64{next, n})
				}
			case PipeReserveRead, PipeRead:
				ok := held+int(n) <= len(list)
				for i := held; ok && i < held+int(n); i++ {
					ok = list[i].mark == 1
				}
				if done := do(op, n, 0); done != ok {
					t.Fatalf("seed %d: %d packets of %v behind %d: %v", seed, n, list, held, done)
				} else if !done {
					continue
				}
				if op == PipeReserveRead {
					open[0] = append(open[0], [2]int64{list[held].slot, n})
				}
				for range n {
					list[held].mark = int64(op) / int64(PipeRead)
					held++
				}
			default:
				w := int(op)&1 ^ 1 // a commit of what is to be written, or read
				if len(open[w]) == 0 {
					continue
				}
				k := r.IntN(len(open[w]))
				c := open[w][k]
				open[w] = append(open[w][:k:k], open[w][k+1:]...)
				do(op, c[1], c[0])
				for i := range list {
					if d := (list[i].slot - c[0] + size) % size; d < c[1] {
						list[i].mark = 1
					}
				}
			}
			for held > 0 && list[0].mark == 1 {
				list, held = list[1:], held-1
			}
			if got := state >> PipeUsedBit & PipeField; got != int64(len(list)) {
				t.Fatalf("seed %d: %d slots in use, want %d", seed, got, len(list))
			}
		}
	}
}
