package por

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/zeebo/xxh3"
)

// Write says that, somewhere below a state, unit Unit writes location Loc, and
// what each such write has in its causal past (program order and reads-from)
// for certain: the next steps, from the state, of the units in After, and the
// reading of those of the state's messages that are in Read (by the numbers
// that Memory.Label gives). A set that is too small is safe.
//
// A Try is a read-modify-write that may or may not write, and Read does
// not count what it reads itself: another one of the same location may have
// taken away the message that it would have read otherwise. A Look is a read
// that may see a promise, and is Again if a step of its unit, from the state on, has begun with reading
// the location before; of these, too, Read does not count what they read themselves. A write that can be promised is Early, beside
// being Sure.
type Write struct {
	Unit    int32        // who writes, or Somebody
	Loc     memmodel.Loc // what is written, or Somewhere
	Kind    Kind         // whether it is one for certain
	After   Set          // units whose next steps come before each such write
	Readers Set          // units of which a step that begins with reading the location comes before each such write, if that is Early
	Read    Messages     // messages that have been read before each such write
}

// Kind is what kind of access a Write stands for.
type Kind uint8

// The kinds.
const (
	Sure  Kind = iota // a write
	Try               // a read-modify-write
	Look              // a read that may see a promise
	Again             // another one, of what its unit has read before
	Early             // a write that can be promised
)

// kindBits is how many bits a kind takes.
const kindBits = 3

// Somebody and Somewhere stand for a unit or location that has no number in
// the state that effects are told in.
const (
	Somebody  = -1
	Somewhere = -1
)

// Summary is what may be written below a state: accesses sorted by location and unit.
type Summary struct {
	Writes []Write // those that may come, in the order of their keys: one of a key
	// Any says that there may be more of which nothing is known: the subtree
	// was cut where its effects were not yet known, or an execution ended early.
	Any bool
}

// Clear makes the summary empty.
func (e *Summary) Clear() { e.Writes, e.Any = e.Writes[:0], false }

// Add adds a write. Of several writes of one key only what is certain of each is kept.
func (e *Summary) Add(w Write) {
	i, end := 0, len(e.Writes)
	for key := w.key(); i < end; {
		if mid := int(uint(i+end) / 2); e.Writes[mid].key() < key {
			i = mid + 1
		} else {
			end = mid
		}
	}
	if i == len(e.Writes) || e.Writes[i].key() != w.key() {
		e.Writes = slices.Insert(e.Writes, i, w)
		return
	}
	e.Writes[i].join(&w)
}

// join keeps of w what is also certain of o.
func (w *Write) join(o *Write) {
	w.After &= o.After
	w.Read &= o.Read
	w.Readers &= o.Readers
}

// key tells which writes are one in a Summary, and their order there.
func (w *Write) key() uint64 {
	return uint64(w.Loc-Somewhere)<<(32+kindBits) | uint64(w.Unit-Somebody)<<kindBits | uint64(w.Kind)
}

// precedes reports whether a write stands before another one.
func (w *Write) precedes(o *Write) bool {
	switch {
	case w.Loc != o.Loc:
		return w.Loc < o.Loc
	case w.Unit != o.Unit:
		return w.Unit < o.Unit
	}
	return w.Kind < o.Kind
}

func compare(a, b Write) int { return cmp.Compare(a.key(), b.key()) }

// Merge adds all of o.
func (e *Summary) Merge(o *Summary) {
	at := 0
	for i := range o.Writes { // both are sorted, and mostly speak of the same writes
		w := &o.Writes[i]
		for at < len(e.Writes) && e.Writes[at].precedes(w) {
			at++
		}
		if at == len(e.Writes) || w.precedes(&e.Writes[at]) {
			e.Writes = slices.Insert(e.Writes, at, *w)
			continue
		}
		e.Writes[at].join(w)
	}
	e.Any = e.Any || o.Any
}

// TakeRoom gives an empty summary the room of another one, which is not needed any more, if that is more.
func (e *Summary) TakeRoom(o *Summary) {
	if len(e.Writes) == 0 && cap(e.Writes) < cap(o.Writes) {
		e.Writes, o.Writes = o.Writes[:0], e.Writes
	}
}

// CopyFrom makes e equal to o.
func (e *Summary) CopyFrom(o *Summary) { e.Writes, e.Any = append(e.Writes[:0], o.Writes...), o.Any }

