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

// team is what the workers of a search share.
type team struct {
	shards  [64]shard
	effects sync.RWMutex // guards the pool of effects
	over    atomic.Bool  // somebody has come to an end, or must stop
	states  atomic.Int64
	steps   []atomic.Int64 // by worker, for progress
}

// shard is the part of the visited states with the same first bits. It has
// cache lines of its own.
type shard struct {
	sync.Mutex
	set store.Set
	_   [48]byte
}

// newTeam returns a team of n workers.
func newTeam(n int, opt *Options) *team {
	t := &team{steps: make([]atomic.Int64, n)}
	part := *opt
	part.Mem /= len(t.shards)
	for i := range t.shards {
		t.shards[i].set = part.visited()
	}
	return t
}

func (t *team) shard(fp store.Fingerprint) *shard { return &t.shards[fp.Hi>>58] }

// lookup returns what worker s knows of a state.
func (t *team) lookup(s *search, fp store.Fingerprint) (store.Entry, bool) {
	h := t.shard(fp)
	h.Lock()
	e, seen := h.set.Lookup(fp)
	h.Unlock()
	if seen && s.foreign(e.Note) {
		e, seen = s.own[fp]
	}
	return e, seen
}

// record keeps a state that worker s is about to explore.
func (t *team) record(s *search, fp store.Fingerprint, e store.Entry) {
	h := t.shard(fp)
	h.Lock()
	defer h.Unlock()
	old, seen := h.set.Lookup(fp)
	switch {
	case !seen:
		t.states.Add(1)
	case s.foreign(old.Note):
		s.own[fp] = e
		return
	}
	h.set.Put(fp, e)
}

// note tells the others that worker s has explored a state, or has left it open.
// What is known of it with a smaller sleep set is worth more.
func (t *team) note(s *search, m member, note uint64) {
	h := t.shard(m.fp)
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

// same is store.Set.Same.
func (t *team) same(fp store.Fingerprint, text []byte) bool {
	h := t.shard(fp)
	h.Lock()
	defer h.Unlock()
	return h.set.Same(fp, text)
}

// bytes returns the memory that the visited states occupy, and whether it is used up.
func (t *team) bytes() (n int, full bool) {
	for i := range t.shards {
		h := &t.shards[i]
		h.Lock()
		n += h.set.Bytes()
		full = full || h.set.Full()
		h.Unlock()
	}
	return n, full
}

// foreign reports whether a note is that of a state that another worker is exploring.
func (s *search) foreign(note uint64) bool {
	return note&open != 0 && int(note&^open>>workerShift) != s.worker
}

// explore lets n workers search, of whom s is the first, and gathers in s what they found.
func (t *team) explore(s *search, n int) {
	workers := make([]*search, n)
	var wait guard.Group
	for i := range workers {
		w := s
		if i > 0 {
			w = s.helper(i)
		}
		w.own = map[store.Fingerprint]store.Entry{}
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
