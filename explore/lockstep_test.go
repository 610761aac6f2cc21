package explore

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
	"github.com/clmc/clmc/store"
)

// The workers of a job, in one goroutine and in lockstep: each is given its turn for a number of
// visits, and what they publish takes its time, gets lost or comes twice, as a seed has it.
// Time is counted in steps.

// weather says what happens to the workers and to what they publish.
type weather struct {
	seed    uint64
	workers int
	turn    int     // steps of a worker before it is the next one's turn
	delay   int     // steps of one worker until the log has a batch, and until it is acknowledged, at the most
	flight  int     // batches that a link takes before one is acknowledged
	refused float64 // part of the batches that do not get to the log
	twice   float64 // of those that get there, come twice
	killed  int     // workers that are killed, each of which another one follows
	random  bool    // the delays, and who has his turn when and for how long
	bold    bool    // turns are taken ahead whether or not they are likely to be needed
	least   int     // pace.least, 0 for as it is
	part    int     // pace.part, and pace.found is four times that; 0 for as they are
	table   bool    // they are workers of one process: they have a table of facts, and nothing is late or lost
}

// simulated is a log and its workers.
type simulated struct {
	weather
	rng     *rand.Rand
	now     int // steps that each worker has had the time for
	log     [][]byte
	links   []*simLink
	members uint64
	local   *share.Local // of workers of one process, with their table
	facts   *share.Table
}

// simLink is the link of one worker.
type simLink struct {
	sim    *simulated
	self   share.Member
	read   int
	flight []flying
	acked  []uint64
	waited int // times
}

// flying is a batch on its way to the log, and its acknowledgement on the way back.
type flying struct {
	number uint64
	data   []byte // nil if it is there
	due    int
	lost   bool
}

func (l *simLink) Self() share.Member { return l.self }
func (l *simLink) Ready() bool        { return len(l.flight) < l.sim.flight }
func (l *simLink) Wait() bool         { return l.sim.deliver(l) }
func (l *simLink) WaitBack() bool     { return l.sim.deliver(l) }

func (l *simLink) Publish(number uint64, batch []byte) {
	l.flight = append(l.flight, flying{number, batch, l.sim.later(), l.sim.rng.Float64() < l.sim.refused})
}

func (l *simLink) Acknowledged() uint64 {
	if len(l.acked) == 0 {
		return 0
	}
	n := l.acked[0]
	l.acked = l.acked[1:]
	return n
}

func (l *simLink) Next() ([]byte, error) {
	if l.read == len(l.sim.log) {
		return nil, nil
	}
	l.read++
	return l.sim.log[l.read-1], nil
}

// later is when something that begins now will be over.
func (m *simulated) later() int {
	if m.random && m.delay > 0 {
		return m.now + m.rng.IntN(m.delay)
	}
	return m.now + m.delay
}

// pass lets time pass: batches get to the log, and acknowledgements to who waits for them.
func (m *simulated) pass() {
	for _, l := range m.links {
		rest := l.flight[:0]
		for _, f := range l.flight {
			switch {
			case f.due > m.now:
			case f.lost:
				continue
			case f.data != nil:
				m.log = append(m.log, f.data)
				if m.rng.Float64() < m.twice {
					m.log = append(m.log, f.data)
				}
				f.data, f.due = nil, m.later()
			default:
				l.acked = append(l.acked, f.number)
				continue
			}
			rest = append(rest, f)
		}
		l.flight = rest
	}
}

// deliver lets time pass until the worker has something to hear. In the end that never comes, if all
// of what it says is refused.
func (m *simulated) deliver(l *simLink) bool {
	if l.waited++; l.waited > 1000 {
		return false
	}
	for range 100 {
		if len(l.acked) > 0 || l.read < len(m.log) || len(l.flight) == 0 {
			return true
		}
		m.now += 1 + m.delay/4
		m.pass()
	}
	return false
}

// ready returns a search that is about to begin, of a program that can be analysed.
func ready(ctx context.Context, p *ir.Program, opt Options) *search {
	s, _ := begin(ctx, p, opt)
	return s
}

// join returns a new worker.
func (m *simulated) join(p *ir.Program, opt Options, order int) *search {
	m.members++
	if m.table {
		return m.joinProcess(p, opt, order)
	}
	l := &simLink{sim: m, self: share.Member{ID: m.members, Order: order}}
	m.links = append(m.links, l)
	opt.Links = []share.Link{l}
	return ready(context.Background(), p, opt)
}

