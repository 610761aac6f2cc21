package share

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/clmc/clmc/store"
)

// Table is what the workers of one process know to be done. A fact is there for all of them as soon as it is
// told, once for all, and nobody reads what it does not ask for. A worker that tells a fact has published all that was found
// below it, in the log that they have beside; so whoever has asked for it can read that there.
type Table struct {
	parts  [tableParts]part // by the first bits of fingerprints
	closed atomic.Bool      // it takes and gives no facts any more

	mu        sync.RWMutex   // guards the rest
	numbers   map[string]int // of summaries, by text
	summaries [][]byte       // their texts, by number
}

// tableParts is the number of parts that are locked one by one.
const tableParts = 64

// part has the facts about states with the same first bits. It has cache lines of its own.
type part struct {
	sync.Mutex
	set   *store.Table // the facts, by state
	fresh []Fact       // told since Fresh was called last; nil if nobody calls it
	_     [64]byte     // nothing: what is next to it has other cache lines
}

// maxFresh bounds what a part keeps for Fresh. What is beyond is not forgotten, but not kept on any disk either.
const maxFresh = 1 << 16

// NewTable returns an empty table. With saved, Fresh tells what is new in it.
func NewTable(saved bool) *Table {
	t := &Table{numbers: map[string]int{}}
	for i := range t.parts {
		t.parts[i].set = store.NewTable(0)
		if saved {
			t.parts[i].fresh = []Fact{}
		}
	}
	return t
}

func (t *Table) part(fp store.Fingerprint) *part { return &t.parts[fp.Hi>>58] }

// Tell enters a fact, unless one with as few sleepers is there or the table is closed.
func (t *Table) Tell(f Fact) {
	if t.closed.Load() {
		return
	}
	p := t.part(f.State)
	p.Lock()
	defer p.Unlock()
	if e, seen := p.set.Lookup(f.State); seen && bits.OnesCount64(f.Sleep) >= bits.OnesCount64(e.Sleep) {
		return
	}
	p.set.Put(f.State, store.Entry{Sleep: f.Sleep, Note: f.note()})
	if p.fresh != nil && len(p.fresh) < maxFresh {
		p.fresh = append(p.fresh, f)
	}
}

// Ask returns what is known of a state.
func (t *Table) Ask(fp store.Fingerprint) (f Fact, known bool) {
	if t.closed.Load() {
		return f, false
	}
	p := t.part(fp)
	p.Lock()
	e, seen := p.set.Lookup(fp)
	p.Unlock()
	if !seen {
		return f, false
	}
	f = factOf(e.Note)
	f.State, f.Sleep = fp, e.Sleep
	return f, true
}

// Fresh returns what was told since it was called last.
func (t *Table) Fresh() (all []Fact) {
	for i := range t.parts {
		p := &t.parts[i]
		p.Lock()
		all = append(all, p.fresh...)
		p.fresh = p.fresh[:0]
		p.Unlock()
	}
	return all
}

// Number returns the number of a summary in the table.
func (t *Table) Number(text []byte) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, known := t.numbers[string(text)]
	if !known {
		n = len(t.summaries)
		t.numbers[string(text)] = n
		t.summaries = append(t.summaries, text)
	}
	return n
}

// Summary returns the text of the summary with a number.
func (t *Table) Summary(n int) []byte {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.summaries[n]
}

// Bytes returns the memory that the facts occupy.
func (t *Table) Bytes() (n int) {
	if t.closed.Load() {
		return 0
	}
	for i := range t.parts {
		p := &t.parts[i]
		p.Lock()
		n += p.set.Bytes()
		p.Unlock()
	}
	return n
}

// Close hands over all facts, the first time, and has the table take and give none any more.
func (t *Table) Close(each func(Fact)) {
	if t.closed.Swap(true) {
		return
	}
	for i := range t.parts {
		p := &t.parts[i]
		p.Lock()
		p.set.Each(func(fp store.Fingerprint, e store.Entry) {
			f := factOf(e.Note)
			f.State, f.Sleep = fp, e.Sleep
			each(f)
		})
		p.set = store.NewTable(0)
		p.Unlock()
	}
}
