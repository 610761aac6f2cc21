package explore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// A checkpoint is written between two visits. Every successor that is still to be
// visited is then in a frame of the path, and the visited states are those
// that the path has led to: a search that goes on from there does what this one
// would have done. docs/store.md says more.

// keeper is the part of a search that concerns its store.
type keeper struct {
	disk    store.Store // where to; nil if the search is not kept
	saved   time.Time   // when the last checkpoint began
	looked  time.Time   // at the space on the disk, last
	frames  []uint64    // hashes of the frames as they are stored
	low     int         // length that the path has not been below since the last checkpoint
	batches int         // of outcomes that are stored
	pooled  int         // effects that are stored
	pools   int         // blobs of them
	facts   int         // blobs of facts that are stored
	bytes   int64       // of the blobs of the last checkpoint
}

// lookEvery is the interval between looks at the space on the disk.
const lookEvery = time.Second

// defaultCheckpoint is the interval between checkpoints if none is given.
const defaultCheckpoint = time.Minute

// pause stops the search so that it can go on later.
func (s *base) pause(why string) {
	if !s.stopped {
		s.stopped, s.paused = true, why
	}
}

// fail stops the search because what it rests on cannot be relied on any more.
func (s *base) fail(why string, err error) {
	s.stopped = true
	s.paused = why
	if s.result.Err == nil {
		s.result.Err = err
	}
}

// atBound stops the search at a bound. One worker of several leaves.
func (s *base) atBound(why string) {
	s.left = s.number > 0
	s.pause(why)
}

// storeFailed is why a search stops whose store fails.
const storeFailed = "the store failed"

// keep looks after the visited states between two visits: a checkpoint when
// one is due, and room where memory is used up.
func (s *search) keep() {
	k := &s.keeper
	if s.stopped {
		return
	}
	if s.team.crowded(&s.base) {
		if s.makeRoom(); s.stopped {
			return
		}
	}
	if k.disk == nil {
		return
	}
	began := s.pace.now()
	every := s.opt.CheckpointEvery
	if every == 0 {
		every = defaultCheckpoint
	}
	due := began.Sub(k.saved) >= every
	err := k.disk.Poll()
	switch {
	case err != nil:
	case due && !k.disk.Writing(): // what is being written is not waited for
		s.checkpoint(false)
	case !due:
		err = k.disk.Drain()
		s.stats.Handing += s.pace.now().Sub(began)
	}
	if _, full := s.visited.usage(0); err == nil && full {
		err = k.disk.Relieve()
	}
	if err != nil {
		s.fail(storeFailed, err)
	}
	s.stats.Standstill += s.pace.now().Sub(began)
	if s.pace.now().Sub(k.looked) >= lookEvery {
		k.looked = s.pace.now()
		s.checkLimits()
	}
}

// checkLimits stops the search while there is still room for a last checkpoint.
func (s *search) checkLimits() {
	k := &s.keeper
	if err := k.disk.Room(2, k.bytes); err != nil {
		s.pause(err.Error())
	}
	s.stats.DiskBytes = k.disk.Bytes()
	if l := s.opt.DiskLimit; l > 0 && s.stats.DiskBytes+k.disk.Need()+2*k.bytes > l {
		s.pause(fmt.Sprintf("the disk limit of %s was met", size(l)))
	}
}

// lastCheckpoint writes the last checkpoint of a run, before finish has looked at the
// violations if the search is to go on, and after it if there is nothing more
// to do.
func (s *search) lastCheckpoint() {
	if s.keeper.disk == nil || s.result.Err != nil {
		return
	}
	began := s.pace.now()
	s.checkpoint(s.paused == "")
	if s.result.Err == nil {
		if err := s.keeper.disk.Wait(); err != nil {
			s.fail(storeFailed, err)
		}
	}
	took := s.pace.now().Sub(began)
	s.stats.Standstill, s.stats.Ending = s.stats.Standstill+took, s.stats.Ending+took
	s.stats.DiskBytes = s.keeper.disk.Bytes()
}

// checkpoint begins to write one.
func (s *search) checkpoint(finished bool) {
	k := &s.keeper
	if !s.begun {
		return // there is no path yet
	}
	s.stats.Checkpoints++ // it is one of those that it knows
	blobs, h, err := s.save(finished)
	if err == nil {
		if err = k.disk.Room(1, k.bytes); err == nil {
			err = k.disk.Checkpoint(h, blobs)
		}
	}
	k.saved = s.pace.now()
	if err != nil {
		s.fail(storeFailed, err)
	}
}

