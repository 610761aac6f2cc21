package explore

import (
	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/store"
)

// The table of facts of one process. Workers elsewhere have to be sent facts, and read all of them; those
// of one process have a table beside their log, in which each finds what it asks for, at once, and which is kept once
// for all of them. The rule is the same: what was found below a fact is in the log before the fact is in the table.
// docs/exploration/workers.md, "Several workers".

// tabled is one worker's view of the table.
// docs/exploration/workers.md, "Several workers".
type tabled struct {
	*share.Table
	out []int    // by number of effects: that of the table's summary, plus 1; 0 if it is not known yet
	in  []uint32 // by number of summary: that of the effects, plus 1
}

// tellTable enters a fact in the table, when the log has what was found.
func (s *search) tellTable(f summaryRecord) {
	s.publish()
	s.stats.Shared.Published++
	s.exchange.table.Tell(s.factOf(f))
}

// factOf returns a fact as the table has it.
func (s *search) factOf(f summaryRecord) share.Fact {
	t := s.exchange.table
	own := uint32(f.note)
	for int(own) >= len(t.out) {
		t.out = append(t.out, 0)
	}
	if t.out[own] == 0 {
		t.out[own] = t.Number(s.effectsOf(f.note).Append(nil)) + 1
	}
	fate := known(f.note)
	return share.Fact{State: f.fp, Sleep: uint64(f.sleep), Summary: t.out[own] - 1, Ends: fate.out, Round: fate.round}
}

// noteOfFact returns what a fact of the table says, as this search notes it.
func (s *search) noteOfFact(f *share.Fact) uint64 {
	t := s.exchange.table
	for f.Summary >= len(t.in) {
		t.in = append(t.in, 0)
	}
	if t.in[f.Summary] == 0 {
		e, err := por.ParseSummary(t.Summary(f.Summary))
		if err != nil {
			panic("explore: " + err.Error()) // it was written by a worker of this process: a bug
		}
		t.in[f.Summary] = s.pool.Put(&e) + 1
	}
	return uint64(t.in[f.Summary]-1) | (&termination{out: f.Ends, round: f.Round}).note()
}

// lookup returns what is known of a state that is to be visited with a sleep set, and whether anything is: by this
// search or, where that is enough to cut it, by another worker of this process.
func (s *search) lookup(fp store.Fingerprint, sleep por.Set) (store.Entry, bool) {
	e, seen := s.visited.lookup(fp)
	if s.exchange == nil || s.exchange.table == nil || seen && isDone(e) && por.Set(e.Sleep).Within(sleep) {
		return e, seen
	}
	f, known := s.exchange.table.Ask(fp)
	if !known || !por.Set(f.Sleep).Within(sleep) {
		return e, seen
	}
	s.stats.Shared.Applied++
	return store.Entry{Sleep: f.Sleep, Note: s.noteOfFact(&f)}, true
}

// takeTable makes the facts of the table the search's own, when it has to go on alone.
func (s *search) takeTable() {
	if s.exchange.table == nil {
		return
	}
	s.exchange.table.Close(func(f share.Fact) {
		s.visited.learn(sccMember{f.State, por.Set(f.Sleep)}, s.noteOfFact(&f))
	})
}

// freshFacts returns, as a batch by itself, the facts that have come to the table since it was asked for them last; nil if
// there are none. What was found below them is known to the search then.
func (s *search) freshFacts() []byte {
	if s.exchange == nil || s.exchange.table == nil {
		return nil
	}
	t := s.exchange.table
	b := share.Batch{Semantics: Semantics, Facts: t.Fresh()}
	s.hear()
	if len(b.Facts) == 0 {
		return nil
	}
	places := map[int]int{}
	for i := range b.Facts {
		f := &b.Facts[i]
		place, there := places[f.Summary]
		if !there {
			place = len(b.Summaries)
			places[f.Summary] = place
			text := t.Summary(f.Summary)
			b.Summaries = append(b.Summaries, share.Summary{Digest: share.DigestOf(text), Text: text})
		}
		f.Summary = place
	}
	return b.Append(nil)
}

// saveFacts adds such a batch to the blobs of a checkpoint: whoever helps the first worker when the search goes on
// begins with that.
func (s *search) saveFacts(blobs []store.Blob, batch []byte) ([]store.Blob, error) {
	k := &s.keeper
	if batch == nil {
		return blobs, nil
	}
	data, err := k.disk.Encode(batch)
	if err != nil {
		return nil, err
	}
	blobs = append(blobs, store.Blob{Kind: factsBlob, Index: k.facts, Data: data})
	k.facts++
	return blobs, nil
}

// loadFacts fills the table with the facts that workers before these have told each other.
func (s *search) loadFacts(h *head) error {
	k := &s.keeper
	k.facts = h.Facts
	if s.team.table == nil {
		return nil
	}
	for i := range h.Facts {
		data, err := k.disk.Blob(factsBlob, i)
		if err != nil {
			return err
		}
		var batch []byte
		if err := k.disk.Decode(data, &batch); err != nil {
			return err
		}
		b, err := share.Decode(batch, Semantics)
		if err != nil {
			return store.Classed(store.ErrDamaged, err)
		}
		if err := s.enterBatch(b); err != nil {
			return store.Classed(store.ErrDamaged, err)
		}
	}
	s.team.table.Fresh() // it is on the disk already
	return nil
}

// enterBatch enters the facts of a batch by itself in the table.
func (s *search) enterBatch(b *share.Batch) error {
	t := s.exchange.table
	numbers := make([]int, len(b.Summaries))
	for i := range b.Summaries {
		if _, err := por.ParseSummary(b.Summaries[i].Text); err != nil {
			return err
		}
		numbers[i] = t.Number(b.Summaries[i].Text)
	}
	for _, f := range b.Facts {
		f.Summary = numbers[f.Summary]
		t.Tell(f)
	}
	return nil
}
