package explore

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/clmc/clmc/explore/internal/randprog"
	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
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
}

// simulated is a log and its workers.
type simulated struct {
	weather
	rng     *rand.Rand
	now     int // steps that each worker has had the time for
	log     [][]byte
	links   []*simLink
	members uint64
}

// simLink is the link of one worker.
type simLink struct {
	sim    *simulated
	self   share.Member
	read   int
	flight []flying
	acked  []uint64
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
	for range 100 {
		if len(l.acked) > 0 || l.read < len(m.log) || len(l.flight) == 0 {
			return true
		}
		m.now += 1 + m.delay/4
		m.pass()
	}
	return false
}

// join returns a new worker.
func (m *simulated) join(p *ir.Program, opt Options, order int) *search {
	m.members++
	l := &simLink{sim: m, self: share.Member{ID: m.members, Order: order}}
	m.links = append(m.links, l)
	opt.Spec, opt.Links = memmodel.Specs[0], []share.Link{l}
	s := newSearch(context.Background(), facts.Of(p, opt.Spec), opt)
	s.allowPromises()
	s.prepare()
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

// end has a worker say what there is left to say, and makes its result.
func (s *search) end() *Result {
	s.sayLast()
	s.wrapUp()
	s.close()
	return s.result
}

// simulate runs a job and returns what each worker says of it that came to the end, what those
// said who left, and the steps of all.
func lockstep(p *ir.Program, opt Options, w weather) (results, left []*Result, steps int) {
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
		switch fate := m.rng.IntN(20); {
		case over:
			results = append(results, s.end())
		case m.killed > 0 && fate < 2:
			m.killed--
			if fate == 0 {
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
	programs := append(traps(), ignoring(), ignoringPair(), racingWait())
	some := seeds.Times(float64(*simulations) / float64(max(1, seeds.N()*len(simulatedStyles()))))
	for _, style := range simulatedStyles() {
		for seed := range some.All() {
			programs = append(programs, style.Program(uint64(seed)))
		}
	}
	defer func(n int) { minShared = n }(minShared)
	compared, said, killed, applied := 0, 0, 0, 0
	for i, p := range programs {
		opt := Options{POR: por.Modes()[2-i%5/3-i%10/9], All: i%4 != 3, MaxStates: 20_000, KeepSchedule: true}
		one := Run(context.Background(), p, opt)
		if !one.Complete && !(len(one.Violations) > 0 && !opt.All) {
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
	t.Logf("%d of %d programs compared, %d workers came to the end, %d left, %d facts applied", compared, len(programs), said, killed, applied)
	if compared*4 < 3*len(programs) {
		t.Errorf("only %d of %d programs compared", compared, len(programs))
	}
	if applied < 10*compared {
		t.Errorf("only %d facts applied", applied)
	}
}

// weatherOf returns what happens to the workers of a number of a job.
func weatherOf(seed uint64) weather {
	rng := rand.New(rand.NewPCG(seed, 1))
	minShared = 1 << rng.IntN(5)
	w := weather{
		seed: seed, workers: 2 + rng.IntN(4), turn: 1 << rng.IntN(10), delay: rng.IntN(1 << rng.IntN(11)), flight: 1 + rng.IntN(4),
		killed: rng.IntN(4), random: rng.IntN(4) > 0,
	}
	if rng.IntN(2) == 0 {
		w.refused, w.twice = rng.Float64()/2, rng.Float64()/2
	}
	return w
}

// differs says what a worker found that a search alone did not, or the other way round.
func differs(r, one *Result, all bool) string {
	if all {
		return disagreement(r, one)
	}
	if r.Verdict != one.Verdict {
		return fmt.Sprintf("%v, alone %v: %v", r.Verdict, one.Verdict, r.Incomplete)
	}
	return ""
}

// simulations is the number of random programs.
var simulations = flag.Int("simulations", 300, "random programs for simulated workers")

// simulatedStyles are those of the programs.
func simulatedStyles() []randprog.Style {
	return append(chosen(), randprog.Loops, randprog.Cycles, randprog.Alike, randprog.SCLocks)
}