// save encodes the search.
func (s *search) save(finished bool) (blobs []store.Blob, text []byte, err error) {
	k := &s.keeper
	facts := s.freshFacts() // first: what was found below them belongs to the same checkpoint
	s.count()
	s.checkPromises()
	learnt := s.m.Notes().Learnt()
	h := head{
		Format: checkpointFormat, Finished: finished, Unpromised: s.result.Unpromised, Depth: len(s.stack),
		Violations: s.result.Violations, Incomplete: s.result.Incomplete,
		Stats: s.stats, Estimator: s.estimator, Reached: learnt.Reached, Observers: learnt.Observers, Legacy: learnt.LegacyShared, Covered: learnt.Covered, Tree: s.visited.stored(), Ended: s.ended,
	}
	// A frame changes only while it is on top, and when the one above it goes.
	for i := max(0, k.low-1); i < len(s.stack); i++ {
		data, err := k.disk.Encode(s.stack[i].save())
		if err != nil {
			return nil, nil, err
		}
		sum := xxh3.Hash(data)
		if i == len(k.frames) {
			k.frames = append(k.frames, 0)
		}
		if k.frames[i] != sum {
			k.frames[i] = sum
			blobs = append(blobs, store.Blob{Kind: pathBlob, Index: i, Data: data})
		}
	}
	k.low = len(s.stack)
	h.Path = digest(k.frames[:len(s.stack)])
	if len(s.fresh) > 0 {
		data, err := k.disk.Encode(s.freshOutcomes())
		if err != nil {
			return nil, nil, err
		}
		blobs = append(blobs, store.Blob{Kind: outcomeBlob, Index: k.batches, Data: data})
		k.batches++
		s.fresh = s.fresh[:0]
	}
	if n := s.pool.Len(); n > k.pooled {
		data, err := k.disk.Encode(s.pool.From(k.pooled))
		if err != nil {
			return nil, nil, err
		}
		blobs = append(blobs, store.Blob{Kind: effectsBlob, Index: k.pools, Data: data})
		k.pools, k.pooled = k.pools+1, n
	}
	if blobs, err = s.saveFacts(blobs, facts); err != nil {
		return nil, nil, err
	}
	h.Outcomes, h.Effects, h.Facts = k.batches, k.pools, k.facts
	for _, m := range s.members {
		h.Members = append(h.Members, savedMember{m.fp, m.sleep})
	}
	text, err = k.disk.Encode(&h)
	k.bytes = int64(len(text))
	for i := range blobs {
		k.bytes += int64(len(blobs[i].Data))
	}
	return blobs, text, err
}

func (s *search) freshOutcomes() []savedOutcome {
	list := make([]savedOutcome, len(s.fresh))
	for i, key := range s.fresh {
		list[i] = savedOutcome{key, s.outcomes.values[key]}
	}
	return list
}

// digest hashes the hashes of the frames.
func digest(sums []uint64) uint64 {
	var b []byte
	for _, sum := range sums {
		b = binary.LittleEndian.AppendUint64(b, sum)
	}
	return xxh3.Hash(b)
}

// save returns a frame in its stored form.
func (f *frame) save() *savedFrame {
	d := &f.dpor
	sf := &savedFrame{
		Kids: make([]savedKid, len(f.successors)), Buf: f.buf, Moves: f.moves, Names: f.names, Next: f.next, Began: f.began, FP: f.fp,
		Fate: savedFate{Out: f.fate.out, Round: f.fate.round, Back: f.fate.back, Circling: f.fate.cyclicAsleep},
		Turns: savedTurns{
			Stage: d.stage, Order: d.Order, Turn: d.Turn, Entry: d.entry, Sleep: d.sleep,
			Helped: d.helped, Waits: d.waits, Moved: d.moved, Leads: d.leads,
			Effects: d.effects, Low: d.low, Members: d.members, Labels: d.labels, Writes: d.writes,
			Cover: d.cover, Covers: d.covers,
		},
	}
	for i, k := range f.successors {
		sf.Kids[i] = savedKid{
			From: k.from, To: k.to, MoveFrom: k.moveFrom, MoveTo: k.moveTo, FP: k.fp, Sleep: k.sleep,
			NameFrom: k.nameFrom, NameMid: k.nameMid, NameTo: k.nameTo,
			Step: k.step,
		}
	}
	return sf
}