// Image makes e what o, told of a state that stays as it is when the units of each pair are exchanged, is under the
// names that they have then. Messages and locations keep theirs.
func (e *Summary) Image(o *Summary, pairs [][2]int32) {
	e.CopyFrom(o)
	for i := range e.Writes {
		w := &e.Writes[i]
		for _, p := range pairs {
			switch w.Unit {
			case p[0]:
				w.Unit = p[1]
			case p[1]:
				w.Unit = p[0]
			}
			w.After, w.Readers = w.After.exchanged(p), w.Readers.exchanged(p)
		}
	}
	e.sort()
}

// MergeImages adds all of what o is, told of a state that stays as it is when unit a is exchanged with any of some others, under the names that the
// units have after each such exchange. The others are from SetSize on, and each is given once. It returns room that may be given to it again.
func (e *Summary) MergeImages(o *Summary, a int32, others []int32, room []Write) []Write {
	if len(others) == 0 {
		return room
	}
	exchanged := map[int32]bool{}
	for _, b := range others {
		exchanged[b] = true
	}
	all := append(room[:0], e.Writes...)
	for _, w := range o.Writes {
		w.After, w.Readers = w.After.Without(memmodel.Unit(a)), w.Readers.Without(memmodel.Unit(a)) // which now speak of units that are never members
		switch {
		case w.Unit == a:
			for _, w.Unit = range others {
				all = append(all, w)
			}
			continue
		case exchanged[w.Unit]:
			image := w
			image.Unit = a
			all = append(all, image)
			if len(others) == 1 {
				continue
			}
		}
		all = append(all, w)
	}
	slices.SortStableFunc(all, compare)
	n := 0
	for i := range all {
		if n > 0 && all[n-1].key() == all[i].key() {
			all[n-1].join(&all[i])
			continue
		}
		all[n] = all[i]
		n++
	}
	room = e.Writes
	e.Writes, e.Any = all[:n], e.Any || o.Any
	return room
}

// sort puts the writes in order, of which few are out of place.
func (e *Summary) sort() {
	for i := 1; i < len(e.Writes); i++ {
		if !e.Writes[i].precedes(&e.Writes[i-1]) {
			continue
		}
		w, at := e.Writes[i], i
		for ; at > 0 && w.precedes(&e.Writes[at-1]); at-- {
			e.Writes[at] = e.Writes[at-1]
		}
		e.Writes[at] = w
	}
}

// DropCauses forgets what the writes depend on.
func (e *Summary) DropCauses() {
	for i := range e.Writes {
		w := &e.Writes[i]
		w.After, w.Read, w.Readers = 0, 0, 0
	}
}

// Widen forgets the numbers of units and locations that can be exchanged for others.
func (e *Summary) Widen(unit func(int) bool, loc func(memmodel.Loc) bool) {
	for i := range e.Writes {
		w := &e.Writes[i]
		if w.Unit >= 0 && unit(int(w.Unit)) {
			w.Unit = Somebody
		}
		if w.Loc >= 0 && loc(w.Loc) {
			w.Loc = Somewhere
		}
		w.After, w.Read, w.Readers = 0, 0, 0
	}
	slices.SortFunc(e.Writes, compare)
	e.Writes = slices.Compact(e.Writes)
}

// Conflict reports whether a unit other than t writes location x without
// depending on t's next step, which is a read-modify-write or else a load.
// Locations from local on are those that may lose their number.
func (e *Summary) Conflict(t memmodel.Unit, x memmodel.Loc, modifies bool, local memmodel.Loc) bool {
	for i := range e.Writes {
		if e.Writes[i].conflicts(t, x, modifies, local) {
			return true
		}
	}
	return false
}

// Conflicting adds the units whose writes conflict to a set that has room for all, and reports whether each of these has a number.
func (e *Summary) Conflicting(units facts.Set, t memmodel.Unit, x memmodel.Loc, modifies bool, local memmodel.Loc) (named bool) {
	for i := range e.Writes {
		w := &e.Writes[i]
		switch {
		case !w.conflicts(t, x, modifies, local):
		case w.Unit < 0 || int(w.Unit)>>6 >= len(units):
			return false
		default:
			units.Add(int(w.Unit))
		}
	}
	return true
}

func (w *Write) conflicts(t memmodel.Unit, x memmodel.Loc, modifies bool, local memmodel.Loc) bool {
	return (w.Kind == Sure || w.Kind == Try && modifies) && (w.Loc == x || w.Loc == Somewhere && x >= local) && memmodel.Unit(w.Unit) != t && !w.After.Has(t)
}

