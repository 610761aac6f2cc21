package explore

import (
	"context"
	"time"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// base is what all parts of a search stand on: the program and what was asked, the path, what is known of visited states, and
// whether the search goes on. Whoever finds that it must not says so here, once: what comes later changes nothing.
type base struct {
	path
	knowledge
	scratch
	worker
	ctx     context.Context // ends it
	close   func() bool     // after which the context no longer halts the machine
	opt     Options         // what was asked for
	pace    pace            // when it does what it does now and then
	por     por.Reducer     // decides what is left out
	cuts    bool            // whether executions can end early without being inconsistent, promises apart
	local   memmodel.Loc    // the first location that is not shared by all
	behind  *raceSearch     // what the search is for, if not for all that can go wrong
	result  *Result         // what has been found
	stats   Stats           // the worker's, to be added to the result's
	began   time.Time       // less the time that runs before this one have taken
	begun   bool            // there is a path
	stopped bool            // it goes no further: it is over, or has met a bound
	paused  string          // why, if the search could go on
	byFirst bool            // the result is that of the first search
	visits  int             // successors looked at so far
	effort  int             // steps after which it ends, 0 for none
	alarm   deadlineTimer   // when it must look at the clock, and at memory
	given   int             // bytes that the limit is called

	estimator estimator // of how much is left
}

// scratch is space that is used again by each step: nothing in it outlasts one.
type scratch struct {
	canon   memmodel.Canon // of the canonical form,
	sorter  state.Sorter   // and of its symmetry
	key     []byte         // an outcome's, or a state's text
	choices []state.Choice // outcomes of operations: whoever adds some takes them away again
}

// blank returns a search on a machine, of which nothing else is known.
func blank(m *state.Machine) *search {
	s := &search{}
	s.m = m
	s.known, s.outcomes = map[string]bool{}, newOutcomes()
	return s
}

// beside returns another search of the same program, with the same reductions, that ends when this one must.
func (s *base) beside() *search {
	t := blank(s.m)
	t.ctx, t.pace, t.began = s.ctx, s.pace, s.began
	t.por, t.cuts, t.local = por.Reducer{Mode: s.por.Mode, Machine: s.m}, s.cuts, s.local
	return t
}
