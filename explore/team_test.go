package explore

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/daily"
	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Several workers find what one finds, with each reduction.
func TestWorkersAgree(t *testing.T) {
	var compared, all atomic.Int32
	agree := func(t *testing.T, p *drawn, mode por.Mode) {
		all.Add(1)
		one := p.search(Options{POR: mode, MaxStates: 20_000, Promises: manyPromises})
		if !one.Complete {
			return
		}
		compared.Add(1)
		for _, n := range []int{2, 3} {
			if d := disagreement(explored(p.Program, Options{Spec: p.spec, POR: mode, Workers: n, Promises: manyPromises}), one.Result); d != "" {
				t.Errorf("%s, spec %s: %s, %d workers: %s\n%s", p.Name, p.spec.Name, mode, n, d, randprog.Format(p.Program))
			}
		}
	}
	for i, p := range append(traps(), ignoring(), ignoringPair(), racingWait()) {
		agree(t, as(p, memmodel.Specs[0]), por.Modes()[i%len(por.Modes())])
	}
	eachStyle(t, append(chosen(), randprog.Loops, randprog.Cycles, randprog.Symmetric, randprog.Crowds, randprog.SCLocks), func(t *testing.T, style randprog.Style) {
		for seed := range seeds.All() {
			agree(t, draw(style, seed), por.Modes()[seed%len(por.Modes())])
		}
	}, func() {
		n, of := compared.Load(), all.Load()
		if t.Logf("%d of %d programs compared", n, of); n*4 < 3*of {
			t.Errorf("only %d of %d programs compared", n, of)
		}
	})
}

// Of several workers that are interrupted, one may learn of it from another: what they have
// found is not taken for all there is.
func TestInterruptedWorkers(t *testing.T) {
	t.Parallel()
	programs := traps()
	for _, style := range []randprog.Style{randprog.Glob, randprog.CAS, randprog.Loops, randprog.Symmetric, randprog.Crowds} {
		for seed := range seeds.Times(1. / 10).All() {
			programs = append(programs, style.Program(uint64(seed)))
		}
	}
	paused, compared := 0, 0
	for i, p := range programs {
		opt := Options{POR: por.Modes()[i%len(por.Modes())], All: true, MaxStates: 20_000, pace: looking(time.Microsecond)}
		one := Run(context.Background(), p, opt)
		if !one.Complete {
			continue
		}
		opt.pace = inTurns()
		for left := 1; left < 40; left += 1 + left/4 {
			ctx, cancel := context.WithCancel(context.Background())
			visits := 0
			opt.Workers, opt.Progress = 2+i%2, func(Stats) {
				if visits++; visits == left {
					cancel()
					time.Sleep(time.Millisecond) // the others learn of it first
				}
			}
			r := Run(ctx, p, opt)
			cancel()
			if !r.Complete {
				paused++
				continue
			}
			compared++
			if d := disagreement(r, one); d != "" {
				t.Fatalf("%s: %s, %d workers, interrupted after %d visits: %s\n%s", p.Name, opt.POR, opt.Workers, left, d, randprog.Format(p))
			}
		}
	}
	t.Logf("%d searches of %d programs were interrupted, %d came to their end", paused, len(programs), compared)
	if paused < len(programs) || compared < len(programs) {
		t.Errorf("%d searches of %d programs were interrupted, %d came to their end", paused, len(programs), compared)
	}
}

