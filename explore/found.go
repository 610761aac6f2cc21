package explore

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"slices"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// What is found: all that a search that skips a subtree must learn from the worker that has
// explored the subtree. Each kind has two functions: one adds it to what this search knows, the other has
// the exchange tell it.

// found is some of what a search has found. It is encoded by package gob, so that programs that import the
// search need not link a library for that.
type found struct {
	Outcomes   []savedOutcome // that executions have come to
	Violations []Violation    // with their schedules
	Incomplete []string       // why not all has been tried
	Learnt     *state.Learnt  // what the machine has met: what was reached, observed and covered
	Ended      bool           // an execution has come to its end
	Unpromised bool           // the violation was found without promises
}

// read makes f what data say.
func (f *found) read(data []byte) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(f) }

// nothing reports whether there is nothing in it.
func (f *found) nothing() bool {
	return len(f.Outcomes)+len(f.Violations)+len(f.Incomplete) == 0 && f.Learnt == nil && !f.Ended && !f.Unpromised
}

// tell has the exchange tell what the search has found, if there is one.
func (s *reporter) tell(f found) {
	n := s.news
	if n == nil {
		return
	}
	n.Outcomes = append(n.Outcomes, f.Outcomes...)
	n.Violations = append(n.Violations, f.Violations...)
	n.Incomplete = append(n.Incomplete, f.Incomplete...)
	n.Ended, n.Unpromised = n.Ended || f.Ended, n.Unpromised || f.Unpromised
}

// tellAll publishes again all that was found before the checkpoint from which the search continues:
// it is not known whether all of it has reached the log.
func (s *reporter) tellAll() {
	f := found{Violations: s.result.Violations, Incomplete: s.result.Incomplete, Ended: s.ended}
	for key, values := range s.outcomes.values {
		f.Outcomes = append(f.Outcomes, savedOutcome{key, values})
	}
	s.tell(f)
}

// addOutcome adds an outcome that is not known yet.
func (s *reporter) addOutcome(o savedOutcome) {
	s.outcomes.add(o.Key, o.Values)
	if s.opt.Store != nil {
		s.fresh = append(s.fresh, o.Key)
	}
}

// add adds what another worker has found.
func (s *reporter) add(f *found) {
	for _, o := range f.Outcomes {
		if !s.outcomes.has([]byte(o.Key)) {
			s.addOutcome(o)
		}
	}
	for _, why := range f.Incomplete {
		s.lacks(why)
	}
	if f.Learnt != nil {
		s.m.Notes().Learn(*f.Learnt)
	}
	s.ended = s.ended || f.Ended
	s.result.Unpromised = s.result.Unpromised || f.Unpromised
	for i := range f.Violations {
		s.addViolation(&f.Violations[i])
	}
}

// sayFound adds what was found since its last call to the batch that is published next.
func (s *search) sayFound() {
	x := s.exchange
	s.checkPromises()
	if n := s.m.Notes().Count(); n != x.learnt {
		l := s.m.Notes().Learnt()
		x.learnt, x.news.Learnt = n, &l
	}
	if x.news.nothing() {
		return
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(&x.news); err != nil {
		panic("explore: " + err.Error()) // our own types: a bug
	}
	x.news = found{}
	for _, part := range x.cut(data.Bytes()) {
		x.things = append(x.things, thing{data: part})
	}
}

// What was found is published whole, or in parts if it is large.
const (
	wholeThing = 'w' // then what was found
	partThing  = 'p' // then, as varints, a number that the worker gives it, the number of parts, the part's; then the part
)

// maxParts bounds the parts of what was found.
const maxParts = 1 << 14

// cut cuts what was found into what fits into a batch.
func (x *workerProtocol) cut(data []byte) (parts [][]byte) {
	if len(data) < x.pace.part {
		return [][]byte{append([]byte{wholeThing}, data...)}
	}
	x.large++
	chunks := slices.Collect(slices.Chunk(data, x.pace.part))
	for i, chunk := range chunks {
		p := []byte{partThing}
		for _, n := range [...]uint64{x.large, uint64(len(chunks)), uint64(i)} {
			p = binary.AppendUvarint(p, n)
		}
		parts = append(parts, append(p, chunk...))
	}
	return parts
}

// partOf names what other parts belong to a part.
type partOf struct{ worker, number uint64 } // whose it is, and its number among what that one told

// join puts a part of what a worker has found to the others, and returns the whole if that is all.
func (x *workerProtocol) join(worker uint64, data []byte) ([]byte, error) {
	var head [3]uint64
	for i := range head {
		n, size := binary.Uvarint(data)
		if size <= 0 {
			return nil, errFound
		}
		head[i], data = n, data[size:]
	}
	of, n, i := partOf{worker, head[0]}, head[1], head[2]
	if i >= n || n > maxParts || x.parts[of] != nil && uint64(len(x.parts[of])) != n || len(data) == 0 {
		return nil, errFound
	}
	if x.parts[of] == nil {
		x.parts[of] = make([][]byte, n)
	}
	x.parts[of][i] = data
	if slices.ContainsFunc(x.parts[of], func(p []byte) bool { return p == nil }) {
		return nil, nil
	}
	return slices.Concat(x.parts[of]...), nil
}

// errFound is returned for what no worker can have found.
var errFound = fmt.Errorf("%w: what was found below its facts cannot be read", share.ErrBatch)

// hearOf takes note of something that another worker has found.
func (s *search) hearOf(worker uint64, data []byte) (err error) {
	if len(data) == 0 {
		return errFound
	}
	switch kind := data[0]; kind {
	case wholeThing:
		data = data[1:]
	case partThing:
		if data, err = s.exchange.join(worker, data[1:]); data == nil {
			return err
		}
	default:
		return errFound
	}
	var f found
	if err := f.read(data); err != nil {
		return fmt.Errorf("%w: %w", errFound, err)
	}
	for i := range f.Violations {
		if !s.possible(&f.Violations[i]) {
			return fmt.Errorf("%w: an execution that the program does not have", errFound)
		}
	}
	s.add(&f)
	return nil
}

// possible reports whether the program can perform the schedule of a violation.
func (s *reporter) possible(v *Violation) bool {
	for m := range Replayers(s.m.Program, s.m.Spec, v.Schedule) {
		n := m.Initial()
		if !slices.ContainsFunc(v.Schedule, func(mv Move) bool {
			if mv.Unit < 0 || mv.Unit >= n.Cast.Count() || n.Abandoned || !slices.Contains(por.Moves(m, n, mv.Unit, nil), mv.Choice) {
				return true
			}
			m.Do(n, mv.Unit, mv.Choice)
			if v.After {
				state.PassTo(m, n, state.NoViolation, 0)
			}
			return false
		}) {
			return slices.Contains(state.Kinds(), v.Kind)
		}
	}
	return false
}
