package lower

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// A program with choices has all executions of the given one, and so all that goes wrong in one of them. That an execution never
// ends is another matter: where it might go on with other data, choices let it. So it has to be seen that each loop
// ends, or goes on for ever, whatever is chosen.

// waits reports whether some loop is not seen to (docs/exploration/late.md, "Executions that never end").
func (d *deciding) waits() bool {
	for _, f := range d.funcs {
		for _, b := range f.blocks {
			for i := range b.ins {
				if b.ins[i].Op == ir.OpEnqueueKernel { // which may enqueue itself
					return true
				}
			}
		}
		if (&loops{f: f, preds: predecessors(f.blocks), dom: dominators(f.blocks)}).wait() {
			return true
		}
	}
	return false
}

// loops looks at the loops of a function.
type loops struct {
	f     *needingFunc
	preds [][]*Block
	dom   *flow.Dominators
}

// body is a loop: its head, the blocks that jump back there, and all of it.
type body struct {
	head    *Block
	latches []*Block
	blocks  map[*Block]bool
}

// wait reports whether some loop is not seen to end whatever is chosen, nor to go on whatever is chosen.
func (l *loops) wait() bool {
	var all []*body
	for _, b := range l.f.blocks {
		for _, s := range b.succ() {
			if s.num > b.num {
				continue
			}
			if !l.dom.Dominates(s.num, b.num) { // a loop with several entries
				return true
			}
			all = l.add(all, s, b)
		}
	}
	for _, b := range all {
		if !l.counted(b) {
			return true
		}
	}
	return false
}

// add adds the loop of a jump back.
func (l *loops) add(all []*body, head, latch *Block) []*body {
	var of *body
	for _, b := range all {
		if b.head == head {
			of = b
		}
	}
	if of == nil {
		of = &body{head: head, blocks: map[*Block]bool{head: true}}
		all = append(all, of)
	}
	of.latches = append(of.latches, latch)
	for todo := []*Block{latch}; len(todo) > 0; {
		b := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !of.blocks[b] {
			of.blocks[b] = true
			todo = append(todo, l.preds[b.num]...)
		}
	}
	return all
}

// counted reports whether a loop is left by a count: in each round a number is added to a register, or it is halved, until a comparison with what stays the same
// in the loop fails.
func (l *loops) counted(b *body) bool {
	for e := range b.blocks {
		if e.op != ir.OpBranch || b.blocks[e.to[0]] == b.blocks[e.to[1]] || !l.each(b, e) {
			continue
		}
		test, at := l.only(b, e.cond)
		if test == nil || at != e && !l.each(b, at) || test.Op != ir.OpBin || test.Type.Float() || test.Alu < ir.Eq || test.Alu > ir.Ge {
			continue
		}
		op := test.Alu
		if !b.blocks[e.to[0]] { // left if the condition holds
			op = opposite(op)
		}
		if l.ends(b, op, test.Type, test.A, test.B) || l.ends(b, mirrored(op), test.Type, test.B, test.A) {
			return true
		}
	}
	return false
}

// each reports whether each round of a loop goes through a block.
func (l *loops) each(b *body, e *Block) bool {
	for _, latch := range b.latches {
		if !l.dom.Dominates(e.num, latch.num) {
			return false
		}
	}
	return true
}

// only returns the only instruction of a loop that sets a register, which nothing else can reach, and its block.
func (l *loops) only(b *body, r int32) (found *ir.Instr, at *Block) {
	if r < 0 || l.f.slot[r] >= 0 {
		return nil, nil
	}
	for blk := range b.blocks {
		for i := range blk.ins {
			in := &blk.ins[i]
			defs(in, func(d *int32) {
				if *d != r {
					return
				}
				if found != nil {
					at = nil
				} else {
					found, at = in, blk
				}
			})
			if found != nil && at == nil {
				return nil, nil
			}
		}
	}
	return found, at
}

