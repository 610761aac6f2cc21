package optimise

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// verdict is what a check of an assignment comes to.
type verdict uint8

const (
	undecided verdict = iota
	violated
	verified
)

// question is a configuration under a reading: an assignment must verify in each.
type question struct {
	launch *launch
	spec   memmodel.Spec
}

// failing is how an assignment goes wrong.
type failing struct {
	q    question
	kind state.Kind // NoViolation: of a litmus test, it is its condition
	text string     // in words
	// moves lead there; nil if there is no execution to repeat.
	moves   []explore.Named
	v       explore.Violation // of the program that was searched
	program *ir.Program       // that was searched, if it is not that of the launch
	whole   bool              // the moves end where nobody can go on, or in what only a trace tells
}

// checker checks assignments.
type checker struct {
	p          *problem
	questions  []question
	kept       []*failing // schedules that went wrong, the last one first
	checks     int
	replays    int
	slice      time.Duration // for one search
	begun      func(n int)   // if set, is told of each check that begins; for tests
	store      *log          // of the checks so far; nil if none is kept
	turns      chan struct{} // has room for each search that may be under way
	repeat     map[question]*repeater
	bases      map[question]*facts.Facts       // of the programs as they were loaded
	lock       sync.Mutex                      // of judgements
	judgements map[[sha256.Size]byte]judgement // of texts, by what they are
}

// judgement is what the search of a whole model comes to, as its texts are written.
type judgement struct {
	verdict verdict
	bad     *failing
}

func newChecker(p *problem) *checker {
	c := &checker{p: p, slice: p.opt.Slice, turns: make(chan struct{}, p.opt.workers()), repeat: map[question]*repeater{}, bases: map[question]*facts.Facts{}, judgements: map[[sha256.Size]byte]judgement{}}
	for _, spec := range p.opt.Specs {
		for _, l := range p.launches {
			c.questions = append(c.questions, question{l, spec})
		}
	}
	return c
}

// base returns the facts of a configuration as it was loaded, under a reading.
func (c *checker) base(q question) *facts.Facts {
	if c.bases[q] == nil {
		c.bases[q] = facts.Of(q.launch.m.Program, q.spec)
	}
	return c.bases[q]
}

// search explores one configuration under one reading, with the strengths of some sites changed.
func (c *checker) search(ctx context.Context, q question, base *facts.Facts, strengths map[ir.SiteID]ir.Strength, opt explore.Options) (verdict, *failing) {
	m := *q.launch.m
	m.Program = m.Program.WithAt(q.launch.uses, strengths)
	opt.Facts = base.Again(m.Program)
	return c.explored(ctx, q, &m, opt)
}

func (c *checker) explored(ctx context.Context, q question, m *model.Model, opt explore.Options) (verdict, *failing) {
	opt.Spec, opt.Mem, opt.KeepSchedule, opt.NoAwaits = q.spec, c.p.opt.Mem, true, true
	if c.slice > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.slice)
		defer cancel()
	}
	m.Sets(&opt)
	r := explore.Run(ctx, m.Program, opt)
	switch r.Verdict {
	case explore.Violated:
		v := &r.Violations[0]
		f := &failing{q: q, kind: v.Kind, text: words(v), v: *v}
		if !v.Untold && v.Kind != state.Unreachable && v.Lasso == nil {
			f.tell(m.Program)
		}
		return violated, f
	case explore.Verified:
		if m.Test == nil {
			return verified, nil
		}
		return c.judged(q, m, r)
	}
	return undecided, nil
}

// judged reports whether the condition of a litmus test holds as it should: exists never, and others always.
func (c *checker) judged(q question, m *model.Model, r *explore.Result) (verdict, *failing) {
	rec := m.Record(r)
	exists := m.Test.Quantifier == litmus.Exists
	switch {
	case rec.Verdict == litmus.VerdictOk && !exists, rec.Verdict == litmus.VerdictNo && exists:
		return verified, nil
	case rec.Verdict == litmus.VerdictOk, rec.Verdict == litmus.VerdictNo:
		text := "the condition does not hold in every execution"
		if exists {
			text = "the condition holds in some execution"
		}
		return violated, &failing{q: q, text: text}
	}
	return undecided, nil
}

