package facts

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Extent is how far an analysis looks ahead in a unit's code.
type Extent uint8

const (
	Ever      Extent = iota
	Near             // up to the next barrier or collective of the work-group
	NearLocal        // up to the next work-group barrier that orders local memory
	NearGlobal
	NumExtents
)

// Ends reports whether the Extent ends at an operation.
func (e Extent) Ends(in *ir.Instr) bool {
	if !in.Op.Meets() || in.SubGroup {
		return false
	}
	switch e { // collectives order nothing
	case Near:
		return true
	case NearLocal:
		return in.Op == ir.OpBarrier && in.Flags&memmodel.LocalFence != 0
	case NearGlobal:
		return in.Op == ir.OpBarrier && in.Flags&memmodel.GlobalFence != 0
	}
	return false
}

// Reach is, for each point of a function's code, what the code may still execute from there.
type Reach [NumExtents][]Ahead

// Ahead is what a unit may still execute after a point of its code.
type Ahead struct {
	Accesses, Kernels Set            // accesses, by index; kernels that may be enqueued, by function
	Acquires          memmodel.Flags // the flags of acquire fences and barriers
	Tells             bool           // whether the unit may publish what it has seen to others
}

func (a *Ahead) union(o *Ahead) (changed bool) {
	changed = o.Acquires&^a.Acquires != 0 || o.Tells && !a.Tells
	a.Tells = a.Tells || o.Tells
	a.Acquires |= o.Acquires
	changed = a.Kernels.Union(o.Kernels) || changed
	return a.Accesses.Union(o.Accesses) || changed
}

func (facts *Facts) newReach(f *ir.Func) *Reach {
	var r Reach
	for e := range r {
		if e := Extent(e); e != Ever && !slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return e.Ends(&in) }) {
			r[e] = r[Ever] // nothing ends it: what is as far as this is all
			continue
		}
		r[e] = facts.aheads(f, Extent(e))
	}
	return &r
}

func (facts *Facts) aheads(f *ir.Func, e Extent) []Ahead {
	words := (len(f.Code) + 63) / 64
	list := make([]Ahead, len(f.Code))
	for pc := 0; pc < len(f.Code) && !facts.spent(); pc++ {
		in, a := &f.Code[pc], &list[pc]
		a.Tells = tells(in)
		a.Accesses, a.Kernels = make(Set, words), make(Set, (len(facts.Children)+63)/64)
		switch {
		case in.Op.Starts():
			a.Acquires = memmodel.LocalFence | memmodel.GlobalFence
			a.Kernels.Add(int(in.Target))
			for _, fn := range facts.Children[in.Target].Funcs {
				a.Kernels.Add(fn)
			}
		case in.Op.Access(), in.Op == ir.OpMapCell:
			a.Accesses.Add(pc)
		case in.Op == ir.OpBarrier && !e.Ends(in):
			a.Acquires = in.Flags
		case in.Op == ir.OpFence && in.Order.Acquires():
			a.Acquires = in.Flags
		}
	}
	for changed := true; changed; {
		changed = false
		for pc := len(f.Code) - 1; pc >= 0 && !facts.spent(); pc-- {
			in := &f.Code[pc]
			if e.Ends(in) {
				continue
			}
			for _, next := range in.Successors(pc) {
				changed = list[pc].union(&list[next]) || changed
			}
		}
	}
	return list
}

// tells reports whether an operation may tell others what its unit has seen.
func tells(in *ir.Instr) bool {
	switch {
	case in.Op.Access(), in.Op == ir.OpFence:
		return in.Order.Releases()
	}
	return in.Op.Visible() && in.Op != ir.OpChoose
}
