package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

const (
	relaxed = memmodel.Relaxed
	acquire = memmodel.Acquire
	release = memmodel.Release
	acqRel  = memmodel.AcqRel
	seqCst  = memmodel.SeqCst

	subGroup  = memmodel.ScopeSubGroup
	workGroup = memmodel.ScopeWorkGroup
	device    = memmodel.ScopeDevice
	allSVM    = memmodel.ScopeAllSVMDevices

	localFlag  = memmodel.LocalFence
	globalFlag = memmodel.GlobalFence
	imageFlag  = memmodel.ImageFence
	bothFlags  = localFlag | globalFlag
)

// profile sets the odds of the general generator.
type profile struct {
	loads, stores, rmws, fences []memmodel.Order
	scopes                      []memmodel.Scope
	uniform                     float64 // all operations have one scope
	flags                       []memmodel.Flags
	kinds                       []memmodel.Kind
	accesses                    []access
	local                       float64 // a variable is local
	plain                       float64 // there is a non-atomic variable
	fence                       float64 // a fence precedes an access
	barrier                     float64 // the threads meet at a barrier
	oneGroup                    bool    // all threads are of one work-group
	subGroups                   bool
	devices                     float64 // a thread is on the second device
}

type access uint8

const (
	load access = iota
	store
	rmw
	cas
)

// odds repeats each access as often as it is to be drawn.
func odds(loads, stores, rmws, cases int) []access {
	var out []access
	for a, n := range []int{loads, stores, rmws, cases} {
		for range n {
			out = append(out, access(a))
		}
	}
	return out
}

type (
	orders = []memmodel.Order
	scopes = []memmodel.Scope
	flags  = []memmodel.Flags
)

func baseProfile() profile {
	return profile{
		loads:    orders{relaxed, relaxed, acquire, acquire, seqCst},
		stores:   orders{relaxed, relaxed, release, release, seqCst},
		rmws:     orders{relaxed, acquire, release, acqRel, seqCst},
		fences:   orders{acquire, release, acqRel, seqCst},
		scopes:   scopes{workGroup, workGroup, device, device, allSVM},
		flags:    flags{globalFlag, localFlag, bothFlags, bothFlags},
		kinds:    []memmodel.Kind{memmodel.CoarseSVM},
		accesses: odds(8, 9, 2, 1),
		local:    0.4,
		plain:    0.4,
		fence:    0.35,
		devices:  0.1,
	}
}

func globProfile() profile {
	p := baseProfile()
	p.scopes, p.flags, p.local = scopes{device}, flags{globalFlag}, 0
	return p
}

func rsProfile() profile {
	p := globProfile()
	p.accesses, p.fence, p.plain = odds(2, 6, 2, 0), 0.1, 0
	return p
}

func scProfile() profile {
	p := globProfile()
	p.loads = orders{seqCst, seqCst, seqCst, relaxed, acquire}
	p.stores = orders{seqCst, seqCst, seqCst, relaxed, release}
	p.rmws = orders{seqCst, seqCst, seqCst, relaxed, acqRel}
	p.fences = orders{seqCst, seqCst, seqCst, acqRel}
	p.flags = flags{globalFlag, localFlag, bothFlags, bothFlags}
	return p
}

func mixProfile() profile {
	p := baseProfile()
	p.barrier = 0.3
	return p
}

func barProfile() profile {
	p := baseProfile()
	p.barrier, p.oneGroup = 1, true
	return p
}

func localProfile() profile {
	p := baseProfile()
	p.oneGroup = true
	return p
}

func subGroupProfile() profile {
	p := baseProfile()
	p.scopes, p.uniform = scopes{subGroup, workGroup, workGroup, device}, 0.6
	p.subGroups, p.barrier, p.devices = true, 0.6, 0
	return p
}

func kindsProfile() profile {
	p := baseProfile()
	p.scopes, p.uniform = scopes{device, allSVM, allSVM}, 0.5
	p.flags = flags{globalFlag}
	p.kinds = []memmodel.Kind{memmodel.CoarseSVM, memmodel.FineSVM, memmodel.FineSVMAtomics,
		memmodel.FineSVMAtomics, memmodel.SystemSVM, memmodel.Buffer}
	p.local, p.devices = 0, 0.4
	return p
}

