package lower

import (
	"maps"
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Residue is a set of values: Rem + k*Mod for any k. Mod 0 is Rem alone, Mod 1 any value, and a
// negative one none at all.
type Residue struct{ Mod, Rem int64 }

// Any is the set of all values.
var Any = Residue{1, 0}

var noValue = Residue{-1, 0}

// maxMod bounds what is told apart, as values of 32 bits wrap around.
const maxMod = 1 << 32

// residue returns the set with a modulus that is in bounds.
func residue(mod, rem int64) Residue {
	switch {
	case mod == 0:
		return Residue{0, rem}
	case mod > maxMod || mod < 0:
		mod = gcd(mod, maxMod)
	}
	return Residue{mod, ((rem % mod) + mod) % mod}
}

// Join returns the least set with the values of both.
func (a Residue) Join(b Residue) Residue {
	switch {
	case a.Mod < 0:
		return b
	case b.Mod < 0 || a == b:
		return a
	}
	return residue(gcd(gcd(a.Mod, b.Mod), a.Rem-b.Rem), a.Rem)
}

// Plus returns the sums of values.
func (a Residue) Plus(b Residue) Residue {
	if a.Mod < 0 || b.Mod < 0 {
		return noValue
	}
	return residue(gcd(a.Mod, b.Mod), a.Rem+b.Rem)
}

// times returns the products.
func (a Residue) times(b Residue) Residue {
	if a.Mod < 0 || b.Mod < 0 {
		return noValue
	}
	small := func(v int64) bool { return v > -maxMod && v < maxMod }
	if !small(a.Rem) || !small(b.Rem) {
		return Any
	}
	mod := gcd(a.Mod*b.Rem, b.Mod*a.Rem)
	if a.Mod != 0 && b.Mod != 0 {
		if a.Mod > 1<<31 || b.Mod > 1<<31 {
			return Any
		}
		mod = gcd(mod, a.Mod*b.Mod)
	}
	return residue(mod, a.Rem*b.Rem)
}

// within returns what is left of the values that are wrapped to a type.
func (a Residue) within(t ir.Type) Residue {
	switch {
	case a.Mod < 0 || t.Bits() == 64 && a.Mod == 0:
		return a
	case t.Float() || t == ir.Bool:
		return Any
	case t == ir.I64 || t == ir.Ptr:
		return a // that would overflow, which C leaves undefined
	case t.Bits() == 64:
		return residue(gcd(a.Mod, maxMod), a.Rem)
	case a.Mod == 0 && ir.Wrap(t, a.Rem) == a.Rem:
		return a
	}
	return residue(gcd(a.Mod, 1<<t.Bits()), a.Rem)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// Values tells what the registers of a function may hold, without regard to the order of
// instructions: which residue, and which of the constants that are moved about.
type Values struct {
	f        *Func
	residues []Residue
	origins  []origins
	near     map[int][]written // by object of private memory, or nowhere: what was put into some cell of it
	shared   *Shared           // or nil: nothing is known of shared memory
	bases    origins           // with shared: what a pointer that may be anything is
}

// nowhere is the number of no object: what was put there may be in any.
const nowhere = -1

// Held says what a private cell holds: a scalar of a type, or a part of a pointer, if Part is not 0. Memory that holds a part of a pointer
// holds nothing else: it is for the front end to see that this is so, or to refuse the program.
type Held struct {
	Type ir.Type
	Part int
}

// written is what cells of a kind may have been given.
type written struct {
	held Held
	out  Residue
	from origins
}

// origins are the constants that a register may have been moved from, or anything.
type origins struct {
	anything bool
	consts   map[int64]bool
}

func (o *origins) join(p origins) bool {
	if o.anything {
		return false
	}
	changed := p.anything
	o.anything = p.anything
	for c := range p.consts {
		if !o.consts[c] {
			if o.consts == nil {
				o.consts = map[int64]bool{}
			}
			o.consts[c] = true
			changed = true
		}
	}
	return changed
}

// Values analyses what has been emitted so far. Fresh registers are unknown.
func (f *Func) Values() *Values {
	v := f.newValues()
	v.solve()
	return v
}

func (f *Func) newValues() *Values {
	v := &Values{f: f, residues: make([]Residue, len(f.names)), origins: make([]origins, len(f.names)), near: map[int][]written{}}
	for r := range v.residues {
		v.residues[r] = noValue
	}
	for _, r := range f.params {
		v.residues[r] = Any
		v.origins[r].anything = true
	}
	return v
}

// solve propagates until nothing changes any more, and reports whether something has.
func (v *Values) solve() (any bool) {
	blocks := v.f.order()
	for changed := true; changed; {
		changed = false
		for _, b := range blocks {
			for i := range b.ins {
				changed = v.step(&b.ins[i]) || changed
			}
		}
		any = any || changed
	}
	return any
}

// Residue returns what an operand may be.
func (v *Values) Residue(o int32) Residue {
	if k, ok := v.f.Known(o); ok {
		return Residue{0, k}
	}
	r := v.residues[o]
	if v.f.slot[o] >= 0 {
		out, _ := v.put(v.f.objectOf(v.f.slot[o]), v.f.held[o])
		r = r.Join(out)
	}
	return r
}

// Origins returns the constants that an operand was moved from; false if it may be anything.
func (v *Values) Origins(o int32) ([]int64, bool) {
	set := v.originsOf(o)
	return slices.Sorted(maps.Keys(set.consts)), !set.anything
}

func (v *Values) originsOf(o int32) origins {
	if k, ok := v.f.Known(o); ok {
		return origins{consts: map[int64]bool{k: true}}
	}
	if v.f.slot[o] < 0 {
		return v.origins[o]
	}
	var set origins
	set.join(v.origins[o])
	_, from := v.put(v.f.objectOf(v.f.slot[o]), v.f.held[o])
	set.join(from)
	return set
}

// step propagates through an instruction.
func (v *Values) step(in *ir.Instr) bool {
	out, from := Any, origins{anything: true}
	switch in.Op {
	case ir.OpMove:
		out, from = v.Residue(in.A), v.originsOf(in.A)
	case ir.OpBin:
		out = v.combine(in)
	case ir.OpConv:
		out = Any
		if !in.From.Float() && in.From != ir.Bool {
			out = v.Residue(in.A).within(in.Type)
		}
	case ir.OpLoad:
		out, from = v.loaded(in)
	case ir.OpStore:
		return v.store(in, v.Residue(in.B), v.originsOf(in.B))
	case ir.OpRMW, ir.OpCmpXchg:
		again := v.store(in, Any, origins{anything: true})
		defs(in, func(d *int32) { again = v.set(*d, out, from) || again })
		return again
	}
	changed := in.Op == ir.OpEnqueueKernel && v.starts(in)
	defs(in, func(d *int32) { changed = v.set(*d, out, from) || changed })
	return changed
}

func (v *Values) set(r int32, out Residue, from origins) bool {
	was := v.residues[r]
	v.residues[r] = was.Join(out)
	return v.origins[r].join(from) || was != v.residues[r]
}

// store takes note of what is written to an address: to some cell of each object that the address may be of.
func (v *Values) store(in *ir.Instr, out Residue, from origins) (changed bool) {
	held := Held{in.Type, int(in.Str)}
	set := v.originsOf(in.A)
	if set.anything {
		if v.shared != nil && held.Part != 0 {
			changed = v.storeShared(0, held, out, from)
		}
		return putAt(v.near, nowhere, held, out, from) || changed
	}
	for a := range set.consts {
		switch {
		case a&ir.SegMask == ir.SegPrivate:
			changed = putAt(v.near, v.f.objectOf(int32(a&^ir.SegMask)), held, out, from) || changed
		case v.shared != nil && held.Part != 0 && a != 0:
			changed = v.storeShared(a, held, out, from) || changed
		}
	}
	return changed
}

// putAt adds to what is near an object.
func putAt(near map[int][]written, object int, held Held, out Residue, from origins) bool {
	list := near[object]
	i := slices.IndexFunc(list, func(w written) bool { return w.held == held })
	if i < 0 {
		i = len(list)
		list = append(list, written{held: held, out: noValue})
		near[object] = list
	}
	w := &list[i]
	was := w.out
	w.out = was.Join(out)
	return w.from.join(from) || was != w.out
}

// put returns what a cell of an object may have been given by whoever did not say which cell it was. Bits that were
// written as another type may be anything.
func (v *Values) put(object int, held Held) (out Residue, from origins) {
	all := written{held: held, out: noValue}
	for _, o := range [...]int{object, nowhere} {
		for i := range v.near[o] {
			all.join(&v.near[o][i])
		}
	}
	return all.out, all.from
}

// join adds to what a cell that holds w.held may be what another one of its object may be.
func (w *written) join(o *written) {
	switch {
	case o.held.Part != w.held.Part:
	case w.held.Part == 0 && o.held != w.held:
		w.out, w.from = Any, origins{anything: true}
	default:
		w.out = w.out.Join(o.out)
		w.from.join(o.from)
	}
}

// loaded returns what a value from memory may be: of private memory, what was put there; of shared memory, if it is a part of a pointer.
func (v *Values) loaded(in *ir.Instr) (Residue, origins) {
	anything := origins{anything: true}
	set := v.originsOf(in.A)
	all := written{held: Held{in.Type, int(in.Str)}, out: noValue}
	pointer := v.shared != nil && all.held.Part != 0
	if in.Order != 0 || set.anything && !pointer {
		return Any, anything
	}
	if pointer {
		all.out, all.from = v.loadShared(set, all.held)
	}
	if set.anything {
		return v.loadedAnywhere(all)
	}
	for a := range set.consts {
		if a&ir.SegMask != ir.SegPrivate {
			if !pointer {
				return Any, anything
			}
			continue
		}
		v.loadPrivate(v.f.objectOf(int32(a&^ir.SegMask)), &all)
	}
	return all.out, all.from
}

// loadedAnywhere adds what all private objects may hold.
func (v *Values) loadedAnywhere(all written) (Residue, origins) {
	for object := range v.f.pins {
		v.loadPrivate(object, &all)
	}
	return all.out, all.from
}

// loadPrivate adds what a private object may hold.
func (v *Values) loadPrivate(object int, all *written) {
	if object == len(v.f.pins) { // behind all of them: it goes wrong before
		return
	}
	out, from := v.put(object, all.held)
	all.join(&written{all.held, out, from})
	for _, r := range v.f.pins[object] {
		all.join(&written{v.f.held[r], v.residues[r], v.origins[r]})
	}
}

func (v *Values) combine(in *ir.Instr) Residue {
	a, b := v.Residue(in.A), v.Residue(in.B)
	if in.Type.Float() || in.Alu >= ir.Eq && in.Alu <= ir.Ge {
		return Any
	}
	switch in.Alu {
	case ir.Add:
		return a.Plus(b).within(in.Type)
	case ir.Sub:
		return a.Plus(b.times(Residue{0, -1})).within(in.Type)
	case ir.Mul:
		return a.times(b).within(in.Type)
	case ir.Shl:
		if b.Mod == 0 && b.Rem >= 0 && b.Rem < 32 {
			return a.times(Residue{0, 1 << b.Rem}).within(in.Type)
		}
	case ir.And:
		if a.Mod == 0 {
			a, b = b, a
		}
		if b.Mod == 0 && b.Rem != 0 { // the bits below the lowest of the mask are gone
			return residue(b.Rem&-b.Rem, 0)
		}
	}
	if a.Mod < 0 || b.Mod < 0 {
		return noValue
	}
	return Any
}
