package por_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// set returns the set of these units.
func set(units ...memmodel.Unit) (z por.Set) {
	for _, u := range units {
		z = z.With(u)
	}
	return z
}

func messages(numbers ...int) (z por.Messages) {
	for _, i := range numbers {
		z |= 1 << i
	}
	return z
}

// effects returns what all these writes amount to.
func effects(writes ...por.Write) *por.Summary {
	e := &por.Summary{}
	for _, w := range writes {
		e.Add(w)
	}
	return e
}

func TestSet(t *testing.T) {
	z := set(0, 3, 63)
	for _, c := range []struct {
		what string
		ok   bool
	}{
		{"what was put in is in", z.Has(0) && z.Has(3) && z.Has(63)},
		{"nothing else is", !z.Has(1) && !z.Has(62)},
		{"as many as were put in", z.Len() == 3},
		{"what is taken out is gone", !z.Without(3).Has(3) && z.Without(3).Len() == 2},
		{"units that a set cannot hold are never in it", !z.With(por.SetSize).Has(por.SetSize) && z.With(por.SetSize) == z},
		{"a part is within", set(0, 63).Within(z) && !set(0, 1).Within(z)},
	} {
		if !c.ok {
			t.Error(c.what)
		}
	}
}

// When a write below a state is a reason to try, at that state, the other units that could read
// what it writes.
func TestConflict(t *testing.T) {
	const x, y = 5, 6
	const reader, writer = 0, 1
	const local = 100
	for _, c := range []struct {
		what             string
		e                *por.Summary
		modifies, expect bool
	}{
		{"another unit's write of what is read", effects(por.Write{Unit: writer, Loc: x}), false, true},
		{"not of something else", effects(por.Write{Unit: writer, Loc: y}), false, false},
		{"not the reader's own", effects(por.Write{Unit: reader, Loc: x}), false, false},
		{"not one that comes only after the reading", effects(por.Write{Unit: writer, Loc: x, After: set(reader)}), false, false},
		{"of a unit without a name", effects(por.Write{Unit: por.Somebody, Loc: x}), false, true},
		{"a read that may see a promise writes nothing", effects(por.Write{Unit: writer, Loc: x, Kind: por.Look}), false, false},
		{"a try takes a message away from another read-modify-write", effects(por.Write{Unit: writer, Loc: x, Kind: por.Try}), true, true},
		{"but not from a load", effects(por.Write{Unit: writer, Loc: x, Kind: por.Try}), false, false},
	} {
		if got := c.e.Conflict(reader, x, c.modifies, local); got != c.expect {
			t.Errorf("%s: conflict: %v, want %v", c.what, got, c.expect)
		}
	}
	somewhere := effects(por.Write{Unit: writer, Loc: por.Somewhere})
	if somewhere.Conflict(reader, x, false, local) || !somewhere.Conflict(reader, local, false, local) {
		t.Error("a location that has lost its name is one of those that may lose it")
	}
}

// Of several writes by one unit to one location, what is certain of all is certain.
func TestAdd(t *testing.T) {
	e := effects(
		por.Write{Unit: 1, Loc: 5, After: set(0, 2), Read: messages(7)},
		por.Write{Unit: 1, Loc: 5, After: set(2, 3)},
		por.Write{Unit: 0, Loc: 5},
		por.Write{Unit: 1, Loc: 4},
	)
	want := []por.Write{{Unit: 1, Loc: 4}, {Unit: 0, Loc: 5}, {Unit: 1, Loc: 5, After: set(2)}}
	if !slices.Equal(e.Writes, want) {
		t.Errorf("%+v, want %+v", e.Writes, want)
	}
	e.DropCauses()
	if e.Writes[2].After != 0 {
		t.Error("flattened, a write still depends on something")
	}
	e.Widen(func(u int) bool { return u == 1 }, func(memmodel.Loc) bool { return false })
	if want := []por.Write{{Unit: por.Somebody, Loc: 4}, {Unit: por.Somebody, Loc: 5}, {Unit: 0, Loc: 5}}; !slices.Equal(e.Writes, want) {
		t.Errorf("blurred: %+v, want %+v", e.Writes, want)
	}
}