// general draws threads of a few accesses each over a few variables.
func general(prof func() profile) func(*gen) {
	return func(g *gen) {
		d := &drawing{gen: g, profile: prof()}
		if d.chance(d.uniform) {
			d.scopes = scopes{pick(g, d.scopes...)}
		}
		d.variables()
		counts := make([]int, pick(g, 2, 2, 3, 3, 3))
		for range pick(g, 4, 5, 5, 6, 6, 7) {
			counts[g.IntN(len(counts))]++
		}
		d.barriers = g.chance(d.barrier)
		d.barFlags = pick(g, 0, globalFlag, localFlag, bothFlags)
		d.barScope = pick(g, workGroup, workGroup, device)
		for _, n := range counts {
			d.thread(n)
		}
	}
}

// drawing is a general program being drawn.
type drawing struct {
	*gen
	profile
	atomics  []*Var
	data     *Var
	image    bool // data is an image
	barriers bool
	barFlags memmodel.Flags
	barScope memmodel.Scope
}

func (d *drawing) region() memmodel.Region {
	if d.chance(d.local) {
		d.oneGroup = d.oneGroup || d.chance(0.95) // else distinct groups share it: a race
		return memmodel.Local
	}
	return memmodel.Global
}

func (d *drawing) variables() {
	for i := range pick(d.gen, 1, 2, 2, 3) {
		d.atomics = append(d.atomics, d.b.Var(Var{Name: string("xyz"[i]), Region: d.region(), Kind: pick(d.gen, d.kinds...)}))
	}
	if d.chance(d.plain) {
		d.data = d.b.Var(Var{Name: "d", Region: d.region(), Kind: pick(d.gen, d.kinds...), Plain: true})
	}
}

func (d *drawing) place() memmodel.Place {
	var p memmodel.Place
	if !d.oneGroup && d.chance(0.4) {
		p.Group = 1
	}
	if !d.oneGroup && d.chance(d.devices) {
		p.Device = 1
	}
	if d.subGroups && d.chance(0.3) {
		p.Sub = 1
	}
	return p
}

func (d *drawing) thread(n int) {
	t := d.b.Thread(d.place())
	meet := d.IntN(n + 1)
	var loaded []Val
	for i := range n {
		if i == meet {
			d.meet(t)
		}
		if d.chance(d.fence) {
			t.Fence(pick(d.gen, d.flags...), pick(d.gen, d.fences...), pick(d.gen, d.scopes...))
		}
		loaded = d.step(t, loaded)
		if k := len(loaded); k > 0 && i+1 < n && d.chance(0.1) {
			t.ExitUnless(loaded[k-1])
		}
	}
	if meet == n {
		d.meet(t)
	}
}

// meet adds the thread's barrier, if the program has one.
func (d *drawing) meet(t *Thread) {
	switch {
	case !d.barriers:
	case d.subGroups && d.barFlags != 0:
		t.SubGroupBarrier("B", d.barFlags, pick(d.gen, subGroup, subGroup, subGroup, d.barScope))
	default:
		t.Barrier("B", d.barFlags, d.barScope)
	}
}

// step draws one access and returns the registers loaded so far.
func (d *drawing) step(t *Thread, loaded []Val) []Val {
	if d.data != nil && d.chance(0.3) {
		if d.chance(0.5) {
			t.Write(d.data, t.Int(1+d.Int64N(2)))
			return loaded
		}
		return append(loaded, t.Read(d.data))
	}
	v, s := pick(d.gen, d.atomics...), pick(d.gen, d.scopes...)
	switch pick(d.gen, d.accesses...) {
	case load:
		return append(loaded, t.Load(v, pick(d.gen, d.loads...), s))
	case store:
		t.Store(v, d.stored(t, loaded), pick(d.gen, d.stores...), s)
		return loaded
	case rmw:
		return append(loaded, t.RMW(pick(d.gen, ir.Add, ir.Xchg), v, t.Int(d.value()), pick(d.gen, d.rmws...), s))
	}
	ok, old := t.CAS(v, CmpXchg{Expected: t.Int(d.Int64N(2)), Desired: t.Int(d.value()),
		Order: pick(d.gen, d.rmws...), FailOrder: relaxed, Scope: s, Weak: d.chance(0.3)})
	return append(loaded, ok, old)
}

// stored draws what a store writes: mostly a value of its own.
func (d *drawing) stored(t *Thread, loaded []Val) Val {
	switch {
	case len(loaded) > 0 && d.chance(0.15):
		return pick(d.gen, loaded...)
	case d.chance(0.8):
		return t.Int(d.value())
	}
	return t.Int(1)
}