// load is the inverse of save.
func (f *frame) load(sf *savedFrame) {
	t := &sf.Turns
	f.buf, f.moves, f.names, f.next, f.began, f.fp = sf.Buf, sf.Moves, sf.Names, sf.Next, sf.Began, sf.FP
	f.fate = termination{sf.Fate.Out, sf.Fate.Round, sf.Fate.Back, sf.Fate.Circling}
	f.dpor = turns{
		stage: t.Stage, Order: t.Order, Turn: t.Turn, entry: t.Entry, sleep: t.Sleep,
		helped: t.Helped, waits: t.Waits, moved: t.Moved, leads: t.Leads,
		effects: t.Effects, low: t.Low, members: t.Members, labels: t.Labels, writes: t.Writes,
		cover: t.Cover, covers: t.Covers,
	}
	for _, k := range sf.Kids {
		f.successors = append(f.successors, successor{
			from: k.From, to: k.To, moveFrom: k.MoveFrom, moveTo: k.MoveTo, fp: k.FP, sleep: k.Sleep,
			nameFrom: k.NameFrom, nameMid: k.NameMid, nameTo: k.NameTo,
			step: k.Step,
		})
	}
}

// errCollision ends an audit.
var errCollision = errors.New("two different states have the same fingerprint: the verdicts of searches without --exact cannot be relied on; please report this")

// errPath is what every error about a path that does not fit wraps.
var errPath = store.Classed(store.ErrFormat, errors.New("the stored path does not fit the model as this clmc runs it"))

// resume goes back to the store's last checkpoint, if the search has one. It
// reports whether there is nothing left to do.
func (s *search) resume() (finished bool, err error) {
	k := &s.keeper
	k.disk = s.opt.Store
	k.saved = s.pace.now()
	text, err := k.disk.Head()
	if err != nil || len(text) == 0 {
		return false, err
	}
	var h head
	if err := k.disk.Decode(text, &h); err != nil {
		return false, err
	}
	if h.Format != checkpointFormat {
		return false, fmt.Errorf("%w: checkpoints of format %d, and this clmc reads format %d", store.ErrFormat, h.Format, checkpointFormat)
	}
	s.begun = true
	s.stats = h.Stats
	s.stats.DiskBytes = k.disk.Bytes()
	s.began = s.pace.now().Add(-h.Stats.Elapsed)
	s.result.Violations, s.result.Incomplete, s.result.Unpromised = h.Violations, h.Incomplete, h.Unpromised
	for i := range h.Violations {
		s.known[h.Violations[i].key()] = true
	}
	s.m.Notes().Learn(state.Learnt{Reached: h.Reached, Observers: h.Observers, LegacyShared: h.Legacy, Covered: h.Covered})
	s.uncovered = s.uncovered || h.Covered == nil
	s.visited.goOn(h.Tree)
	s.ended = h.Ended
	s.estimator = h.Estimator
	if err := s.loadOutcomes(h.Outcomes); err != nil {
		return false, err
	}
	if err := s.loadEffects(&h); err != nil {
		return false, err
	}
	if err := s.loadPath(&h); err != nil {
		return false, err
	}
	if err := s.loadFacts(&h); err != nil {
		return false, err
	}
	s.tellAll()
	err = s.retrace()
	if s.heed() {
		return false, nil // what a machine says that has been halted proves nothing: nor did the path change
	}
	return h.Finished, err
}

func (s *search) loadOutcomes(batches int) error {
	s.keeper.batches = batches
	for i := range batches {
		data, err := s.keeper.disk.Blob(outcomeBlob, i)
		if err != nil {
			return err
		}
		var list []savedOutcome
		if err := s.keeper.disk.Decode(data, &list); err != nil {
			return err
		}
		for _, o := range list {
			s.outcomes.add(o.Key, o.Values)
		}
	}
	return nil
}