// What is told of a state holds of the state before it in other words.
func TestLift(t *testing.T) {
	const x, y = 5, 6
	for _, c := range []struct {
		what        string
		step        por.Step
		after, want por.Write
	}{
		{"a later write of the unit comes after its step, and after what it reads there",
			por.Step{Unit: 0, Read: 2}, por.Write{Unit: 0, Loc: x}, por.Write{Unit: 0, Loc: x, After: set(0), Read: messages(2)}},
		{"another unit's does not",
			por.Step{Unit: 0, Read: 2}, por.Write{Unit: 1, Loc: x}, por.Write{Unit: 1, Loc: x}},
		{"unless it depends on what the unit does next",
			por.Step{Unit: 0, Read: 2}, por.Write{Unit: 1, Loc: x, After: set(0)}, por.Write{Unit: 1, Loc: x, After: set(0), Read: messages(2)}},
		{"or reads what the step wrote",
			por.Step{Unit: 0, Read: -1, Labels: []int8{memmodel.Fresh}}, por.Write{Unit: 1, Loc: x, Read: messages(0)}, por.Write{Unit: 1, Loc: x, After: set(0)}},
		{"a message has the number that it had before",
			por.Step{Unit: 0, Read: -1, Labels: []int8{memmodel.Lost, 3}}, por.Write{Unit: 1, Loc: x, Read: messages(0, 1)}, por.Write{Unit: 1, Loc: x, Read: messages(3)}},
		{"so have units and locations",
			por.Step{Unit: 0, Read: -1, Units: []int32{0, 2, 1}, Locs: []int32{0, 1, 2, 3, 4, y, x}}, por.Write{Unit: 1, Loc: x, After: set(2)}, por.Write{Unit: 2, Loc: y, After: set(1)}},
		{"who writes what the unit has read first comes after a reader, if it depends on the step",
			por.Step{Unit: 0, Loc: x, Read: -1}, por.Write{Unit: 1, Loc: x, Kind: por.Early, After: set(0)}, por.Write{Unit: 1, Loc: x, Kind: por.Early, After: set(0), Readers: set(0)}},
		{"not if it does not",
			por.Step{Unit: 0, Loc: x, Read: -1}, por.Write{Unit: 1, Loc: x, Kind: por.Early}, por.Write{Unit: 1, Loc: x, Kind: por.Early}},
		{"nor if the unit has read something else",
			por.Step{Unit: 0, Loc: y, Read: -1}, por.Write{Unit: 1, Loc: x, Kind: por.Early, After: set(0)}, por.Write{Unit: 1, Loc: x, Kind: por.Early, After: set(0)}},
		{"or nothing, and it writes somewhere",
			por.Step{Unit: 0, Loc: -1, Read: -1}, por.Write{Unit: 1, Loc: por.Somewhere, Kind: por.Early, After: set(0)}, por.Write{Unit: 1, Loc: por.Somewhere, Kind: por.Early, After: set(0)}},
		{"readers have the names that they had before",
			por.Step{Unit: 0, Loc: y, Read: -1, Units: []int32{0, 2, 1}, Locs: []int32{0, 1, 2, 3, 4, x, y}}, por.Write{Unit: 0, Loc: x, Kind: por.Early, Readers: set(1)}, por.Write{Unit: 0, Loc: x, Kind: por.Early, After: set(0), Readers: set(2)}},
		{"a look at what the step has read is another one",
			por.Step{Unit: 0, Loc: x, Read: -1}, por.Write{Unit: 0, Loc: x, Kind: por.Look}, por.Write{Unit: 0, Loc: x, Kind: por.Again, After: set(0)}},
		{"so it may be somewhere",
			por.Step{Unit: 0, Loc: x, Read: -1}, por.Write{Unit: 0, Loc: por.Somewhere, Kind: por.Look}, por.Write{Unit: 0, Loc: por.Somewhere, Kind: por.Again, After: set(0)}},
		{"not that of another unit",
			por.Step{Unit: 0, Loc: x, Read: -1}, por.Write{Unit: 1, Loc: x, Kind: por.Look}, por.Write{Unit: 1, Loc: x, Kind: por.Look}},
		{"where units are numbered anew, nobody knows whose it is",
			por.Step{Unit: 0, Read: -1, Recast: true, Local: y}, por.Write{Unit: 1, Loc: y, After: set(0)}, por.Write{Unit: por.Somebody, Loc: por.Somewhere}},
	} {
		var e por.Summary
		e.Propagate(&c.step, effects(c.after))
		if len(e.Writes) != 1 || e.Writes[0] != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, e.Writes, c.want)
		}
	}
}

