package loadbuffering

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Most data of a kernel are loaded, computed with and stored, and decide nothing: no address, branch, check,
// comparison of a compare-exchange or argument. What threads do does not depend on such data, so one symbolic
// value stands for all of them, in registers and in memory. Assertions and observed outcomes are no decisions: a
// path goes on behind an assertion that fails, as long as a unit owes something.
//
// Dependencies are found backwards, as live registers are. A decision depends on a register if it may be reached
// before the register is set again. Decisions that depend on a result depend on its operands. If they depend on a
// loaded register they depend on the object, and so on what is stored there.

// The objects of an access are known when a thread comes to it. So an analysis begins without dependencies on
// memory and is made again with the objects that it has met, until nothing is added.

// dependencies tells which registers and objects an address, a branch or another decision may depend on.
// docs/exploration/thread-modular.md, "Data".
type dependencies struct {
	m       *program      // whose code it is
	touched [][]facts.Set // by function and pc of an access: the objects that it has come to
	objects facts.Set     // those whose cells hold values that may decide
	before  [][]facts.Set // by function and pc: the registers, where the unit is about to execute it
	onward  [][]*between  // likewise, of a visible operation: what follows it; nil if not asked for yet
	stale   bool          // touched has grown
	owed    [][]bool      // by function and pc: writes of which it counts what they write; nil if only what is done counts
	alone   bool          // only what units do counts that owe such writes, and run alone
}

// between is what a unit may do from one visible operation to the next.
type between struct {
	sets    facts.Set // the registers that are set
	asserts bool      // what is carried is tested
}

// undecided returns the dependencies at first: what pointers reach, and what counts rounds.
func (m *program) undecided() *dependencies {
	words := (len(m.Program.Objects) + 63) / 64
	d := &dependencies{m: m, objects: make(facts.Set, words)}
	for i := range m.Program.Objects {
		if m.Program.Objects[i].Region == memmodel.Pipe {
			d.objects.Add(i)
		}
	}
	for _, f := range m.Program.Funcs {
		before, touched := make([]facts.Set, len(f.Code)+1), make([]facts.Set, len(f.Code))
		for pc := range before {
			before[pc] = registers(f)
			for r := range f.Regs {
				if r < f.Private || r >= f.Counters {
					before[pc].Add(r)
				}
			}
		}
		for pc := range touched {
			touched[pc] = make(facts.Set, words)
		}
		d.before, d.touched = append(d.before, before), append(d.touched, touched)
		d.onward = append(d.onward, make([]*between, len(f.Code)))
	}
	return d
}

// touch notes that an access has come to an object.
func (d *dependencies) touch(fn int, pc int32, object int) {
	if t := d.touched[fn][pc]; !t.Has(object) {
		t.Add(object)
		d.stale = true
	}
}

// learn works out what may decide with what has been touched, and reports whether that is news.
func (d *dependencies) learn() (news bool) {
	d.stale = false
	for fn := range d.onward {
		clear(d.onward[fn])
	}
	for changed := true; changed; news = news || changed {
		changed = false
		for fn, f := range d.m.Program.Funcs {
			if d.alone && !slices.Contains(d.owed[fn], true) {
				continue // it owes nothing
			}
			for pc := len(f.Code) - 1; pc >= 0; pc-- {
				changed = d.step(fn, pc) || changed
			}
		}
	}
	return news
}

func registers(f *ir.Func) facts.Set { return make(facts.Set, (f.Regs+63)/64) }

// step adds what decisions depend on before an instruction, and reports whether that is new.
func (d *dependencies) step(fn, pc int) (changed bool) {
	in := &d.m.Program.Funcs[fn].Code[pc]
	before, after := d.before[fn][pc], d.after(fn, pc)
	decides := false
	for _, r := range results(in) {
		if r >= 0 {
			decides = decides || after.Has(int(r))
			after[r>>6] &^= 1 << (r & 63)
		}
	}
	changed = before.Union(after) // which has the registers that always decide from the beginning
	need := func(operand int32) {
		if operand >= 0 && !before.Has(int(operand)) {
			before.Add(int(operand))
			changed = true
		}
	}
	switch {
	case in.Op == ir.OpAssert && !d.alone, in.Op == ir.OpObserve: // who owes nothing yet goes no further when one fails
	case in.Op == ir.OpMove, in.Op == ir.OpBin, in.Op == ir.OpUn, in.Op == ir.OpConv, in.Op == ir.OpQuery:
		if decides {
			in.Uses(need)
		}
	case in.Op.Access():
		if decides || in.Op == ir.OpCmpXchg || in.Type == ir.Ptr {
			changed = d.objects.Union(d.touched[fn][pc]) || changed
		}
		need(in.A)
		if d.owed != nil && d.owed[fn][pc] || d.objects.Meets(d.touched[fn][pc]) || in.Order == memmodel.NonAtomic && d.m.Program.Funcs[fn].Private > 0 {
			in.Uses(need) // it may be stored where it decides, or in private memory
		}
	default:
		in.Uses(need)
	}
	return changed
}

// after returns a new set: the registers on which decisions depend behind an instruction, on any path.
func (d *dependencies) after(fn, pc int) facts.Set {
	f := d.m.Program.Funcs[fn]
	all := registers(f)
	for _, to := range f.Code[pc].Successors(pc) {
		all.Union(d.before[fn][to])
	}
	return all
}

// from returns what may be done from a visible operation to the next one. An access that may be one of private
// memory leads on.
func (d *dependencies) from(fn int, pc int32) *between {
	if b := d.onward[fn][pc]; b != nil {
		return b
	}
	f := d.m.Program.Funcs[fn]
	b := &between{sets: registers(f)}
	d.onward[fn][pc] = b
	seen := make(facts.Set, (len(f.Code)+63)/64)
	for todo := []int32{pc}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		in := &f.Code[at]
		for _, r := range results(in) {
			if r >= 0 {
				b.sets.Add(int(r))
			}
		}
		b.asserts = b.asserts || in.Op == ir.OpAssert && in.A >= 0 && !d.before[fn][at].Has(int(in.A))
		if at != pc && in.Op.Visible() && !(in.Op.Access() && in.Order == memmodel.NonAtomic && f.Private > 0) {
			continue
		}
		for _, next := range in.Successors(int(at)) {
			if !seen.Has(int(next)) {
				seen.Add(int(next))
				todo = append(todo, next)
			}
		}
	}
	return b
}

// results returns the registers that an instruction sets, each -1 if there is none.
func results(in *ir.Instr) [2]int32 {
	r, r2 := in.Results()
	return [2]int32{r, r2}
}

// forgets reports whether a unit that goes from one visible operation to another may hold symbolic values there
// that differ from those of an earlier visit. Then a return to the same node need not be a return to the same
// state, and an assertion on those values counts.
func (d *dependencies) forgets(fn int, from, to int32) bool {
	f := d.m.Program.Funcs[fn]
	b := d.from(fn, from)
	if b.asserts {
		return true
	}
	for i, live := range f.Live[to] {
		carried := live &^ d.before[fn][to][i]
		if carried&(b.sets[i]|d.before[fn][from][i]) != 0 {
			return true
		}
	}
	return false
}

// drop replaces the registers at pc on which nothing depends by the value that stands for all.
func (d *dependencies) drop(fn int, pc int32, regs []int64) {
	for r := range regs {
		if !d.before[fn][pc].Has(r) {
			regs[r] = 0
		}
	}
}
