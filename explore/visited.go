package explore

import (
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/store"
)

// knowledge is what a search knows of the states that it has come to. A state's note in the visited set names what happens below it by
// its number in the pool, or says that the state is open: then it is on the path, or one of the members.
type knowledge struct {
	visited visitedSet // the states seen
	pool    por.Pool   // of the effects below states that have been explored
	// members are states that have been explored, but for a state further up on the path that they lead back to.
	members []sccMember
	probed  *store.Table // what searches for ways out have seen, which see more: nil if there was none
}

// visitedSet keeps the states that a search has visited: in a store (localSet), or only their number if executions
// are counted (noSet).
type visitedSet interface {
	// lookup returns what is kept of a state, and whether there is anything.
	lookup(store.Fingerprint) (store.Entry, bool)
	// has reports whether a state has been visited.
	has(store.Fingerprint) bool
	// same reports whether a state that is known by a fingerprint is this one.
	same(fp store.Fingerprint, text []byte) bool
	// record keeps a state that is visited, and unrecord takes back the last one.
	record(store.Fingerprint, store.Entry)
	unrecord()
	// note sets a state's note, unless it is being explored once more with a smaller
	// sleep set.
	note(m sccMember, note uint64)
	// learn notes a state that another worker has explored, and reports whether that is news, and of a state that was open.
	learn(m sccMember, note uint64) (news, wasOpen bool)
	// stored returns the number of states that have been visited, and goOn begins with
	// that number where a search goes on of which nothing else tells it.
	stored() int
	goOn(states int)
	// usage returns the memory that the states occupy, and whether it is used up where
	// so many bytes of it are used for something else.
	usage(beside int) (bytes int, full bool)
	// err returns the first error of what the states are kept in.
	err() error
}

// visited returns what keeps the visited states of one worker alone.
func (o *Options) visited() visitedSet {
	if o.NoCache {
		return &noSet{set: o.set()}
	}
	return &localSet{set: o.set()}
}

// set returns the set for the visited states.
func (o *Options) set() store.Set {
	s := store.Set(store.NewTable(o.Mem))
	if o.Store != nil {
		s = o.Store.Set()
	}
	if o.Exact {
		s.Audit()
	}
	return s
}

// localSet has the visited states of a search, with those that others have reported.
type localSet struct {
	set  store.Set // of both
	told int       // states that others were the first to tell of
}

func (a *localSet) lookup(fp store.Fingerprint) (store.Entry, bool) { return a.set.Lookup(fp) }
func (a *localSet) has(fp store.Fingerprint) bool                   { return a.set.Has(fp) }
func (a *localSet) same(fp store.Fingerprint, text []byte) bool     { return a.set.Same(fp, text) }
func (a *localSet) record(fp store.Fingerprint, e store.Entry)      { a.set.Put(fp, e) }
func (a *localSet) unrecord()                                       { a.set.Undo() }
func (a *localSet) stored() int                                     { return a.set.Len() - a.told }
func (a *localSet) goOn(states int)                                 { a.told = a.set.Len() - states }
func (a *localSet) usage(beside int) (bytes int, full bool)         { return a.set.Bytes(), a.set.Full(beside) }
func (a *localSet) err() error                                      { return a.set.Err() }

func (a *localSet) note(m sccMember, note uint64) {
	e, _ := a.set.Lookup(m.fp)
	if por.Set(e.Sleep) != m.sleep || e.Note == note || isDone(e) && note&open != 0 {
		return
	}
	e.Note = note
	a.set.Put(m.fp, e)
}

// learn notes a state that another worker has explored, unless as much is known of it. What was
// explored with a smaller sleep set is worth more; with as large a one, what is done
// is worth more than what is open.
func (a *localSet) learn(m sccMember, note uint64) (news, wasOpen bool) {
	e, seen := a.set.Lookup(m.fp)
	was := por.Set(e.Sleep).Len()
	if !seen {
		a.told++
	} else if m.sleep.Len() > was || m.sleep.Len() == was && isDone(e) {
		return false, false
	}
	a.set.Put(m.fp, store.Entry{Sleep: uint64(m.sleep), Note: note})
	return true, seen && !isDone(e)
}

// isDone reports whether an entry is that of a state that is done.
func isDone(e store.Entry) bool { return e.Note&open == 0 }
