package memmodel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// shy is what TestSharedViews runs a program on: memories that do the same, in each of which views are shared in another way.
type shy struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand
	mems [3]Memory
	c    Canon

	faults   int // that operations of the first have found
	reshared int
}

// each does something to all memories, which must answer the same.
func (s *shy) each(what string, do func(m *Memory) string) string {
	s.t.Helper()
	first := ""
	for i := range s.mems {
		m := &s.mems[i]
		m.Fault = Fault{}
		answer := fmt.Sprint(do(m), m.Fault)
		if i == 0 {
			if first = answer; m.Fault.Kind != NoFault {
				s.faults++
			}
		} else if answer != first {
			s.t.Fatalf("seed %d, %s: %s, with views shared otherwise (%d) %s", s.seed, what, first, i, answer)
		}
	}
	s.unshare(&s.mems[1], func(u Unit) uint32 { return 0 })
	s.unshare(&s.mems[2], func(u Unit) uint32 { return s.mems[2].count[u] })
	return first
}

// unshare gives each unit a view of its own, and says something of the unit itself there, which must not matter.
func (s *shy) unshare(m *Memory, own func(u Unit) uint32) {
	for u := range m.L.units() {
		if m.row[u] == none {
			continue
		}
		v := m.change(u)
		for c := m.L.first; c < m.L.ncomps; c++ {
			m.L.know(v, c, u, own(u))
		}
	}
	seen := map[int32]bool{}
	for u := range m.L.units() {
		if r := m.row[u]; r != none && (seen[r] || m.users[r] != 1) {
			s.t.Fatalf("seed %d: unit %d shares its view", s.seed, u)
		} else {
			seen[r] = true
		}
	}
}

// check compares the canonical forms, and what is decoded of them.
func (s *shy) check() {
	s.t.Helper()
	s.foresee()
	names := s.names()
	var first []byte
	for i := range s.mems {
		m := &s.mems[i]
		s.c.Normalise(m)
		if names != nil { // and back, and once more
			was := m.Append(nil)
			s.c.Rename(m, names)
			s.c.Rename(m, names)
			if now := m.Append(nil); !bytes.Equal(now, was) {
				s.t.Fatalf("seed %d: renamed and back\n%v is\n%v", s.seed, was, now)
			}
			s.c.Rename(m, names)
		}
		text := m.Append(nil)
		if i == 0 {
			first = text
		}
		if !bytes.Equal(text, first) {
			s.t.Fatalf("seed %d: with views shared otherwise (%d) another canonical form:\n%v\n%v", s.seed, i, first, text)
		}
		var back Memory
		if rest, err := back.Decode(m.L, text); err != nil || len(rest) > 0 || !bytes.Equal(back.Append(nil), text) {
			s.t.Fatalf("seed %d: %v, %d bytes left: it does not come back", s.seed, err, len(rest))
		}
		if s.rng.IntN(2) == 0 {
			m.CopyFrom(&back)
		}
	}
}

// foresee invents futures of the units: that they are true makes no difference here.
func (s *shy) foresee() {
	l := s.mems[0].L
	s.c.Horizon = Horizon{Closed: s.rng.IntN(2) == 0, Apart: s.rng.IntN(4) == 0}
	if s.rng.IntN(3) == 0 {
		return
	}
	for range l.Units {
		f := NewFuture(len(l.Locs))
		f.Tells, f.Acquires = s.rng.IntN(2) == 0, s.rng.IntN(2) == 0
		f.Overlooks = func(_ Loc, v, w int64, _, more, _ bool) bool { return (v^w)&2 == 0 && !more }
		for _, set := range [...][]uint64{f.Access, f.Peek, f.Store, f.Modify, f.Odd} {
			set[0] = s.rng.Uint64N(1<<len(l.Locs)) | s.rng.Uint64N(1<<len(l.Locs))
		}
		s.c.Units = append(s.c.Units, &f)
		if s.rng.IntN(4) == 0 {
			s.c.Units[len(s.c.Units)-1] = nil
		}
	}
}

// names exchanges two work-items of a work-group at random, or does nothing.
func (s *shy) names() *Renaming {
	l := s.mems[0].L
	r := &Renaming{}
	for u := range l.Units {
		r.Units = append(r.Units, int32(u))
	}
	t, u := s.rng.IntN(len(l.Units)), s.rng.IntN(len(l.Units))
	if !l.Units[t].SameGroup(l.Units[u]) || s.c.Units != nil {
		return nil
	}
	r.Units[t], r.Units[u] = int32(u), int32(t)
	return r
}

// cast gives all memories a layout with one more work-item.
func (s *shy) cast() {
	old := s.mems[0].L
	if len(old.Units) > 12 {
		return
	}
	l := NewLayout(old.Spec, old.Traits, append(slices.Clone(old.Units), Place{Kernel: 1, Group: uint16(s.rng.IntN(2))}), old.Locs)
	l.crowded = old.crowded
	var units []Unit
	var locs []Loc
	for u := range old.units() {
		units = append(units, u)
	}
	for x := range old.locs() {
		locs = append(locs, x)
	}
	s.each("cast", func(m *Memory) string { m.Relayout(l, units, locs); return "" })
}

// shyLayout returns units of two work-groups and a host thread, plain and atomic locations in global and local memory, and images
// if asked for.
func shyLayout(rng *rand.Rand) *Layout {
	places := []Place{{Host: true}}
	for g := range uint16(2) {
		for range 1 + rng.IntN(4) {
			places = append(places, Place{Kernel: 1, Group: g})
		}
	}
	everybody := []uint64{1<<16 - 1}
	var locs []Location
	regions := []Region{Global, Global, Local, Global}
	if rng.IntN(4) == 0 {
		regions = append(regions, Image)
	}
	for i, r := range regions {
		locs = append(locs, Location{Region: r, Atomic: i == 3, Initialised: true, Storers: everybody, Peekers: everybody})
	}
	l := NewLayout(Specs[rng.IntN(len(Specs))], Traits{Fences: rng.IntN(2) == 0, Local: true, Grains: rng.IntN(2) == 0}, places, locs)
	l.crowded = rng.IntN(2) == 0
	return l
}

