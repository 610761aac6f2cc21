package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
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

// TestScheduledRandom compares notes with the answers of the direct procedure: a program that ends however work-groups are scheduled has none, and one has that ends
// if they are scheduled fairly, and not otherwise.
func TestScheduledRandom(t *testing.T) {
	noted, not, open := 0, 0, 0
	for _, style := range reducedStyles {
		for seed := range seeds.All() {
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
