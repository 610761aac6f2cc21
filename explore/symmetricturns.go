package explore

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/store"
)

// Turns of symmetric work-items. A state that stays as it is when two work-items are exchanged leads, by a step of
// one of them, where it leads by that of the other, under other names. So one turn is enough to know both.

// symmetricAreEnough counts the turns as taken of units that come next at s.cur and are symmetric there with the unit that had
// the last turn: what happens below is what has happened below that turn, under other names. It reports whether the
// turns taken are then enough.
// docs/exploration/symmetry.md, "Symmetric work-items".
func (s *turnTaker) symmetricAreEnough(f *frame) bool {
	d := &f.dpor
	next := d.Peek(d.sleep)
	if next < 0 || !s.symmetric() || !s.cur.Cast.Symmetric() || !s.m.Promises().Over(s.cur) || !s.cur.Resemble(d.Unit, next) {
		return false
	}
	p := &s.pattern
	s.keepTurn(p, d)
	if s.opt.symmetricTurn != nil {
		s.expect(f, p)
		return false
	}
	s.images = s.images[:0] // whose turns are not in d.Below yet
	defer func() { s.merge(d, p) }()
	for ; next >= 0; next = d.Peek(d.sleep) {
		pairs := s.exchanged(p, next, d.sleep)
		if s.heed() {
			return false
		}
		if pairs == nil {
			if len(s.images) == 0 {
				return false
			}
			if s.imagesAreEnough(d, p) {
				return true
			}
			continue // with those that come first now
		}
		was := d.Unit
		together := len(pairs) == 1 && next >= por.SetSize
		if together {
			s.images = append(s.images, int32(next))
		} else {
			s.merge(d, p)
			d.effects.Merge(&d.Below)
			d.Below.Image(&p.own, pairs)
		}
		d.Unit = d.Next(d.sleep)
		d.sleep = s.por.Asleep(d.sleep, next)
		s.neededTurn(d, was)
		if f.fate.back {
			f.fate.cyclicAsleep = f.fate.cyclicAsleep.With(was)
		}
		s.stats.Saved.Symmetric++
		if together { // it is asked once for all of them
			continue
		}
		if s.sourceSetComplete(d) { // by itself the turn is not, as p was not
			return true
		}
		if len(pairs) > 1 { // what is symmetric with it comes next
			s.merge(d, p)
			s.keepTurn(p, d)
		}
	}
	return s.imagesAreEnough(d, p)
}

// imagesAreEnough makes the turns of s.images known, and reports whether the turns taken are enough with them.
func (s *turnTaker) imagesAreEnough(d *turns, p *pattern) bool {
	if len(s.images) == 0 {
		return false
	}
	s.merge(d, p)
	return s.sourceSetComplete(d)
}

// merge makes the turns of s.images known, each of which is pattern p with its unit exchanged for that of p: all at once, as
// there may be as many as there are units.
func (s *turnTaker) merge(d *turns, p *pattern) {
	n := len(s.images) - 1
	if n < 0 {
		return
	}
	d.effects.Merge(&d.Below)
	s.imageRoom = d.effects.MergeImages(&p.own, int32(p.unit), s.images[:n], s.imageRoom)
	d.Below.Image(&p.own, [][2]int32{{int32(p.unit), s.images[n]}})
	s.images = s.images[:0]
}

// pattern is a turn that is over, by which those of symmetric units are known.
type pattern struct {
	unit   memmodel.Unit // whose turn it was
	asleep por.Set       // no others slept in it
	own    por.Summary   // below it
}

// keepTurn makes p the turn at s.cur that is over.
func (s *turnTaker) keepTurn(p *pattern, d *turns) {
	p.unit, p.asleep = d.Unit, (d.sleep | d.entry).Without(d.Unit)
	p.own.CopyFrom(&d.Below)
	s.sorter.Look(s.cur, d.Unit)
}

// exchanged returns pairs of units whose exchange leaves s.cur as it is and maps turn p to one of unit u. It returns nil if there are
// none, or if too few units sleep now. Turn p left out the executions that begin with a unit that slept in it. Their images begin
// with the unit exchanged for that one, which must sleep now, so that they are found elsewhere.
func (s *turnTaker) exchanged(p *pattern, u memmodel.Unit, asleep por.Set) [][2]int32 {
	pairs := s.sorter.Exchange(s.m, &s.canon, s.cur, s.text(), u)
	for _, q := range pairs {
		t, v := memmodel.Unit(q[0]), memmodel.Unit(q[1])
		if t != p.unit && (p.asleep.Has(t) && !asleep.Has(v) || p.asleep.Has(v) && !asleep.Has(t)) {
			return nil
		}
	}
	return pairs
}

// expectation is the turn of a unit at a state of which it is known what it comes to.
type expectation struct {
	fp   store.Fingerprint // of the state
	unit memmodel.Unit     // whose turn it is
}

// expect notes for Options.symmetricTurn what is known of the turns to come that are symmetric with p.
func (s *turnTaker) expect(f *frame, p *pattern) {
	if s.expected == nil {
		s.expected = map[expectation]*por.Summary{}
	}
	d := &f.dpor
	for _, u := range d.Todo[d.At:] {
		if d.sleep.Has(memmodel.Unit(u)) {
			continue
		}
		if pairs := s.exchanged(p, memmodel.Unit(u), d.sleep); pairs != nil {
			e := &por.Summary{}
			e.Image(&p.own, pairs)
			s.expected[expectation{f.fp, memmodel.Unit(u)}] = e
			s.opt.exchanged(s.sorter.Stays(s.m, &s.canon, s.cur))
		}
	}
}

// compareSymmetric tells Options.symmetricTurn what the turn that is over has come to, if that was known.
func (s *turnTaker) compareSymmetric(f *frame) {
	at := expectation{f.fp, f.dpor.Unit}
	if known := s.expected[at]; known != nil {
		s.opt.symmetricTurn(known, &f.dpor.Below)
		delete(s.expected, at)
	}
}
