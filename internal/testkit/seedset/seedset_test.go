package seedset

import (
	"slices"
	"testing"
)

// The shares of a set are all of it, each seed once.
func TestShards(t *testing.T) {
	for _, n := range []int{0, 1, 7, 60} {
		for shards := 1; shards <= 8; shards++ {
			var all []int
			for i := 1; i <= shards; i++ {
				s := Set{n: n, from: 100, shard: shard{i, shards}}
				part := slices.Collect(s.All())
				if len(part) != s.N() {
					t.Errorf("shard %d/%d of %d: %d seeds, and N is %d", i, shards, n, len(part), s.N())
				}
				all = append(all, part...)
			}
			slices.Sort(all)
			if len(all) != n || n > 0 && (all[0] != 100 || all[n-1] != 100+n-1) || len(slices.Compact(all)) != n {
				t.Errorf("%d seeds in %d shards: %v", n, shards, all)
			}
		}
	}
}

func TestShardFlag(t *testing.T) {
	for text, want := range map[string]bool{"1/1": true, "3/4": true, "0/4": false, "5/4": false, "1": false, "1/4x": false, "01/4": false, "": false} {
		var s shard
		if err := s.Set(text); (err == nil) != want {
			t.Errorf("-shard %q: %v", text, err)
		}
	}
}

func TestAtLeast(t *testing.T) {
	s := &Set{n: 60, from: 7, shard: shard{2, 3}}
	for n, want := range map[int]Set{10: *s, 90: {n: 90, from: 7, shard: shard{2, 3}}} {
		if got := *s.AtLeast(n); got != want {
			t.Errorf("at least %d: %v, want %v", n, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	s := &Set{n: 60, shard: shard{1, 1}}
	for factor, want := range map[float64]int{5: 300, 0.5: 30, 0.001: 1} {
		if n := s.Times(factor).N(); n != want {
			t.Errorf("%v times: %d seeds, not %d", factor, n, want)
		}
	}
}