// Several workers, of whom the first has a store, find what one finds, however often they are stopped.
func TestResumeWorkers(t *testing.T) {
	t.Parallel()
	programs := append(traps(), ignoring())
	for _, style := range []randprog.Style{randprog.Loops, randprog.Cycles, randprog.Symmetric, randprog.Crowds, randprog.SCLocks} {
		for seed := range seeds.Times(1. / 20).All() {
			programs = append(programs, style.Program(uint64(seed)))
		}
	}
	compared, total := 0, 0
	for i, p := range programs {
		opt := Options{POR: por.Modes()[i%len(por.Modes())], All: true, KeepSchedule: true, MaxStates: 20_000}
		one := Run(context.Background(), p, opt)
		if !one.Complete {
			continue
		}
		compared++
		opt.Workers = 2 + i%2
		seed := daily.Seed() + uint64(i)
		r, runs := interrupted(t, p, opt, 1<<14, rand.New(rand.NewPCG(seed, 0)))
		total += runs
		if d := disagreement(r, one); d != "" {
			t.Errorf("%s: %s, seed %d, %d workers, %d runs: %s\n%s", p.Name, opt.POR, seed, opt.Workers, runs, d, randprog.Format(p))
		}
	}
	if t.Logf("%d programs compared, %d runs", compared, total); 4*total < 5*compared {
		t.Errorf("%d runs for %d programs", total, compared)
	}
}

// A search of infinitely many states ends with several workers too. It says that it is not complete or, as one of the units goes round for ever, that
// there is no way out.
func TestWorkersStormEnds(t *testing.T) {
	for _, p := range []*ir.Program{storm(), flood()} {
		r := explored(p, Options{Workers: 4, MaxStates: 2000})
		if r.Verdict != Inconclusive && !slices.Equal(kinds(r), []state.Kind{state.NoWayOut}) {
			t.Errorf("%s: %v, %v", p.Name, r.Verdict, kinds(r))
		}
	}
}

// TestWorkerMutants breaks what workers rely on and sees their tests fail: those that take seconds or, if they do not, the simulation of
// many programs. Beside each other the simulation would take all the time that there is, and a mutant that it cannot see would pass for caught.
func TestWorkerMutants(t *testing.T) {
	mutant.Try(t, workerMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		out, survived := m.Survives(t, "-run", "^(TestWatch|TestPatientWatch|TestLostInTheEnd|TestNobodyToldTheEnd|TestEndAhead|TestNoTurnsAheadInLoops|TestLostBatch|TestStoppedWorker|TestInterruptedWorkers|TestFactsSurvive|TestLearn|TestTable|TestUnfit|TestAnothersName|TestLeaveDone|TestLeaveNothing)$", "-seeds", "40", ".")
		if survived {
			out, survived = m.Survives(t, "-run", "^TestSimulatedWorkers$", "-seeds", "600", ".")
		}
		return out, survived
	})
}