// joinProcess returns a new worker of one process.
func (m *simulated) joinProcess(p *ir.Program, opt Options, order int) *search {
	if m.local == nil {
		m.local, m.facts = share.NewLocal(), share.NewTable(true)
	}
	opt.Links = []share.Link{m.local.Link(int(m.members))}
	s := ready(context.Background(), p, opt)
	s.order, s.exchange.table = order, &tabled{Table: m.facts}
	return s
}

// kill ends a worker, who says nothing more. What it has on the way gets there, or does not.
func (m *simulated) kill(s *search) {
	l := s.exchange.link.(*simLink)
	for i := range l.flight {
		l.flight[i].lost = l.flight[i].lost || m.rng.IntN(2) == 0
	}
	s.close()
}

// goOn has a worker search until it has performed so many steps more. It reports whether that
// is the end of its search.
func (s *search) goOn(steps int) bool {
	if !s.begun && s.heardAll() {
		return true
	}
	s.effort = s.stats.Steps + steps
	s.run()
	return s.stopped || s.finished()
}

// tellsOfOpen reports whether the search is about to tell that a state is done which it has open.
func (s *search) tellsOfOpen() bool {
	return slices.ContainsFunc(s.exchange.facts, func(f summaryRecord) bool {
		e, _ := s.visited.lookup(f.fp)
		return por.Set(e.Sleep) == f.sleep && !isDone(e)
	})
}

// end has a worker say what there is left to say, and makes its result.
func (s *search) end() *Result {
	s.sayLast()
	s.wrapUp()
	s.close()
	leftInAll.Add(int64(s.exchange.left))
	return s.result
}

// leftInAll counts the states on paths that were left in the lockstep of this process, as others were done with them.
var leftInAll atomic.Int64

// lockstep runs a job and returns what each worker says of it that came to the end, what those
// said who left, and the steps of all.
func lockstep(p *ir.Program, opt Options, w weather) (results, left []*Result, steps int) {
	at := usual()
	at.oftenEnough = int32(*often)
	if w.bold {
		at.oftenEnough, at.knownEnough, at.aheadInLoops = 0, 0, true
	}
	if w.least > 0 {
		at.least = w.least
	}
	if w.part > 0 {
		at.part, at.found = w.part, 4*w.part
	}
	opt.pace = &at
	m := &simulated{weather: w, rng: rand.New(rand.NewPCG(w.seed, 0))}
	team := make([]*search, w.workers)
	for i := range team {
		team[i] = m.join(p, opt, i)
	}
	for len(team) > 0 {
		i, effort := 0, w.turn
		if w.random {
			i, effort = m.rng.IntN(len(team)), 1+m.rng.IntN(w.turn)
		}
		s := team[i]
		team = append(team[:i], team[i+1:]...)
		before := s.stats.Steps
		over := s.goOn(effort)
		steps += s.stats.Steps - before
		if s.tellsOfOpen() {
			panic("a state is told of that is open")
		}
		switch fate := m.rng.IntN(20); {
		case over:
			results = append(results, s.end())
		case m.killed > 0 && fate < 2:
			m.killed--
			if fate == 0 && !m.table {
				m.kill(s)
			} else {
				s.pause("interrupted")
				left = append(left, s.end())
			}
			team = append(team, m.join(p, opt, m.rng.IntN(10)))
		default:
			team = append(team, s)
		}
		m.now += max(1, effort/(len(team)+1))
		m.pass()
	}
	return results, left, steps
}