// TestSharedViews compares memories that do the same and differ in who shares a view, and in what views say of their own units:
// same answers, same faults, same canonical form.
func TestSharedViews(t *testing.T) {
	shared, raced, reshared := 0, 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := &shy{t: t, seed: seed, rng: rng}
		l := shyLayout(rng)
		for i := range s.mems {
			s.mems[i].Reset(l)
		}
		for range 1 + rng.IntN(40) {
			s.step()
			for u := range s.mems[0].L.units() {
				if m := &s.mems[0]; m.row[u] != none && m.shares(u) && m.count[u] > 0 {
					shared++
				}
			}
			if rng.IntN(3) == 0 {
				s.check()
			}
			if rng.IntN(20) == 0 {
				s.cast()
			}
		}
		raced, reshared = raced+s.faults, reshared+s.reshared
	}
	if shared < 10000 || raced < 1000 || reshared < 100 {
		t.Errorf("only %d times a unit that has done something shared a view, %d races, %d views that were shared again", shared, raced, reshared)
	}
}

// step does one thing at random.
func (s *shy) step() {
	rng, l := s.rng, s.mems[0].L
	u, t := Unit(rng.IntN(len(l.Units))), Unit(rng.IntN(len(l.Units)))
	x := Loc(rng.IntN(len(l.Locs)))
	o := [...]Order{Relaxed, Acquire, Release, AcqRel}[rng.IntN(4)]
	f := Flags(1 + rng.IntN(3))
	m := &s.mems[0]
	if n := len(m.users); rng.IntN(6) == 0 {
		m.Reshare()
		s.reshared += n - len(m.users)
	}
	if !m.Live(u) {
		if p := l.Units[u]; !p.Host && m.Live(0) && rng.IntN(2) == 0 {
			s.each("start", func(m *Memory) string { m.Start(u, []Unit{0}); return "" })
		} else if m.Live(t) {
			s.each("await", func(m *Memory) string { m.Await([]Unit{t}, u); return "" })
		}
		return
	}
	switch rng.IntN(12) {
	case 0, 1:
		if l.Locs[x].Atomic {
			s.atomic(u, x, o)
		} else {
			s.each("touch", func(m *Memory) string { m.Touch(u, x, o == Release || o == Relaxed); return "" })
		}
	case 2:
		s.atomic(u, 3, o)
	case 3, 4, 5:
		s.barrier(u, f)
	case 6:
		s.each("fence", func(m *Memory) string { return fmt.Sprint(m.Fence(u, f, o, ScopeDevice)) })
	case 7:
		if m.Live(t) && t != u {
			s.each("follow", func(m *Memory) string { m.JoinView(u, t); return "" })
		}
	case 8:
		if m.Live(t) && t != u {
			s.each("follow fine", func(m *Memory) string { m.JoinFineView(u, t); return "" })
		}
	case 9:
		var all []Unit
		for v := range l.units() {
			if m.Live(v) && v != u {
				all = append(all, v)
			}
		}
		s.each("all follow", func(m *Memory) string { m.JoinViews(all, u); return "" })
	case 10:
		if rng.IntN(3) == 0 {
			s.each("end", func(m *Memory) string { m.End(u); return "" })
		}
	case 11:
		if rng.IntN(2) == 0 {
			s.each("park", func(m *Memory) string { m.Park(u); return "" })
		} else {
			s.each("unpark", func(m *Memory) string { m.Unpark(u); return "" })
		}
	}
	s.each("what is known", func(m *Memory) string {
		return fmt.Sprint(m.Knows(u, t), m.WouldTell(t, u, f), m.WouldOrder(u, 3, 0), m.HappensBefore(t, m.count[t], u, x), m.Readable(u, 3), m.Cuts(u, 3, 0))
	})
}

// barrier has those of unit u's work-group who live meet.
func (s *shy) barrier(u Unit, f Flags) {
	l := s.mems[0].L
	if l.Units[u].Host {
		return
	}
	var all []Unit
	for v := range l.units() {
		if s.mems[0].Live(v) && l.Units[v].SameGroup(l.Units[u]) {
			all = append(all, v)
		}
	}
	s.each("barrier", func(m *Memory) string {
		for _, v := range all {
			m.Unpark(v)
			m.Arrive(v, f, ScopeWorkGroup, true)
		}
		m.Depart(all, f, ScopeWorkGroup)
		return ""
	})
}

// atomic performs an atomic operation of unit u on location x.
func (s *shy) atomic(u Unit, x Loc, o Order) {
	back, deed := s.rng.Int(), s.rng.IntN(3)
	s.each("atomic", func(m *Memory) string {
		at := Msg(back % int(m.Readable(u, x)))
		switch {
		case deed == 0 && o != Release && o != AcqRel:
			v, ok := m.Load(u, x, at, 0, o, ScopeDevice)
			return fmt.Sprint(v, ok)
		case deed == 1 && o != Acquire && o != AcqRel && m.Insertable(u, x, Msg(back%int(m.Writable(u, x)))):
			return fmt.Sprint(m.Store(u, x, Msg(back%int(m.Writable(u, x))), 1, o, ScopeDevice))
		case m.Modifiable(x, at):
			return fmt.Sprint(m.Modify(u, x, at, 0, 2, o, ScopeDevice))
		}
		return ""
	})
}
