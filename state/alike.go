package state

import (
	"bytes"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// Alike returns the units that can be exchanged with unit u of s so that s, which has that text, stays as it is. No
// signature is believed: s is given other names, and what comes of that compared. The list is valid up to the next call.
// docs/exploration.md, "Work-items that are alike".
func (o *Sorter) Alike(m *Machine, c *memmodel.Canon, s *State, text []byte, u memmodel.Unit) []int32 {
	o.likes = append(o.likes[:0], int32(u))
	if y := s.Cast.sym; y != nil && y.peers[u] != nil {
		for _, v := range y.peers[u] {
			if s.Resemble(u, memmodel.Unit(v)) {
				o.likes = append(o.likes, v)
			}
		}
	}
	all := o.likes
	if len(all) > 2 && o.stays(m, c, s, text, all[:2]) && o.stays(m, c, s, text, all) {
		return all[1:] // these two generate all permutations
	}
	known := all[:1]
	for _, v := range all[1:] {
		if o.stays(m, c, s, text, []int32{int32(u), v}) {
			known = append(known, v)
		}
	}
	return known[1:]
}

// alone returns, by unit, the others that may be exchanged with it alone, and take no memory along.
func (y *symmetry) alone(units int) [][]int32 {
	all := make([][]int32, units)
	for i := range y.orbits {
		k := &y.orbits[i]
		for a, blk := range k.blocks {
			if len(blk) != 1 || len(k.locs[a]) > 0 || all[blk[0]] != nil {
				continue
			}
			for b, other := range k.blocks {
				if b != a {
					all[blk[0]] = append(all[blk[0]], other[0])
				}
			}
		}
	}
	return all
}

// Resemble reports whether two units that may be exchanged stand at the same point of their code, with the same values.
func (s *State) Resemble(u, v memmodel.Unit) bool {
	y := s.Cast.sym
	return y != nil && slices.Contains(y.peers[u], int32(v)) &&
		s.status[u] == s.status[v] && s.pc[u] == s.pc[v] && s.refs[u] == s.refs[v] && slices.Equal(s.reg(u), s.reg(v))
}

// stays reports whether s stays as it is when each of some units takes the place of the one before it, and the first that
// of the last.
func (o *Sorter) stays(m *Machine, c *memmodel.Canon, s *State, text []byte, units []int32) bool {
	o.identity(s)
	for i, u := range units {
		o.Units[u] = units[(i+1)%len(units)]
	}
	o.to.Units, o.to.Locs = inverse(o.to.Units, o.Units), inverse(o.to.Locs, o.Locs)
	n := &o.image
	n.CopyFrom(s)
	n.rename(o)
	m.lookAhead(c, n)
	c.Rename(&n.Mem, &o.to)
	o.text = n.Append(o.text[:0])
	return bytes.Equal(o.text, text)
}