// A job ends as a search alone does, whatever becomes of its workers and of what they tell
// each other: each worker that comes to the end says so.
func TestSimulatedWorkers(t *testing.T) {
	t.Parallel()
	programs := append(traps(), ignoring(), ignoringPair(), racingWait())
	some := seeds.Times(simulatedPart)
	for _, style := range append(chosen(), randprog.Loops, randprog.Cycles, randprog.Symmetric, randprog.Crowds, randprog.SCLocks) {
		for seed := range some.All() {
			programs = append(programs, style.Program(uint64(seed)))
		}
	}
	for seed := range some.Times(4).All() {
		programs = append(programs, reaching(uint64(seed)))
	}
	compared, said, killed, applied := 0, 0, 0, 0
	for i, p := range programs {
		p = lined(p)
		opt := Options{POR: por.Modes()[2-i%5/3-i%10/9], All: i%4 != 3, MaxStates: 20_000, KeepSchedule: true}
		if i%3 == 0 {
			opt.Promises = 1 // a bound that is met
		}
		one := Run(context.Background(), p, opt)
		if one.Paused {
			continue
		}
		compared++
		w := weatherOf(uint64(i))
		results, left, _ := lockstep(p, opt, w)
		killed += len(left)
		for _, r := range results {
			said++
			applied += r.Stats.Shared.Applied
			if d := differs(r, one, opt.All); d != "" {
				t.Errorf("%s: %v, %+v: %s\n%s", p.Name, opt.POR, w, d, randprog.Format(p))
				break
			}
		}
		for _, r := range left {
			if r.Verdict == Verified {
				t.Errorf("%s: %v, %+v: verified by one that has left\n%s", p.Name, opt.POR, w, randprog.Format(p))
			}
		}
	}
	t.Logf("%d of %d programs compared, %d workers came to the end, %d left, %d facts applied, %d states left", compared, len(programs), said, killed, applied, leftInAll.Load())
	if leftInAll.Load() < int64(compared)/4 {
		t.Errorf("only %d states were left as others were done with them", leftInAll.Load())
	}
	if compared*4 < 3*len(programs) {
		t.Errorf("only %d of %d programs compared", compared, len(programs))
	}
	if applied < 10*compared {
		t.Errorf("only %d facts applied", applied)
	}
}

// weatherOf returns what happens to the workers of a job.
func weatherOf(seed uint64) weather {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := weather{
		seed: seed, workers: 2 + rng.IntN(4), turn: 1 << rng.IntN(10), delay: rng.IntN(1 << rng.IntN(11)), flight: 1 + rng.IntN(4),
		killed: rng.IntN(4), random: rng.IntN(4) > 0,
		bold: rng.IntN(3) > 0, least: 1 << rng.IntN(5), part: 40 << rng.IntN(8),
	}
	if rng.IntN(2) == 0 {
		w.refused, w.twice = rng.Float64()/2, rng.Float64()/2
	}
	w.table = rng.IntN(4) == 0
	return w
}

// differs says what a worker found that a search alone did not, or the other way round.
func differs(r, one *Result, all bool) string {
	switch {
	case r.Err != nil:
		return r.Err.Error()
	case r.Verdict != one.Verdict:
		return fmt.Sprintf("%v, alone %v: %v", r.Verdict, one.Verdict, r.Incomplete)
	case !all && len(one.Violations) > 0: // which was found first depends on the order
		return ""
	case !slices.Equal(inOrder(r.Incomplete), inOrder(one.Incomplete)):
		return fmt.Sprintf("incomplete: %v, alone: %v", r.Incomplete, one.Incomplete)
	case one.Verdict == Verified && one.Stats.Blocked == 0 && !slices.Equal(r.Unexecuted, one.Unexecuted): // see TestCoverage
		return fmt.Sprintf("never executed: %v, alone: %v", r.Unexecuted, one.Unexecuted)
	case one.Complete:
		return disagreement(r, one)
	}
	return ""
}

func inOrder(list []string) []string { return slices.Sorted(slices.Values(list)) }

// reaching draws a program some of whose executions are discarded, and which asks whether points of
// it are reached.
func reaching(seed uint64) *ir.Program {
	rng := rand.New(rand.NewPCG(seed, 3))
	b := randprog.NewBuilder(fmt.Sprintf("reaching-%d", seed))
	vars := []*randprog.Var{b.Atomic("x"), b.Atomic("y")}
	for i := range 2 + rng.IntN(2) {
		th := b.Thread(place(i))
		for j := range 2 + rng.IntN(2) {
			v := vars[rng.IntN(2)]
			if rng.IntN(3) == 0 {
				th.Store(v, th.Int(int64(1+rng.IntN(3))), rlx, dev)
				continue
			}
			r := th.RMW(ir.Add, v, th.Int(1), rlx, dev)
			is := th.Bin(ir.Eq, r, th.Int(int64(rng.IntN(4))))
			switch rng.IntN(4) {
			case 0:
				th.Assume(is)
			default:
				th.If(is, func() { th.Reach(fmt.Sprintf("%d.%d", i, j)) }, nil)
			}
		}
	}
	return b.Program()
}

// simulatedPart is how many of the random programs are given to simulated workers: some 300, or
// 10,000 of 2,000 a style.
const simulatedPart = 1. / 9

var inflation = flag.String("inflation", "", "families of models/bench, such as lastzero:n=16, of which to print the steps of all workers over those of one")