// What is certain of several writes of one unit to one location and of one kind is certain of each: what they have in common.
func TestCertainOfEach(t *testing.T) {
	const x, y = 5, 6
	one := por.Write{Unit: 1, Loc: x, Kind: por.Early, After: set(0).With(2), Read: messages(1, 2), Readers: set(0).With(2)}
	two := por.Write{Unit: 1, Loc: x, Kind: por.Early, After: set(2).With(3), Read: messages(2, 3), Readers: set(2).With(3)}
	both := por.Write{Unit: 1, Loc: x, Kind: por.Early, After: set(2), Read: messages(2), Readers: set(2)}
	other := por.Write{Unit: 1, Loc: y, Kind: por.Early, Readers: set(0)}
	for _, order := range [][]por.Write{{one, two, other}, {two, other, one}, {other, one, one, two}} {
		var e por.Summary
		for _, w := range order {
			e.Add(w)
		}
		if want := []por.Write{both, other}; !slices.Equal(e.Writes, want) {
			t.Errorf("%+v are %+v, want %+v", order, e.Writes, want)
		}
	}
}

// Of the looks of a step at what it begins with reading only the first one is that.
func TestLiftLooks(t *testing.T) {
	const x = 5
	look := por.Write{Unit: 0, Loc: x, Kind: por.Look}
	again := por.Write{Unit: 0, Loc: x, Kind: por.Again, After: set(0)}
	first := por.Write{Unit: 0, Loc: x, Kind: por.Look, After: set(0)}
	behind := again
	behind.Read = 1 << 3
	for _, c := range []struct {
		step por.Step
		want []por.Write
	}{
		{por.Step{Loc: x, Looks: true, Read: -1, Writes: []por.Write{look}}, []por.Write{first}},
		{por.Step{Loc: x, Looks: true, Read: -1, Writes: []por.Write{look, look}}, []por.Write{first, again}},
		{por.Step{Loc: x, Read: -1, Writes: []por.Write{look}}, []por.Write{again}},
		{por.Step{Loc: x + 1, Looks: true, Read: -1, Writes: []por.Write{look, look}}, []por.Write{first}},
		// What the step has read first, all but that look depends on.
		{por.Step{Loc: x, Looks: true, Read: 3, Writes: []por.Write{look}}, []por.Write{first}},
		{por.Step{Loc: x, Looks: true, Read: 3, Writes: []por.Write{look, look}}, []por.Write{first, behind}},
		{por.Step{Loc: x, Read: 3, Writes: []por.Write{look}}, []por.Write{behind}},
	} {
		var e por.Summary
		if e.Propagate(&c.step, effects()); !slices.Equal(e.Writes, c.want) {
			t.Errorf("%+v: %+v, want %+v", c.step, e.Writes, c.want)
		}
	}
}

