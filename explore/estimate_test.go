package explore

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store/disk"
)

// tree is a search tree of known shape: the children of a node, by its path.
type tree struct {
	shape  func(path []int) int
	known  func(children int) int // how many of them are known at first
	resume int                    // the state at which the search stops and goes on from a checkpoint
	states int
	stack  []*frame
	est    estimator
	seen   []guess
}

// walk visits a node and what is below it, as a search does.
func (w *tree) walk(path []int) {
	w.states++
	f := &frame{}
	w.stack = append(w.stack, f)
	n := w.shape(path)
	for i := range n {
		known := n
		if w.known != nil && i < w.known(n) {
			known = w.known(n)
		}
		f.successors, f.next = make([]successor, known), i+1
		if w.states == w.resume {
			w.est = estimator{}
		}
		w.est.child(len(path), known-i, w.states)
		w.walk(append(path, i))
		w.seen = append(w.seen, guess{float64(w.states), w.est.total(w.stack, w.states)})
	}
	w.est.done(len(path), w.states)
	w.stack = w.stack[:len(path)]
}

// error is the mean factor by which the estimates made after a part of the tree
// had been walked differ from its size.
func (w *tree) error(after float64) float64 {
	w.walk(nil)
	size := float64(w.states)
	logs, n := 0.0, 0
	for _, g := range w.seen {
		if g.States >= after*size {
			logs += math.Abs(math.Log(g.Total / size))
			n++
		}
	}
	return math.Exp(logs / float64(n))
}

func TestEstimateOfTrees(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, c := range []struct {
		name  string
		tree  tree
		after float64
		want  float64
	}{
		// All children are alike: the first path tells everything, as in Knuth's
		// estimate.
		{"regular", tree{shape: func(p []int) int { return when(len(p) < 10, 3) }}, 0.01, 1.02},
		{"resumed", tree{shape: func(p []int) int { return when(len(p) < 10, 3) }, resume: 40000}, 0.01, 1.3},
		{"a line", tree{shape: func(p []int) int { return when(len(p) < 500, 1) }}, 0.5, 1.02},
		// Child i of a node has i levels less, as in a search that has seen part
		// of what is below it: the tree has 2^n nodes, not the n! of Knuth's estimate.
		{"binomial", tree{shape: func(p []int) int { return 16 - sum(p) - len(p) }}, 0.1, 2.5},
		// All but the first children are leaves.
		{"comb", tree{shape: func(p []int) int { return when(sum(p) == 0 && len(p) < 300, 4) }}, 0.4, 3},
		// A reduction finds out that it needs the second half of the children only
		// after it has seen the first.
		{"growing", tree{shape: func(p []int) int { return when(len(p) < 7, 4) }, known: func(n int) int { return n / 2 }}, 0.05, 1.5},
		// One to four children, whatever chance says.
		{"irregular", tree{shape: func(p []int) int { return when(len(p) < 12, 1+rng.IntN(4)) }}, 0.2, 2.5},
	} {
		got := c.tree.error(c.after)
		t.Logf("%s: %.2f", c.name, got)
		if got > c.want {
			t.Errorf("%s, of %d states: wrong by a factor of %.2f on average after %g of it, want %g (seed %d)",
				c.name, c.tree.states, got, c.after, c.want, seed)
		}
	}
}

func when(c bool, n int) int {
	if c {
		return n
	}
	return 0
}

func sum(path []int) (n int) {
	for _, i := range path {
		n += i
	}
	return n
}

// TestEstimateOfSearches checks that the estimates of real searches are of use:
// after a fifth of the states, the mean factor by which they are wrong is
// small, and the size is mostly within the range.
func TestEstimateOfSearches(t *testing.T) {
	for _, c := range []struct {
		program *ir.Program
		mode    por.Mode
		want    float64
	}{
		{sbring(13, memmodel.Relaxed, memmodel.Relaxed), por.Sleep, 1.2}, // a regular tree: 2^14 - 1 states
		{sbring(12, memmodel.SeqCst, memmodel.SeqCst), por.DPOR, 3},
		{ainc(7), por.Sleep, 3},
		{ainc(7), por.DPOR, 5},
	} {
		var made []Stats
		r := Run(context.Background(), c.program, Options{POR: c.mode, Progress: func(s Stats) { made = append(made, s) }})
		errs, n, inside := 0.0, 0, 0
		for _, s := range made {
			if e := s.Estimate; e.States > 0 && s.States*5 > r.Stats.States {
				errs += math.Abs(math.Log(float64(e.States) / float64(r.Stats.States)))
				n++
				if e.Low <= r.Stats.States && r.Stats.States <= e.High {
					inside++
				}
				if e.Low > e.States || e.States > e.High || e.Low < s.States {
					t.Errorf("%s: %d states, estimate %+v", c.program.Name, s.States, e)
				}
			}
		}
		what := fmt.Sprintf("%s, %v: %d states, %d estimates", c.program.Name, c.mode, r.Stats.States, n)
		if n < 3 {
			t.Errorf("%s", what)
			continue
		}
		mean := math.Exp(errs / float64(n))
		t.Logf("%s: wrong by a factor of %.2f on average, within the range %d times", what, mean, inside)
		if mean > c.want || inside*3 < n*2 {
			t.Errorf("%s: wrong by a factor of %.2f on average, want %.1f; within the range %d times", what, mean, c.want, inside)
		}
	}
}

// TestEstimateIsKept checks that a search that goes on from a checkpoint has an
// estimate at once, and not only after it has grown by a good part once more.
func TestEstimateIsKept(t *testing.T) {
	at := usual()
	at.look = 16
	dir := filepath.Join(t.TempDir(), "store")
	const mem = 1 << 20
	d, err := disk.Create(dir, disk.Options{Mem: mem}, nil, nil)
	for _, part := range []int{900, 60, 60} {
		if err != nil {
			t.Fatal(err)
		}
		begun := d.Set().Len()
		var made []Stats
		r := Run(context.Background(), ainc(7), Options{
			POR: por.Sleep, NoSymmetry: true, Store: d, pace: &at, MaxStates: begun + part, Progress: func(s Stats) { made = append(made, s) },
		})
		if r.Err != nil || !r.Paused {
			t.Fatalf("from %d states: %v, %q", begun, r.Err, r.Incomplete)
		}
		if begun > 0 && (len(made) == 0 || made[0].Estimate.States == 0) {
			t.Errorf("from %d states: the first of %d reports has no estimate", begun, len(made))
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d, err = disk.Open(dir, disk.Options{Mem: mem})
	}
	d.Close()
}