// words say in short what goes wrong.
func words(v *explore.Violation) string {
	text := v.Kind.String()
	if v.Location != "" {
		text += " on " + v.Location
	}
	return fmt.Sprintf("%s (%s) at %s", text, v.Kind.ID(), v.Line)
}

// tell names the moves of the schedule of a program that goes wrong.
func (f *failing) tell(p *ir.Program) {
	f.moves, f.whole = nil, f.kind == state.Deadlock || f.kind == state.NoWayOut
	for m := range explore.Replayers(p, f.q.spec, f.v.Schedule) {
		if list := explore.Name(m, f.v.Schedule, false); len(list) == len(f.v.Schedule) {
			f.moves = list
			return
		}
	}
}

// check decides an assignment: first by the schedules that are known, then by searches without promises, then by those with them.
func (c *checker) check(ctx context.Context, strengths map[ir.SiteID]ir.Strength) (verdict, *failing) {
	a := c.checkAll(ctx, []map[ir.SiteID]ir.Strength{strengths})[0]
	return a.verdict, a.bad
}

// answer is what a check of an assignment comes to.
type answer struct {
	verdict verdict
	bad     *failing
	asked   int // of a violation that a search has found: which question it answers; else -1
}

// checkAll decides several assignments at a time. What comes of it does not depend on who is done first.
func (c *checker) checkAll(ctx context.Context, all []map[ir.SiteID]ir.Strength) []answer {
	answers := make([]answer, len(all))
	done := make([]bool, len(all))
	for i, strengths := range all {
		answers[i], done[i] = c.known(strengths)
	}
	questions := slices.Clone(c.questions)
	for _, q := range questions {
		c.base(q)
	}
	var group guard.Group
	for i, strengths := range all {
		if done[i] {
			continue
		}
		if c.checks++; c.begun != nil {
			c.begun(c.checks)
		}
		group.Go("check", func() { answers[i] = c.examine(ctx, questions, strengths) })
	}
	group.Wait()
	for i, strengths := range all {
		if !done[i] && ctx.Err() == nil {
			c.store.add(strengths, questions, &answers[i])
		}
	}
	for i := range answers {
		if a := &answers[i]; a.asked >= 0 {
			c.learn(a.bad)
		}
	}
	return answers
}

// known decides an assignment by the schedules that are known, or by what has been stored.
func (c *checker) known(strengths map[ir.SiteID]ir.Strength) (answer, bool) {
	for _, f := range c.kept {
		if c.goesWrong(f, strengths) {
			return answer{violated, f, -1}, true
		}
	}
	if a, ok := c.store.look(c, strengths); ok {
		if c.checks++; c.begun != nil {
			c.begun(c.checks)
		}
		return a, true
	}
	return answer{}, false
}

// examine searches an assignment, first without promises. One that verifies then is searched with them as it is written, since nothing else is ever printed;
// only where that goes wrong the program is searched that schedules are kept of.
func (c *checker) examine(ctx context.Context, questions []question, strengths map[ir.SiteID]ir.Strength) answer {
	first := c.inPlace(ctx, questions, strengths, false)
	if first.verdict != verified {
		return first
	}
	if len(strengths) > 0 {
		switch j, err := c.asWritten(ctx, questions, c.p.rewritten(strengths)); {
		case err != nil || j.verdict == violated:
		default:
			return answer{j.verdict, nil, -1}
		}
	}
	return c.inPlace(ctx, questions, strengths, true)
}

