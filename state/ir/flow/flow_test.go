package flow_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clmc/clmc/state/ir/flow"
)

// random returns the successors of each node of a random graph, sparse or dense.
func random(rng *rand.Rand) [][]int {
	after := make([][]int, 1+rng.IntN(8))
	for i := range after {
		for range rng.IntN(4) {
			after[i] = append(after[i], rng.IntN(len(after)))
		}
	}
	return after
}

// closure tells which nodes lead to which, by one edge at least, without passing a node
// (Warshall's algorithm); -1 passes all.
func closure(after [][]int, without int) [][]bool {
	to := make([][]bool, len(after))
	for i := range to {
		to[i] = make([]bool, len(after))
		for _, j := range after[i] {
			to[i][j] = true
		}
	}
	for k := range to {
		for i := range to {
			for j := range to {
				to[i][j] = to[i][j] || k != without && to[i][k] && to[k][j]
			}
		}
	}
	return to
}

// What the algorithms say of random graphs is what the definitions say, by brute force.
func TestDefinitions(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		after := random(rng)
		n := len(after)
		g := flow.Of(func(i int) []int { return after[i] })
		to := closure(after, -1)
		comp, back, dom := g.Components(n), g.ComesBack(n), g.Dominators(0)
		reverse := g.Reverse(n)
		for i := range n {
			if back[i] != to[i][i] {
				t.Fatalf("seed %d, %v: %d comes back: %v", seed, after, i, back[i])
			}
			if got := g.Reach(n, i, nil); !slices.Equal(got, to[i]) {
				t.Fatalf("seed %d, %v: from %d: %v, want %v", seed, after, i, got, to[i])
			}
			stop := rng.IntN(n)
			if i != stop {
				if got, want := g.Reach(n, i, func(j int) bool { return j == stop }), closure(after, stop)[i]; !slices.Equal(got, want) {
					t.Fatalf("seed %d, %v: from %d not beyond %d: %v, want %v", seed, after, i, stop, got, want)
				}
			}
			for j := range n {
				if same := i == j || to[i][j] && to[j][i]; same != (comp[i] == comp[j]) {
					t.Fatalf("seed %d, %v: %d and %d in one component: %v", seed, after, i, j, !same)
				}
				if to[i][j] && comp[i] < comp[j] {
					t.Fatalf("seed %d, %v: component %d of %d leads up to %d of %d", seed, after, comp[i], i, comp[j], j)
				}
				if r := reverse.Reach(n, j, nil)[i]; r != to[i][j] {
					t.Fatalf("seed %d, %v: %d leads to %d, turned round: %v", seed, after, i, j, r)
				}
			}
		}
		reached := slices.Clone(to[0])
		reached[0] = true
		for b := range n {
			if slices.Contains(dom.Order, b) != reached[b] {
				t.Fatalf("seed %d, %v: %v, without %d", seed, after, dom.Order, b)
			}
			if !reached[b] {
				continue
			}
			var above []int
			dom.Above(b, func(a int) { above = append(above, a) })
			for a := range n {
				want := a == b || b != 0 && reached[a] && (a == 0 || !closure(after, a)[0][b])
				if dom.Dominates(a, b) != want || slices.Contains(above, a) != want {
					t.Fatalf("seed %d, %v: %d dominates %d: %v, %v; want %v", seed, after, a, b, dom.Dominates(a, b), above, want)
				}
			}
		}
	}
}

// An order of dominators has each node after those that all paths to it pass.
func TestOrder(t *testing.T) {
	for seed := range uint64(500) {
		after := random(rand.New(rand.NewPCG(seed, 2)))
		d := flow.Of(func(i int) []int { return after[i] }).Dominators(0)
		for at, i := range d.Order {
			d.Above(i, func(a int) {
				if slices.Index(d.Order, a) > at {
					t.Fatalf("seed %d, %v: %d after %d in %v", seed, after, a, i, d.Order)
				}
			})
		}
	}
}
