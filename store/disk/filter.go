package disk

import (
	"math/bits"

	"github.com/clmc/clmc/store"
)

// filter tells quickly that a state is not on the disk: a blocked Bloom filter
// (Putze, Sanders, Singler 2007) with eight bits a state in one cache line. It
// grows by adding layers, each twice the one before, while there is memory;
// beyond that it errs more often. It never denies a state that was added.
type filter struct {
	layers []layer // the oldest first
	left   int     // bytes that further layers may take
}

type layer struct {
	blocks []block // by hash
	room   int     // states that may still be added
}

// block is a cache line. A state sets one bit in each word.
type block [8]uint64

const (
	blockBytes  = 64
	blockStates = 40 // 12.8 bits a state: about one absent state in 200 passes
)

// newFilter returns a filter for the given number of states, if bytes suffice.
func newFilter(states, bytes int) filter {
	f := filter{left: bytes}
	f.extend(states)
	return f
}

// extend adds a layer for so many states, or as many as the memory allows.
func (f *filter) extend(states int) {
	n := min(states/blockStates+1, f.left/blockBytes)
	if n == 0 && len(f.layers) > 0 {
		return
	}
	n = max(n, 1)
	f.layers = append(f.layers, layer{make([]block, n), n * blockStates})
	f.left -= n * blockBytes
}

func (f *filter) bytes() (n int) {
	for i := range f.layers {
		n += len(f.layers[i].blocks) * blockBytes
	}
	return n
}

func (f *filter) add(fp store.Fingerprint) {
	l := &f.layers[len(f.layers)-1]
	if l.room <= 0 && f.left >= blockBytes {
		f.extend(2 * blockStates * len(l.blocks))
		l = &f.layers[len(f.layers)-1]
	}
	l.room--
	l.blocks[l.at(fp)].add(fp)
}

// has reports whether the state may have been added.
func (f *filter) has(fp store.Fingerprint) bool {
	for i := range f.layers {
		if l := &f.layers[i]; l.blocks[l.at(fp)].has(fp) {
			return true
		}
	}
	return false
}

// at returns the number of the block of a state: they are in the order of keys.
func (l *layer) at(fp store.Fingerprint) int {
	at, _ := bits.Mul64(fp.Lo, uint64(len(l.blocks)))
	return int(at)
}

// first returns the first fingerprint whose block is number at.
func (l *layer) first(at int) store.Fingerprint {
	lo, rest := bits.Div64(uint64(at), 0, uint64(len(l.blocks)))
	if rest > 0 {
		lo++
	}
	return store.Fingerprint{Lo: lo}
}

func (b *block) add(fp store.Fingerprint) {
	for i := range b {
		b[i] |= 1 << (fp.Hi >> (6 * i) & 63)
	}
}

func (b *block) has(fp store.Fingerprint) bool {
	for i := range b {
		if b[i]&(1<<(fp.Hi>>(6*i)&63)) == 0 {
			return false
		}
	}
	return true
}