// ReadsPromised reports whether another unit might have read, before t's next step, a write that t promises: it
// reads where it may see a promise, the read does not depend on the step, and the write not on the read.
// docs/exploration/promises.md, "Being overtaken".
func (e *Summary) ReadsPromised(t memmodel.Unit) bool {
	for i := range e.Writes {
		r := &e.Writes[i]
		if !r.reads() || memmodel.Unit(r.Unit) == t || r.After.Has(t) {
			continue
		}
		for k := range e.Writes {
			if w := &e.Writes[k]; w.early(t, r) && !w.needs(r) {
				return true
			}
		}
	}
	return false
}

// early reports whether unit t may promise the write, and another one see that by a read r.
func (w *Write) early(t memmodel.Unit, r *Write) bool {
	return w.Kind == Early && (memmodel.Unit(w.Unit) == t || w.Unit == Somebody) && (w.Loc == r.Loc || w.Loc == Somewhere || r.Loc == Somewhere)
}

// needs reports whether an early write comes after the reads that r stands for.
func (w *Write) needs(r *Write) bool {
	return r.Kind == Look && r.Unit >= 0 && w.Readers.Has(memmodel.Unit(r.Unit))
}

// Step describes the step from one stored state to a successor: the reading operation of a unit and what ran after
// it without being scheduled.
type Step struct {
	Unit   memmodel.Unit // the one that steps
	Loc    memmodel.Loc  // what it begins with reading, or -1
	Looks  bool          // it may see a promise there
	Read   int           // number of the message that the unit read, or -1
	Labels []int8        // of the next state's messages, as Memory.Labels gives them
	Writes []Write       // made on the way, told in the state before; After and Read are not set
	Recast bool          // units and local locations are numbered anew in the next state
	Local  memmodel.Loc  // the first location that is
	// What the units and locations of the next state were called in the state
	// before, if something else; nil if not.
	Units, Locs []int32
}

// Propagate adds to a summary of the state before a step what is known to happen after it.
func (e *Summary) Propagate(s *Step, after *Summary) {
	first := s.Looks
	for _, w := range s.Writes {
		switch {
		case memmodel.Unit(w.Unit) != s.Unit: // depends on nothing for certain
		case w.Kind != Sure && w.Kind != Early:
			if w.Kind == Look && !first {
				w = s.dependent(w)
			}
			w.After = w.After.With(s.Unit)
			if w.Kind == Look && w.Loc == s.Loc && !first {
				w.Kind = Again
			}
			first = first && w.Kind != Look
		default:
			w = s.dependent(w)
		}
		e.Add(w)
	}
	for _, w := range after.Writes {
		if s.Recast {
			w = s.forget(w)
		} else {
			w = s.before(s.rename(w))
		}
		e.Add(w)
	}
	e.Any = e.Any || after.Any
}

// dependent adds the step itself to what a write depends on.
func (s *Step) dependent(w Write) Write {
	w.After = w.After.With(s.Unit)
	if s.Read >= 0 {
		w.Read = w.Read.with(s.Read)
	}
	return w
}

// forget describes a write behind a renumbering in terms that also hold before it.
func (s *Step) forget(w Write) Write {
	if w.Loc >= s.Local {
		w.Loc = Somewhere
	}
	return Write{Unit: Somebody, Loc: w.Loc, Kind: w.Kind}
}

// reads reports whether what the write stands for is a read that may see a promise.
func (w *Write) reads() bool { return w.Kind == Look || w.Kind == Again }

// rename gives the units and the location of a write their names before the step.
func (s *Step) rename(w Write) Write {
	if s.Units == nil {
		return w
	}
	w.Unit, w.Loc = nameIn(s.Units, w.Unit), memmodel.Loc(nameIn(s.Locs, int32(w.Loc)))
	w.After, w.Readers = w.After.renamed(s.Units), w.Readers.renamed(s.Units)
	return w
}

// nameIn returns what number i was called, by names. One that there is not, which only what comes
// from outside can name, is somebody, or somewhere.
func nameIn(names []int32, i int32) int32 {
	if i < 0 || int(i) >= len(names) {
		return -1
	}
	return names[i]
}

