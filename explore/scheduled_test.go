package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/facts"
)

// Which programs are noted follows from the text: those whose work-groups wait for each other, or hinder each other for ever, and in which line.
var scheduledBy = map[string]struct {
	does        string
	items, size int
	want        string
}{
	"a flag":                    {`if is(0) { for load(&x) == 0 {} } else { store(&x, 1) }`, 2, 1, "9"},
	"of the same work-group":    {`if is(0) { for load(&x) == 0 {} } else { store(&x, 1) }`, 2, 2, ""},
	"of each work-group":        {`if cl.GetLocalID(0) == 0 { for load(&f[cl.GetGroupID(0)]) == 0 {} } else { store(&f[cl.GetGroupID(0)], 1) }`, 4, 2, ""},
	"a lock":                    {`for cl.AtomicExchangeExplicit(&x, 1, rlx, dev) != 0 {}; store(&x, 0)`, 2, 1, "15"},
	"a lock of each work-group": {`l := &f[cl.GetGroupID(0)]; for cl.AtomicExchangeExplicit(l, 1, rlx, dev) != 0 {}; store(l, 0)`, 4, 2, ""},
	"two rounds of exchanges":   {`if is(0) { for cl.AtomicExchange(&x, 1) == 0 {} } else { for cl.AtomicExchange(&x, 0) == 1 {} }`, 2, 1, "15"},
	"two rounds of exchanges in one work-group": {`if is(0) { for cl.AtomicExchange(&x, 1) == 0 {} } else { for cl.AtomicExchange(&x, 0) == 1 {} }`, 2, 2, ""},
	"after you":                              {"if is(0) { cl.AtomicStore(&x, 1)\nfor cl.AtomicLoad(&y) == 1 { cl.AtomicStore(&x, 0); cl.AtomicStore(&x, 1) }\ncl.AtomicStore(&x, 0) } else { cl.AtomicStore(&y, 1)\nfor cl.AtomicLoad(&x) == 1 { cl.AtomicStore(&y, 0); cl.AtomicStore(&y, 1) }\ncl.AtomicStore(&y, 0) }", 2, 1, "16"},
	"a round that stores what is there":      {"if is(0) { for { store(&y, 1)\nif load(&x) == 1 { break } } } else { store(&x, 1) }", 2, 1, "9"},
	"two places":                             {"if is(0) { for load(&x) == 0 {} \n for load(&y) == 0 {} } else { store(&x, 1); store(&y, 1) }", 2, 1, "9 9"},
	"a compare-exchange that is tried again": {`old := load(&x); for !cl.AtomicCompareExchangeWeakExplicit(&x, &old, old+1, rlx, rlx, dev) {}`, 3, 1, ""},
	"a bounded wait":                         {`if is(0) { for i := 0; i < 3 && load(&x) == 0; i++ {} } else { store(&x, 1) }`, 2, 1, ""},
	"the last one":                           {`if add(&x) == 2 { store(&y, 1) }`, 3, 1, ""},
	"what has come before":                   {`store(&f[cl.GetGroupID(0)], 1); for load(&f[cl.GetGroupID(0)]) == 0 {}`, 2, 1, ""},
	"which one of each work-group ends":      {`if is(3) { for load(&x) == 0 {} } else if is(0) || is(2) { store(&x, 1) }`, 4, 2, ""},
	"exchanges in one work-group of two":     {`if is(0) { for cl.AtomicExchange(&x, 1) == 0 {} } else if is(1) { for cl.AtomicExchange(&x, 0) == 1 {} }`, 4, 2, ""},
	"a barrier":                              {`store(&f[cl.GetGlobalID(0)], 1); cl.WorkGroupBarrier(cl.CLKGlobalMemFence); for load(&f[cl.GetGlobalID(0)^1]) == 0 {}`, 4, 2, ""},
}

