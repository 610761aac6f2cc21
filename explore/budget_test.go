package explore

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store/disk"
)

func TestPromisesTimeIsRead(t *testing.T) {
	threeHalves := int64(math.MaxInt64) // more than there are numbers, unless words have 32 bits
	if math.MaxInt == math.MaxInt32 {
		threeHalves = 3 * (math.MaxInt32 / 2)
	}
	for text, want := range map[string]PromisesTime{"unlimited": Unlimited, "10x": {Times: 10}, "1m30s": {For: 90 * time.Second}} {
		got, err := ParsePromisesTime(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q: %v %v, want %v", text, got, err, want)
		}
	}
	if s := (PromisesTime{}).String(); s != "10x" {
		t.Errorf("the zero value is %s", s)
	}
	for _, text := range []string{"", "x", "0x", "-1x", "0s", "-3s", "10", "ten x", "1.5x", "1000001x"} {
		if got, err := ParsePromisesTime(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	for _, c := range []struct {
		t     PromisesTime
		first int
		want  int64
	}{
		{PromisesTime{}, 1, 100}, {PromisesTime{}, 50, 500}, {PromisesTime{Times: 3}, 50, 150}, {Unlimited, 50, 0}, {PromisesTime{For: time.Second}, 50, 0},
		{PromisesTime{Times: 3}, math.MaxInt32 / 2, 3 * (math.MaxInt32 / 2)},
		{PromisesTime{Times: 3}, math.MaxInt / 2, threeHalves},
	} {
		if got := c.t.work(c.first, 100); got != c.want {
			t.Errorf("%v after %d: %d, want %d", c.t, c.first, got, c.want)
		}
	}
}

// hasty is the usual pace but for a search with promises, which has work for so many times as much as the first one only.
func hasty() *pace {
	p := usual()
	p.work = 1
	return &p
}

// TestPromisesTime has the search with promises have no more work than the one without, in which it comes to no end: it has more to do, as all executions without
// promises are some with them. What is known without them stays known. Where there is more to be had the same programs are decided, and how many work makes no difference.
func TestPromisesTime(t *testing.T) {
	for _, mode := range por.Modes() {
		for _, workers := range []int{1, 2} {
			once, p := PromisesTime{Times: 1}, ringOf(3, nil)
			r := Run(context.Background(), p, Options{POR: mode, Workers: workers, PromisesTime: once, pace: hasty()})
			if r.Verdict != Inconclusive || r.Undecided <= 0 || !r.Stats.FirstAll || !slices.Equal(r.Incomplete, []string{errUndecided.Error()}) || !r.Paused {
				t.Errorf("%v, %d workers: %v, undecided in %v, first: %v, %v", mode, workers, r.Verdict, r.Undecided, r.Stats.FirstAll, r.Incomplete)
			}
			found := map[string]bool{}
			for _, o := range r.Outcomes {
				found[OutcomeKey(o)] = true
			}
			for _, o := range Run(context.Background(), p, Options{POR: mode, Promises: NoPromises}).Outcomes {
				if !found[OutcomeKey(o)] {
					t.Errorf("%v, %d workers: %s, an outcome without load buffering, is lost", mode, workers, OutcomeKey(o))
				}
			}
			for _, enough := range []PromisesTime{{}, Unlimited, {For: time.Hour}} {
				if r := Run(context.Background(), p, Options{POR: mode, Workers: workers, PromisesTime: enough}); r.Verdict != Verified || r.Undecided != 0 || r.Promises == 0 {
					t.Errorf("%v, %d workers, %v: %v, undecided in %v", mode, workers, enough, r.Verdict, r.Undecided)
				}
			}
		}
	}
}

// What is measured is work, and not time: the same search ends in the same place.
func TestPromisesTimeIsWork(t *testing.T) {
	opt := Options{All: true, PromisesTime: PromisesTime{Times: 1}, pace: hasty()}
	r := Run(context.Background(), ringOf(4, nil), opt)
	if r.Undecided == 0 || r.Stats.States < 2 {
		t.Fatalf("%v, undecided in %v, %d states", r.Verdict, r.Undecided, r.Stats.States)
	}
	for range 5 {
		if again := Run(context.Background(), ringOf(4, nil), opt); again.Undecided == 0 || again.Stats.States != r.Stats.States || again.Stats.Steps != r.Stats.Steps {
			t.Errorf("%d states, %d steps, and %d, %d again", r.Stats.States, r.Stats.Steps, again.Stats.States, again.Stats.Steps)
		}
	}
}

// A time ends a search that would take much longer, in the middle of a visit.
func TestPromisesTimeIsOver(t *testing.T) {
	r := Run(context.Background(), ringOf(6, nil), Options{POR: por.None, PromisesTime: PromisesTime{For: 50 * time.Millisecond}})
	if r.Verdict != Inconclusive || r.Undecided < 50*time.Millisecond || r.Undecided > 30*time.Second {
		t.Errorf("%v, undecided in %v, %v", r.Verdict, r.Undecided, r.Incomplete)
	}
}

// What goes wrong without load buffering is found whatever time there is for it; and what goes wrong only with it is not called verified.
func TestPromisesTimeLosesNothing(t *testing.T) {
	for _, mode := range por.Modes() {
		for _, all := range []bool{false, true} {
			opt := Options{POR: mode, All: all, PromisesTime: PromisesTime{Times: 1}, pace: hasty()}
			if r := Run(context.Background(), bufferedRace(), opt); !r.Has(state.DataRace) || r.Violations[0].Untold {
				t.Errorf("%v, all %v: %v, %v", mode, all, r.Verdict, kinds(r))
			}
			if r := Run(context.Background(), bufferedOnly(), opt); r.Verdict == Verified {
				t.Errorf("%v, all %v: verified, though an execution with load buffering has a race", mode, all)
			}
			if r := Run(context.Background(), bufferedReach(), opt); r.Verdict != Inconclusive && r.Verdict != Verified {
				t.Errorf("%v, all %v: %v %v, of a point that is reached by load buffering alone", mode, all, r.Verdict, kinds(r))
			}
		}
	}
}

// A stored search goes on where its time was over, and has as much again.
func TestPromisesTimeStored(t *testing.T) {
	p, dir := ringOf(3, nil), filepath.Join(t.TempDir(), "store")
	want := Run(context.Background(), p, Options{All: true})
	d, err := disk.Create(dir, disk.Options{Mem: 1 << 20}, nil, nil)
	over := 0
	for range 1000 {
		if err != nil {
			t.Fatal(err)
		}
		r := Run(context.Background(), p, Options{All: true, Store: d, PromisesTime: PromisesTime{Times: 3}, pace: hasty()})
		d.Close()
		if r.Undecided == 0 {
			if d := differs(r, want, true); d != "" || over == 0 || r.Verdict != Verified || !r.Stats.FirstAll {
				t.Errorf("after %d times: %v, %s", over, r.Verdict, d)
			}
			return
		}
		if over++; !r.Paused || r.Stats.FirstWork == 0 {
			t.Fatalf("%+v", r)
		}
		d, err = disk.Open(dir, disk.Options{})
	}
	t.Errorf("no end after %d times", over)
}

// TestFirstIsTold sees that the first answer is told once, before there is another one, and only where another one is looked for.
func TestFirstIsTold(t *testing.T) {
	b := randprog.NewBuilder("no load buffering")
	b.Thread(memmodel.Place{}).Store(b.Atomic("x"), b.Thread(memmodel.Place{}).Int(1), rlx, dev)
	for name, c := range map[string]struct {
		p    *ir.Program
		opt  Options
		told []Verdict
	}{
		"verified":           {ringOf(3, nil), Options{}, []Verdict{Verified}},
		"several workers":    {ringOf(3, nil), Options{Workers: 2}, []Verdict{Verified}},
		"all":                {bufferedRace(), Options{All: true}, []Verdict{Violated}},
		"not reached":        {bufferedReach(), Options{}, []Verdict{Inconclusive}},
		"a violation":        {bufferedRace(), Options{}, nil},
		"no load buffering":  {b.Program(), Options{}, nil},
		"left out":           {ringOf(3, nil), Options{Promises: NoPromises}, nil},
		"itself not decided": {ringOf(3, nil), Options{MaxStates: 3}, nil},
	} {
		var told []Verdict
		done := false
		c.opt.First = func(r *Result) {
			if told = append(told, r.Verdict); done || r.Stats.States == 0 {
				t.Errorf("%s: told late, or with %d states", name, r.Stats.States)
			}
		}
		r := Run(context.Background(), c.p, c.opt)
		if done = true; !slices.Equal(told, c.told) {
			t.Errorf("%s: told %v, want %v; in the end %v", name, told, c.told, r.Verdict)
		}
	}
}
