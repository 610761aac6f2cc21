package state

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/clmc/clmc/state/ir"
)

// coverage notes, by function and instruction, where executions have gone on: after a visible
// operation, behind a branch, behind an assumption that has held. What lies between is
// code without a branch, so that nothing else need be noted.
type coverage struct {
	at     [][]atomic.Bool // by function and pc: some unit has been there
	places atomic.Int64    // of them, that have been noted
}

func newCoverage(p *ir.Program) *coverage {
	c := &coverage{at: make([][]atomic.Bool, len(p.Funcs))}
	for i, f := range p.Funcs {
		c.at[i] = make([]atomic.Bool, len(f.Code))
	}
	return c
}

// note notes that an execution has come to pc, unless it is only imagined.
func (c *coverage) note(s *State, fn int, pc int32) {
	if at := &c.at[fn][pc]; !at.Load() && !s.solo {
		c.mark(at)
	}
}

// mark notes a place. Several searches may do so at once.
func (c *coverage) mark(at *atomic.Bool) {
	if at.CompareAndSwap(false, true) {
		c.places.Add(1)
	}
}

// executed calls visit with each instruction that some execution has come to.
func (c *coverage) executed(p *ir.Program, visit func(fn, pc int)) {
	for fn, f := range p.Funcs {
		seen := make([]bool, len(f.Code))
		for start := range f.Code {
			if !c.at[fn][start].Load() {
				continue
			}
			for pc := start; !seen[pc]; {
				seen[pc] = true
				visit(fn, pc)
				switch in := &f.Code[pc]; {
				case in.Op.Visible() || in.Op == ir.OpBranch || in.Op == ir.OpAssume || in.Op == ir.OpEnd || in.Op == ir.OpCopied:
				case in.Op == ir.OpJump:
					pc = int(in.Target)
				default:
					pc++
				}
			}
		}
	}
}

// Unexecuted lists the lines of the program's text that have code, or would have if the launch gave other values, of which no execution so
// far has come to any, in the order of the text. Columns and calls are left out.
func (n Notes) Unexecuted() []ir.Pos {
	m := n.m
	p := m.Program
	line := func(fn, pc int) ir.Pos {
		at := p.Positions[p.Funcs[fn].Code[pc].Pos]
		return ir.Pos{File: at.File, Line: at.Line}
	}
	executed := map[ir.Pos]bool{{}: true}
	m.covered.executed(p, func(fn, pc int) { executed[line(fn, pc)] = true })
	var out []ir.Pos
	for fn, f := range p.Funcs {
		for pc := range f.Code {
			switch f.Code[pc].Op { // a closing brace, or nothing to see
			case ir.OpEnd, ir.OpJump, ir.OpNop, ir.OpRound:
				continue
			}
			if at := line(fn, pc); at.Line > 0 && !executed[at] {
				executed[at] = true
				out = append(out, at)
			}
		}
	}
	for _, f := range p.Funcs {
		for _, at := range f.RuledOut {
			if at.Line > 0 && !executed[at] {
				executed[at] = true
				out = append(out, at)
			}
		}
	}
	slices.SortFunc(out, func(a, b ir.Pos) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return out
}

// Unevaluated lists the places of assertions that no execution so far has come to, in the order of the text. Calls are left out.
func (n Notes) Unevaluated() []ir.Pos {
	p := n.m.Program
	place := func(fn, pc int) ir.Pos {
		at := p.Positions[p.Funcs[fn].Code[pc].Pos]
		return ir.Pos{File: at.File, Line: at.Line, Col: at.Col}
	}
	evaluated := map[ir.Pos]bool{}
	n.m.covered.executed(p, func(fn, pc int) {
		if p.Funcs[fn].Code[pc].Op == ir.OpAssert {
			evaluated[place(fn, pc)] = true
		}
	})
	var out []ir.Pos
	for fn, f := range p.Funcs {
		for pc := range f.Code {
			if at := place(fn, pc); f.Code[pc].Op == ir.OpAssert && at.Line > 0 && !evaluated[at] {
				evaluated[at] = true
				out = append(out, at)
			}
		}
	}
	slices.SortFunc(out, func(a, b ir.Pos) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return out
}

// bits returns what has been noted as bits, function by function.
func (c *coverage) bits() []byte {
	var bits []byte
	at := 0
	for fn := range c.at {
		for pc := range c.at[fn] {
			if at%8 == 0 {
				bits = append(bits, 0)
			}
			if c.at[fn][pc].Load() {
				bits[at/8] |= 1 << (at % 8)
			}
			at++
		}
	}
	return bits
}

// add notes what bits say. Those that the program has no code for are ignored.
func (c *coverage) add(bits []byte) {
	at := 0
	for fn := range c.at {
		for pc := range c.at[fn] {
			if at/8 < len(bits) && bits[at/8]>>(at%8)&1 != 0 {
				c.mark(&c.at[fn][pc])
			}
			at++
		}
	}
}
