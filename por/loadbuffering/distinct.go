package loadbuffering

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Work-items that may do the same to the same cells have the same edges. A walk (graph.walk) asks only whether an
// edge belongs to another thread than the edge before it and than the first one. So three work-items of a kind
// suffice: one for the first edge, and two that alternate. Kernels of hundreds of work-items have few kinds.

// maxOfOne is the number of threads of one signature that take part in cycles.
const maxOfOne = 3

// distinctThreads returns the threads whose edges stand for those of all threads.
// docs/exploration/thread-modular.md, "Threads of one signature".
func (a *threadModular) distinctThreads(calm []bool) []*thread {
	of := map[string]int{}
	return slices.DeleteFunc(slices.Clone(a.threads), func(t *thread) bool {
		if t.launch == 0 {
			return false
		}
		s := string(a.signature(t, calm))
		of[s]++
		return of[s] > maxOfOne
	})
}

// signature encodes everything that the edges of a work-item depend on. Its nodes are numbered in the order in
// which its outcomes lead to them.
func (a *threadModular) signature(t *thread, calm []bool) []byte {
	b := binary.AppendVarint(nil, int64(t.unit.Func))
	code := a.m.Program.Funcs[t.unit.Func].Code
	number := make([]int64, len(t.nodes)) // from 1
	var order []*node
	reach := func(i int32) int64 {
		if i == nowhere {
			return 0
		}
		if number[i] == 0 {
			order = append(order, t.nodes[i])
			number[i] = int64(len(order))
		}
		return number[i]
	}
	if len(t.nodes) > 0 {
		reach(0)
	}
	for k := 0; k < len(order); k++ {
		n := order[k]
		b = a.appendAccess(b, t, n, &code[n.pc], calm)
		b = binary.AppendUvarint(b, uint64(len(n.outcomes)))
		for k := range n.outcomes {
			e := &n.outcomes[k]
			b = append(b, bit(e.reads)|bit(e.writes)<<1|bit(e.failed)<<2|bit(e.observable)<<3|bit(e.changes())<<4)
			b = binary.AppendVarint(b, reach(e.to))
			if code[n.pc].Order != memmodel.NonAtomic {
				b = binary.AppendVarint(binary.AppendVarint(b, e.read), e.written)
			}
		}
	}
	if len(order) < len(t.nodes) { // what does not follow is none the less walked
		b = fmt.Append(b, "thread ", t.number)
	}
	return b
}

// appendAccess encodes the operation of a node and what it accesses. A non-atomic access has no edges; it can only
// be part of a round of waiting.
func (a *threadModular) appendAccess(b []byte, t *thread, n *node, in *ir.Instr, calm []bool) []byte {
	b = binary.AppendVarint(b, int64(n.pc))
	switch {
	case in.Op.Meets():
		return fmt.Append(b, meetingOf(t, n, in))
	case n.cell >= 0 && in.Order == memmodel.NonAtomic:
		return append(b, bit(calm[n.cell]))
	}
	return binary.AppendVarint(b, int64(n.cell))
}

func bit(is bool) byte {
	if is {
		return 1
	}
	return 0
}