var workerMutants = mutant.List([][5]string{
	{"what was found is published before the facts that rest on it", "explore/workerprotocol.go",
		"	s.sayFound()\n", "	if x.over {\n		s.sayFound()\n	}\n"},
	{"what was found is published until it is in the log", "explore/workerprotocol.go",
		"		if !x.things[i].inLog {\n", "		if x.things[i].tried == 0 {\n"},
	{"what an unfit worker says later is left out", "explore/unfit.go",
		"	if x.unfit[who] {\n", "	if false {\n"},
	{"what is unfit is left out, and not the job", "explore/unfit.go",
		"	x.unfit[who] = true\n	return nil\n", "	x.unfit[who] = true\n	return err\n"},
	{"a batch is taken in its author's name only", "explore/workerprotocol.go",
		"	if b.Worker != author {\n", "	if false {\n"},
	{"what comes back is what this worker has published", "explore/workerprotocol.go",
		" && x.author(data) == x.self.ID {", " {"},
	{"garbage without end is no job", "explore/unfit.go",
		"x.unknown > maxUnfit {", "false {"},
	{"facts wait until all that was found has room beside them", "explore/workerprotocol.go",
		"	if all {\n", "	if all || true {\n"},
	{"texts of summaries are published until they are in the log", "explore/workerprotocol.go",
		"!x.texts[number].inLog {", "!x.texts[number].named {"},
	{"who learns of an interrupt from another is interrupted", "explore/team.go",
		"		if s.paused == \"\" && !s.finished() {", "		if s.paused == \"\" && !s.stopped && !w.stopped && !s.finished() {"},
	{"a gap in the log ends a worker's part", "explore/workerprotocol.go",
		"			s.fail(unreadable, err)\n		}\n		if data == nil {\n", "			return\n		}\n		if data == nil {\n"},
	{"a gap in the log ends also what a worker has to say in the end", "explore/workerprotocol.go",
		"			s.fail(unreadable, err)\n		}\n		if data == nil ||", "			return\n		}\n		if data == nil ||"},
	{"the others know of the end when the log has it", "explore/workerprotocol.go",
		"x.told = x.told || b.over", "x.told = true"},
	{"who watches is patient", "explore/explore.go",
		"s.exchange.link.Wait()", "s.exchange.link.WaitBack()"},
	{"who was stopped does not say that the job is over", "explore/workerprotocol.go",
		"	x.over = s.atEnd()\n", "	x.over = s.paused == \"\"\n"},
	{"the others' outcomes count", "explore/found.go",
		"			s.addOutcome(o)\n", "			_ = o\n"},
	{"the others' violations count", "explore/found.go",
		"		s.addViolation(&f.Violations[i])\n", "		_ = i\n"},
	{"the others' reasons count", "explore/found.go",
		"		s.lacks(why)\n", "		_ = why\n"},
	{"points that the others have reached are reached", "explore/found.go",
		"		s.m.Notes().Learn(*f.Learnt)\n", ""},
	{"code that the others have executed is executed", "state/learnt.go",
		" + int(m.covered.places.Load())", ""},
	{"bounds on promises that the others have met are met", "explore/found.go",
		"	s.checkPromises()\n", ""},
	{"executions of the others come to an end", "explore/found.go",
		"	s.ended = s.ended || f.Ended\n", ""},
	{"open states are not published", "explore/dpor.go",
		"	if closed {\n		s.tellDone(own, note, steps)\n	} else {\n", "	s.tellDone(own, s.noteOf(&d.effects)|f.fate.note(), steps)\n	if !closed {\n"},
	{"states that are left are not explored", "explore/leave.go",
		"\t\ts.unexplored(sccMember{f.fp, f.dpor.entry})\n", "\t\t_ = f\n"},
	{"nor are those that lead back to them", "explore/leave.go",
		"		s.unexplored(m)\n", "		_ = m\n"},
	{"a state is left that is done with as few sleepers", "explore/leave.go",
		"isDone(e) && por.Set(e.Sleep).Within(f.dpor.entry)", "isDone(e)"},
	{"a fact tells whether something ends", "explore/workerprotocol.go",
		"&termination{out: f.Ends, round: f.Round}", "&termination{round: f.Round}"},
	{"a fact tells what leads back", "explore/workerprotocol.go",
		"&termination{out: f.Ends, round: f.Round}", "&termination{out: f.Ends}"},
	{"no turns are taken ahead in loops", "explore/ahead.go",
		"	if s.m.Loops && !s.pace.aheadInLoops {\n", "	if false {\n"},
	{"what a turn taken ahead writes stays with the state", "explore/ahead.go",
		"	d.effects.Merge(&d.Below)\n", ""},
	{"what was found is in the log before a fact is in the table", "explore/table.go",
		"	s.publish()\n", ""},
	{"a fact of the table is used if it has no other sleepers", "explore/table.go",
		"	if !known || !por.Set(f.Sleep).Within(sleep) {\n", "	if !known {\n"},
	{"what was found below facts that are saved is saved", "explore/table.go",
		"	s.hear()\n	if len(b.Facts) == 0 {\n", "	if len(b.Facts) == 0 {\n"},
	{"a fact with more sleepers does not replace one with fewer", "explore/share/table.go",
		"bits.OnesCount64(f.Sleep) >= bits.OnesCount64(e.Sleep)", "bits.OnesCount64(f.Sleep) == bits.OnesCount64(e.Sleep)"},
	{"a fact does not replace an open state with fewer sleepers", "explore/visited.go",
		"m.sleep.Len() > was ||", "m.sleep.Len() > was && isDone(e) ||"},
	{"a state that is done is not opened", "explore/visited.go",
		" || isDone(e) && note&open != 0 {", " {"},
})
