package liveness_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// asked is a context that ends when it has been asked so often, and knows for how long, in CPU time, nobody has asked.
type asked struct {
	context.Context
	left    int // 0: for ever
	last    time.Duration
	longest time.Duration
	times   int
}

func (a *asked) Err() error {
	now, _ := cputime.Spent()
	a.longest, a.last = max(a.longest, now-a.last), now
	if a.times++; a.left > 0 && a.times >= a.left {
		return context.Canceled
	}
	return nil
}

func (a *asked) begin() { a.last, _ = cputime.Spent() }

// unhurried is a program with some thousand states.
func unhurried(t *testing.T) *ir.Program {
	return program(t, model("next, serving, x", `
	cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	my := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for acquire(&serving) != my {
	}
	release(&serving, my+1)`, 4))
}

func decide(ctx context.Context, p *ir.Program, opt liveness.Options) *liveness.Found {
	m := state.NewMachine(p, memmodel.Specs[0])
	m.Keep |= memmodel.KeepRounds
	por.Interleave(m)
	return liveness.Decide(ctx, m, liveness.Table(), opt)
}

// TestStopsSoon: each phase asks whether it may go on, at least ten times a second, and who may not says so.
func TestStopsSoon(t *testing.T) {
	p := unhurried(t)
	for _, opt := range []liveness.Options{{Direct: true}, {}, {Look: 1 << 20}} {
		whole := &asked{Context: t.Context()}
		whole.begin()
		want := decide(whole, p, opt)
		if whole.longest > 100*time.Millisecond {
			t.Errorf("%+v: for %v nobody has asked", opt, whole.longest)
		}
		if whole.times < 10 || want.States < 100 {
			t.Errorf("%+v: asked %d times, %d states", opt, whole.times, want.States)
		}
		for k := 1; k < whole.times; k += 1 + k/2 {
			a := &asked{Context: t.Context(), left: k}
			for i, got := range decide(a, p, opt).Answers {
				if got.Verdict == liveness.Unknown && len(got.Why) == 0 || got.Verdict != liveness.Unknown && got.Verdict != want.Answers[i].Verdict {
					t.Errorf("%+v, asked %d times: %v (%v) is %d, not %d: %q", opt, k, got.Levels, got.Fairness, got.Verdict, want.Answers[i].Verdict, got.Why)
				}
			}
		}
	}
}

// TestLimits: a bound on states or memory leaves answers open, and says so.
func TestLimits(t *testing.T) {
	p := unhurried(t)
	for _, opt := range []liveness.Options{{Direct: true, MaxStates: 50}, {MaxStates: 50}, {Direct: true, Mem: 1 << 17}, {Mem: 1 << 14, Look: 1 << 20}} {
		open := 0
		for _, a := range decide(t.Context(), p, opt).Answers {
			if a.Verdict != liveness.Unknown {
				continue
			}
			open++
			if why := strings.Join(a.Why, "; "); opt.MaxStates > 0 && !strings.Contains(why, "the bound of 50 states was met") || opt.Mem > 0 && !strings.Contains(why, "memory limit") {
				t.Errorf("%+v: %v is open: %s", opt, a.Levels, why)
			}
		}
		if open == 0 {
			t.Errorf("%+v: nothing is open", opt)
		}
	}
}

// TestOnce: with Options.Once the first graph that meets a bound is the last.
func TestOnce(t *testing.T) {
	p := unhurried(t)
	for _, once := range []bool{false, true} {
		found := liveness.Decide(t.Context(), state.NewMachine(p, memmodel.Specs[0]), []liveness.Question{{Levels: liveness.Whole(liveness.LOBE)}}, liveness.Options{MaxStates: 50, Once: once})
		if found.Answers[0].Verdict != liveness.Unknown || (found.States <= 50) != once {
			t.Errorf("%v: %d states, %d", once, found.States, found.Answers[0].Verdict)
		}
	}
}

// TestMemory: what a graph takes, and looking for what goes on for ever in it, is no more than its bound, but for a part.
func TestMemory(t *testing.T) {
	const bound = 4 << 20
	p := program(t, model("next, serving, x", `
	cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	my := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for acquire(&serving) != my {
	}
	release(&serving, my+1)`, 6))
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	m := state.NewMachine(p, memmodel.Specs[0])
	m.Keep |= memmodel.KeepRounds
	por.Interleave(m)
	before := heap()
	g := liveness.Build(t.Context(), m, liveness.Options{Starts: true, Mem: bound, Given: 2 * bound})
	if took := heap() - before; took > bound*5/4 || took < bound/4 {
		t.Errorf("a graph of at most %d bytes takes %d: %s", bound, took, g.Describe())
	}
	for _, f := range []liveness.Fairness{liveness.Weak, liveness.Strong} {
		var was, is runtime.MemStats
		runtime.ReadMemStats(&was)
		a := g.Check(t.Context(), liveness.Question{Levels: liveness.Whole(liveness.OBE), Fairness: f})
		runtime.ReadMemStats(&is)
		if took := is.TotalAlloc - was.TotalAlloc; f == liveness.Strong && took > bound/2 { // with weak fairness what is taken for each room is given back
			t.Errorf("%v: to look at %s takes %d bytes more", f, g.Describe(), took)
		}
		if a.Verdict != liveness.Unknown || !strings.Contains(strings.Join(a.Why, " "), "the memory limit of 8 MiB was met") {
			t.Errorf("%v: %v, %q", f, a.Verdict, a.Why)
		}
	}
}
