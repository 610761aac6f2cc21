package por

import (
	"testing"

	"github.com/clmc/clmc/memmodel"
)

// Units 0 and 70 read x, and so may each other's write be read. Unit 2 writes x only after what 0 does next: no rival of 0, but one
// of 70, which 0's being asked says nothing of.
func TestSourceSet(t *testing.T) {
	const x = memmodel.Loc(5)
	late := Write{Unit: 2, Loc: x, After: Set(0).With(0)}
	below := Summary{Writes: []Write{{Unit: 0, Loc: x}, late, {Unit: 70, Loc: x}}}
	reading := func(memmodel.Unit) read { return read{x, true} }
	for _, c := range []struct {
		done   []int
		enough bool
		next   int
	}{
		{nil, false, 70},
		{[]int{70}, false, 2},
		{[]int{2}, false, 70},
		{[]int{2, 70}, true, 0},
	} {
		var z sourceSet
		z.reset(71)
		for _, u := range c.done {
			z.done.Add(u)
		}
		enough, next := z.complete(&below, 0, 100, reading)
		if enough != c.enough || !enough && !next.Holds(c.next) {
			t.Errorf("%v done: enough %v, next %v", c.done, enough, next)
		}
	}
}
