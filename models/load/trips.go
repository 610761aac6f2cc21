package load

import "github.com/clmc/clmc/state/ir"

// countTrips gives barriers and collectives in loops the number of iterations
// made since the last one, as a hash in a register: work-items that meet at one
// call must agree on it. A loop in which one such call is executed in every
// iteration needs no count, since the order of the calls then tells the
// iterations apart.
func (c *code) countTrips() {
	blocks := c.order()
	var counted []loop
	for _, l := range findLoops(blocks) {
		if l.hasBarrier() && !l.alwaysBarrier() {
			counted = append(counted, l)
		}
	}
	if len(counted) == 0 {
		return
	}
	trip := c.newReg("")
	for i, l := range counted {
		for _, from := range l.latches {
			c.countEdge(from, l.head, trip, int64(i+1))
		}
	}
	for _, b := range blocks {
		c.resetTrips(b, trip)
	}
	start := ir.Instr{Op: ir.OpMove, Dst: trip, A: c.constant(0)}
	c.entry = &block{ins: []ir.Instr{start}, op: ir.OpJump, to: [2]*block{c.entry}}
}

// countEdge puts trip = trip*31 + number on the edges between two blocks.
func (c *code) countEdge(from, to *block, trip int32, number int64) {
	edge := &block{op: ir.OpJump, to: [2]*block{to}, pos: from.pos, ins: []ir.Instr{
		{Op: ir.OpBin, Alu: ir.Mul, Type: ir.U32, Dst: trip, A: trip, B: c.constant(31), Pos: from.pos},
		{Op: ir.OpBin, Alu: ir.Add, Type: ir.U32, Dst: trip, A: trip, B: c.constant(number), Pos: from.pos},
	}}
	for i, s := range from.succ() {
		if s == to {
			from.to[i] = edge
		}
	}
}

// resetTrips lets the barriers of a block read the count, and clears it after each.
func (c *code) resetTrips(b *block, trip int32) {
	var ins []ir.Instr
	for _, in := range b.ins {
		if !in.Op.Meets() {
			ins = append(ins, in)
			continue
		}
		in.A = trip
		ins = append(ins, in, ir.Instr{Op: ir.OpMove, Dst: trip, A: c.constant(0), Pos: in.Pos})
	}
	b.ins = ins
}

// loop is a set of blocks that control may go round in.
type loop struct {
	head    *block
	latches []*block // ends of the edges back to head
	body    []*block
	dom     *dominators
	natural bool // head is the only way in
}

// findLoops finds, for every edge back in the order of the blocks, the blocks
// from which its start can be reached without passing its end.
func findLoops(blocks []*block) []loop {
	dom := findDominators(blocks)
	preds := predecessors(blocks)
	var loops []loop
	for _, head := range blocks {
		l := loop{head: head, dom: dom, natural: true}
		inside := map[*block]bool{head: true}
		l.body = append(l.body, head)
		for _, p := range preds[head.num] {
			if p.num < head.num {
				continue
			}
			l.latches = append(l.latches, p)
			l.natural = l.natural && dom.dominates(head, p)
			l.grow(p, inside, preds)
		}
		if len(l.latches) > 0 {
			loops = append(loops, l)
		}
	}
	return loops
}

// grow adds to the body the blocks that lead to b.
func (l *loop) grow(b *block, inside map[*block]bool, preds [][]*block) {
	stack := []*block{b}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if inside[b] {
			continue
		}
		inside[b] = true
		l.body = append(l.body, b)
		stack = append(stack, preds[b.num]...)
	}
}

func (l *loop) hasBarrier() bool {
	for _, b := range l.body {
		if hasBarrier(b) {
			return true
		}
	}
	return false
}

// alwaysBarrier reports whether one barrier is executed in every iteration.
func (l *loop) alwaysBarrier() bool {
	for _, b := range l.body {
		every := l.natural && hasBarrier(b)
		for _, from := range l.latches {
			every = every && l.dom.dominates(b, from)
		}
		if every {
			return true
		}
	}
	return false
}

func hasBarrier(b *block) bool {
	for i := range b.ins {
		if b.ins[i].Op.Meets() {
			return true
		}
	}
	return false
}

// dominators holds, for each of the ordered blocks, its immediate dominator.
type dominators struct{ up []int }

// findDominators computes dominators by the algorithm of Cooper, Harvey and Kennedy.
func findDominators(blocks []*block) *dominators {
	preds := predecessors(blocks)
	d := &dominators{up: make([]int, len(blocks))}
	for i := range d.up {
		d.up[i] = -1
	}
	d.up[0] = 0
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(blocks); i++ {
			up := -1
			for _, p := range preds[i] {
				switch {
				case d.up[p.num] < 0:
				case up < 0:
					up = p.num
				default:
					up = d.meet(up, p.num)
				}
			}
			if d.up[i] != up {
				d.up[i], changed = up, true
			}
		}
	}
	return d
}

func (d *dominators) meet(a, b int) int {
	for a != b {
		for a > b {
			a = d.up[a]
		}
		for b > a {
			b = d.up[b]
		}
	}
	return a
}

// dominates reports whether every path to b passes a.
func (d *dominators) dominates(a, b *block) bool {
	n := b.num
	for n > a.num {
		n = d.up[n]
	}
	return n == a.num
}
