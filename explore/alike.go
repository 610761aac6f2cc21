package explore

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/store"
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
	alike := s.sorter.Alike(s.m, &s.canon, s.cur, s.text(), first)
	if s.heed() {
		return false
	}
	own := por.Effects{Writes: slices.Clone(d.Below.Writes), Any: d.Below.Any}
	if s.opt.alike != nil {
		s.expect(f, &own, first, alike)
		return false
	}
	for ; next >= 0 && s.paused == "" && slices.Contains(alike, int32(next)); next = d.Peek(d.sleep) {
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

// expectation is the turn of a unit at a state of which it is known what it comes to.
type expectation struct {
	fp   store.Fingerprint // of the state
	unit memmodel.Unit     // whose turn it is
}

// expect notes for Options.alike what is known of the turns of those that are alike with the first of them, own being that of its.
func (s *search) expect(f *frame, own *por.Effects, first memmodel.Unit, alike []int32) {
	if s.expected == nil {
		s.expected = map[expectation]*por.Effects{}
	}
	for _, u := range alike {
		e := &por.Effects{}
		e.Image(own, first, memmodel.Unit(u))
		s.expected[expectation{f.fp, memmodel.Unit(u)}] = e
	}
}

// compareAlike tells Options.alike what the turn that is over has come to, if that was known.
func (s *search) compareAlike(f *frame) {
	at := expectation{f.fp, f.dpor.Unit}
	if known := s.expected[at]; known != nil {
		s.opt.alike(known, &f.dpor.Below)
		delete(s.expected, at)
	}
}

// text returns the text of s.cur, which the frame on top of the path expands.
func (s *search) text() []byte {
	parent := s.stack[len(s.stack)-2]
	k := &parent.kids[parent.next-1]
	return parent.buf[k.from:k.to]
}
