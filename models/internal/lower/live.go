package lower

import "github.com/clmc/clmc/state/ir"

// liveness says which registers matter at the end of each of the ordered blocks. Most are computed and used within one
// block, so that only the others are looked at: those that some block reads before it writes them.
type liveness struct {
	crossing []int32  // the registers that may matter where blocks meet
	ends     []bitset // for each block, those of crossing, by their places there
	live     bitset   // of all registers: what at returned last
}

// liveness finds out what matters where. That registers with a private address always do is for the caller to see.
func (f *Func) liveness(blocks []*Block) *liveness {
	l := &liveness{live: newBitset(len(f.names))}
	place := l.number(blocks, len(f.names))
	reads, writes := newBitsets(len(blocks), len(l.crossing)), newBitsets(len(blocks), len(l.crossing))
	for i, b := range blocks {
		b.effect(func(r int32) {
			if at := place[r]; at >= 0 {
				writes[i].add(at)
				reads[i].remove(at)
			}
		}, func(r int32) {
			if at := place[r]; at >= 0 {
				reads[i].add(at)
			}
		})
	}
	l.ends = newBitsets(len(blocks), len(l.crossing))
	starts := newBitsets(len(blocks), len(l.crossing))
	for changed := true; changed; {
		changed = false
		for i := len(blocks) - 1; i >= 0; i-- {
			for _, s := range blocks[i].succ() {
				l.ends[i].union(starts[s.num])
			}
			for w := range starts[i] {
				word := reads[i][w] | l.ends[i][w]&^writes[i][w]
				changed = changed || word != starts[i][w]
				starts[i][w] = word
			}
		}
	}
	return l
}

// number gives a place to the registers that some block reads before it writes them, and -1 to the others.
func (l *liveness) number(blocks []*Block, registers int) (place []int32) {
	place = make([]int32, registers)
	for r := range place {
		place[r] = -1
	}
	const within = -2 // seen in the block, where what comes before is not known yet
	var touched []int32
	for _, b := range blocks {
		touched = touched[:0]
		b.effect(func(r int32) {
			if place[r] == within {
				place[r] = -1
			}
		}, func(r int32) {
			if place[r] == -1 {
				place[r] = within
				touched = append(touched, r)
			}
		})
		for _, r := range touched {
			if place[r] == within {
				place[r] = int32(len(l.crossing))
				l.crossing = append(l.crossing, r)
			}
		}
	}
	return place
}

// at returns the registers that matter at the end of a block. The set is good until the next call, and may be changed.
func (l *liveness) at(block int) bitset {
	clear(l.live)
	l.each(block, l.live.add)
	return l.live
}

// each calls do with every register that matters at the end of a block.
func (l *liveness) each(block int, do func(int32)) {
	l.ends[block].each(func(i int32) { do(l.crossing[i]) })
}

// effect goes backwards through the block, and calls f for what is written and for what is read.
func (b *Block) effect(writes, reads func(int32)) {
	if b.op == ir.OpBranch && b.cond >= 0 {
		reads(b.cond)
	}
	for i := len(b.ins) - 1; i >= 0; i-- {
		defs(&b.ins[i], func(d *int32) { writes(*d) })
		uses(&b.ins[i], func(o *int32) {
			if *o >= 0 {
				reads(*o)
			}
		})
	}
}

// step turns the registers live after an instruction into those live before it.
func step(in *ir.Instr, live bitset) {
	defs(in, func(d *int32) { live.remove(*d) })
	uses(in, func(o *int32) {
		if *o >= 0 {
			live.add(*o)
		}
	})
}
