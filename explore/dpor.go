package explore

import (
	"bytes"
	"math"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// A state's readers take turns (por.Turn says why that is enough): here is what a path has
// to keep and to do for that.

// turns is the part of a frame that reduces its state's branching.
type turns struct {
	stage stage // which turn its successors come of
	por.Order
	entry por.Set // the sleep set that the state was entered with
	sleep por.Set // that, with the units that have had their turns

	por.Turn
	helped bool // promises that help others have been made
	waits  bool // some outcome is a round of waiting, which is no step
	moved  bool // some unit that had its turn need not wait
	leads  bool // some outcome leads on, or is an end

	effects por.Summary // below all successors of turns past
	low     int         // shallowest state on the path whose effects are missing in those
	members int         // of the search's, when the state was entered
	cast    *state.Cast // of the state

	labels []int8      // of the successors
	writes []por.Write // of the successors' steps
	covers []por.Set   // of the successors, beside labels; with Options.NoCache
	// cover has, for each message of the state by its number, the units that need
	// not read it any more: executions in which they do are explored elsewhere.
	cover []por.Set
}

// stage says whether a state's readers take turns, and which turn is the one that successors come of.
type stage uint8

const (
	unbegun   stage = iota // none: successors come of what is tried at once
	inTurn                 // the one whose place in the order it is
	outOfTurn              // one of a later reader
	cutShort               // one to be taken once more, from its beginning, since the search had to pause in it
)

// begun reports whether the readers' turns have begun.
func (d *turns) begun() bool { return d.stage != unbegun }

// successorStep is where a frame keeps what a Step is made of.
// It is stored with the frame as it is.
type successorStep struct {
	//lint:ignore U1000 msgpack reads its tag
	_msgpack             struct{} `msgpack:",as_array"`
	Read                 int      // number of the message read, or -1
	LabelFrom, WriteFrom int      // its labels and writes, in those of the turns
	LabelTo, WriteTo     int      // and where they end
	Recast               bool     // it leads to another cast
}

// turnTaker is the part of a search that says whose turn it is. With por.DPOR a state's readers take turns as long as what has
// been found below asks for it; else all take theirs at once.
type turnTaker struct {
	wayOut
	step    por.Step // scratch space: the step to a successor
	cyclic  bool     // some step has led to a state of which not everything had been explored: to one on the path, perhaps
	profile profile  // of which readers get their turns

	pattern   pattern     // scratch space of symmetricAreEnough,
	images    []int32     // and of merge: whose turns are not known yet
	imageRoom []por.Write // likewise
	// expected is what is known of turns to come, of symmetric units; for Options.symmetricTurn.
	expected map[expectation]*por.Summary
}

type sccMember struct {
	fp    store.Fingerprint // of the state
	sleep por.Set           // that it was entered with
}

const (
	noLow = math.MaxInt
	// lasting is the low of effects that are missing for good.
	lasting = -1
)

// A note is the number of a state's effects in the pool, with its fate, or says that the
// state is open, and where on the path is what closes it.
const (
	open    = 1 << 63
	lowMask = 1<<48 - 1
)

// openNote is the note of an open state.
func openNote(low int) uint64 { return open | uint64(low)&lowMask }

// depthOf returns where on the path is what closes an open state.
func depthOf(note uint64) int { return int(note & lowMask) }

func (d *turns) reset() {
	*d = turns{
		Order: por.Order{Todo: d.Todo[:0]}, Turn: por.Turn{Below: d.Below}, labels: d.labels[:0], writes: d.writes[:0], covers: d.covers[:0], cover: d.cover[:0],
		effects: d.effects, low: noLow,
	}
	d.Below.Clear()
	d.effects.Clear()
}

// begin gives the first unit its turn at s.cur.
func (s *turnTaker) begin(f *frame, first, all []memmodel.Unit, sleep por.Set) {
	d := &f.dpor
	d.stage, d.sleep, d.cast = inTurn, sleep, s.cur.Cast
	if len(first) < len(all) {
		d.Todo = append(d.Todo, int32(first[0]))
	}
	d.Plain = !s.inherit(d)
	for _, u := range all {
		d.AddCandidate(u)
	}
	if !s.ahead(f, all) {
		s.takeTurn(f)
	}
}

// takeTurn tries the next unit that does not sleep at s.cur.
func (s *turnTaker) takeTurn(f *frame) {
	d := &f.dpor
	u := d.Next(d.sleep)
	if u < 0 {
		d.Unit = -1
		return
	}
	f.fate.next(d.Unit)
	s.por.BeginTurn(&d.Turn, s.cur, u)
	d.waits = false
	one := [1]memmodel.Unit{d.Unit}
	s.try(f, one[:], d.sleep)
	if !d.helped {
		d.helped = true
		s.tryHelp(f, d.sleep)
	}
	d.moved = d.moved || !d.waits
	d.leads = d.leads || d.waits || d.Full || len(f.successors) > 0
	// What others write shows below the states that the turn leads to. A turn that leads nowhere, as
	// all its outcomes are rounds, or covered, tells nothing of it.
	d.Full = d.Full || d.waits || len(f.successors) == 0
	d.sleep = s.por.Asleep(d.sleep, d.Unit)
	s.coverAll(d)
	s.arrange(f)
}

// turn is called when all successors of a frame have been explored. It reports
// whether there are more.
// docs/exploration/turns.md, "Turns: readers wait only on evidence".
func (s *turnTaker) turn(f *frame) bool {
	d := &f.dpor
	if !d.begun() || s.stopped {
		return false
	}
	if d.stage == outOfTurn {
		return s.afterAhead(f)
	}
	if s.opt.symmetricTurn != nil && d.stage == inTurn {
		s.compareSymmetric(f)
	}
	if s.watches && d.Unit >= 0 && d.stage == inTurn && d.PromiseReadable() {
		s.readable, s.stopped = true, true
		return false
	}
	for d.Unit >= 0 && (d.stage == cutShort || d.NeedsReversal(s.local)) {
		s.reload()
		if d.stage != cutShort && s.sourceSetComplete(d) {
			break
		}
		s.por.Candidates(s.cur)
		if len(f.successors) > 0 && d.stage != cutShort && s.symmetricAreEnough(f) { // to see that a turn leads nowhere is no work
			break
		}
		if s.paused != "" { // as if this one were not over
			return true
		}
		s.drop(f)
		d.effects.Merge(&d.Below)
		d.Below.Clear()
		before, stats := *d, s.stats
		before.cover = slices.Clone(d.cover) // which the turn changes where it stands
		s.takeTurn(f)
		s.neededTurn(d, before.Unit)
		if s.heed() { // in the middle: as if the turn had not begun
			d.restore(&before)
			s.stats = stats
			f.clear()
			return true
		}
		d.stage = inTurn
		if len(f.successors) > 0 {
			return true
		}
	}
	d.effects.Merge(&d.Below)
	if !d.moved {
		s.checkWaiting(f)
	}
	return false
}

// restore goes back to the moment before a turn that was cut short.
func (d *turns) restore(before *turns) {
	below := d.Below
	*d = *before
	d.Below = below
	d.Below.Clear()
	d.stage = cutShort
}

// sourceSetComplete reports whether the turns taken at s.cur are enough. If not it
// chooses the unit that is next, unless the search must pause.
func (s *turnTaker) sourceSetComplete(d *turns) bool {
	enough, next := s.por.SourceSetComplete(&d.Turn, s.cur, d.sleep, d.Past(), s.local)
	if s.heed() {
		return false
	}
	d.Prioritise(next, func(u memmodel.Unit) bool { return s.por.Wakeful(s.cur, u) })
	return enough
}

// inherit gives the units of s.cur their turns in the order of the frame above,
// those first that were prioritised there. It reports whether that has an order of its own.
func (s *turnTaker) inherit(d *turns) bool {
	if len(s.stack) < 2 {
		return false
	}
	f := s.stack[len(s.stack)-2]
	above := &f.dpor
	if !above.begun() || above.cast != s.cur.Cast || above.Plain && !above.Prioritised {
		return false
	}
	units, _ := f.renaming(&f.successors[f.next-1])
	if above.Prioritised {
		s.lineUp(d, units, int32(above.Unit))
	}
	for _, was := range above.Todo {
		s.lineUp(d, units, was)
	}
	return true
}

// lineUp lets a unit that had another name, by units, have its turn last, if it can have one.
func (s *turnTaker) lineUp(d *turns, units []int32, was int32) {
	u := was
	if units != nil {
		u = int32(slices.Index(units, was))
	}
	if s.cur.Status(memmodel.Unit(u)) == state.Ready {
		d.AddCandidate(memmodel.Unit(u))
	}
}

// checkWaiting reports a state in which all units that are left wait for values
// that need never come: they read, and if they read the newest messages, which
// they will in the end (rule 7.9), they go on waiting.
// docs/exploration/violations.md, "Deadlocks".
func (s *expander) checkWaiting(f *frame) {
	s.reload()
	_, all := s.por.Candidates(s.cur)
	if s.cur.Open() {
		return
	}
	s.moves = s.moves[:0]
	for _, u := range all {
		if !s.waitsOnNewest(u) {
			return
		}
	}
	s.drop(f)
	s.deadlock(f, all[0])
}

// waitsOnNewest reports whether the next step of unit u at s.cur is a round of
// waiting if it reads the newest message. It adds that step to s.moves.
func (s *expander) waitsOnNewest(u memmodel.Unit) bool {
	if s.busy(s.cur, u) {
		return false
	}
	s.choices = s.m.Choices(s.cur, u, s.choices[:0])
	next := s.state()
	defer s.release(next)
	for _, c := range s.choices {
		if c.Back > 0 {
			continue
		}
		next.CopyFrom(s.cur)
		s.m.Try(next, u, c)
		if !s.por.Spins(s.cur, next, u) && !s.leadsBack(next) {
			return false
		}
		if c.Broken == 0 {
			s.moves = append(s.moves, Move{u, c})
		}
	}
	return true
}

// leadsBack reports whether n is the state that the frame on top of the path expands.
func (s *base) leadsBack(n *state.State) bool {
	if n.Abandoned || n.Violation.Kind != state.NoViolation {
		return false
	}
	s.m.Normalise(&s.canon, n)
	s.key = n.Append(s.key[:0])
	return bytes.Equal(s.key, s.text())
}

// noteSuccessor remembers, for the successor that n is about to become, what the effects
// below it mean for the frame's state. Its second part must be called when n is canonical.
func (s *expander) noteSuccessor(f *frame, k *successor, n *state.State) {
	d := &f.dpor
	k.step.LabelFrom, k.step.WriteFrom = len(d.labels), len(d.writes)
	d.labels = n.Mem.Labels(d.labels)
	d.writes = append(d.writes, s.wrote...)
	k.step.LabelTo, k.step.WriteTo = len(d.labels), len(d.writes)
	s.carryCover(d, d.labels[k.step.LabelFrom:])
	k.step.Recast = n.Cast != s.cur.Cast
	k.step.Read = s.reading
}

// lift adds to a frame's effects what is known to happen from a successor on. low
// says which state on the path closes effects that are not all known.
func (s *turnTaker) lift(f *frame, k *successor, below *por.Summary, low int) {
	d := &f.dpor
	step := &s.step
	*step = por.Step{
		Unit: d.Unit, Loc: d.Loc, Looks: d.Looks, Read: k.step.Read, Recast: k.step.Recast, Local: s.local,
		Labels: d.labels[k.step.LabelFrom:k.step.LabelTo],
		Writes: d.writes[k.step.WriteFrom:k.step.WriteTo],
	}
	step.Units, step.Locs = f.renaming(k)
	d.Below.Propagate(step, below)
	if below.Any {
		d.low = min(d.low, low)
	}
}

// wait takes note that an outcome of the unit that has its turn is a round of
// waiting, which is no step. That it may change what it reads, or may see a
// promise, still counts.
func (s *expander) wait(f *frame, newest bool) {
	d := &f.dpor
	d.waits = d.waits || newest
	d.Wait(s.m.Traits.Interleaved)
}

var nothingKnown = por.Summary{Any: true}

// matchState takes note of a successor whose state has been visited before.
// docs/exploration/turns.md, "Visited and open states".
func (s *turnTaker) matchState(f *frame, k *successor, note uint64) {
	d := &f.dpor
	f.fate.lift(known(note))
	s.cyclic = s.cyclic || note&open != 0
	switch {
	case note&open == 0:
		if d.begun() {
			s.lift(f, k, s.effectsOf(note), lasting)
		}
	case d.begun():
		d.Full = true // a cycle may close here
		s.lift(f, k, &nothingKnown, depthOf(note))
	default:
		d.leadsBack(depthOf(note))
	}
}

// leadsBack takes note that a state of which not everything has been explored
// lies below, until the one at that depth of the path has been.
func (d *turns) leadsBack(low int) {
	d.effects.Any = true
	d.low = min(d.low, low)
}

// effectsOf returns the effects that a note names.
func (k *knowledge) effectsOf(note uint64) *por.Summary { return k.pool.Get(uint32(note)) }

// noteOf returns the note that names effects.
func (k *knowledge) noteOf(e *por.Summary) uint64 { return uint64(k.pool.Put(e)) }

// cutShort takes note of an execution that ends where others would go on.
func (s *expander) cutShort(f *frame) {
	if d := &f.dpor; d.begun() {
		d.Full, d.Below.Any, d.low = true, true, lasting
	}
}

// conclude notes with a state that has been explored what is below it, and
// tells the frame above. It returns false if the search must pause before that.
func (s *search) conclude(f *frame) bool {
	if s.heed() {
		return false // what was asked of a halted machine proves nothing: it is asked again
	}
	d := &f.dpor
	depth := len(s.stack) - 1
	if depth == 0 {
		return true
	}
	note, steps := openNote(d.low), s.stats.Steps-f.began
	closed := !d.effects.Any || d.low >= depth || d.low == lasting
	if !s.decide(f, closed) {
		return false
	}
	if closed {
		if d.effects.Any && d.low >= depth {
			d.effects.Any = false
			s.flatten(d)
		} else if len(s.members) > d.members {
			s.flatten(d)
		}
		f.fate.round = f.fate.round && d.low == lasting
		note = s.noteOf(&d.effects) | f.fate.note()
		for _, m := range s.members[d.members:] {
			s.visited.note(m, note)
			s.tellDone(m, note, steps)
		}
		s.members = s.members[:d.members]
	}
	own := sccMember{f.fp, d.entry}
	s.visited.note(own, note)
	if closed {
		s.tellDone(own, note, steps)
	} else {
		s.members = append(s.members, own)
	}
	parent := s.stack[depth-1]
	parent.fate.lift(f.fate)
	switch {
	case parent.dpor.begun():
		parent.dpor.Below.TakeRoom(&d.Below)
		s.lift(parent, &parent.successors[parent.next-1], &d.effects, d.low)
		parent.dpor.effects.TakeRoom(&d.effects)
	case d.effects.Any:
		parent.dpor.leadsBack(d.low)
	}
	return true
}
