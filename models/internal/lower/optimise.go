package lower

import "github.com/clmc/clmc/state/ir"

// maxRounds bounds the rounds of optimise; each round shortens the code.
const maxRounds = 20

// optimise propagates constants and copies, folds what becomes constant, and
// tidies the graph, until nothing changes. Small code makes small states: what
// is not computed need not be kept.
func (f *Func) optimise() {
	for range maxRounds {
		blocks := f.order()
		changed := f.propagate(blocks)
		changed = f.dropWritten(blocks) || changed
		for _, b := range blocks {
			changed = f.foldBlock(b) || changed
		}
		changed = f.simplify(blocks) || changed
		changed = f.tidy() || changed
		changed = f.removeDead() || changed
		if !changed {
			return
		}
	}
}

// propagate replaces registers that are only ever a copy of a constant, or of
// a register that is assigned once, by what they are a copy of. That is sound
// since an assignment that is the only one precedes all uses.
func (f *Func) propagate(blocks []*Block) bool {
	copies := f.singleCopies(blocks)
	if len(copies) == 0 {
		return false
	}
	changed := false
	replace := func(o *int32) {
		for *o >= 0 {
			to, ok := copies[*o]
			if !ok {
				return
			}
			*o = to
			changed = true
		}
	}
	for _, b := range blocks {
		for i := range b.ins {
			f.keepFolded(&b.ins[i], copies)
			uses(&b.ins[i], replace)
			if isNote(&b.ins[i]) {
				f.renote(&b.ins[i], copies)
			}
		}
		if b.op == ir.OpBranch {
			replace(&b.cond)
		}
	}
	return changed
}

// stable returns a test whether an operand always has the same value between
// two assignments that it depends on: a constant, or a register that is
// assigned in one place and has no private address.
func (f *Func) stable(blocks []*Block) func(int32) bool {
	count := make([]int, len(f.names))
	for _, p := range f.params {
		count[p]++
	}
	for _, b := range blocks {
		for i := range b.ins {
			defs(&b.ins[i], func(d *int32) { count[*d]++ })
		}
	}
	return func(o int32) bool { return o < 0 || count[o] == 1 && f.slot[o] < 0 }
}

// singleCopies maps the registers whose only assignment is a copy to what is copied.
func (f *Func) singleCopies(blocks []*Block) map[int32]int32 {
	stable := f.stable(blocks)
	copies := map[int32]int32{}
	for _, b := range blocks {
		for _, in := range b.ins {
			if in.Op == ir.OpMove && stable(in.Dst) && stable(in.A) && in.Dst != in.A {
				copies[in.Dst] = in.A
				if in.A >= 0 && f.names[in.A] == "" {
					f.names[in.A] = f.names[in.Dst]
				}
			}
		}
	}
	return copies
}

// foldBlock evaluates what is constant in a block.
func (f *Func) foldBlock(b *Block) bool {
	changed := false
	kept := b.ins[:0]
	for _, in := range b.ins {
		switch {
		case in.Op == ir.OpCheck || in.Op == ir.OpAssert || in.Op == ir.OpAssume:
			if v, ok := f.Known(in.A); ok && v != 0 {
				changed = true
				continue
			}
		case in.Op == ir.OpMove && in.A == in.Dst:
			changed = true
			continue
		case pure(&in) && in.Op != ir.OpMove:
			if r, ok := f.fold(&in); ok {
				f.folded[in.Dst] = in
				in = ir.Instr{Op: ir.OpMove, Dst: in.Dst, A: r, Pos: in.Pos}
				changed = true
			}
		}
		kept = append(kept, in)
	}
	b.ins = kept
	if b.op == ir.OpBranch {
		v, known := f.Known(b.cond)
		if known && v == 0 {
			b.to[0] = b.to[1]
		}
		if known || b.to[0] == b.to[1] {
			b.op, b.to[1] = ir.OpJump, nil
			changed = true
		}
	}
	return changed
}

