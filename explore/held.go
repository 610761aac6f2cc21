package explore

import (
	"fmt"
	"unsafe"

	"github.com/clmc/clmc/state"
)

// What a search holds in memory beside the visited states: the frames of its path, the states
// that successors keep, and effects. On a path of ten thousand states of a large model it is by far
// the most. Frames and states are used again rather than given back, so that what they take
// only grows.

// keptStates are the states that successors keep beside their encodings, so that they need not be decoded.
type keptStates struct {
	states int // as many,
	bytes  int // which take about so much
	peak   int // and have taken so much at a time: they are used again
}

// Bounds on them. The states on the path are kept at the same time, and those of a thousand
// work-items take megabytes each, of which the encoding is a fraction.
const (
	maxKept     = 1 << 12
	maxKeptSize = 1 << 20 // bytes of one state
	keptShare   = 8       // of what memory there is for all, the part that is for them
)

// keeps reports whether one more state is kept, which takes about so many bytes.
func (p *path) keeps(size int) bool {
	k := &p.kept
	if k.states == maxKept || size > maxKeptSize || p.room > 0 && k.bytes+size > p.room/keptShare {
		return false
	}
	k.states++
	k.bytes += size
	k.peak = max(k.peak, k.bytes)
	return true
}

// size returns about the bytes that a state takes which is the successor's: clocks have hardly more than a byte each when encoded.
func (k *successor) size(st *state.State) int { return st.Mem.Size() + k.to - k.from }

// leave takes note that such a state is not kept any more.
func (k *keptStates) leave(size int) {
	k.states--
	k.bytes -= size
}

// weigh counts what a frame has grown by.
func (p *path) weigh(f *frame) {
	now := f.bytes()
	p.frames += now - f.held
	f.held = now
}

// weighTop does so for the frame on top of the path.
func (p *path) weighTop() {
	if n := len(p.stack); n > 0 {
		p.weigh(p.stack[n-1])
	}
}

// bytes returns what a frame takes.
func (f *frame) bytes() int {
	d := &f.dpor
	return int(unsafe.Sizeof(*f)) + space(f.successors) + space(f.buf) + space(f.moves) + space(f.names) +
		space(d.Todo) + space(d.Below.Writes) + space(d.effects.Writes) + space(d.labels) + space(d.writes) + space(d.covers) + space(d.cover)
}

// space returns the bytes that a slice has room for.
func space[T any](list []T) int {
	var one T
	return cap(list) * int(unsafe.Sizeof(one))
}

// held returns the bytes that the search holds beside the visited states.
func (s *base) held() int {
	s.weighTop()
	n := s.frames + s.kept.peak + s.pool.Bytes() + len(s.members)*int(unsafe.Sizeof(sccMember{}))
	if s.probed != nil {
		n += s.probed.Bytes()
	}
	return n
}

// overfull reports whether the memory that the search was given is used up, and nothing helps: with a
// store, the visited states can go to the disk, and the path cannot.
func (s *base) overfull() bool {
	if s.room == 0 {
		return false
	}
	held := s.held()
	if s.opt.Store != nil {
		return held > s.room
	}
	_, full := s.visited.usage(held)
	return full
}

// memoryMet says why a search ends that is overfull.
func (s *base) memoryMet() string {
	return fmt.Sprintf("the memory limit of %s was met", size(int64(s.given)))
}