// TestScheduled notes programs by hand, with every reduction.
func TestScheduled(t *testing.T) {
	head := strings.Replace(awaitsHead, "var x, y cl.AtomicInt", "var x, y cl.AtomicInt; var f [4]cl.AtomicInt", 1)
	for name, c := range scheduledBy {
		p, err := load.Source("awaits.go", fmt.Appendf(nil, head, c.does, c.items, c.size), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, mode := range por.Modes() {
			if mode == por.None {
				continue // in which after you is too large
			}
			r := Run(context.Background(), p, Options{POR: mode})
			var got []string
			for _, pos := range r.Between {
				got = append(got, fmt.Sprint(pos.Line))
			}
			if s := strings.Join(got, " "); s != c.want || r.Verdict != Verified {
				t.Errorf("%s, %s: %v, %q, want %q", name, mode, r.Verdict, s, c.want)
			}
		}
		if r := Run(context.Background(), p, Options{Liveness: AboutAll(liveness.Weak)}); len(r.Between) > 0 {
			t.Errorf("%s: it is noted though it is asked", name)
		}
	}
}

// TestWaitsGoOn asks of the executions that show waits for other work-groups whether they go on so for ever. Where the own work-group would end a wait, they do not.
func TestWaitsGoOn(t *testing.T) {
	head := strings.Replace(awaitsHead, "var x, y cl.AtomicInt", "var x, y cl.AtomicInt; var f [4]cl.AtomicInt", 1)
	for name, want := range map[string]bool{"a flag": true, "a lock": true, "two places": true, "a barrier": false, "which one of each work-group ends": false} {
		c := scheduledBy[name]
		p, err := load.Source("awaits.go", fmt.Appendf(nil, head, c.does, c.items, c.size), load.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := newSearch(context.Background(), facts.Of(p, memmodel.Specs[0]), Options{Spec: memmodel.Specs[0], POR: por.DPOR, Promises: NoPromises})
		s.prepare()
		a := s.waitsOf()
		a.performAll()
		l := s.liver(context.Background())
		if got := slices.ContainsFunc(a.shown, l.goesOnUnfairly); got != want {
			t.Errorf("%s: one of %d waits goes on for ever: %v, want %v", name, len(a.shown), got, want)
		}
		l.close()
		s.close()
	}
}

// TestScheduledRandom compares notes with the answers of the direct procedure: a program that ends however work-groups are scheduled has none, and one has that ends
// if they are scheduled fairly, and not otherwise.
func TestScheduledRandom(t *testing.T) {
	noted, not, open := 0, 0, 0
	for _, style := range reducedStyles {
		for seed := range seeds.Times(1. / 2).All() {
			p := style.Program(uint64(seed))
			m := liveMachine(p, 0, 0)
			m.Effort.Count(reducedEffort)
			all := liveness.Decide(context.Background(), m, []liveness.Question{{Levels: liveness.Whole(liveness.Unfair)}, {Levels: liveness.Whole(liveness.Fair)}},
				liveness.Options{Direct: true, MaxStates: reducedStates}).Answers
			if all[0].Verdict == liveness.Unknown || all[1].Verdict == liveness.Unknown {
				continue
			}
			r := Run(context.Background(), p, Options{Promises: -1, MaxStates: liveStates})
			if r.Verdict != Verified {
				continue
			}
			depends := all[0].Verdict == liveness.Runs
			switch {
			case depends && all[1].Verdict == liveness.Runs:
				open++
			case depends != (len(r.Between) > 0):
				t.Errorf("%s, seed %d: its end hangs on the scheduler: %v, noted at %v\n%s", style, seed, depends, r.Between, randprog.Format(p))
			case depends:
				noted++
			default:
				not++
			}
		}
	}
	t.Logf("%d programs noted, %d not, %d that fair scheduling does not end", noted, not, open)
	if noted < not/20 || noted == 0 {
		t.Errorf("%d programs noted, and %d not", noted, not)
	}
}

// TestLivenessOfEach asks for all violations: each work-item that may go round for ever, and place where it does, is told once. Work-groups 0 and 2 wait for 1 and 3, which need not
// start under obe; work-group 0 in two places, one after the other; and 3 writes only what nobody waits for long.
func TestLivenessOfEach(t *testing.T) {
	const does = `if is(0) {
	for cl.AtomicLoadExplicit(&x, rlx, dev) == 0 {
	}
	for cl.AtomicLoadExplicit(&x, rlx, dev) == 1 {
	}
	} else if is(1) {
	cl.AtomicStoreExplicit(&x, 1, rlx, dev)
	cl.AtomicStoreExplicit(&x, 2, rlx, dev)
	} else if is(2) {
	for cl.AtomicLoadExplicit(&y, rlx, dev) == 0 {
	}
	} else {
	cl.AtomicStoreExplicit(&y, 1, rlx, dev)
	}`
	p, err := load.Source("each.go", fmt.Appendf(nil, awaitsHead, does, 4, 1), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]string{
		"obe": "k(0) 16 k(2) 24", "fair": "",
		"unfair": "k(0) 16 k(0) 18 k(2) 24", // the writer may stop between its stores
	} {
		ask, err := ParseLiveness(model, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, direct := range []bool{false, true} {
			ask.Direct = direct
			r := Run(context.Background(), p, Options{Liveness: ask, All: true})
			var got []string
			for _, v := range r.Violations {
				got = append(got, v.UnitName+" "+strings.Split(v.Line, ":")[1])
				if err := VerifyLasso(p, r.Spec, v.Schedule, v.Lasso); err != nil {
					t.Errorf("%s, direct %v, %s: %v", model, direct, v.UnitName, err)
				}
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != want {
				t.Errorf("%s, direct %v: %q, want %q", model, direct, s, want)
			}
			ask := *ask
			if r := Run(context.Background(), p, Options{Liveness: &ask}); len(r.Violations) != min(len(want), 1) {
				t.Errorf("%s: without all there are %d violations", model, len(r.Violations))
			}
		}
	}
}
