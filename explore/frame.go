package explore

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// The path of a search: frames, with the successors that are still to be visited, and the
// states that they keep, all of which are used again.

// frame is an expanded state on the search's path.
type frame struct {
	successors []successor       // the states that its turns lead to
	buf        []byte            // encodings of the successors
	moves      []Move            // of the successors
	names      []int32           // of the successors
	next       int               // the successor to be visited next
	held       int               // bytes that it has been counted with
	began      int               // Stats.Steps when the state was entered
	fp         store.Fingerprint // of the state
	fate       termination       // whether something below it ends
	dpor       turns             // with por.DPOR
}

// successor is a state that a step leads to and that is still to be visited.
type successor struct {
	from, to         int          // its encoding in the frame's buf
	st               *state.State // the state itself, as long as not too many are kept
	moveFrom, moveTo int          // the moves from the frame's state, in the frame's moves
	// What its units, and from nameMid on its locations, were called there, in
	// the frame's names; empty if nothing else.
	nameFrom, nameMid, nameTo int
	fp                        store.Fingerprint // of its canonical form
	sleep                     por.Set           // units that need not be tried there
	step                      successorStep     // with por.DPOR
}

// path is the way from the initial state to the one that is being expanded: frames, the last of which is the
// present state's. What frames and successors keep is taken from here and given back here, so that it is used again, and is
// counted: the sum of what frames hold is in frames, but for what that on top has grown by, and kept has each state that
// some successor keeps.
type path struct {
	m       *state.Machine // the program, as it executes
	stack   []*frame       // the path
	spare   []*frame       // frames to be used again
	cur     *state.State   // the present state: a successor's, or decoded
	decoded state.State    // a successor's that was not kept
	free    []*state.State // states to be used again
	kept    keptStates     // the states that successors keep
	frames  int            // bytes of all frames
	room    int            // bytes for the visited states and all this, 0 for no bound
	moves   []Move         // of the step being tried, from cur
}

func (p *path) newFrame() *frame {
	if n := len(p.spare); n > 0 {
		f := p.spare[n-1]
		p.spare = p.spare[:n-1]
		p.drop(f)
		f.fate = termination{}
		f.dpor.reset()
		return f
	}
	f := &frame{}
	f.dpor.reset()
	return f
}

// load makes the present state that of a successor.
func (p *path) load(f *frame, k *successor) {
	if p.cur = k.st; p.cur == nil {
		p.cur = &p.decoded
		if err := p.m.Decode(p.cur, f.buf[k.from:k.to]); err != nil {
			panic("explore: " + err.Error()) // our own encoding: a bug, not bad input
		}
	}
	p.cur.Mem.Label()
}

// reload makes the present state that of the frame on top of the path.
func (p *path) reload() {
	parent := p.stack[len(p.stack)-2]
	k := &parent.successors[parent.next-1]
	p.load(parent, k)
}

// text returns the text of the present state, which the frame on top of the path expands.
func (p *path) text() []byte {
	parent := p.stack[len(p.stack)-2]
	k := &parent.successors[parent.next-1]
	return parent.buf[k.from:k.to]
}

// forget drops the state that is kept of a successor.
func (p *path) forget(k *successor) {
	if k.st != nil {
		p.kept.leave(k.size(k.st))
		p.release(k.st)
		k.st = nil
	}
}

// drop removes the successors of a frame.
func (p *path) drop(f *frame) {
	for i := range f.successors {
		p.forget(&f.successors[i])
	}
	f.clear()
}

// is reports whether the successor is the frame's state, with the same units in the same places.
func (k *successor) is(f *frame) bool { return k.fp == f.fp && k.nameTo == k.nameFrom }

func (f *frame) clear() {
	f.successors, f.buf, f.moves, f.names, f.next = f.successors[:0], f.buf[:0], f.moves[:0], f.names[:0], 0
}

// push goes on to a frame.
func (p *path) push(f *frame) {
	p.weighTop() // which stays as it is until it is on top again
	p.stack = append(p.stack, f)
}

// recycleFrame keeps a frame to be used again.
func (p *path) recycleFrame(f *frame) {
	p.weigh(f)
	p.spare = append(p.spare, f)
}

// pop leaves the frame on top of the path. It returns false if the search must
// pause before that.
func (s *search) pop() bool {
	f := s.stack[len(s.stack)-1]
	if !s.conclude(f) {
		return false
	}
	s.countTurns(&f.dpor)
	s.estimator.done(len(s.stack)-1, s.visited.stored())
	s.stack = s.stack[:len(s.stack)-1]
	s.keeper.low = min(s.keeper.low, len(s.stack))
	if n := len(s.stack); n > 0 {
		parent := s.stack[n-1]
		s.forget(&parent.successors[parent.next-1])
	}
	s.recycleFrame(f)
	return true
}

// countTurns counts, at a state that is done, the turns that were not needed, and whether no turn led anywhere.
func (s *search) countTurns(d *turns) {
	if !d.begun() {
		return
	}
	if !d.leads {
		s.stats.Redundant++
	}
	for _, u := range d.Todo[d.At:] {
		if !d.sleep.Has(memmodel.Unit(u)) {
			s.stats.Saved.Turns++
		}
	}
}

func (p *path) state() *state.State {
	if n := len(p.free); n > 0 {
		st := p.free[n-1]
		p.free = p.free[:n-1]
		return st
	}
	return &state.State{}
}

func (p *path) release(n *state.State) { p.free = append(p.free, n) }
