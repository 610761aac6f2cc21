package explore

import (
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/seedset"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// needlessDifference returns what promises change in a program in which they are
// found to make no difference, though the code alone does not tell. If the
// program is another one, told is false.
func needlessDifference(p *drawn) (difference string, told bool) {
	m := state.NewMachine(p.Program, p.spec)
	if !loadbuffering.May(m) || loadbuffering.Matters(m) {
		return "", false
	}
	opt := Options{POR: por.DPOR, MaxStates: 1000, Promises: manyPromises, needless: true}
	with := p.search(opt)
	opt.Promises = NoPromises
	without := p.search(opt)
	if !with.Complete || !without.Complete {
		return "", false
	}
	return disagreement(without.Result, with.Result), true
}

// needlessStyles are the styles in which the analysis finds something, for how many times
// as many programs as there are seeds.
var needlessStyles = map[randprog.Style]float64{randprog.LB: 3, randprog.Values: 3, randprog.Symmetric: 1, randprog.Guarded: 1, randprog.Carried: 1, randprog.Passed: 2, randprog.Tallies: 2, randprog.Rising: 3, randprog.Histogram: 2}

// TestPromisesNeedless tests that where the thread-modular analysis finds that promises
// make no difference they make none.
func TestPromisesNeedless(t *testing.T) {
	var all, special atomic.Int32
	eachStyle(t, append(chosen(), randprog.Loops, randprog.Cycles, randprog.Values, randprog.Symmetric, randprog.Guarded, randprog.Carried, randprog.Passed, randprog.Rising), func(t *testing.T, style randprog.Style) {
		some := seeds.Times(max(1, needlessStyles[style]))
		told := noneDiffers(t, style, some, needlessDifference)
		if _, ok := needlessStyles[style]; ok {
			if special.Add(int32(told)); told < some.N()/200 {
				t.Errorf("promises are found needless in %d of %d programs only", told, some.N())
			}
		}
		all.Add(int32(told))
	}, func() {
		if *styles == "" && (int(all.Load()) < seeds.N() || special.Load() == 0) {
			t.Errorf("promises are found needless in %d programs only, %d of them of the styles made for it", all.Load(), special.Load())
		}
	})
}

// noneDiffers sees that no program of a style has a difference, and returns how many were told of.
func noneDiffers(t *testing.T, style randprog.Style, some *seedset.Set, difference func(*drawn) (difference string, told bool)) (told int) {
	for seed := range some.All() {
		p := draw(style, seed)
		d, ok := difference(p)
		if ok {
			told++
		}
		if d != "" {
			small := shrunk(p.Program, func(q *ir.Program) bool { d, _ := difference(as(q, p.spec)); return d != "" })
			d, _ = difference(as(small, p.spec))
			t.Fatalf("seed %d, spec %s: shrunk: %s\n%s", seed, p.spec.Name, d, randprog.Format(small))
		}
	}
	t.Logf("%d of %d programs", told, some.N())
	return told
}

// sparedDifference returns what it changes in a program that some writes, though the code alone does not tell, need not be promised.
// If there are none, spared is false.
func sparedDifference(p *drawn) (difference string, spared bool) {
	m := state.NewMachine(p.Program, p.spec)
	where, matters := loadbuffering.Where(m)
	if anywhere, _ := loadbuffering.Anywhere(m); !matters || reflect.DeepEqual(where.Writes, anywhere.Writes) {
		return "", false
	}
	opt := Options{POR: por.DPOR, MaxStates: 4000, Promises: manyPromises}
	spare := p.search(opt)
	opt.needless = true
	all := p.search(opt)
	if !spare.Complete || !all.Complete {
		return "", false
	}
	return disagreement(all.Result, spare.Result), true
}

// TestPromisesSpared tests that additions that nobody needs to see early are never missed where other promises matter.
func TestPromisesSpared(t *testing.T) {
	some := seeds.Times(10)
	if spared := noneDiffers(t, randprog.Tallies, some, sparedDifference); spared < max(1, some.N()/100) {
		t.Errorf("there is something to spare in %d of %d programs only", spared, some.N())
	}
}

// cleared: each of two work-items of a group clears a cell of local memory without atomics, behind a barrier counts in the other's, and reads one flag and sets another one if it was not the first there, which it is. Behind another
// barrier it adds the counts to v. With early it does that in any case, so that it may be buffered (rule 7.8), and before it reads a cell of local memory that nobody has written.
func cleared(early bool) *ir.Program {
	b := randprog.NewBuilder("cleared")
	x, y, v, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("v"), b.Var(randprog.Var{Name: "z", Region: memmodel.Local, Uninit: true})
	var bins []*randprog.Var
	for _, name := range []string{"h", "k"} {
		bins = append(bins, b.Var(randprog.Var{Name: name, Region: memmodel.Local, Uninit: true}))
	}
	for i, to := range []*randprog.Var{x, y} {
		t := b.Thread(memmodel.Place{})
		t.Write(bins[i], t.Int(0))
		t.Barrier("B", memmodel.LocalFence, memmodel.ScopeWorkGroup)
		flags := func() {
			t.Load([]*randprog.Var{y, x}[i], rlx, dev)
			t.Store(to, t.Int(1), rlx, dev)
		}
		if early {
			t.Read(z)
			flags()
		}
		t.If(t.RMW(ir.Add, bins[1-i], t.Int(1), rlx, memmodel.ScopeWorkGroup), flags, nil)
		t.Barrier("C", memmodel.LocalFence, memmodel.ScopeWorkGroup)
		t.Blind(ir.Add, v, t.Read(bins[i]), rlx, dev)
	}
	return b.Program()
}

// TestClearedWithoutAtomics tests that memory which is cleared without atomics and counted in with them is followed: nothing leads back to a count, which is all that is
// read before something is written, so that promises make no difference. Who reads what nobody has written goes on, though, to what may be buffered.
func TestClearedWithoutAtomics(t *testing.T) {
	for early, want := range map[bool]bool{false: false, true: true} {
		m := state.NewMachine(cleared(early), memmodel.Specs[0])
		if got := loadbuffering.Matters(m); got != want {
			t.Errorf("early %v: promises matter: %v, want %v", early, got, want)
		}
		if !loadbuffering.May(m) {
			t.Errorf("early %v: the code alone tells that promises do not matter, so that nothing is tested", early)
		}
	}
}
