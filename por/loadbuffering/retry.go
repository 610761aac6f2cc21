package loadbuffering

import "github.com/clmc/clmc/state/ir"

// retries reports whether the compare-exchange at pc, if it fails, leads straight back to itself with the
// registers that it had at first: through private operations in a line that is entered only at its beginning,
// whose results depend on nothing that changes there.
func retries(f *ir.Func, pc int) bool {
	in := &f.Code[pc]
	if in.Dst < 0 || in.Dst2 >= 0 || pc+1 == len(f.Code) || f.Code[pc+1].Op != ir.OpBranch || f.Code[pc+1].A != in.Dst {
		return false
	}
	again := int(f.Code[pc+1].Else)
	if again > pc {
		return false
	}
	for at := range f.Code {
		for _, next := range f.Code[at].Successors(at) {
			if to := int(next); to > again && to <= pc && (at < again || at != to-1) {
				return false
			}
		}
	}
	changes := map[int32]bool{in.Dst: true} // and has not been set yet
	for _, i := range f.Code[again:pc] {
		changes[i.Dst] = true
	}
	for _, i := range f.Code[again:pc] {
		switch i.Op {
		case ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv:
			if i.A >= 0 && changes[i.A] || i.Op == ir.OpBin && i.B >= 0 && changes[i.B] {
				return false
			}
			changes[i.Dst] = false
		case ir.OpCheck:
			if i.A >= 0 && changes[i.A] {
				return false
			}
		default:
			return false
		}
	}
	return true
}