// inPlace searches an assignment as the configurations were loaded, with other strengths: without promises, or else what that leaves open.
func (c *checker) inPlace(ctx context.Context, questions []question, strengths map[ir.SiteID]ir.Strength, whole bool) answer {
	var asked []int
	for i, q := range questions {
		if !whole || q.launch.Promises != explore.NoPromises || c.p.opt.Liveness != nil {
			asked = append(asked, i)
		}
	}
	answers := c.ask(ctx, len(asked), func(ctx context.Context, i int) answer {
		q := questions[asked[i]]
		opt := explore.Options{Promises: explore.NoPromises}
		if whole {
			opt.Promises, opt.Liveness = q.launch.Promises, c.p.opt.Liveness
		}
		v, f := c.search(ctx, q, c.bases[q], strengths, opt)
		return answer{v, f, asked[i]}
	})
	return c.allOf(ctx, answers)
}

// allOf is what answers to all questions come to.
func (c *checker) allOf(ctx context.Context, answers []answer) answer {
	out := answer{verified, nil, -1}
	for _, a := range answers {
		if a.verdict == violated {
			return a
		}
		if a.verdict == undecided {
			out.verdict = undecided
		}
	}
	if ctx.Err() != nil {
		out.verdict = undecided
	}
	return out
}

// asWritten loads texts in every configuration, and explores them as clmc explore does, under every reading. What has been decided is not searched again.
func (c *checker) asWritten(ctx context.Context, questions []question, texts map[string]string) (judgement, error) {
	key := sumOf(texts)
	c.lock.Lock()
	j, ok := c.judgements[key]
	c.lock.Unlock()
	if ok {
		return j, nil
	}
	models := make([]*model.Model, len(c.p.launches))
	for i, l := range c.p.launches {
		m, err := c.p.reload(ctx, l, texts)
		if errors.Is(err, guard.ErrLeft) {
			return judgement{}, nil
		}
		if err != nil {
			return judgement{}, err
		}
		models[i] = m
	}
	answers := c.ask(ctx, len(questions), func(ctx context.Context, i int) answer {
		q := questions[i]
		m := *models[q.launch.number]
		v, f := c.explored(ctx, q, &m, explore.Options{Promises: q.launch.Promises, Liveness: c.p.opt.Liveness})
		return answer{v, f, i}
	})
	if a := c.allOf(ctx, answers); a.verdict != undecided {
		j = judgement{a.verdict, a.bad}
		c.lock.Lock()
		c.judgements[key] = j
		c.lock.Unlock()
	}
	return j, nil
}

// sumOf tells texts apart.
func sumOf(texts map[string]string) [sha256.Size]byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b = fmt.Appendf(b, "%q %q\n", name, texts[name])
	}
	return sha256.Sum256(b)
}

// ask asks questions, several at a time where there are workers, until one is answered by a violation: those before it are answered then.
func (c *checker) ask(ctx context.Context, n int, one func(ctx context.Context, i int) answer) []answer {
	answers := make([]answer, 0, n)
	if cap(c.turns) == 1 {
		for i := range n {
			a := one(ctx, i)
			if answers = append(answers, a); a.verdict == violated || ctx.Err() != nil {
				break
			}
		}
		return answers
	}
	answers = answers[:n]
	stops := make([]context.CancelFunc, n)
	contexts := make([]context.Context, n)
	for i := range n {
		contexts[i], stops[i] = context.WithCancel(ctx)
		defer stops[i]()
	}
	var group guard.Group
	for i := range n {
		group.Go("check", func() {
			c.turns <- struct{}{}
			defer func() { <-c.turns }()
			if contexts[i].Err() != nil {
				return
			}
			if answers[i] = one(contexts[i], i); answers[i].verdict == violated {
				for _, stop := range stops[i+1:] {
					stop()
				}
			}
		})
	}
	group.Wait()
	return answers
}

// learn keeps a schedule, and asks first from now on what has just been answered by it.
func (c *checker) learn(f *failing) {
	i := slices.Index(c.questions, f.q)
	c.questions = slices.Insert(slices.Delete(c.questions, i, i+1), 0, f.q)
	if f.moves != nil {
		c.kept = slices.Insert(c.kept, 0, f)
		c.kept = c.kept[:min(len(c.kept), maxKept)]
	}
}

// maxKept bounds the schedules that are tried before a search.
const maxKept = 64
