package por_test

import (
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/facts"
)

// Units have their turns in their order, but those that sleep, and those first whose writes
// made a difference.
func TestOrder(t *testing.T) {
	var o por.Order
	for _, u := range []memmodel.Unit{3, 0, 1, 2, 0} { // the last has its turn already
		o.AddCandidate(u)
	}
	if u := o.Next(0); u != 3 || o.Prioritised {
		t.Errorf("the first is %d, %+v", u, o)
	}
	o.Prioritise(facts.Set{1<<1 | 1<<2 | 1<<3}, func(u memmodel.Unit) bool { return u == 1 }) // of whom one never sleeps, and one has had its turn
	if u := o.Next(0); u != 2 || !o.Prioritised {
		t.Errorf("the one that comes first is not next: %d, %+v", u, o)
	}
	if u := o.Next(set(0)); u != 1 {
		t.Errorf("one that sleeps has a turn: %d", u)
	}
	if u := o.Next(0); u != -1 {
		t.Errorf("%d has another turn", u)
	}
}

// When the unit that has had its turn may have to wait for others.
// A turn shows that a promise may be read if it is overtaken, or if another unit looks beside it.
func TestPromiseReadable(t *testing.T) {
	early, looks := por.Turn{Unit: 0, Loc: 5, Early: true}, por.Turn{Unit: 0, Loc: 5, Looks: true}
	mine := por.Write{Unit: 0, Loc: 6, Kind: por.Early}
	other := por.Write{Unit: 1, Loc: 6, Kind: por.Look}
	again, waited := other, other
	again.Kind, waited.After = por.Again, set(0)
	for _, c := range []struct {
		what   string
		turn   por.Turn
		below  *por.Summary
		expect bool
	}{
		{"it may promise what another one reads", early, effects(mine, other), true},
		{"or only after its step", early, effects(mine, waited), false},
		{"it may promise, and nobody looks", early, effects(mine), false},
		{"it may promise, and not all is known", early, &por.Summary{Any: true}, true},
		{"it looks, and another one does", looks, effects(other), true},
		{"or does again", looks, effects(again), true},
		{"or only after its step", looks, effects(waited), false},
		{"it looks itself", looks, effects(por.Write{Unit: 0, Loc: 6, Kind: por.Look}), false},
		{"others write", looks, effects(por.Write{Unit: 1, Loc: 6}, por.Write{Unit: 1, Loc: 6, Kind: por.Try}), false},
		{"it looks, and not all is known", looks, &por.Summary{Any: true}, true},
		{"it does neither", por.Turn{Unit: 0, Loc: 5}, &por.Summary{Any: true}, false},
	} {
		if c.turn.Below.Merge(c.below); c.turn.PromiseReadable() != c.expect {
			t.Errorf("%s: want %v", c.what, c.expect)
		}
	}
}

func TestNeedsReversal(t *testing.T) {
	const x, local = 5, 100
	reads, promises := por.Turn{Unit: 0, Loc: x, Contested: true}, por.Turn{Unit: 0, Loc: x, Early: true}
	early := por.Write{Unit: 0, Loc: 6, Kind: por.Early}
	follows := early
	follows.Readers = set(1)
	for _, c := range []struct {
		what   string
		turn   por.Turn
		below  *por.Summary
		expect bool
	}{
		{"nothing is written below", reads, effects(), false},
		{"another unit writes what it reads", reads, effects(por.Write{Unit: 1, Loc: x}), true},
		{"but only after its step", reads, effects(por.Write{Unit: 1, Loc: x, After: set(0)}), false},
		{"or where nobody else could, as is known beforehand", por.Turn{Unit: 0, Loc: x}, effects(por.Write{Unit: 1, Loc: x}), false},
		{"not all that is below is known", reads, &por.Summary{Any: true}, true},
		{"it reads nothing", por.Turn{Unit: 0, Loc: -1}, &por.Summary{Any: true}, false},
		{"it must, whatever is below", por.Turn{Unit: 0, Loc: -1, Full: true}, effects(), true},
		{"it may promise what another one reads", promises,
			effects(early, por.Write{Unit: 1, Loc: 6, Kind: por.Look}), true},
		{"it may promise, and nobody looks", promises, effects(early), false},
		{"nor at what it can promise", promises, effects(early, por.Write{Unit: 1, Loc: 7, Kind: por.Look}), false},
		{"others look at what it writes, and cannot promise", promises, effects(por.Write{Unit: 0, Loc: 6}, por.Write{Unit: 1, Loc: 6, Kind: por.Look}), false},
		{"it looks itself", promises, effects(early, por.Write{Unit: 0, Loc: 6, Kind: por.Look}), false},
		{"who looks has waited for it", promises, effects(early, por.Write{Unit: 1, Loc: 6, Kind: por.Look, After: set(0)}), false},
		{"it writes what another has looked at first", promises, effects(follows, por.Write{Unit: 1, Loc: 6, Kind: por.Look}), false},
		{"and looks at again", promises, effects(follows, por.Write{Unit: 1, Loc: 6, Kind: por.Look}, por.Write{Unit: 1, Loc: 6, Kind: por.Again}), true},
		{"a third looks", promises, effects(follows, por.Write{Unit: 2, Loc: 6, Kind: por.Look}), true},
		{"somebody does", promises, effects(follows, por.Write{Unit: por.Somebody, Loc: 6, Kind: por.Look}), true},
		{"somebody can promise", promises, effects(por.Write{Unit: por.Somebody, Loc: 6, Kind: por.Early}, por.Write{Unit: 1, Loc: 6, Kind: por.Look}), true},
		{"something", promises, effects(por.Write{Unit: 0, Loc: por.Somewhere, Kind: por.Early}, por.Write{Unit: 1, Loc: 6, Kind: por.Look}), true},
	} {
		c.turn.Below = *c.below
		if got := c.turn.NeedsReversal(local); got != c.expect {
			t.Errorf("%s: %v, want %v", c.what, got, c.expect)
		}
	}
}

// A round of waiting is no step, but what it might have done counts.
func TestWait(t *testing.T) {
	for _, c := range []struct {
		what        string
		turn        por.Turn
		interleaved bool
		want        int // effects
	}{
		{"a load does nothing", por.Turn{Unit: 1, Loc: 5}, false, 0},
		{"a read-modify-write, or a look before one, might have written", por.Turn{Unit: 1, Loc: 5, Attempts: true}, false, 1},
		{"a load that may see a promise might have seen it", por.Turn{Unit: 1, Loc: 5, Looks: true}, false, 1},
		{"where all is interleaved, a load might have come before a write", por.Turn{Unit: 1, Loc: 5}, true, 1},
	} {
		c.turn.Wait(c.interleaved)
		if got := len(c.turn.Below.Writes); got != c.want {
			t.Errorf("%s: %d effects, want %d", c.what, got, c.want)
		}
		for _, w := range c.turn.Below.Writes {
			if !w.After.Has(1) {
				t.Errorf("%s: the effect %+v does not depend on the step", c.what, w)
			}
		}
	}
}
