package state

import (
	"bytes"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// Look readies o to be asked what unit t of s can be exchanged with.
func (o *Sorter) Look(s *State, t memmodel.Unit) {
	o.unit, o.compared = t, false
	o.named = s.Mem.Named(o.named)
	s.Violation.units(func(u *memmodel.Unit) { o.named[*u>>6] |= 1 << (*u & 63) })
}

// compare finds the units that can be exchanged, by themselves, with unit u of s, which has that text, so that s stays as it is.
func (o *Sorter) compare(m *Machine, c *memmodel.Canon, s *State, text []byte, u memmodel.Unit) {
	y := s.Cast.sym
	o.symmetric, o.others, o.compared = o.symmetric[:0], append(o.others[:0], int32(u)), true
	for _, blk := range y.orbits[y.alone[u]].blocks {
		switch v := memmodel.Unit(blk[0]); {
		case v == u || !s.Resemble(u, v):
		case o.same(s, u, v):
			o.symmetric = append(o.symmetric, blk[0])
		default:
			o.others = append(o.others, blk[0])
		}
	}
	all := o.others
	if len(all) > 2 && o.turn(s, all[:2]).stays(m, c, s, text) && o.turn(s, all).stays(m, c, s, text) {
		o.symmetric = append(o.symmetric, all[1:]...) // these two generate all permutations
		return
	}
	for _, v := range all[1:] {
		if o.turn(s, []int32{int32(u), v}).stays(m, c, s, text) {
			o.symmetric = append(o.symmetric, v)
		}
	}
}

// Exchange finds pairs of units of s, whose encoding is text, that can be exchanged so that s stays as it is. One of the pairs is the unit
// that Look was called with, and u. The two are exchanged alone, or with all units of their sub-groups, work-groups or commands. Equal
// signatures are not enough: either s does not distinguish the two of each pair, or s is renamed and compared.
// It returns nil if it finds none. The pairs are valid up to the next call.
// docs/exploration/symmetry.md, "Symmetric work-items".
func (o *Sorter) Exchange(m *Machine, c *memmodel.Canon, s *State, text []byte, u memmodel.Unit) [][2]int32 {
	y, t := s.Cast.sym, o.unit
	if y == nil || !s.Resemble(t, u) {
		return nil
	}
	if y.alone[t] >= 0 && y.alone[t] == y.alone[u] {
		if !o.compared {
			o.compare(m, c, s, text, t)
		}
		if slices.Contains(o.symmetric, int32(u)) {
			o.pairs = append(o.pairs[:0], [2]int32{int32(t), int32(u)})
			return o.pairs
		}
	}
	for _, p := range y.within[t] {
		for _, q := range y.within[u] {
			if p.orbit == q.orbit && p.block != q.block && o.pair(s, p, q) && (o.untold(s) || o.swap(s).stays(m, c, s, text)) {
				return o.pairs
			}
		}
	}
	return nil
}

// Stays checks what Exchange has returned last, for tests. It reports whether s with these units exchanged, and s with all names kept, are
// brought into the same form, and whether work-groups go to work-groups where that matters.
func (o *Sorter) Stays(m *Machine, c *memmodel.Canon, s *State) bool {
	o.identity(s)
	o.stays(m, c, s, nil)
	own := slices.Clone(o.text)
	return o.swap(s).stays(m, c, s, own) && (!m.usesGroups() || o.together(s.Cast))
}

// together reports whether all units of a work-group get names of units of one work-group.
func (o *Sorter) together(c *Cast) bool {
	for g := range c.Groups {
		for _, u := range c.Groups[g].Units {
			if first := c.Groups[g].Units[0]; c.Units[o.Units[u]].Group != c.Units[o.Units[first]].Group {
				return false
			}
		}
	}
	return true
}

// seat is where a unit is among those that are exchanged together.
type seat struct{ orbit, block, at int32 }

// pair makes pairs of the units of two blocks: in their order, but for those that the two sit opposite. It
// reports whether those of each pair resemble each other.
func (o *Sorter) pair(s *State, p, q seat) bool {
	k := &s.Cast.sym.orbits[p.orbit]
	o.pairs = o.pairs[:0]
	for i, t := range k.blocks[p.block] {
		j := int32(i)
		switch j {
		case p.at:
			j = q.at
		case q.at:
			j = p.at
		}
		u := k.blocks[q.block][j]
		if !s.Resemble(memmodel.Unit(t), memmodel.Unit(u)) {
			return false
		}
		o.pairs = append(o.pairs, [2]int32{t, u})
	}
	return true
}

// untold reports whether nothing in s tells the units of any pair apart.
func (o *Sorter) untold(s *State) bool {
	for _, p := range o.pairs {
		if !o.same(s, memmodel.Unit(p[0]), memmodel.Unit(p[1])) {
			return false
		}
	}
	return true
}

// swap makes the names those under which the units of each pair stand for each other.
func (o *Sorter) swap(s *State) *Sorter {
	o.identity(s)
	for _, p := range o.pairs {
		o.Units[p[0]], o.Units[p[1]] = p[1], p[0]
	}
	return o
}

// findAlone returns, by unit, the orbit in which each unit is exchanged by itself and takes no memory along, or -1.
func (y *symmetry) findAlone(units int) []int32 {
	alone := slices.Repeat([]int32{-1}, units)
	for i := range y.orbits {
		k := &y.orbits[i]
		if len(k.blocks[0]) > 1 || len(k.locs[0]) > 0 { // as those are that may take its place
			continue
		}
		for _, blk := range k.blocks {
			if alone[blk[0]] < 0 {
				alone[blk[0]] = int32(i)
			}
		}
	}
	return alone
}

// findSeats returns, by unit, where each unit is exchanged with others, and they take no memory along.
func (y *symmetry) findSeats(units int) [][]seat {
	seats := make([][]seat, units)
	for i := range y.orbits {
		k := &y.orbits[i]
		if len(k.blocks[0]) == 1 || len(k.locs[0]) > 0 {
			continue
		}
		for j, blk := range k.blocks {
			for at, u := range blk {
				seats[u] = append(seats[u], seat{int32(i), int32(j), int32(at)})
			}
		}
	}
	return seats
}

// Resemble reports whether two units stand at the same point of their code, with the same values.
func (s *State) Resemble(u, v memmodel.Unit) bool {
	return s.status[u] == s.status[v] && s.pc[u] == s.pc[v] && s.refs[u] == s.refs[v] && slices.Equal(s.reg(u), s.reg(v))
}

// same reports whether nothing in s tells two units apart that are equal.
func (o *Sorter) same(s *State, t, u memmodel.Unit) bool {
	named := func(u memmodel.Unit) bool { return o.named[u>>6]&(1<<(u&63)) != 0 }
	return !named(t) && !named(u) && s.Mem.Symmetric(t, u)
}

// turn makes the names those under which each of some units takes the place of the one before it, and the first that of
// the last.
func (o *Sorter) turn(s *State, units []int32) *Sorter {
	o.identity(s)
	for i, u := range units {
		o.Units[u] = units[(i+1)%len(units)]
	}
	return o
}

// stays reports whether s stays as it is under the names that it is about to get.
func (o *Sorter) stays(m *Machine, c *memmodel.Canon, s *State, text []byte) bool {
	o.invert()
	n := &o.image
	n.CopyFrom(s)
	n.rename(o)
	m.lookAhead(c, n)
	c.Rename(&n.Mem, &o.to)
	o.text = n.Append(o.text[:0])
	return bytes.Equal(o.text, text)
}
