package explore

import (
	"math"
	"math/bits"
)

// Estimate is a rough idea of how many states a search will have stored when it
// comes to its end. It is right within a factor of two or three in most
// searches once a tenth has been done, and can be far off, mostly too high,
// before that. The zero Estimate means that nothing is known yet.
type Estimate struct {
	States    int // the best guess
	Low, High int // the range that recent guesses and experience suggest
}

// estimator guesses the size of the search tree while it is explored, from the
// path that the search is on. Knuth ("Estimating the efficiency of backtrack
// programs", 1975) takes a state's children to be as large as the one he
// looked at. In a search that stops at visited states they are not: the first
// has taken most of the states that they share. So it is learnt from subtrees
// that are done how large the children after the first are on average, and how
// many of them a reduction adds that were not there at first. Both depend on the
// size of the first child; since small subtrees are done soonest, what is known
// of the largest of them serves for those that are larger still.
//
// The search tells it only when a child is begun and when a state is done.
type estimator struct {
	path    []branch // of the states on the search's path
	learnt  [65]lesson
	due     int     // the visit at which to look again
	guesses []guess // those that still count, oldest first
}

// branch is what is known of a state on the path.
type branch struct {
	began int // states stored when its first child was begun
	child int // states stored when its present child was begun
	first int // size of its first child, once that is done
	begun int // children begun
	known int // children that it had at first
}

// lesson sums up states whose first children had about the same size.
type lesson struct {
	later        float64 // children after the first
	first, rest  float64 // sizes of the first children, once for each later one, and of the later ones
	known, begun float64 // children at first, and in the end
}

// guess is an estimate made when some states had been stored.
type guess struct{ states, total float64 }

// The step at which estimates are made is a part of the visits so far, and
// bounded, so that they are fresh and cost next to nothing.
const (
	estimatePart = 64
	estimateStep = 1 << 16
)

// child takes note that a child of the state at a depth is about to be visited.
// It is one of a number of children that are left at present. Of a path that is
// there when the first child is visited, in a search that goes on from a
// checkpoint, what is to come is estimated like that of any other.
func (e *estimator) child(depth, left, states int) {
	for len(e.path) <= depth {
		e.path = append(e.path, branch{began: states})
	}
	b := &e.path[depth]
	switch b.begun {
	case 0:
		b.known = left
	case 1:
		b.first = states - b.child
	}
	b.child = states
	b.begun++
}

// done takes note that a state has been explored with all that is below it.
func (e *estimator) done(depth, states int) {
	if depth >= len(e.path) {
		return // it had no children
	}
	b := e.path[depth]
	e.path = e.path[:depth]
	if b.begun == 0 {
		return // as in total
	}
	if b.begun == 1 {
		b.first = states - b.child
	}
	l := &e.learnt[bits.Len(uint(b.first))]
	l.known += float64(b.known)
	l.begun += float64(b.begun)
	l.later += float64(b.begun - 1)
	l.first += float64(b.first) * float64(b.begun-1)
	l.rest += float64(states - b.began - b.first)
}

// later is the size of a child after the first, if that had a size. Beyond the
// sizes that are known, it grows by the power of them that it has grown by so far.
func (e *estimator) later(size float64) float64 {
	i := class(size)
	for i > 0 && e.learnt[i].later == 0 {
		i--
	}
	if i == 0 {
		return size
	}
	x, y := e.learnt[i].mean()
	power := 1.0
	for j := i - 1; j > 0; j-- {
		if l := &e.learnt[j]; l.later > 0 && (i-j >= trendSpan) {
			x0, y0 := l.mean()
			power = math.Log(y/y0) / math.Log(x/x0)
			break
		}
	}
	return min(y*math.Pow(size/x, max(0, min(power, 1))), size)
}

// mean is the mean size of first children, and of the later ones that go with them.
func (l *lesson) mean() (first, later float64) {
	return l.first / l.later, max(l.rest/l.later, 0.01)
}

// trendSpan is how many classes apart those are from which a trend is read.
const trendSpan = 3

// growth is the number of children that a state has in the end, for each that
// it had at first, if the first child had a size.
func (e *estimator) growth(size float64) float64 {
	for i := class(size); i > 0; i-- {
		if l := &e.learnt[i]; l.known > 0 {
			return l.begun / l.known
		}
	}
	return 1
}

func class(size float64) int { return bits.Len(uint(min(size, math.MaxInt64/2))) }

// total guesses the size of the whole tree, from the end of the path up.
func (e *estimator) total(stack []*frame, states int) float64 {
	total := 0.0 // size of the subtree below, with what is to come
	for i := len(e.path) - 1; i >= 0; i-- {
		b := &e.path[i]
		if b.begun == 0 {
			continue // its children were begun before the search was resumed
		}
		have := float64(states - b.child)
		if i+1 == len(e.path) {
			total = have
		} else {
			total += float64(e.path[i+1].began - b.child) // the present child itself
		}
		if b.begun == 1 {
			others := float64(b.known)*e.growth(total) - 1
			total += float64(b.child-b.began) + others*e.later(total)
			continue
		}
		first, before := float64(b.first), float64(b.child-b.began)
		usual := (before - first + e.later(first)) / float64(b.begun-1)
		// The less of the present child is done, the more it is taken to be as usual.
		if total > 0 {
			trust := min(have/total, 1)
			total = max(have, trust*total+(1-trust)*usual)
		}
		total += before + float64(len(stack[i].kids)-stack[i].next)*usual
	}
	if len(e.path) > 0 {
		total += float64(e.path[0].began) // in earlier runs
	}
	return total
}

// A range is based on a number of guesses, and wider than they are by a margin.
const (
	minGuesses = 8
	margin     = 3
)

// look renews what the statistics say of a search under way, if it is time to.
func (e *estimator) look(s *search) {
	if s.visits < e.due {
		s.stats.Estimate.admit(s.stats.States)
		return
	}
	e.due = s.visits + min(s.visits/estimatePart, estimateStep)
	s.stats.Path, s.stats.Frontier = len(s.stack), frontier(s.stack)
	s.stats.Estimate = e.note(guess{float64(s.stats.States), e.total(s.stack, s.stats.States)})
}

// note adds a guess and says what it amounts to with those that were made since
// half as many states were stored.
func (e *estimator) note(now guess) Estimate {
	if n := len(e.guesses); n == 0 || now.states >= 1.05*e.guesses[n-1].states {
		e.guesses = append(e.guesses, now)
	}
	for e.guesses[0].states < now.states/2 {
		e.guesses = e.guesses[1:]
	}
	if len(e.guesses) < minGuesses {
		return Estimate{}
	}
	low, high := now.total, now.total
	for _, g := range e.guesses {
		low, high = min(low, g.total), max(high, g.total)
	}
	return Estimate{
		States: whole(max(now.total, now.states)),
		Low:    whole(max(low/margin, now.states)),
		High:   whole(max(margin*high, now.states)),
	}
}

// admit makes an estimate made some time ago allow for the states stored by now.
func (e *Estimate) admit(states int) {
	if e.States > 0 {
		e.Low, e.States, e.High = max(e.Low, states), max(e.States, states), max(e.High, states)
	}
}

// whole rounds a number of states, which may be absurdly large.
func whole(x float64) int { return int(min(x, 1e18)) }

// frontier counts the states on the path that are yet to be visited.
func frontier(stack []*frame) (n int) {
	for _, f := range stack {
		n += len(f.kids) - f.next
	}
	return n
}
