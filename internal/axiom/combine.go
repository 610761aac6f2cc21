package axiom

import (
	"errors"
	"fmt"
)

// ErrCandidates is in the error for a program of more candidate executions than Options.MaxCandidates. With a larger
// bound it may be none; any other error stays.
var ErrCandidates = errors.New("axiom: too many candidate executions")

// pairSet is a set of (location, value) pairs, by number.
type pairSet []uint64

func (s *pairSet) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

// covered reports whether s is a subset of the union of the sets given.
func (s pairSet) covered(by ...pairSet) bool {
	for i, w := range s {
		for _, b := range by {
			if i < len(b) {
				w &^= b[i]
			}
		}
		if w != 0 {
			return false
		}
	}
	return true
}

func union(a, b pairSet) pairSet { return unite(nil, a, b) }

// unite returns the union of two sets, for which it takes the room of a third that nobody needs any more.
func unite(room, a, b pairSet) pairSet {
	if len(a) < len(b) {
		a, b = b, a
	}
	u := append(room[:0], a...)
	for i, w := range b {
		u[i] |= w
	}
	return u
}

// combine tries each choice of one path per thread. A choice is cut off as
// soon as some value read cannot be written by anyone.
func (e *enumerator) combine() error {
	initial := e.index()
	e.prunePaths(initial)
	later := make([]pairSet, len(e.paths)+1) // given by any path of thread i or later
	for i := len(e.paths) - 1; i >= 0; i-- {
		later[i] = union(later[i+1], givenByAny(e.paths[i]))
	}
	chosen := make([]*path, 0, len(e.paths))
	needed, given := make([]pairSet, len(e.paths)), make([]pairSet, len(e.paths)) // with the choice of thread i
	var extend func(needs, gives pairSet) error
	extend = func(needs, gives pairSet) error {
		if e.why != nil && e.why.stopped() {
			return ErrStopped
		}
		i := len(chosen)
		if !needs.covered(gives, later[i]) {
			return nil
		}
		if i == len(e.paths) {
			return e.execute(chosen)
		}
		for _, p := range e.candidatePaths(i, chosen) {
			chosen = append(chosen, p)
			needed[i], given[i] = unite(needed[i], needs, p.needs), unite(given[i], gives, p.gives)
			err := extend(needed[i], given[i])
			chosen = chosen[:i]
			if err != nil {
				return err
			}
		}
		return nil
	}
	return extend(nil, initial)
}

// index numbers the pairs, fills in needs and gives, and returns the pairs
// given by the initial values.
func (e *enumerator) index() pairSet {
	type pair struct {
		loc   int
		value int64
	}
	numbers := map[pair]int{}
	number := func(loc int, v int64) int {
		n, ok := numbers[pair{loc, v}]
		if !ok {
			n = len(numbers)
			numbers[pair{loc, v}] = n
		}
		return n
	}
	var initial pairSet
	for i, l := range e.locs {
		initial.add(number(i, l.init))
	}
	for _, paths := range e.paths {
		for k := range paths {
			p := &paths[k]
			for j := range p.actions {
				a := &p.actions[j]
				if a.isRead() {
					p.needs.add(number(a.loc, a.reads))
				}
				if a.isWrite() {
					p.gives.add(number(a.loc, a.writes))
				}
			}
		}
	}
	return initial
}

// prunePaths drops the paths that read a value that no path writes, until none
// is left.
func (e *enumerator) prunePaths(initial pairSet) {
	for dropped := true; dropped; {
		dropped = false
		all := initial
		for _, paths := range e.paths {
			all = union(all, givenByAny(paths))
		}
		for i, paths := range e.paths {
			kept := paths[:0]
			for _, p := range paths {
				if p.needs.covered(all) {
					kept = append(kept, p)
				}
			}
			dropped = dropped || len(kept) < len(paths)
			e.paths[i] = kept
		}
	}
}

func givenByAny(paths []path) pairSet {
	var u pairSet
	for i := range paths {
		if !paths[i].gives.covered(u) {
			u = union(u, paths[i].gives)
		}
	}
	return u
}

// tick counts a candidate execution.
func (e *enumerator) tick() error {
	if e.why != nil && e.why.stopped() {
		return ErrStopped
	}
	if e.candidates++; e.candidates > e.opt.MaxCandidates {
		return fmt.Errorf("%w: more than %d", ErrCandidates, e.opt.MaxCandidates)
	}
	return nil
}