// fixed reports whether a loop leaves an operand alone.
func (l *loops) fixed(b *body, o int32) bool {
	if o < 0 {
		return true
	}
	if l.f.slot[o] >= 0 {
		return false
	}
	for blk := range b.blocks {
		for i := range blk.ins {
			set := false
			defs(&blk.ins[i], func(d *int32) { set = set || *d == o })
			if set {
				return false
			}
		}
	}
	return true
}

// ends reports whether a loop that goes on while i op limit ends.
func (l *loops) ends(b *body, op ir.Alu, t ir.Type, i, limit int32) bool {
	if !l.fixed(b, limit) {
		return false
	}
	step, at := l.stepOf(b, i)
	if step == nil || !l.each(b, at) {
		return false
	}
	by, known := l.f.Known(step.B)
	if !known || step.Type.Float() || step.Type != t {
		return false
	}
	if step.Alu == ir.Sub {
		by = -by
	}
	bound, isNumber := l.f.Known(limit)
	switch step.Alu {
	case ir.Add, ir.Sub:
		switch op {
		case ir.Lt:
			return by == 1 || by > 0 && isNumber && bound < 1<<30 && by < 1<<30 && t.Bits() >= 32
		case ir.Le:
			return by > 0 && by < 1<<30 && isNumber && bound < 1<<30 && t.Bits() >= 32
		case ir.Gt:
			return by == -1 || by < 0 && by > -1<<30 && t.Signed() && isNumber && bound > -1<<30 && t.Bits() >= 32
		case ir.Ge:
			return by < 0 && by > -1<<30 && t.Signed() && isNumber && bound > -1<<30 && t.Bits() >= 32
		case ir.Ne:
			return by == 1 || by == -1
		}
	case ir.Shl: // until it is more, or all bits are gone
		return by > 0 && by < int64(t.Bits()) && isNumber && bound < 1<<30 && t.Bits() == 32 && (op == ir.Lt || op == ir.Le) && by == 1 && l.positive(b, i)
	case ir.Shr:
		return by > 0 && by < int64(t.Bits()) && !t.Signed() && isNumber && bound == 0 && (op == ir.Gt || op == ir.Ne) ||
			by > 0 && by < int64(t.Bits()) && t.Signed() && isNumber && bound >= 0 && op == ir.Gt
	}
	return false
}

// stepOf returns what a loop does to a register in each round, perhaps by way of others, which it is moved to and from in one block.
func (l *loops) stepOf(b *body, i int32) (step *ir.Instr, at *Block) {
	for r, n := i, 0; ; n++ {
		in, where := l.only(b, r)
		switch {
		case in == nil || n > 0 && where != at || n > 8:
			return nil, nil
		case in.Op == ir.OpBin && step == nil:
			step = in
		case in.Op != ir.OpMove:
			return nil, nil
		}
		if r, at = in.A, where; r == i {
			return step, at
		}
	}
}

// positive reports whether a loop begins with a positive number in a register.
func (l *loops) positive(b *body, i int32) bool {
	if slices.Contains(l.f.params, i) {
		return false
	}
	for _, blk := range l.f.blocks {
		if b.blocks[blk] {
			continue
		}
		for k := range blk.ins {
			in, right := &blk.ins[k], true
			defs(in, func(d *int32) {
				if *d == i {
					v, known := l.f.Known(in.A)
					right = in.Op == ir.OpMove && known && v > 0
				}
			})
			if !right {
				return false
			}
		}
	}
	return true
}

func opposite(op ir.Alu) ir.Alu {
	switch op {
	case ir.Eq:
		return ir.Ne
	case ir.Ne:
		return ir.Eq
	case ir.Lt:
		return ir.Ge
	case ir.Le:
		return ir.Gt
	case ir.Gt:
		return ir.Le
	}
	return ir.Lt
}

func mirrored(op ir.Alu) ir.Alu {
	switch op {
	case ir.Lt:
		return ir.Gt
	case ir.Le:
		return ir.Ge
	case ir.Gt:
		return ir.Lt
	case ir.Ge:
		return ir.Le
	}
	return op
}
