package explore

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// Workers. Each explores the whole program in the order that its number says,
// and all share what is known of states that have been explored with everything
// below them. A state that only another worker is exploring counts as not
// visited: so each worker's is a search of its own, with its own cycles and
// sleep sets, that is spared the parts that others have finished. The first that
// comes to its end ends them all. docs/exploration.md says why that is sound.

// team is the workers of a search.
// docs/exploration.md, "Several workers".
type team struct {
	over  atomic.Bool    // somebody has come to an end, or must stop
	steps []atomic.Int64 // by worker, for progress
}

// newTeam returns a team of n workers.
func newTeam(n int) *team { return &team{steps: make([]atomic.Int64, n)} }

func (t *team) size() int { return len(t.steps) }

// share is the visited states of one worker of several: what all know, and what it
// knows beside that.
type share struct {
	*shards
	worker int
	own    map[store.Fingerprint]store.Entry // states open here that another worker says it has open
}

// shards are what all workers know.
type shards struct {
	parts  [64]shard
	states atomic.Int64
}

// shard is the part of the visited states with the same first bits. It has
// cache lines of its own.
type shard struct {
	sync.Mutex
	set store.Set
	_   [40]byte
}

// newShare returns the first worker's share.
func newShare(opt *Options) *share {
	s := &shards{}
	part := *opt
	part.Mem /= len(s.parts)
	for i := range s.parts {
		s.parts[i].set = part.set()
	}
	return s.of(0)
}

// of returns a worker's share.
func (s *shards) of(worker int) *share {
	return &share{s, worker, map[store.Fingerprint]store.Entry{}}
}

func (s *shards) shard(fp store.Fingerprint) *shard { return &s.parts[fp.Hi>>58] }

// foreign reports whether a note is that of a state that another worker is exploring.
func (s *share) foreign(note uint64) bool {
	return note&open != 0 && int(note&^open>>workerShift) != s.worker
}

func (s *share) lookup(fp store.Fingerprint) (store.Entry, bool) {
	h := s.shard(fp)
	h.Lock()
	e, seen := h.set.Lookup(fp)
	h.Unlock()
	if seen && s.foreign(e.Note) {
		e, seen = s.own[fp]
	}
	return e, seen
}

func (s *share) has(fp store.Fingerprint) bool {
	_, seen := s.lookup(fp)
	return seen
}

// record keeps a state that the worker is about to explore.
func (s *share) record(fp store.Fingerprint, e store.Entry) {
	h := s.shard(fp)
	h.Lock()
	defer h.Unlock()
	old, seen := h.set.Lookup(fp)
	switch {
	case !seen:
		s.states.Add(1)
	case s.foreign(old.Note):
		s.own[fp] = e
		return
	}
	h.set.Put(fp, e)
}

func (s *share) unrecord() {} // nothing goes on from here

// note tells the others that the worker has explored a state, or has left it open.
// What is known of it with a smaller sleep set is worth more.
func (s *share) note(m member, note uint64) {
	h := s.shard(m.fp)
	h.Lock()
	defer h.Unlock()
	e, _ := h.set.Lookup(m.fp)
	now := store.Entry{Sleep: uint64(m.sleep), Note: note}
	switch explored := e.Note&open == 0; {
	case note&open == 0:
		delete(s.own, m.fp)
		if !explored || m.sleep.Len() < por.Set(e.Sleep).Len() {
			h.set.Put(m.fp, now)
		}
	case explored:
	case s.foreign(e.Note):
		s.own[m.fp] = now
	case e.Sleep == now.Sleep:
		h.set.Put(m.fp, now)
	}
}

func (s *share) same(fp store.Fingerprint, text []byte) bool {
	h := s.shard(fp)
	h.Lock()
	defer h.Unlock()
	return h.set.Same(fp, text)
}

func (s *share) stored() int { return int(s.states.Load()) }
func (s *share) goOn(int)    {} // there is no store
func (s *share) err() error  { return nil }

func (s *share) usage() (n int, full bool) {
	for i := range s.parts {
		h := &s.parts[i]
		h.Lock()
		n += h.set.Bytes()
		full = full || h.set.Full()
		h.Unlock()
	}
	return n, full
}

// explore lets the workers search, of whom s is the first, and gathers in s what they
// found. One that is alone searches where it is.
func (t *team) explore(s *search) {
	if t.size() == 1 {
		s.run()
		return
	}
	workers := make([]*search, t.size())
	var wait guard.Group
	for i := range workers {
		w := s
		if i > 0 {
			w = s.helper(i)
			w.visited = s.visited.(*share).of(i)
		}
		workers[i] = w
		wait.Go("worker", func() {
			w.run()
			t.over.Store(true)
		})
	}
	wait.Wait()
	for _, w := range workers[1:] {
		s.gather(w)
	}
}

// helper returns another worker of the search.
func (s *search) helper(number int) *search {
	w := &search{
		ctx: s.ctx, opt: s.opt, m: s.m, por: por.Reducer{Mode: s.por.Mode, Machine: s.m},
		began: s.began, team: s.team, worker: number,
		outcomes: newOutcomes(), known: map[string]bool{},
		result: &Result{LoadBuffering: s.result.LoadBuffering, Promises: s.result.Promises},
	}
	w.opt.Progress = nil
	w.dpor.pool, w.dpor.cuts, w.dpor.local = s.dpor.pool, s.dpor.cuts, s.dpor.local
	return w
}

// gather adds to what s has found what another worker has.
func (s *search) gather(w *search) {
	for key, o := range w.outcomes {
		s.outcomes[key] = o
	}
	for _, v := range w.result.Violations {
		switch {
		case s.opt.All || len(s.result.Violations) == 0:
			s.report(&v)
		case v.Kind == state.DataRace && s.result.Violations[0].Kind != state.DataRace: // with it all is undefined
			s.result.Violations[0] = v
		}
	}
	for _, why := range w.result.Incomplete {
		s.incomplete(why)
	}
	s.stopped = s.stopped || w.stopped
	if s.paused == "" {
		s.paused = w.paused
	}
	if s.result.Err == nil {
		s.result.Err = w.result.Err
	}
	s.faults += w.faults
	s.stats.add(&w.stats)
}

// add adds what another worker has done.
func (t *Stats) add(o *Stats) {
	t.Steps += o.Steps
	t.Ends += o.Ends
	t.Redundant += o.Redundant
	t.Blocked += o.Blocked
	t.Cuts += o.Cuts
	t.Probed += o.Probed
	t.Depth = max(t.Depth, o.Depth)
	t.Saved.add(&o.Saved)
}

// arrange puts the kids of a frame, none of which has been visited, into the
// order in which the worker visits them.
func (s *search) arrange(f *frame) {
	switch s.worker {
	case 0:
	case 1:
		slices.Reverse(f.kids)
	default:
		if s.shuffle == nil {
			s.shuffle = rand.New(rand.NewPCG(uint64(s.worker), 0))
		}
		s.shuffle.Shuffle(len(f.kids), func(i, j int) { f.kids[i], f.kids[j] = f.kids[j], f.kids[i] })
	}
}
