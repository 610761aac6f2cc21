package explore

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// relieving is a pace at which so few messages of a location are a pile that any program has some.
func relieving(pile, every int) *pace {
	at := usual()
	at.pile, at.pileEvery = pile, every
	return &at
}

// TestPiles compares searches that relieve piles of two or three messages, every few steps, with searches that
// meet none: same verdict, violations and outcomes. What they found comes of its schedule without that. And one that is
// halted on its way finds that way again.
func TestPiles(t *testing.T) {
	list := randprog.All()
	if *styles != "" {
		list = chosen()
	}
	some := seeds.Times(1. / 4).AtLeast(2)
	var counted tally
	eachStyle(t, list, func(t *testing.T, style randprog.Style) {
		bound := 3000
		if style == randprog.Retrials { // of which few have a bound, and whose piles make each state take longer than the one before
			bound = thorough.Of(500, bound)
		}
		for seed := range some.All() {
			d := draw(style, seed)
			p := d.Program
			opt := Options{Spec: d.spec, All: true, MaxStates: bound, POR: []por.Mode{por.DPOR, por.DPOR, por.Sleep}[seed%3], NoSymmetry: seed%4 == 3, KeepSchedule: true, Promises: manyPromises}
			want := d.search(opt).Result
			if bounded(want) {
				continue
			}
			opt.pace = relieving(1+seed%2, 1+seed%3)
			opt.MaxStates *= 4
			got := Run(context.Background(), p, opt)
			if bounded(got) {
				continue
			}
			if counted.add("compared", 1); !sameFindings(got, want) {
				small := shrunk(p, func(q *ir.Program) bool {
					plain := opt
					plain.pace = nil
					return !sameFindings(Run(context.Background(), q, opt), Run(context.Background(), q, plain))
				})
				t.Fatalf("%s %d, by %v:\ngot  %v %v, %d outcomes, %v\nwant %v %v, %d outcomes, %v\n%s", style, seed, opt.POR,
					got.Verdict, kinds(got), len(got.Outcomes), got.Incomplete, want.Verdict, kinds(want), len(want.Outcomes), want.Incomplete, randprog.Format(small))
			}
			for _, v := range got.Violations {
				if v.Kind != state.Deadlock && v.Kind != state.NoWayOut && !replays(p, got, v) { // those only show in what comes next
					t.Fatalf("%s %d, by %v: %v does not come of its schedule:\n%s", style, seed, opt.POR, v.Kind, randprog.Format(p))
				}
			}
			if got.Stats.States < 4 || got.Stats.States > 500 {
				continue
			}
			_, all := haltedOnce(t, p, opt, 0, 0)
			counted.add("resumed", 1)
			if again, _ := haltedOnce(t, p, opt, all/2, 0); !sameResult(again, got) {
				t.Fatalf("%s %d, by %v, halted at %d:\ngot  %v %v %v\nwant %v %v %v", style, seed, opt.POR, all/2,
					again.Verdict, again.Stats.work(), again.Incomplete, got.Verdict, got.Stats.work(), got.Incomplete)
			}
		}
	}, func() {
		compared, resumed := counted.n["compared"], counted.n["resumed"]
		if t.Logf("%d programs, %d of them halted", compared, resumed); compared < 2*len(list)*some.N()/3 || resumed < compared/8 {
			t.Errorf("of %d programs, %d were compared, and %d halted", len(list)*some.N(), compared, resumed)
		}
	})
}

// bounded reports whether a search was cut short by its bound on states.
func bounded(r *Result) bool {
	return slices.ContainsFunc(r.Incomplete, func(why string) bool { return strings.Contains(why, "the bound of") })
}

// sameFindings compares what was found, whatever that took. An execution ends with its first race: which
// of several that is depends on which states are met.
func sameFindings(a, b *Result) bool {
	distinct := func(r *Result) []state.Kind { return slices.Compact(slices.Sorted(slices.Values(kinds(r)))) }
	return a.Verdict == b.Verdict && a.Complete == b.Complete && slices.Equal(distinct(a), distinct(b)) && slices.EqualFunc(a.Outcomes, b.Outcomes, maps.Equal)
}

// TestLargePiles explores kernels whose work-items add to one counter, more often than messages of a location are kept.
// Each addition reads what stands last in modification order (rule 3.4), so that none is lost, and nobody looks at what
// his has read: a pile that is relieved where it stands leaves one state, where one that is not leaves a state a pile.
func TestLargePiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body            string
		launches, items int
		result          int // that is asserted
		kind            state.Kind
	}{
		{"atomic_inc(c);", 1, 300, 300, state.NoViolation},
		{"atomic_inc(c);", 1, 600, 600, state.NoViolation},
		{"atomic_add(c, 2); atomic_sub(c, 1);", 1, 400, 400, state.NoViolation},
		{"for (int i = 0; i < 4; i++) atomic_inc(&c[i & 1]);", 1, 500, 1000, state.NoViolation},
		{"atomic_inc(c); atomic_inc(c);", 1, 300, 599, state.AssertionFailed},
		{"atomic_inc(c);", 2, 300, 601, state.AssertionFailed},
		{"if (get_global_id(0) == 299) *c = 0; else atomic_inc(c);", 1, 300, 299, state.DataRace}, // a plain write (rule 9.1)
	} {
		path := filepath.Join(t.TempDir(), "k.cl")
		launches := strings.Repeat(fmt.Sprintf("//clmc:launch k global=%d local=1 c=c\n", c.items), c.launches)
		text := strings.Replace(launches, "c=c", "c=zero[2]", 1) + fmt.Sprintf("//clmc:assert c[0] == %d\nkernel void k(global int *c) { %s }\n", c.result, c.body)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p := must(clc.File(path, clc.Options{}))
		opt := Options{KeepSchedule: true}
		r := Run(context.Background(), p, opt)
		if c.kind == state.NoViolation {
			if r.Verdict != Verified || r.Stats.States > 1 || r.Stats.Steps > 5*c.items {
				t.Errorf("%d times %s: %v, %d states, %d steps, %v", c.items, c.body, r.Verdict, r.Stats.States, r.Stats.Steps, r.Incomplete)
			}
		} else if k := kinds(r); len(k) != 1 || k[0] != c.kind || !replays(p, r, r.Violations[0]) {
			t.Errorf("%d times %s: %v, want %v", c.items, c.body, k, c.kind)
		}
		if _, all := haltedOnce(t, p, opt, 0, 0); all > 4 {
			if again, _ := haltedOnce(t, p, opt, all-2, 0); !sameResult(again, r) {
				t.Errorf("%d times %s, halted: %v %v, want %v %v", c.items, c.body, again.Verdict, again.Stats.work(), r.Verdict, r.Stats.work())
			}
		}
	}
}
