// Package seedset says which random programs the tests try. All take the same flags, so that
// any of them can be run on more programs, on others, or on a share of them:
//
//	-seeds N      as many of each style
//	-from K       from seed K on
//	-shard i/n    the i-th of n shares of these, i from 1
package seedset

import (
	"flag"
	"fmt"
	"iter"
)

// Set is a set of seeds.
type Set struct {
	n, from int
	shard   shard
}

// Flags registers the flags, for n seeds if they do not say otherwise, and returns the
// set that they name.
func Flags(n int) *Set {
	s := &Set{shard: shard{1, 1}}
	flag.IntVar(&s.n, "seeds", n, "random programs per style")
	flag.IntVar(&s.from, "from", 0, "the first of their seeds")
	flag.Var(&s.shard, "shard", "the share of the seeds to try: i/n, i from 1")
	return s
}

// All yields the seeds.
func (s *Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for seed := s.shard.i - 1; seed < s.n; seed += s.shard.n {
			if !yield(s.from + seed) {
				return
			}
		}
	}
}

// N returns how many they are.
func (s *Set) N() int { return max(0, s.n-s.shard.i+s.shard.n) / s.shard.n }

// Times returns a set of factor times as many seeds, from the same one on, and one at least.
func (s *Set) Times(factor float64) *Set {
	return &Set{n: max(1, int(float64(s.n)*factor)), from: s.from, shard: s.shard}
}

// AtLeast returns a set of n seeds, from the same one on, if there are fewer: for what few programs show.
func (s *Set) AtLeast(n int) *Set { return &Set{n: max(s.n, n), from: s.from, shard: s.shard} }

// shard is the i-th of n shares.
type shard struct{ i, n int }

// String returns the shard as Set reads it.
func (s *shard) String() string { return fmt.Sprintf("%d/%d", s.i, s.n) }

// Set reads a shard.
func (s *shard) Set(text string) error {
	var r shard
	if n, err := fmt.Sscanf(text, "%d/%d", &r.i, &r.n); n != 2 || err != nil || r.i < 1 || r.i > r.n || text != r.String() {
		return fmt.Errorf("want i/n with i from 1 to n")
	}
	*s = r
	return nil
}