func (s *search) loadEffects(h *head) error {
	k := &s.keeper
	for i := range h.Effects {
		data, err := k.disk.Blob(effectsBlob, i)
		if err != nil {
			return err
		}
		var list []por.Summary
		if err := s.keeper.disk.Decode(data, &list); err != nil {
			return err
		}
		for i := range list {
			s.pool.Put(&list[i])
		}
	}
	k.pools, k.pooled = h.Effects, s.pool.Len()
	for _, m := range h.Members {
		s.members = append(s.members, sccMember{m.FP, m.Sleep})
	}
	return nil
}

func (s *search) loadPath(h *head) error {
	k := &s.keeper
	for i := range h.Depth {
		data, err := k.disk.Blob(pathBlob, i)
		if err != nil {
			return err
		}
		var sf savedFrame
		if err := s.keeper.disk.Decode(data, &sf); err != nil {
			return err
		}
		f := &frame{}
		f.load(&sf)
		s.push(f)
		k.frames = append(k.frames, xxh3.Hash(data))
	}
	if digest(k.frames) != h.Path {
		return fmt.Errorf("%w: the path's frames are not those of one checkpoint", store.ErrDamaged)
	}
	return nil
}

// retrace walks along the path. Each state on it must come out as stored, which
// it does not if the model or the machine has changed. The machine meets the
// casts of all states of the path again.
func (s *search) retrace() error {
	stats := s.stats
	defer func() { s.stats = stats }() // they count already what is done here again
	s.cur = s.m.Initial()
	for i, f := range s.stack {
		if i > 0 {
			k := s.stack[i-1].taken()
			if k == nil || k.fp != f.fp {
				return fmt.Errorf("%w: at depth %d", errPath, i)
			}
			if err := s.m.Decode(s.cur, s.stack[i-1].buf[k.from:k.to]); err != nil {
				return fmt.Errorf("%w: at depth %d", errPath, i)
			}
		}
		f.dpor.cast = s.cur.Cast
		for j := range f.successors {
			if err := s.retraceSuccessor(f, j); err != nil {
				return fmt.Errorf("%w: at depth %d, successor %d", err, i, j)
			}
		}
	}
	return nil
}

// taken returns the successor that the path goes on with, if any.
func (f *frame) taken() *successor {
	if f.next < 1 || f.next > len(f.successors) {
		return nil
	}
	return &f.successors[f.next-1]
}

// retraceSuccessor checks a successor of s.cur, the frame's state.
func (s *search) retraceSuccessor(f *frame, j int) error {
	k := &f.successors[j]
	if k.from < 0 || k.to > len(f.buf) || k.from > k.to || k.moveFrom < 0 || k.moveTo > len(f.moves) || k.moveFrom > k.moveTo ||
		k.nameFrom < 0 || k.nameTo > len(f.names) || k.nameFrom > k.nameMid || k.nameMid > k.nameTo {
		return errPath
	}
	text := f.buf[k.from:k.to]
	if fingerprint(text) != k.fp {
		return errPath
	}
	n := s.state()
	defer s.release(n)
	if j != f.next-1 && s.m.Decode(n, text) == nil {
		return nil
	}
	n.CopyFrom(s.cur)
	for i, mv := range f.moves[k.moveFrom:k.moveTo] {
		if s.backlogged(n, i) { // the state comes out as stored in any case, but each step would be dearer than the last one
			s.compactMessages(n, f)
		}
		s.choices = s.choices[:0]
		if mv.Unit < 0 || mv.Unit >= n.Cast.Count() {
			return errPath
		}
		if s.choices = por.Moves(s.m, n, mv.Unit, s.choices); !slices.Contains(s.choices, mv.Choice) {
			return errPath
		}
		s.m.Do(n, mv.Unit, mv.Choice)
	}
	s.choices = s.choices[:0]
	again := frame{}
	var same successor
	s.rename(&again, &same, s.form(n))
	if s.key = n.Append(s.key[:0]); string(s.key) != string(text) || !slices.Equal(again.names, f.names[k.nameFrom:k.nameTo]) {
		return errPath
	}
	return nil
}

// size writes a bound in the largest unit of which it is a multiple.
func size(bytes int64) string {
	for _, u := range []struct {
		name string
		bits int
	}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}} {
		if bytes > 0 && bytes&(1<<u.bits-1) == 0 {
			return fmt.Sprintf("%d %s", bytes>>u.bits, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}
