package lower

import "github.com/clmc/clmc/state/ir"

// expr is a computation, for comparison.
type expr struct {
	op   ir.Op
	alu  ir.Alu
	t    ir.Type
	from ir.Type
	a, b int32
}

// simplify joins chains of additions of constants, and removes checks that an
// earlier check makes superfluous. It does not share other computations:
// repeating one is cheaper than keeping its result in the state.
func (f *Func) simplify(blocks []*Block) bool {
	stable := f.stable(blocks)
	made := f.definitions(blocks, stable)
	changed := false
	for _, b := range blocks {
		for i := range b.ins {
			changed = f.joinAdds(&b.ins[i], made, stable) || changed
		}
	}
	return f.dropChecks(blocks, made) || changed
}

// definitions returns how the registers that are assigned in one place are
// computed from stable operands.
func (f *Func) definitions(blocks []*Block, stable func(int32) bool) map[int32]expr {
	made := map[int32]expr{}
	for _, b := range blocks {
		for _, in := range b.ins {
			switch in.Op {
			case ir.OpBin:
				if stable(in.Dst) && stable(in.A) && stable(in.B) {
					made[in.Dst] = expr{in.Op, in.Alu, in.Type, 0, in.A, in.B}
				}
			case ir.OpUn, ir.OpConv:
				if stable(in.Dst) && stable(in.A) {
					made[in.Dst] = expr{in.Op, in.Alu, in.Type, in.From, in.A, 0}
				}
			}
		}
	}
	return made
}

// joinAdds turns (x + 1) + 2 into x + 3.
func (f *Func) joinAdds(in *ir.Instr, made map[int32]expr, stable func(int32) bool) bool {
	k, ok := f.Known(in.B)
	if in.Op != ir.OpBin || in.Alu != ir.Add || in.A < 0 || !ok || in.Type != ir.Ptr {
		return false
	}
	e, ok := made[in.A]
	if !ok || e.op != ir.OpBin || e.alu != ir.Add || e.t != in.Type {
		return false
	}
	inner, ok := f.Known(e.b)
	if !ok || !stable(e.a) {
		return false
	}
	in.A, in.B = e.a, f.Constant(inner+k)
	return true
}

// dropChecks removes checks of what was checked on every way there.
func (f *Func) dropChecks(blocks []*Block, made map[int32]expr) bool {
	type key struct {
		kind ir.Check
		what expr
	}
	dom := dominators(blocks)
	seen := map[key][]*Block{}
	changed := false
	for _, b := range blocks {
		for i := range b.ins {
			in := &b.ins[i]
			e, ok := made[in.A]
			if in.Op != ir.OpCheck || !ok {
				continue
			}
			k := key{in.Check, e}
			covered := false
			for _, earlier := range seen[k] {
				covered = covered || dom.Dominates(earlier.num, b.num)
			}
			if covered {
				*in = ir.Instr{Op: ir.OpNop}
				changed = true
				continue
			}
			seen[k] = append(seen[k], b)
		}
		dropNops(b)
	}
	return changed
}
