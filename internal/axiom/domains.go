package axiom

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// maxDomain bounds the values considered for one location.
const maxDomain = 200

// unfoldAll finds the values that can be in each location and, with them, the
// paths of each thread. A value is the result of a chain of writes, each of
// which reads its predecessor, or of collectives, so that an execution of n of
// them is covered after n rounds. Up to an assumption that fails a path counts, too: what it
// has written others may read in an execution in which it goes on otherwise.
func (e *enumerator) unfoldAll() error {
	e.startDomains()
	for round := 0; ; round++ {
		writes := 0
		e.paths, e.dropped = e.paths[:0], e.dropped[:0]
		for i := range e.threads {
			before := len(e.dropped)
			paths, meets, err := e.unfold(i)
			if err != nil {
				return err
			}
			writes += max(mostWrites(paths), mostWrites(e.dropped[before:])) + meets
			e.paths = append(e.paths, paths)
		}
		grew := e.growDomains()
		if round >= writes || !e.growResults() && !grew {
			return nil
		}
		for i, d := range e.domains {
			if len(d) > maxDomain {
				return fmt.Errorf("axiom: too many values for %s", e.locs[i].name)
			}
		}
	}
}

// startDomains gives each location its initial value and, for load buffering,
// every constant of the program.
func (e *enumerator) startDomains() {
	e.domains = make([][]int64, len(e.locs))
	e.given, e.results = values{}, values{}
	for i, l := range e.locs {
		e.domains[i] = []int64{l.init}
		if !e.opt.LoadBuffering {
			continue
		}
		for _, t := range e.threads {
			for _, c := range e.prog.Funcs[t.Func].Consts {
				if c&ir.SegMask == 0 || c < 0 {
					e.addValue(i, c)
				}
			}
		}
		if e.why != nil {
			for _, v := range e.why.air {
				e.addValue(i, v)
			}
		}
	}
}

// growDomains adds the values that the paths write.
func (e *enumerator) growDomains() (grew bool) {
	for _, paths := range append(e.paths, e.dropped) {
		for _, p := range paths {
			for i := range p.actions {
				if a := &p.actions[i]; a.isWrite() {
					grew = e.addValue(a.loc, a.writes) || grew
				}
			}
		}
	}
	return grew
}

func (e *enumerator) addValue(loc int, v int64) bool {
	at, found := slices.BinarySearch(e.domains[loc], v)
	if !found {
		e.domains[loc] = slices.Insert(e.domains[loc], at, v)
	}
	return !found
}

func mostWrites(paths []path) int {
	most := 0
	for _, p := range paths {
		n := 0
		for i := range p.actions {
			if p.actions[i].isWrite() {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
