package explore

import (
	"math"
	"math/bits"
)

// Estimate is a rough idea of how many states a search will have stored when it
// comes to its end. It is right within a factor of two or three in most
// searches once a tenth has been done, and can be far off, mostly too high,
// before that. The zero Estimate means that nothing is known yet: recent guesses contradict each other.
type Estimate struct {
	States    int // the best guess
	Low, High int // the range that recent guesses and experience suggest
	Since     int // how many states were stored when the guesses began to agree
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
// The search tells it only when a child has been visited and when a state is
// done. What it knows is part of checkpoints: the nights of a long search may
// each be too short to learn it anew.
type estimator struct {
	Path    []branch   // of the states on the search's path
	Learnt  [65]lesson // by the length in bits of the size of a first child
	Guesses []guess    // those that still count, oldest first
	Agreed  int        // states stored when guesses began to agree; 0: they do not
	due     int        // the visit at which to look again
}

// branch is what is known of a state on the path.
type branch struct {
	//lint:ignore U1000 msgpack reads its tag
	_msgpack struct{} `msgpack:",as_array"`
	Began    int      // states stored when its first child was begun
	Child    int      // states stored when its present child was begun
	First    int      // size of its first child, once that is done
	Begun    int      // children begun
	Known    int      // children that it had at first
}

// lesson sums up states whose first children had about the same size.
type lesson struct {
	//lint:ignore U1000 msgpack reads its tag
	_msgpack     struct{} `msgpack:",as_array"`
	Later        float64  // children after the first
	First, Rest  float64  // sizes of the first children, once for each later one, and of the later ones
	Known, Begun float64  // children at first, and in the end
}

// guess is an estimate made when some states had been stored.
type guess struct{ States, Total float64 } // stored when it was made, and in the end

// The step at which estimates are made is a part of the visits so far, and
// bounded, so that they are fresh and cost next to nothing.
const (
	estimatePart = 64
	estimateStep = 1 << 16
)

// child takes note that a child of the state at a depth has been visited, before
// which so many states were stored. It is one of a number of children that were
// left at that time. Of a path that is there when the first child is visited,
// what is to come is estimated like that of any other.
func (e *estimator) child(depth, left, states int) {
	for len(e.Path) <= depth {
		e.Path = append(e.Path, branch{Began: states})
	}
	b := &e.Path[depth]
	switch b.Begun {
	case 0:
		b.Known = left
	case 1:
		b.First = states - b.Child
	}
	b.Child = states
	b.Begun++
}

// done takes note that a state has been explored with all that is below it.
func (e *estimator) done(depth, states int) {
	if depth >= len(e.Path) {
		return // it had no children
	}
	b := e.Path[depth]
	e.Path = e.Path[:depth]
	if b.Begun == 0 {
		return // as in total
	}
	if b.Begun == 1 {
		b.First = states - b.Child
	}
	l := &e.Learnt[bits.Len(uint(b.First))]
	l.Known += float64(b.Known)
	l.Begun += float64(b.Begun)
	l.Later += float64(b.Begun - 1)
	l.First += float64(b.First) * float64(b.Begun-1)
	l.Rest += float64(states - b.Began - b.First)
}

// leave takes note that the path is left from a depth on, without more being known of what is below.
func (e *estimator) leave(depth int) { e.Path = e.Path[:min(depth, len(e.Path))] }

// later is the size of a child after the first, if that had a size. Beyond the
// sizes that are known, it grows by the power of them that it has grown by so far.
func (e *estimator) later(size float64) float64 {
	i := class(size)
	for i > 0 && e.Learnt[i].Later == 0 {
		i--
	}
	if i == 0 {
		return size
	}
	x, y := e.Learnt[i].mean()
	power := 1.0
	for j := i - 1; j > 0; j-- {
		if l := &e.Learnt[j]; l.Later > 0 && (i-j >= trendSpan) {
			x0, y0 := l.mean()
			power = math.Log(y/y0) / math.Log(x/x0)
			break
		}
	}
	return min(y*math.Pow(size/x, max(0, min(power, 1))), size)
}

// mean is the mean size of first children, and of the later ones that go with them.
func (l *lesson) mean() (first, later float64) {
	return l.First / l.Later, max(l.Rest/l.Later, 0.01)
}

// trendSpan is how many classes apart those are from which a trend is read.
const trendSpan = 3

// growth is the number of children that a state has in the end, for each that
// it had at first, if the first child had a size.
func (e *estimator) growth(size float64) float64 {
	for i := class(size); i > 0; i-- {
		if l := &e.Learnt[i]; l.Known > 0 {
			return l.Begun / l.Known
		}
	}
	return 1
}

func class(size float64) int { return bits.Len(uint(min(size, math.MaxInt64/2))) }

// total guesses the size of the whole tree, from the end of the path up.
func (e *estimator) total(stack []*frame, states int) float64 {
	total := 0.0 // size of the subtree below, with what is to come
	for i := len(e.Path) - 1; i >= 0; i-- {
		b := &e.Path[i]
		if b.Begun == 0 {
			continue // its children were begun before the estimator was there
		}
		have := float64(states - b.Child)
		if i+1 == len(e.Path) {
			total = have
		} else {
			total += float64(e.Path[i+1].Began - b.Child) // the present child itself
		}
		if b.Begun == 1 {
			others := float64(b.Known)*e.growth(total) - 1
			total += float64(b.Child-b.Began) + others*e.later(total)
			continue
		}
		first, before := float64(b.First), float64(b.Child-b.Began)
		usual := (before - first + e.later(first)) / float64(b.Begun-1)
		// The less of the present child is done, the more it is taken to be as usual.
		if total > 0 {
			trust := min(have/total, 1)
			total = max(have, trust*total+(1-trust)*usual)
		}
		total += before + float64(len(stack[i].successors)-stack[i].next)*usual
	}
	if len(e.Path) > 0 {
		total += float64(e.Path[0].Began) // in earlier runs
	}
	return total
}

// A range is based on a number of guesses, and wider than they are by a margin.
const (
	minGuesses = 8
	minStored  = 500 // states, before which a search has seen little of itself
	margin     = 3
	agreement  = 4 // guesses agree if the greatest is at most so many times the least
)

// sample renews what the statistics say of a search under way, if it is time to.
func (e *estimator) sample(s *base) {
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
	if n := len(e.Guesses); n == 0 || now.States >= 1.05*e.Guesses[n-1].States {
		e.Guesses = append(e.Guesses, now)
	}
	for e.Guesses[0].States < now.States/2 {
		e.Guesses = e.Guesses[1:]
	}
	if len(e.Guesses) < minGuesses || now.States < minStored {
		return Estimate{}
	}
	low, high := now.Total, now.Total
	for _, g := range e.Guesses {
		low, high = min(low, g.Total), max(high, g.Total)
	}
	if high > agreement*low {
		e.Agreed = 0
		return Estimate{}
	}
	if e.Agreed == 0 {
		e.Agreed = int(e.Guesses[0].States)
	}
	return Estimate{
		Since:  e.Agreed,
		States: whole(max(now.Total, now.States)),
		Low:    whole(max(low/margin, now.States)),
		High:   whole(max(margin*high, now.States)),
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
		n += len(f.successors) - f.next
	}
	return n
}
