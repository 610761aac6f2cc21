package facts

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Return is a round of several reads, as seen from the access that ends it.
type Return struct {
	To      int32   // the load that the round begins with
	Between []int32 // other loads that may be part of it
}

// returns finds, for each access, the rounds of several reads that it may end: every way to the
// access comes by the load that they begin with, from there on nothing but loads and private steps
// lies between, and no register that is of worth at that load is set on the way there and back.
// docs/exploration/waiting.md, "Waiting".
func (facts *Facts) returns(f *ir.Func, back []bool) map[int][]Return {
	found := map[int][]Return{}
	edges, n := f.Flow(), len(f.Code)
	if n == 0 {
		return found
	}
	doms, before := edges.Dominators(0), edges.Reverse(n)
	for h := range f.Code {
		if !back[h] || f.Code[h].Op != ir.OpLoad || !doms.Dominates(0, h) || !keeps(f, h, h) {
			continue
		}
		isHead := func(i int) bool { return i == h }
		fromHead := edges.Reach(n, h, isHead)
		for e := range f.Code {
			if facts.spent() {
				return nil
			}
			if e == h || !fromHead[e] || !back[e] || !f.Code[e].Op.Access() || f.Code[e].Op == ir.OpStore || !doms.Dominates(h, e) || !comesBack(f, e, h) {
				continue
			}
			toEnd := before.Reach(n, e, isHead)
			toEnd[h] = false
			if between, quiet := quietly(f, h, func(i int) bool { return fromHead[i] && toEnd[i] }); quiet {
				found[e] = append(found[e], Return{int32(h), between})
			}
		}
	}
	return found
}

// quietly reports whether there are only loads and private steps in part of the code, none of which
// sets what is of worth at h, and returns the loads.
func quietly(f *ir.Func, h int, part func(i int) bool) (loads []int32, quiet bool) {
	for i := range f.Code {
		switch {
		case !part(i):
			continue
		case !keeps(f, i, h):
			return nil, false
		case f.Code[i].Op == ir.OpLoad:
			loads = append(loads, int32(i))
		case !private(&f.Code[i]):
			return nil, false
		}
	}
	return loads, true
}

// comesBack reports whether private steps lead from access e to load h, and neither they nor the access
// set what is of worth there.
func comesBack(f *ir.Func, e, h int) bool {
	way := f.Flow().Reach(len(f.Code), e, func(i int) bool { return !private(&f.Code[i]) })
	for i := range way {
		if way[i] && private(&f.Code[i]) && !keeps(f, i, h) {
			return false
		}
	}
	return way[h] && keeps(f, e, h)
}

// private reports whether an instruction does nothing but set a register, or choose the way.
func private(in *ir.Instr) bool {
	return slices.Contains([]ir.Op{ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv, ir.OpJump, ir.OpBranch, ir.OpQuery, ir.OpCheck, ir.OpAssert}, in.Op)
}

// keeps reports whether the instruction at pc sets no register that is of worth at h.
func keeps(f *ir.Func, pc, h int) bool {
	a, b := f.Code[pc].Results()
	return !(a >= 0 && f.LiveAt(h, int(a)) || b >= 0 && f.LiveAt(h, int(b)))
}
