package state

import (
	"bytes"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// Alike returns the units that can be exchanged with unit u of s so that s, which has that text, stays as it is. No
// signature is believed: either nothing in s tells the two apart, or s is given other names, and what comes of that compared.
// The list is valid up to the next call.
// docs/exploration.md, "Work-items that are alike".
func (o *Sorter) Alike(m *Machine, c *memmodel.Canon, s *State, text []byte, u memmodel.Unit) []int32 {
	o.likes, o.others = o.likes[:0], append(o.others[:0], int32(u))
	named := o.naming(s)
	if y := s.Cast.sym; y != nil && y.alone[u] >= 0 {
		for _, blk := range y.orbits[y.alone[u]].blocks {
			switch v := memmodel.Unit(blk[0]); {
			case v == u || !s.Resemble(u, v):
			case !named(u) && !named(v) && s.Mem.Twins(u, v):
				o.likes = append(o.likes, blk[0])
			default:
				o.others = append(o.others, blk[0])
			}
		}
	}
	all := o.others
	if len(all) > 2 && o.stays(m, c, s, text, all[:2]) && o.stays(m, c, s, text, all) {
		return append(o.likes, all[1:]...) // these two generate all permutations
	}
	for _, v := range all[1:] {
		if o.stays(m, c, s, text, []int32{int32(u), v}) {
			o.likes = append(o.likes, v)
		}
	}
	return o.likes
}

// naming returns what tells of a unit whether s names it.
func (o *Sorter) naming(s *State) func(u memmodel.Unit) bool {
	o.named = s.Mem.Named(o.named)
	s.Violation.units(func(u *memmodel.Unit) { o.named[*u>>6] |= 1 << (*u & 63) })
	return func(u memmodel.Unit) bool { return o.named[u>>6]&(1<<(u&63)) != 0 }
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

// Resemble reports whether two units that may be exchanged stand at the same point of their code, with the same values.
func (s *State) Resemble(u, v memmodel.Unit) bool {
	y := s.Cast.sym
	return y != nil && y.alone[u] >= 0 && y.alone[u] == y.alone[v] &&
		s.status[u] == s.status[v] && s.pc[u] == s.pc[v] && s.refs[u] == s.refs[v] && slices.Equal(s.reg(u), s.reg(v))
}

// stays reports whether s stays as it is when each of some units takes the place of the one before it, and the first that
// of the last.
func (o *Sorter) stays(m *Machine, c *memmodel.Canon, s *State, text []byte, units []int32) bool {
	o.identity(s)
	for i, u := range units {
		o.Units[u] = units[(i+1)%len(units)]
	}
	o.invert()
	n := &o.image
	n.CopyFrom(s)
	n.rename(o)
	m.lookAhead(c, n)
	c.Rename(&n.Mem, &o.to)
	o.text = n.Append(o.text[:0])
	return bytes.Equal(o.text, text)
}
