package explore

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/state"
)

// The workers of one process. Each is a worker like those elsewhere: it searches the whole
// program in the order that its number says. What they find they tell each other through a
// log, and which states they are done with through a table; where there are links to another log,
// all goes through that. The first that comes to its end
// ends them all. The first of them has the store, if there is one, and the last word: the others help it.

// team is the workers of a process.
// docs/exploration/workers.md, "Several workers".
type team struct {
	links []share.Link // of each worker; nil if there is nobody to talk to
	table *share.Table // of facts, unless they go through the links
	over  atomic.Bool  // somebody has come to an end, or must stop
	tight atomic.Bool  // the first worker needs the memory of the others
	// By worker: what they have done and occupy.
	steps, bytes []atomic.Int64
	mem          int64 // that they may occupy, 0 for no bound
}

// worker says which of the workers of this process a search is: often the only one.
type worker struct {
	team    *team      // all of them
	number  int        // among them
	order   int        // share.Member.Order
	shuffle *rand.Rand // the order in which it takes successors
	left    bool       // it has made room for the others
}

// newTeam returns the workers that options ask for.
func newTeam(opt *Options) *team {
	t := &team{links: opt.Links, mem: int64(opt.Mem)}
	n := opt.workers()
	if t.links == nil && n > 1 {
		log := share.NewLocal()
		for i := range n {
			t.links = append(t.links, log.Link(i))
		}
		t.table = share.NewTable(opt.Store != nil)
	}
	t.steps, t.bytes = make([]atomic.Int64, n), make([]atomic.Int64, n)
	return t
}

// lonely returns a team of one, with nobody to talk to.
func lonely() *team { return newTeam(&Options{}) }

func (t *team) size() int { return len(t.steps) }

// finished reports whether the search has come to its end, or has heard that another one has.
func (s *search) finished() bool {
	return s.atEnd() || s.paused == "" && s.exchange != nil && s.exchange.over
}

// toItsEnd reports whether the search, or that of another worker of this process, has come to its end.
func (s *search) toItsEnd() bool { return s.atEnd() || s.paused == "" && s.overBeside }

// atEnd reports whether the search has come to its end itself: it is done with the initial
// state, or has found what ends it.
func (s *base) atEnd() bool {
	return s.paused == "" && (s.stopped || s.begun && len(s.stack) == 0)
}

// crowded reports whether there must be room made as memory runs short:
// before the visited states of one of them would no longer fit when they take twice the room.
func (t *team) crowded(s *base) bool {
	if t.mem == 0 || t.size() == 1 {
		return false
	}
	own, _ := s.visited.usage(0)
	t.bytes[s.number].Store(int64(own + s.held()))
	all := int64(2 * own)
	if t.table != nil {
		all += int64(t.table.Bytes())
	}
	for i := range t.bytes {
		all += t.bytes[i].Load()
	}
	if all > t.mem {
		t.tight.Store(true)
	}
	return t.tight.Load()
}

// makeRoom gives the memory of a worker to the first one, who goes on alone.
func (s *search) makeRoom() {
	if s.number == 0 {
		s.takeTable()
		return
	}
	s.atBound(tooCrowded)
}

// tooCrowded is why a worker leaves that is not the first.
const tooCrowded = "the others need the memory"

// freeWorker frees the memory of a worker that has left.
func (s *search) freeWorker() {
	s.visited = (&Options{}).visited()
	s.stack, s.spare, s.free, s.probed = nil, nil, nil, nil
	s.team.bytes[s.number].Store(0)
}

// overElsewhere is why a worker stops in the middle of a visit when another one has come to an end.
const overElsewhere = "another worker has come to an end"

// lookUp is check in the middle of a visit, which may take long: what is otherwise seen between two
// visits, that another worker has come to an end or needs the memory, is seen to here.
func (s *base) lookUp() {
	s.check()
	if s.team.over.Load() {
		s.pause(overElsewhere)
	}
	if s.team.crowded(s) && s.number > 0 {
		s.atBound(tooCrowded)
	}
}

// explore lets the workers search, of whom s is the first, and gathers in s what they
// found. One that is alone searches where it is.
func (t *team) explore(s *search) {
	if t.size() == 1 {
		s.work()
		return
	}
	workers := make([]*search, t.size())
	var wait guard.Group
	for i := range workers {
		w := s
		if i > 0 {
			w = s.helper(i)
			w.visited = w.opt.visited()
			w.join(t.links[i])
		}
		workers[i] = w
		wait.Go("worker", func() {
			w.work()
			if w.left {
				w.freeWorker()
			} else {
				t.over.Store(true)
			}
		})
	}
	wait.Wait()
	for _, w := range workers[1:] {
		s.gather(w)
	}
}

// work searches, and says at the end what there is to be said.
func (s *search) work() {
	s.run()
	if s.exchange != nil {
		s.sayLast()
	}
}

// helper returns another worker of the search.
func (s *base) helper(number int) *search {
	w := s.beside()
	w.opt, w.given = s.opt, s.given
	w.team, w.number, w.order = s.team, number, number
	w.result = &Result{LoadBuffering: s.result.LoadBuffering, Promises: s.result.Promises}
	w.opt.Progress, w.opt.Store, w.opt.Mem = nil, nil, 0
	return w
}

// gather adds to what s has found what another worker has, which may not have had the time to tell.
func (s *search) gather(w *search) {
	for key, values := range w.outcomes.values {
		if !s.outcomes.has([]byte(key)) {
			s.addOutcome(savedOutcome{key, values})
		}
		if moves, ok := w.witnesses[key]; ok {
			s.keepWitness(key, moves)
		}
	}
	for _, v := range w.result.Violations {
		switch {
		case s.opt.All || len(s.result.Violations) == 0:
			s.addViolation(&v)
		case v.Kind == state.DataRace && s.result.Violations[0].Kind != state.DataRace: // with it all is undefined
			s.result.Violations[0] = v
		}
	}
	for _, why := range w.result.Incomplete {
		s.lacks(why)
	}
	s.ended = s.ended || w.ended
	s.exchange.told = s.exchange.told || w.exchange.told
	switch {
	case w.finished() && s.result.Err == nil:
		s.paused, s.stopped, s.overBeside = "", s.stopped && s.paused == "", true
	case !w.left:
		if s.paused == "" && !s.finished() { // before it is stopped, which would make that its end
			s.paused = w.paused
		}
		s.stopped = s.stopped || w.stopped
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
	t.Shared.add(&o.Shared)
	t.Shared.States += o.States
}

// arrange puts the successors of a frame, none of which has been visited, into the
// order in which the worker visits them.
func (s *base) arrange(f *frame) {
	switch s.order {
	case 0:
	case 1:
		slices.Reverse(f.successors)
	default:
		if s.shuffle == nil {
			s.shuffle = rand.New(rand.NewPCG(uint64(s.order), 0))
		}
		s.shuffle.Shuffle(len(f.successors), func(i, j int) { f.successors[i], f.successors[j] = f.successors[j], f.successors[i] })
	}
}