// What is known of all turns that are alike at once is what is known of them one after the other.
func TestMergeImages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var room []por.Write
	for range 2000 {
		draw := func() *por.Summary {
			e := &por.Summary{Any: r.IntN(8) == 0}
			for range r.IntN(12) {
				unit := int32(r.IntN(4))
				if r.IntN(2) == 0 {
					unit += por.SetSize
				}
				e.Add(por.Write{Unit: unit, Loc: memmodel.Loc(r.IntN(3)), Kind: por.Kind(r.IntN(5)), After: por.Set(r.Uint64() & r.Uint64()), Readers: por.Set(r.Uint64()), Read: por.Messages(r.Uint64())})
			}
			return e
		}
		all, own := draw(), draw()
		a, others := int32(r.IntN(4)), []int32{}
		if r.IntN(2) == 0 {
			a += por.SetSize
		}
		for b := int32(por.SetSize); b < por.SetSize+5; b++ {
			if b != a && r.IntN(2) == 0 {
				others = append(others, b)
			}
		}
		var once por.Summary
		once.CopyFrom(all)
		room = once.MergeImages(own, a, others, room)
		for _, b := range others {
			var image por.Summary
			image.Image(own, [][2]int32{{a, b}})
			all.Merge(&image)
		}
		if once.Any != all.Any || !slices.Equal(once.Writes, all.Writes) {
			t.Fatalf("unit %d, others %v, of %+v: %+v, want %+v", a, others, own, once, all)
		}
	}
}

// A pool has equal effects once, and keeps what it was given.
func TestPool(t *testing.T) {
	var p por.Pool
	e := effects(por.Write{Unit: 1, Loc: 5})
	first := p.Put(e)
	e.Any = true
	second := p.Put(e)
	e.Clear()
	third := p.Put(e)
	if again := p.Put(effects(por.Write{Unit: 1, Loc: 5})); again != first || first == second || second == third || p.Len() != 3 {
		t.Errorf("numbers %d, %d, %d and %d, %d different", first, second, third, again, p.Len())
	}
	if got := p.Get(first); got.Any || len(got.Writes) != 1 {
		t.Errorf("it has become %+v", got)
	}
}

// Which units must be tried where two work-items of one group have come to the beginning of a
// kernel.
func TestCandidates(t *testing.T) {
	const (
		load  = "cl.Observe(\"r\", cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))"
		store = "cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)"
		other = "cl.Observe(\"r\", cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))"
		add   = "cl.Observe(\"r\", cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))"
	)
	for _, c := range []struct {
		what          string
		first, second string
		mode          por.Mode
		eager         bool // somebody's operation can be performed at once
		todo          int  // units to try otherwise
	}{
		{"a store may come first: who reads later can still read what was there before", load, store, por.DPOR, true, 1},
		{"whom no write can surprise may read at once", other, load, por.DPOR, true, 1},
		{"two that compete for a message must both be tried first", add, add, por.DPOR, false, 2},
		{"so may a read-modify-write: a load can still read what was there before", load, add, por.DPOR, true, 1},
		{"beside a store that it may read or not, the store comes first", add, store, por.DPOR, true, 1},
		{"without reduction, all are tried everywhere", load, store, por.None, false, 2},
	} {
		p, err := loadKernel(c.first, c.second)
		if err != nil {
			t.Fatal(err)
		}
		m := state.NewMachine(p, memmodel.Specs[0])
		s := m.Initial()
		for s.Status(0) == state.Ready { // the host enqueues the kernel, and waits
			m.Do(s, 0, m.Choices(s, 0, nil)[0])
		}
		r := por.Reducer{Mode: c.mode, Machine: m}
		eager := r.Eager(s, 0) >= 0
		todo, all := r.Candidates(s)
		if eager != c.eager || len(todo) != c.todo || len(all) != 2 {
			t.Errorf("%s: eager: %v, want %v; %d of %d units to try, want %d of 2", c.what, eager, c.eager, len(todo), len(all), c.todo)
		}
	}
}

// loadKernel returns a program of two work-items that do different things.
func loadKernel(first, second string) (*ir.Program, error) {
	return load.Source("pair.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func k() {
	if cl.GetGlobalID(0) == 0 {
		`+first+`
	} else {
		`+second+`
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
`), load.Options{})
}
