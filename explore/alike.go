package explore

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
)

// Turns of work-items that are alike. A state that stays as it is when two work-items are exchanged leads, by a step of
// one of them, where it leads by that of the other, under other names. So one turn is enough to know both.

// alikeAreEnough gives those units of s.cur their turns that come next and are alike there with the one that had it last,
// without trying anything: what happens below is what has happened below its own turn, under other names. It
// reports whether that is enough.
// docs/exploration.md, "Work-items that are alike".
func (s *search) alikeAreEnough(f *frame) bool {
	d := &f.dpor
	next := d.Peek(d.sleep)
	if next < 0 || !s.symmetric() || !s.m.Promises().Over(s.cur) || !s.cur.Resemble(d.Unit, next) {
		return false
	}
	first := d.Unit
	own := por.Effects{Writes: slices.Clone(d.Below.Writes), Any: d.Below.Any}
	alike := s.sorter.Alike(s.m, &s.canon, s.cur, s.text(), first)
	if s.opt.alike != nil {
		d.expect(&own, first, alike)
		return false
	}
	for ; next >= 0 && slices.Contains(alike, int32(next)); next = d.Peek(d.sleep) {
		was := d.Unit
		d.effects.Merge(&d.Below)
		d.Below.Image(&own, first, next)
		d.Unit = d.Next(d.sleep)
		d.sleep = s.por.Asleep(d.sleep, next)
		s.neededTurn(d, was)
		if f.fate.back {
			f.fate.circling = f.fate.circling.With(was)
		}
		s.stats.Saved.Alike++
		if !d.MustGoOn(s.dpor.local) || s.enough(d) {
			return true
		}
	}
	return false
}

// expect notes what is known of the turns of those that are alike with the first of them, own being that of its.
func (d *turns) expect(own *por.Effects, first memmodel.Unit, alike []int32) {
	d.expected = map[memmodel.Unit]*por.Effects{}
	for _, u := range alike {
		e := &por.Effects{}
		e.Image(own, first, memmodel.Unit(u))
		d.expected[memmodel.Unit(u)] = e
	}
}

// text returns the text of s.cur, which the frame on top of the path expands.
func (s *search) text() []byte {
	parent := s.stack[len(s.stack)-2]
	k := &parent.kids[parent.next-1]
	return parent.buf[k.from:k.to]
}
