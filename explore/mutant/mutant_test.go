package mutant

import (
	"fmt"
	"testing"
)

// The days of a period, and the shards of any division, try each mutant once.
func TestEachHasItsTurn(t *testing.T) {
	day := func(d int) (string, uint64) { return "today", uint64(19773 + d) }
	shard := func(n int) func(int) (string, uint64) {
		return func(i int) (string, uint64) { return fmt.Sprintf("%d/%d", i+1, n), 0 }
	}
	for _, c := range []struct {
		n    int
		turn func(i int) (string, uint64)
	}{{Period, day}, {1, shard(1)}, {3, shard(3)}, {64, shard(64)}} {
		for k := range 200 {
			m, times := Mutant{Rule: fmt.Sprintf("rule %d", k)}, 0
			for i := range c.n {
				turn, err := parseTurn(c.turn(i))
				if err != nil {
					t.Fatal(err)
				}
				if turn.has(m) {
					times++
				}
			}
			if times != 1 {
				t.Errorf("%s: tried %d times in %d turns", m.Rule, times, c.n)
			}
		}
	}
}

func TestTurnsThatAreNone(t *testing.T) {
	for _, s := range []string{"", "none", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "1/2x", "+1/2"} {
		if _, err := parseTurn(s, 0); err == nil {
			t.Errorf("%q is a turn", s)
		}
	}
}

// Tests that fail without a mutant are told from those that do not, each time they are asked for.
func TestUnbroken(t *testing.T) {
	for range 2 {
		if out := unbroken([]string{"-run", "^TestTurnsThatAreNone$", "."}); out != "" {
			t.Error(out)
		}
		if out := unbroken([]string{"-run", "^TestTurnsThatAreNone$", "-mutants", "none", "-no-such-flag", "."}); out == "" {
			t.Error("what fails passes")
		}
	}
}

// A mutant of what no test of this package looks at survives, one of what
// the tests above look at does not.
func TestSurvives(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     bool
	}{
		{"want today, all, or i/n with i from 1 to n\"", "want today\"", true},
		{"	t.i--\n", "", false},
	} {
		m := Mutant{Rule: "a shard's number", File: "explore/mutant/mutant.go", Old: c.old, New: c.new}
		if out, survived := m.Survives(t, "-run", "^(TestEachHasItsTurn|TestTurnsThatAreNone)$", "."); survived != c.want {
			t.Errorf("survived: %v, want %v\n%s", survived, c.want, out)
		}
	}
}
