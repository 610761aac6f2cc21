package lower

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Shared is what is known of the pointers that memory which functions share may hold, by its objects: without regard to the order of
// instructions and functions. Other values are not known there.
type Shared struct {
	prog     *Program
	near     map[int][]written // by object of the program, or nowhere
	children map[int]*Values   // by number: functions that only other ones of these start
}

// NewShared returns what is known before any function runs: that the memory of a program holds nothing.
func (p *Program) NewShared() *Shared { return &Shared{prog: p, near: map[int][]written{}} }

// Holds says that a cell of the object that has an address may hold a value from the start.
func (s *Shared) Holds(addr int64, kind Held, value int64) {
	s.put(s.object(nil, addr), kind, Residue{0, value}, origins{consts: map[int64]bool{value: true}})
}

// Values analyses functions together. What is stored that may be any pointer is one of those that bases lists for its function. Functions
// that are children are started by other ones of these alone: their parameters may be what they are given there.
func (s *Shared) Values(bases map[*Func][]int64, children map[int]bool) map[*Func]*Values {
	all := map[*Func]*Values{}
	s.children = map[int]*Values{}
	var order []*Values
	for f, list := range bases {
		v := f.newValues()
		v.shared, v.bases = s, origins{consts: map[int64]bool{}}
		for _, b := range list {
			v.bases.consts[b] = true
		}
		if children[f.number] {
			s.children[f.number] = v
			for _, r := range f.params {
				v.residues[r], v.origins[r] = noValue, origins{}
			}
		}
		all[f] = v
		order = append(order, v)
	}
	for changed := true; changed; {
		changed = false
		for _, v := range order {
			changed = v.solve() || changed
		}
	}
	return all
}

// object returns the object of the program that has an address for a function, or nowhere.
func (s *Shared) object(f *Func, addr int64) int {
	owner := -1
	switch {
	case addr&ir.SegMask == ir.SegGroup && f != nil:
		owner = f.number
	case addr&ir.SegMask != ir.SegShared:
		return nowhere
	}
	at := int32(addr &^ ir.SegMask)
	return slices.IndexFunc(s.prog.Objects, func(o ir.Object) bool {
		return o.Func == owner && at >= o.Base && at < o.Base+int32(max(o.Layout.Cells(), 1))
	})
}

func (s *Shared) put(object int, held Held, out Residue, from origins) bool {
	return putAt(s.near, object, held, out, from)
}

// get returns what a part of a pointer in an object may be, or in any object.
func (s *Shared) get(object int, held Held) (out Residue, from origins) {
	all := written{held: held, out: noValue}
	for o, list := range s.near {
		if o != object && o != nowhere && object != nowhere {
			continue
		}
		for i := range list {
			all.join(&list[i])
		}
	}
	return all.out, all.from
}

// storeShared takes note of a part of a pointer that is written to shared memory.
func (v *Values) storeShared(addr int64, held Held, out Residue, from origins) bool {
	if from.anything {
		from = v.bases
	}
	return v.shared.put(v.shared.object(v.f, addr), held, out, from)
}

// loadShared returns what a part of a pointer may be that is read from one of some addresses, or from any.
func (v *Values) loadShared(set origins, held Held) (Residue, origins) {
	all := written{held: held, out: noValue}
	read := func(object int) {
		out, from := v.shared.get(object, held)
		all.join(&written{held, out, from})
	}
	if set.anything {
		read(nowhere)
	}
	for a := range set.consts {
		if a != 0 { // by a null pointer nothing is read
			read(v.shared.object(v.f, a))
		}
	}
	return all.out, all.from
}

// starts gives the parameters of a child what it is started with.
func (v *Values) starts(in *ir.Instr) (changed bool) {
	if v.shared == nil || v.shared.children[int(in.Target)] == nil {
		return false
	}
	child := v.shared.children[int(in.Target)]
	given := in.Args[len(in.Args)-len(child.f.params):]
	for i, r := range child.f.params {
		changed = child.set(r, v.Residue(given[i]), v.originsOf(given[i])) || changed
	}
	return changed
}