// TestInflation prints how much work workers do twice.
func TestInflation(t *testing.T) {
	if *inflation == "" {
		t.Skip("no -inflation")
	}
	for family := range strings.SplitSeq(*inflation, ",") {
		name, sizes, _ := strings.Cut(family, ":")
		defines := map[string]string{}
		for _, size := range strings.Fields(sizes) {
			key, value, _ := strings.Cut(size, "=")
			defines[key] = value
		}
		p := must(load.File(filepath.Join("../models/bench", name), load.Options{Defines: defines}))
		opt := Options{NoSymmetry: strings.HasSuffix(name, "lock"), KeepSchedule: true}
		one := Run(context.Background(), p, opt)
		for _, w := range []weather{{delay: 0, least: *least}, {delay: 2000, least: 64}} {
			line := fmt.Sprintf("%s, %d steps, delay %d:", family, one.Stats.Steps, w.delay)
			for _, w.workers = range []int{2, 4, 8, 16} {
				w.turn, w.flight = min(max(w.delay, 100), 200), 4
				results, _, steps := lockstep(p, opt, w)
				if results[0].Verdict != one.Verdict {
					t.Errorf("%s: %v", family, results[0].Verdict)
				}
				line += fmt.Sprintf(" %d: %.2f", w.workers, float64(steps)/float64(one.Stats.Steps))
			}
			t.Log(line)
		}
	}
}

var often = flag.Int("often", int(usual().oftenEnough), "how often, in tenths, a turn must have been needed to be taken ahead")

var least = flag.Int("least", 1, "with -inflation, the steps below a state from which on it is told without delay")

// What one worker tells of a state is what another one hears.
func TestFactsSurvive(t *testing.T) {
	log := share.NewLocal()
	join := func(order int) *search {
		s := newSearch(context.Background(), facts.Of(ainc(4), memmodel.Specs[0]), Options{Spec: memmodel.Specs[0], Links: []share.Link{log.Link(order)}})
		s.prepare()
		return s
	}
	a, b := join(0), join(1)
	rng := rand.New(rand.NewPCG(1, 1))
	var told []summaryRecord
	for i := range 1000 {
		var e por.Summary
		for range rng.IntN(3) {
			e.Add(por.Write{Unit: int32(rng.IntN(5) - 1), Loc: memmodel.Loc(rng.IntN(5) - 1), Kind: por.Kind(rng.IntN(3)), After: por.Set(rng.IntN(9)), Read: por.Messages(rng.IntN(9))})
		}
		e.Any = rng.IntN(2) == 0
		f := summaryRecord{sccMember{store.Fingerprint{Hi: 1, Lo: uint64(i)}, por.Set(rng.IntN(16))}, a.noteOf(&e) | (&termination{out: rng.IntN(2) == 0, round: rng.IntN(2) == 0}).note()}
		told = append(told, f)
		a.tellDone(f.sccMember, f.note, usual().least)
	}
	a.publish()
	b.hear()
	for _, f := range told {
		e, seen := b.visited.lookup(f.fp)
		if was, is := a.effectsOf(f.note), b.effectsOf(e.Note); !seen || por.Set(e.Sleep) != f.sleep || known(e.Note) != known(f.note) || !reflect.DeepEqual(*was, *is) {
			t.Fatalf("%+v with %+v is heard as %+v with %+v", f, was, e, is)
		}
	}
	if n := b.visited.stored(); n != 0 {
		t.Errorf("%d states count as visited", n)
	}
}

