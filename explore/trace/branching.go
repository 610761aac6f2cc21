package trace

import (
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/state/ir/flow"
)

// branching tells, of the branches of a function, how far what they decide goes.
type branching struct {
	p     *ir.Program
	fn    int
	after *flow.Dominators // of the code turned round: what all ways to its end come to
	at    map[int]*decision
	to    *ir.PointsTo
}

// decision is what a branch decides: the code from it to where all ways from it meet again.
type decision struct {
	meets  int32        // where they meet; -1 if they never do
	sets   []int32      // registers that the code in between may set
	writes ir.ObjectSet // objects that it may write to
	syncs  bool         // it may order something, or have work-items meet
	leaves bool         // one of the ways may go round, back to the branch, before it comes to where they meet
}

func newBranching(p *ir.Program, fn int) *branching {
	f := p.Funcs[fn]
	n := len(f.Code)
	next := flow.Of(func(pc int) []int32 { return successors(f, pc) })
	ends := flow.Of(func(pc int) []int {
		if pc == n {
			return nil
		}
		if op := f.Code[pc].Op; op == ir.OpEnd || op == ir.OpCopied {
			return []int{n}
		}
		var to []int
		next(pc, func(q int) { to = append(to, q) })
		return to
	})
	return &branching{p: p, fn: fn, after: ends.Reverse(n + 1).Dominators(n), at: map[int]*decision{}, to: p.PointsTo(fn)}
}

// successors lists what comes after an instruction in the unit that executes it.
func successors(f *ir.Func, pc int) []int32 {
	if f.Code[pc].Op == ir.OpAsyncCopy {
		return []int32{int32(pc) + 1}
	}
	return f.Code[pc].Successors(pc)
}

// of returns what the branch at pc decides.
func (g *branching) of(pc int) *decision {
	if d := g.at[pc]; d != nil {
		return d
	}
	f := g.p.Funcs[g.fn]
	d := &decision{meets: g.meets(pc), writes: g.p.NoObjects()}
	g.at[pc] = d
	next := flow.Of(func(pc int) []int32 { return successors(f, pc) })
	in := next.Reach(len(f.Code), pc, func(q int) bool { return int32(q) == d.meets })
	sets := map[int32]bool{}
	for q, ok := range in {
		if !ok || int32(q) == d.meets {
			continue
		}
		g.collect(d, &f.Code[q], f, sets)
	}
	for r := range sets {
		d.sets = append(d.sets, r)
	}
	d.leaves = in[pc]
	return d
}

// decides returns how much code lies between a branch and where its ways meet, if some instruction is there, else 0.
func (g *branching) decides(branch, pc int) int {
	f, d := g.p.Funcs[g.fn], g.of(branch)
	next := flow.Of(func(pc int) []int32 { return successors(f, pc) })
	n := 0
	in := next.Reach(len(f.Code), branch, func(q int) bool { return int32(q) == d.meets })
	for q, ok := range in {
		if ok && int32(q) != d.meets {
			n++
		}
	}
	if pc < 0 || !in[pc] || int32(pc) == d.meets {
		return 0
	}
	return n
}

// meets returns where all ways from pc meet again.
func (g *branching) meets(pc int) int32 {
	found, steps := -1, 0
	g.after.Above(pc, func(q int) {
		if steps++; steps == 2 && q < len(g.p.Funcs[g.fn].Code) {
			found = q
		}
	})
	return int32(found)
}

// collect adds what one instruction of a region may do.
func (g *branching) collect(d *decision, in *ir.Instr, f *ir.Func, sets map[int32]bool) {
	dst, dst2 := in.Results()
	for _, r := range []int32{dst, dst2} {
		if r >= 0 {
			sets[r] = true
		}
	}
	switch {
	case in.Op.Access() && in.Op != ir.OpLoad:
		objects, _, _ := g.to.Address(in)
		d.writes.Union(objects)
		for r := range int32(f.Private) { // through a private pointer
			sets[r] = true
		}
	case in.Op == ir.OpFence, in.Op.Meets(), in.Op.Makes():
		d.syncs = true
	}
}
