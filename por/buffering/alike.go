package buffering

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Work-items of which each may do the same to the same cells have the same hops. All that is
// asked of whose a hop is, is that it is another's than the one before and than that with which a
// cycle begins (graph.walk). So three of them are enough: the one that begins, and two
// that go on by turns. Kernels of hundreds of work-items have few that differ.

// enoughAlike is how many threads that are alike take part in cycles.
const enoughAlike = 3

// representatives returns the threads whose hops stand for everybody's.
// docs/exploration/thread-modular.md, "Threads that are alike".
func (a *modular) representatives(calm []bool) []*thread {
	alike := map[string]int{}
	return slices.DeleteFunc(slices.Clone(a.threads), func(t *thread) bool {
		if t.launch == 0 {
			return false
		}
		s := string(a.signature(t, calm))
		alike[s]++
		return alike[s] > enoughAlike
	})
}

// signature encodes all that the hops of a work-item depend on: its nodes in the order in which its
// outcomes lead to them, as they are numbered by when they were found.
func (a *modular) signature(t *thread, calm []bool) []byte {
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
		b = binary.AppendUvarint(b, uint64(len(n.edges)))
		for k := range n.edges {
			e := &n.edges[k]
			b = append(b, bit(e.reads)|bit(e.writes)<<1|bit(e.failed)<<2|bit(e.mark)<<3|bit(e.changes())<<4)
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

// appendAccess encodes what a node's operation is, and of what. An access that is not atomic has no hops,
// and may only be part of a round.
func (a *modular) appendAccess(b []byte, t *thread, n *node, in *ir.Instr, calm []bool) []byte {
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
