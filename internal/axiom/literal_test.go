package axiom

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
)

// literal checks section 8 bullet by bullet, over all total orders of the
// seq_cst operations.
type literal struct {
	*candidate
	at    map[int]int // position in S
	place map[int]int // position in modification order
}

// exists reports whether some total order meets all rules.
func (l *literal) exists(sc []int) bool {
	for _, order := range l.order {
		for i, w := range order {
			l.place[w] = i
		}
	}
	return permute(sc, 0, func() bool {
		for i, e := range sc {
			l.at[e] = i
		}
		return l.consistent(sc) && l.loads(sc) && l.fences(sc) && l.modifications()
	})
}

// permute calls f with each order of s until it returns true.
func permute(s []int, from int, f func() bool) bool {
	if from == len(s) {
		return f()
	}
	for i := from; i < len(s); i++ {
		s[from], s[i] = s[i], s[from]
		found := permute(s, from+1, f)
		s[from], s[i] = s[i], s[from]
		if found {
			return true
		}
	}
	return false
}

// consistent is rule 8.2.
func (l *literal) consistent(sc []int) bool {
	for _, a := range sc {
		for _, b := range sc {
			if (l.hb[global].has(a, b) || l.hb[local].has(a, b) || l.mo.has(a, b)) && l.at[a] >= l.at[b] {
				return false
			}
		}
	}
	return true
}

// loads is rule 8.3.
func (l *literal) loads(sc []int) bool {
	for _, b := range l.readers {
		if !l.events[b].seqCst() {
			continue
		}
		src, last := l.source[b], l.lastBefore(b, b, sc)
		if l.events[src].seqCst() {
			if src != last {
				return false
			}
		} else if last >= 0 && l.ordering(b).has(src, last) {
			return false
		}
	}
	return true
}

// lastBefore returns the last seq_cst modification in S before x of the
// location that b accesses, or -1.
func (l *literal) lastBefore(x, b int, sc []int) int {
	last := -1
	for _, w := range sc {
		v := &l.events[w]
		if w != b && v.access() && v.isWrite() && v.loc == l.events[b].loc && l.at[w] < l.at[x] && (last < 0 || l.at[w] > l.at[last]) {
			last = w
		}
	}
	return last
}

// older reports whether b reads something mo-older than a.
func (l *literal) older(b, a int) bool { return l.place[l.source[b]] < l.place[a] }

// fences is rules 8.4 to 8.6.
func (l *literal) fences(sc []int) bool {
	for _, b := range l.readers {
		if !l.events[b].atomic() {
			continue
		}
		for x := range l.fencesBefore(b).all() {
			if a := l.lastBefore(x, b, sc); a >= 0 && l.older(b, a) { // rule 8.4
				return false
			}
		}
		for _, a := range l.writesTo[l.events[b].loc] {
			if a == b || !l.events[a].atomic() || !l.older(b, a) {
				continue
			}
			for x := range l.fencesAfter(a).all() {
				if l.events[b].seqCst() && l.at[x] < l.at[b] { // rule 8.5
					return false
				}
				for y := range l.fencesBefore(b).all() { // rule 8.6
					if l.at[x] < l.at[y] {
						return false
					}
				}
			}
		}
	}
	return true
}

// modifications is rule 8.7.
func (l *literal) modifications() bool {
	for b := range l.mo {
		for a := range l.mo[b].all() { // b is not mo-later than a
			if !l.events[a].atomic() || !l.events[b].atomic() {
				continue
			}
			for x := range l.fencesAfter(a).all() {
				for y := range l.fencesBefore(b).all() {
					if l.at[x] < l.at[y] {
						return false
					}
				}
			}
		}
	}
	return true
}

// readsAcrossScopes reports whether some seq_cst operation reads from another
// without inclusive scope. Only the literal text then makes the source precede
// the reader in S; the two race unless they are ordered.
func (c *candidate) readsAcrossScopes() bool {
	for _, b := range c.readers {
		src := c.source[b]
		if c.events[b].seqCst() && c.events[src].seqCst() && !c.inclusive(src, b, c.events[b].loc) {
			return true
		}
	}
	return false
}

// TestGraphOfSMeansTheText compares the constraint graph with the text over
// all total orders, on the executions of random programs.
func TestGraphOfSMeansTheText(t *testing.T) {
	t.Parallel()
	checked, forbidden := 0, 0
	for _, style := range []randprog.Style{randprog.SC, randprog.SCF, randprog.Glob, randprog.Mix, randprog.MP, randprog.Local} {
		for seed := range uint64(400) {
			p := style.Program(seed)
			e := &enumerator{prog: p, opt: Options{MaxCandidates: 5000}, seenCut: map[string]bool{}}
			e.result.Outcomes, e.outcomes = map[string]bool{}, map[string][]shown{}
			e.spec = memmodel.Spec{SCBoth: seed%3 != 0, Inclusion: memmodel.Inclusion(seed / 2 % 2)}
			e.onSC = func(c *candidate, allowed bool) {
				var sc []int
				for i := range c.seqCsts().all() {
					sc = append(sc, i)
				}
				if len(sc) < 2 || len(sc) > 6 || c.readsAcrossScopes() {
					return
				}
				checked++
				l := &literal{c, map[int]int{}, map[int]int{}}
				if l.exists(sc) != allowed {
					t.Errorf("style %s seed %d: graph says %v for\n%v\n%s", style, seed, allowed, c.events, randprog.Format(p))
				}
				if !allowed {
					forbidden++
				}
			}
			if err := e.setUp(); err == nil {
				e.combine()
			}
		}
	}
	t.Logf("%d executions, %d of them forbidden by section 8", checked, forbidden)
	if forbidden < 80 {
		t.Error("the programs exercise section 8 too little")
	}
}