// before tells a write in terms of the state before the step.
func (s *Step) before(w Write) Write {
	depends := memmodel.Unit(w.Unit) == s.Unit || w.After.Has(s.Unit)
	read := w.Read
	w.Read = 0
	for ; read != 0; read &= read - 1 {
		switch i := bits.TrailingZeros64(uint64(read)); {
		case i >= len(s.Labels):
		case s.Labels[i] >= 0:
			w.Read = w.Read.with(int(s.Labels[i]))
		default:
			depends = depends || s.Labels[i] == fresh
		}
	}
	if depends {
		w = s.dependent(w)
	}
	switch {
	case w.Kind == Early && depends && w.Loc == s.Loc && s.Loc >= 0:
		w.Readers = w.Readers.With(s.Unit)
	case w.Kind == Look && memmodel.Unit(w.Unit) == s.Unit && (w.Loc == s.Loc || w.Loc == Somewhere):
		w.Kind = Again
	}
	return w
}

// fresh is memmodel.Fresh: a message that the step's unit wrote on the way.
const fresh = -1

// writeBytes is what a write takes in the text of effects.
const writeBytes = 1 + 4 + 4 + 3*8

// Append appends the text of effects: those that are equal have the same.
func (e *Summary) Append(b []byte) []byte {
	b = append(b, flag(e.Any))
	for i := range e.Writes {
		w := &e.Writes[i]
		b = append(b, byte(w.Kind))
		b = binary.LittleEndian.AppendUint32(b, uint32(w.Unit))
		b = binary.LittleEndian.AppendUint32(b, uint32(w.Loc))
		b = binary.LittleEndian.AppendUint64(b, uint64(w.After))
		b = binary.LittleEndian.AppendUint64(b, uint64(w.Readers))
		b = binary.LittleEndian.AppendUint64(b, uint64(w.Read))
	}
	return b
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// ErrSummary is returned by ParseSummary for a text that Append cannot have written.
var ErrSummary = errors.New("por: no text of effects")

// ParseSummary returns the effects with a text. Whether there are units and locations
// with these numbers is not known here.
func ParseSummary(text []byte) (e Summary, err error) {
	if len(text)%writeBytes != 1 || text[0] > 1 {
		return e, ErrSummary
	}
	e.Any = text[0] == 1
	for text = text[1:]; len(text) > 0; text = text[writeBytes:] {
		w := Write{
			Kind:    Kind(text[0]),
			Unit:    int32(binary.LittleEndian.Uint32(text[1:])),
			Loc:     memmodel.Loc(binary.LittleEndian.Uint32(text[5:])),
			After:   Set(binary.LittleEndian.Uint64(text[9:])),
			Readers: Set(binary.LittleEndian.Uint64(text[17:])),
			Read:    Messages(binary.LittleEndian.Uint64(text[25:])),
		}
		n := len(e.Writes)
		if w.Kind > Early || w.Unit < Somebody || w.Loc < Somewhere || n > 0 && e.Writes[n-1].key() >= w.key() {
			return Summary{}, ErrSummary
		}
		e.Writes = append(e.Writes, w)
	}
	return e, nil
}

// Pool keeps effects, each once, and names them by number from 0.
type Pool struct {
	index map[xxh3.Uint128]uint32 // the numbers, by a hash of what the effects are
	all   []Summary               // by number
	bytes int                     // that they take, about
	key   []byte                  // scratch space
}

// Put returns the number of effects that are equal to e, copying e if it is new.
func (p *Pool) Put(e *Summary) uint32 {
	k := e.Append(p.key[:0])
	p.key = k
	h := xxh3.Hash128(k)
	if i, ok := p.index[h]; ok && p.all[i].Any == e.Any && slices.Equal(p.all[i].Writes, e.Writes) {
		return i
	}
	if p.index == nil {
		p.index = map[xxh3.Uint128]uint32{}
	}
	i := uint32(len(p.all))
	p.all = append(p.all, Summary{slices.Clone(e.Writes), e.Any})
	p.bytes += 2*int(unsafe.Sizeof(h)) + len(e.Writes)*int(unsafe.Sizeof(Write{})) + 2*int(unsafe.Sizeof(*e))
	p.index[h] = i
	return i
}

// Get returns the effects of a number.
func (p *Pool) Get(i uint32) *Summary { return &p.all[i] }

// From returns the effects from number i on. Put in order into another pool
// that has as many as i, they get the same numbers.
func (p *Pool) From(i int) []Summary { return p.all[i:] }

// Bytes returns about how much memory the effects take.
func (p *Pool) Bytes() int { return p.bytes }

// Len returns the number of different effects.
func (p *Pool) Len() int { return len(p.all) }