// What one worker enters in the table another one finds there, and so does whoever goes on from what was saved of it.
func TestTable(t *testing.T) {
	log, table := share.NewLocal(), share.NewTable(true)
	join := func(order int) *search {
		s := newSearch(context.Background(), facts.Of(ainc(4), memmodel.Specs[0]), Options{Spec: memmodel.Specs[0], Links: []share.Link{log.Link(order)}})
		s.prepare()
		s.exchange.table = &tabled{Table: table}
		return s
	}
	a, b, c := join(0), join(1), join(2)
	rng := rand.New(rand.NewPCG(1, 1))
	var told []summaryRecord
	for i := range 1000 {
		e := por.Summary{Any: rng.IntN(2) == 0}
		e.Add(por.Write{Unit: int32(rng.IntN(5) - 1), Loc: memmodel.Loc(rng.IntN(5) - 1), Kind: por.Kind(rng.IntN(3))})
		f := summaryRecord{sccMember{store.Fingerprint{Hi: rng.Uint64(), Lo: uint64(i)}, por.Set(rng.IntN(16))}, a.noteOf(&e) | (&termination{out: rng.IntN(2) == 0, round: rng.IntN(2) == 0}).note()}
		told = append(told, f)
		a.tell(found{Incomplete: []string{fmt.Sprint(i)}})
		a.tellDone(f.sccMember, f.note, usual().least)
		a.tellDone(sccMember{f.fp, f.sleep | 16}, 0, usual().least) // which is worth less
	}
	same := func(s *search, own bool) { // whether the facts are the search's own by now
		t.Helper()
		for _, f := range told {
			e, seen := s.lookup(f.fp, f.sleep)
			if was, is := a.effectsOf(f.note), s.effectsOf(e.Note); !seen || por.Set(e.Sleep) != f.sleep || known(e.Note) != known(f.note) || !reflect.DeepEqual(*was, *is) {
				t.Fatalf("%+v with %+v is found as %+v with %+v", f, was, e, is)
			}
			if least := f.sleep & (f.sleep - 1); f.sleep != 0 {
				if e, seen := s.lookup(f.fp, least); seen && (!own || por.Set(e.Sleep).Within(least)) {
					t.Fatalf("%+v is enough for %b", f, least) // or hides what the search knows itself
				}
			}
		}
	}
	same(b, false)
	batch := b.freshFacts()
	if n := len(b.result.Incomplete); n != len(told) {
		t.Errorf("of %d things that were found below facts %d are known when those are saved", len(told), n)
	}
	if again := b.freshFacts(); batch == nil || again != nil {
		t.Errorf("%d bytes to be saved at first, and %d then", len(batch), len(again))
	}
	decoded := must(share.Decode(batch, Semantics))
	c.exchange.table.Table = share.NewTable(true)
	if err := c.enterBatch(decoded); err != nil {
		t.Fatal(err)
	}
	same(c, false)
	c.takeTable()
	if n := c.exchange.table.Bytes(); n != 0 {
		t.Errorf("%d bytes are left of it", n)
	}
	same(c, true)
	if n := c.visited.stored(); n != 0 {
		t.Errorf("%d states count as visited", n)
	}
}

// Several workers get by with the memory of one.
func TestCrowdedWorkers(t *testing.T) {
	p := sbring(7, memmodel.Relaxed, memmodel.Relaxed)
	opt := Options{POR: por.Sleep}
	one := Run(context.Background(), p, opt)
	opt.Mem = 3 * one.Stats.PeakBytes / 2 // a table that grows is there twice
	for range 5 {
		for _, opt.Workers = range []int{1, 2, 4} {
			if r := Run(context.Background(), p, opt); r.Verdict != one.Verdict || len(r.Outcomes) != len(one.Outcomes) {
				t.Errorf("%d workers: %v, %v", opt.Workers, r.Verdict, r.Incomplete)
			}
		}
	}
}

// What a fact is worth beside what a search knows itself.
func TestLearn(t *testing.T) {
	fp := store.Fingerprint{Hi: 1, Lo: 2}
	for _, c := range []struct {
		what       string
		open       bool
		was, sleep por.Set
		news       bool
	}{
		{"done with fewer sleepers", false, 3, 1, true},
		{"done with as many", false, 1, 2, false},
		{"done with more", false, 1, 3, false},
		{"an open state, done with fewer", true, 3, 1, true},
		{"an open state, done with as many", true, 1, 2, true},
		{"an open state, done with more", true, 1, 3, false},
	} {
		l := &localSet{set: store.NewTable(0)}
		before := store.Entry{Sleep: uint64(c.was)}
		if c.open {
			before.Note = openNote(3)
		}
		l.record(fp, before)
		if got, _ := l.learn(sccMember{fp, c.sleep}, 7); got != c.news {
			t.Errorf("%s: news: %v", c.what, got)
		}
		after, _ := l.lookup(fp)
		if want := (store.Entry{Sleep: uint64(c.sleep), Note: 7}); c.news && after != want || !c.news && after != before {
			t.Errorf("%s: %+v", c.what, after)
		}
	}
	// What is known to be done is not opened by who has it open as well.
	l := &localSet{set: store.NewTable(0)}
	l.record(fp, store.Entry{Sleep: 1, Note: openNote(3)})
	l.learn(sccMember{fp, 1}, 7)
	if l.note(sccMember{fp, 1}, openNote(2)); !l.has(fp) {
		t.Error("forgotten")
	} else if e, _ := l.lookup(fp); e.Note != 7 {
		t.Errorf("opened: %+v", e)
	}
}
