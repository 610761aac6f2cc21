package explore

import "github.com/clmc/clmc/store"

// What is kept of visited states is in one set, in that of a team, or nowhere
// if executions are to be counted.

// stored returns the number of states that have been visited.
func (s *search) stored() int {
	if s.team != nil {
		return int(s.team.states.Load())
	}
	return s.visited.Len() + s.tree
}

// lookup returns what is kept of a state, and whether there is anything.
func (s *search) lookup(fp store.Fingerprint) (store.Entry, bool) {
	switch {
	case s.opt.NoCache:
		return store.Entry{}, false
	case s.team != nil:
		return s.team.lookup(s, fp)
	}
	return s.visited.Lookup(fp)
}

// has reports whether a state has been visited.
func (s *search) has(fp store.Fingerprint) bool {
	if s.team != nil {
		_, seen := s.team.lookup(s, fp)
		return seen
	}
	return s.visited.Has(fp)
}

// same reports whether a state that is known by a fingerprint is this one.
func (s *search) same(fp store.Fingerprint, text []byte) bool {
	if s.team != nil {
		return s.team.same(fp, text)
	}
	return s.visited.Same(fp, text)
}

// record keeps a state that is visited.
func (s *search) record(fp store.Fingerprint, e store.Entry) {
	switch {
	case s.opt.NoCache:
		s.tree++
	case s.team != nil:
		s.team.record(s, fp, e)
	default:
		s.visited.Put(fp, e)
	}
}

// unrecord takes back the last record.
func (s *search) unrecord() {
	switch {
	case s.opt.NoCache:
		s.tree--
	case s.team != nil: // nothing goes on from here
	default:
		s.visited.Undo()
	}
}