// fold returns the operand that an instruction's result equals, if that is
// known at load time.
func (f *Func) fold(in *ir.Instr) (int32, bool) {
	a, aok := f.computable(in.A)
	b, bok := f.computable(in.B)
	switch {
	case in.Op == ir.OpBin && aok && bok:
		if v, ok := ir.Eval(in.Alu, in.Type, a, b); ok {
			return f.Constant(v), true
		}
	case in.Op == ir.OpBin && bok && b == 0 && !in.Type.Float() && (in.Alu == ir.Add || in.Alu == ir.Sub || in.Alu == ir.Or):
		return in.A, true
	case in.Op == ir.OpBin && bok && b == 1 && in.Alu == ir.And && in.Type == ir.Bool:
		return in.A, true
	case in.Op == ir.OpBin && in.Alu == ir.Or && in.Type == ir.Bool && (aok && a == 1 || bok && b == 1):
		return f.Constant(1), true
	case in.Op == ir.OpUn && aok:
		if v, ok := ir.EvalUn(in.Alu, in.Type, a); ok {
			return f.Constant(v), true
		}
	case in.Op == ir.OpConv && aok:
		return f.Constant(ir.Convert(in.Type, in.From, a)), true
	}
	return 0, false
}

// tidy skips empty blocks and merges blocks that always follow each other.
func (f *Func) tidy() bool {
	changed := false
	for _, b := range f.order() {
		changed = b.absorb() || changed
		for i, s := range b.succ() {
			if t := skipEmpty(s); t != s {
				b.to[i] = t
				changed = true
			}
		}
	}
	blocks := f.order()
	preds := predecessors(blocks)
	for _, b := range blocks {
		for b.op == ir.OpJump && b.to[0] != b && b.to[0] != f.entry && len(preds[b.to[0].num]) == 1 && !gone(b) {
			s := b.to[0]
			b.ins = append(b.ins, s.ins...)
			b.op, b.cond, b.to, b.pos = s.op, s.cond, s.to, s.pos
			for _, t := range b.succ() { // s no longer counts: b takes its place
				replaceBlock(preds[t.num], s, b)
			}
			s.ins, s.op = nil, ir.OpNop
			changed = true
		}
	}
	return changed
}

// absorb lets a block that jumps to empty ones take over what notes they have.
func (b *Block) absorb() bool {
	if b.op != ir.OpJump {
		return false
	}
	seen := map[*Block]bool{b: true}
	to, notes := b.to[0], b.ins
	for !seen[to] && onlyNotes(to.ins) && to.op == ir.OpJump {
		seen[to] = true
		notes, to = append(notes, to.ins...), to.to[0]
	}
	if to == b.to[0] {
		return false
	}
	b.ins, b.to[0] = notes, to
	return true
}

// gone reports whether the block was merged into another.
func gone(b *Block) bool { return b.op == ir.OpNop }

func replaceBlock(list []*Block, old, new *Block) {
	for i, b := range list {
		if b == old {
			list[i] = new
		}
	}
}

// skipEmpty returns the block that control gets to from b without doing anything.
func skipEmpty(b *Block) *Block {
	seen := map[*Block]bool{}
	for empty := b; onlyNotes(b.ins) && b.op == ir.OpJump && !seen[b]; empty = b {
		seen[b] = true
		b = b.to[0]
		b.forget(empty.ins)
	}
	return b
}

// removeDead removes computations whose result is not used, and marks unused
// results of other operations.
func (f *Func) removeDead() bool {
	blocks := f.order()
	out := f.liveness(blocks)
	changed := false
	for i, b := range blocks {
		live := out.at(i)
		if b.op == ir.OpBranch && b.cond >= 0 {
			live.add(b.cond)
		}
		for j := len(b.ins) - 1; j >= 0; j-- {
			in := &b.ins[j]
			used := !pure(in)
			defs(in, func(d *int32) {
				switch {
				case live.has(*d) || f.slot[*d] >= 0:
					used = true
				case !pure(in):
					*d = -1
				}
			})
			if !used {
				f.lose(in)
				continue
			}
			step(in, live)
		}
		changed = dropNops(b) || changed
	}
	return changed
}

func dropNops(b *Block) bool {
	kept := b.ins[:0]
	for _, in := range b.ins {
		if in.Op != ir.OpNop || in.Var != 0 {
			kept = append(kept, in)
		}
	}
	changed := len(kept) != len(b.ins)
	b.ins = kept
	return changed
}
