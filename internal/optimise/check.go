package optimise

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
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
	moves []move
	v     explore.Violation // of the program that was searched
	whole bool              // the moves end where nobody can go on, or in what only a trace tells
}

// move is a move of a schedule. Fences are told apart: an assignment without the fence passes it.
type move struct {
	explore.Move
	fence bool
}

// checker checks assignments.
type checker struct {
	p         *problem
	questions []question
	kept      []*failing // schedules that went wrong, the last one first
	checks    int
	searches  int
	replays   int
	slice     time.Duration // for one search
	begun     func(n int)   // if set, is told of each check that begins; for tests
}

func newChecker(p *problem) *checker {
	c := &checker{p: p, slice: p.opt.Slice}
	for _, spec := range p.opt.Specs {
		for _, l := range p.launches {
			c.questions = append(c.questions, question{l, spec})
		}
	}
	return c
}

// search explores one configuration under one reading, with the strengths of some sites changed.
func (c *checker) search(ctx context.Context, q question, strengths map[ir.SiteID]ir.Strength, promises int) (verdict, *failing) {
	m := *q.launch.m
	m.Program = m.Program.With(strengths)
	return c.explored(ctx, q, &m, promises)
}

func (c *checker) explored(ctx context.Context, q question, m *model.Model, promises int) (verdict, *failing) {
	c.searches++
	opt := explore.Options{Spec: q.spec, Promises: promises, Mem: c.p.opt.Mem, KeepSchedule: true}
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
		if !v.Untold && v.Kind != state.Unreachable {
			f.moves, f.whole = c.told(m.Program, q.spec, v), v.Kind == state.Deadlock || v.Kind == state.NoWayOut
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

// told notes of each move of a schedule whether it performs a fence.
func (c *checker) told(p *ir.Program, spec memmodel.Spec, v *explore.Violation) []move {
	moves := make([]move, len(v.Schedule))
	for i := range moves {
		moves[i].Move = v.Schedule[i]
	}
	for m := range explore.Replayers(p, spec, v.Schedule) {
		s := m.Start(nil)
		for i := range moves {
			u := moves[i].Unit
			if u < 0 || u >= s.Cast.Count() || s.Abandoned {
				break
			}
			moves[i].fence = atFence(m, s, u)
			m.Try(s, u, moves[i].Choice)
		}
		break
	}
	return moves
}

// atFence reports whether a unit is about to perform a fence.
func atFence(m *state.Machine, s *state.State, u memmodel.Unit) bool {
	return s.Cast.Units[u].Func >= 0 && s.Status(u) == state.Ready && m.Operation(s, u).Instr.Op == ir.OpFence
}

// goesWrong reports whether a schedule leads an assignment into something wrong, whatever it is. A schedule that does not fit refutes nothing.
func (c *checker) goesWrong(f *failing, strengths map[ir.SiteID]ir.Strength) bool {
	if f.moves == nil {
		return false
	}
	c.replays++
	p := f.q.launch.m.Program.With(strengths)
	schedule := make([]explore.Move, len(f.moves))
	for i := range f.moves {
		schedule[i] = f.moves[i].Move
	}
	for m := range explore.Replayers(p, f.q.spec, schedule) {
		done, wrong := performed(m, f.moves)
		if wrong {
			return true
		}
		if f.whole && done != nil {
			_, err := trace.Build(p, f.q.spec, explore.Violation{Violation: state.Violation{Kind: f.kind}, Schedule: done})
			if err == nil {
				return true
			}
		}
	}
	return false
}

// performed performs moves, and reports whether that has gone wrong; done are the moves made, if all could be.
func performed(m *state.Machine, moves []move) (done []explore.Move, wrong bool) {
	s := m.Start(nil)
	var choices []state.Choice
	step := func(mv explore.Move) bool {
		if choices = por.Moves(m, s, mv.Unit, choices[:0]); !slices.Contains(choices, mv.Choice) {
			return false
		}
		m.Try(s, mv.Unit, mv.Choice)
		done = append(done, mv)
		return !s.Abandoned
	}
	done = []explore.Move{}
	for _, mv := range moves {
		if s.Violation.Kind != state.NoViolation {
			return nil, !s.Open()
		}
		if mv.Unit < 0 || mv.Unit >= s.Cast.Count() {
			return nil, false
		}
		if mv.fence && !atFence(m, s, mv.Unit) {
			continue
		}
		for !mv.fence && atFence(m, s, mv.Unit) && s.Violation.Kind == state.NoViolation {
			if !step(explore.Move{Unit: mv.Unit}) {
				return nil, false
			}
		}
		if !step(mv.Move) {
			return nil, false
		}
	}
	return done, s.Violation.Kind != state.NoViolation && !s.Open()
}

// check decides an assignment: first by the schedules that are known, then by searches without promises, then by those with them.
func (c *checker) check(ctx context.Context, strengths map[ir.SiteID]ir.Strength) (verdict, *failing) {
	for _, f := range c.kept {
		if c.goesWrong(f, strengths) {
			return violated, f
		}
	}
	if c.checks++; c.begun != nil {
		c.begun(c.checks)
	}
	unsure := false
	for _, whole := range []bool{false, true} {
		for i, q := range c.questions {
			promises := explore.NoPromises
			if whole {
				promises = q.launch.Promises
			}
			if whole && promises == explore.NoPromises {
				continue
			}
			switch v, f := c.search(ctx, q, strengths, promises); v {
			case violated:
				c.learn(f, i)
				return violated, f
			case undecided:
				unsure = true
			}
			if ctx.Err() != nil {
				return undecided, nil
			}
		}
		if unsure {
			return undecided, nil
		}
	}
	return verified, nil
}

// learn keeps a schedule, and asks first from now on what has just been answered by it.
func (c *checker) learn(f *failing, i int) {
	q := c.questions[i]
	c.questions = slices.Insert(slices.Delete(c.questions, i, i+1), 0, q)
	if f.moves != nil {
		c.kept = slices.Insert(c.kept, 0, f)
		c.kept = c.kept[:min(len(c.kept), maxKept)]
	}
}

// maxKept bounds the schedules that are tried before a search.
const maxKept = 64
