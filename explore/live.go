package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Liveness says what is asked of a program beside that nothing goes wrong: whether its executions end, if work is scheduled fairly.
type Liveness struct {
	Asked []liveness.Question // the questions
	// Required are those of Asked on which the verdict depends. If there are none, a program is at fault that ends under none of Asked.
	Required []liveness.Question
	// Direct: nothing is left out of the graph in which executions are looked for.
	Direct bool
}

// LivenessOfAll asks about each model of work-groups.
const LivenessOfAll = "all"

// ParseLiveness reads what is asked: a model as liveness.ParseQuestion takes it, or LivenessOfAll, and a kind of fairness, "" for weak.
func ParseLiveness(model, fairness string) (*Liveness, error) {
	fair, err := liveness.ParseFairness(cmp.Or(fairness, liveness.Weak.String()))
	switch {
	case err != nil:
		return nil, err
	case model == LivenessOfAll:
		return AboutAll(fair), nil
	}
	q, err := liveness.ParseQuestion(model, fair)
	if err != nil {
		return nil, err
	}
	return &Liveness{Asked: []liveness.Question{q}, Required: []liveness.Question{q}}, nil
}

// AboutAll asks about each model of work-groups: under both kinds of fairness or, with strong, under that alone.
func AboutAll(fair liveness.Fairness) *Liveness {
	return &Liveness{Asked: slices.DeleteFunc(liveness.Table(), func(q liveness.Question) bool { return q.Fairness < fair })}
}

// Words returns what ParseLiveness has read, in its words; nothing of nil.
func (l *Liveness) Words() (model, fairness string) {
	switch {
	case l == nil:
		return "", ""
	case len(l.Required) != 1:
		return LivenessOfAll, l.Asked[0].Fairness.String() // the weak ones come first
	}
	return l.Required[0].Levels.String(), l.Required[0].Fairness.String()
}

// Live is what is known of the answers.
type Live struct {
	Answers  []liveness.Answer   // to Liveness.Asked, in their order
	Required []liveness.Question // as Liveness.Required
	States   int                 // of the graph
	Steps    int                 // of the graph
	Elapsed  time.Duration       // of all this
	Certain  bool                // no scheduler helps: the search has found a deadlock, or a state without a way out
	Safe     bool                // every execution was explored, and none goes wrong
	Unasked  bool                // the program goes wrong, so that the questions were not asked
	Notes    []string            // what is to be said of the questions
}

// Lasso is of a violation that is an execution which goes on for ever.
type Lasso struct {
	Question liveness.Question // how work is scheduled in it
	Loop     int               // where in the schedule the part begins that is repeated for ever
}

// Where a limit on time has ended the search for violations, so many states are looked at, for no longer, to find executions that go on for ever.
const (
	lateStates = 1 << 12
	lateTime   = time.Second / 2
)

// live answers the questions of the options about a program of which a search has found r, and has the answers count.
func (s *search) live(ctx context.Context, p *ir.Program, r *Result) {
	ask := s.opt.Liveness
	began := time.Now()
	live := &Live{Required: ask.Required, Safe: r.Complete}
	r.Live = live
	defer func() { live.Elapsed = time.Since(began) }()
	if len(r.Violations) > 0 {
		live.Certain = r.Has(state.Deadlock) || r.Has(state.NoWayOut)
		live.Unasked = !live.Certain
		for _, q := range ask.Asked {
			a := liveness.Answer{Question: q, Why: []string{"the program goes wrong"}}
			if live.Certain {
				a.Verdict, a.Why = liveness.Runs, nil
			}
			live.Answers = append(live.Answers, a)
		}
		return
	}
	limit, most := ctx, s.opt.MaxStates
	if guard.Late(limit) { // an execution that goes on for ever is often found soon
		var done context.CancelFunc
		ctx, done = context.WithTimeout(context.WithoutCancel(limit), lateTime)
		defer done()
		most = min(cmp.Or(most, lateStates), lateStates)
	}
	l := s.liver(ctx)
	defer l.close()
	found := liveness.Decide(ctx, l.m, ask.Asked, liveness.Options{
		Direct: ask.Direct, All: s.opt.All, WayOut: r.Complete, MaxStates: most, Mem: s.memLeft(), Given: s.opt.Mem,
	})
	live.States, live.Steps = found.States, found.Steps
	for _, a := range found.Answers {
		if a.Verdict == liveness.Unknown && guard.Late(limit) {
			a.Why = []string{guard.Left(limit).Error()}
		}
		if a.Verdict == liveness.Ends && !r.Complete {
			a.Verdict, a.Why = liveness.Unknown, []string{"not every execution was explored"}
		}
		live.Answers = append(live.Answers, a)
	}
	live.Notes = levelNotes(ask, found)
	l.conclusive(live, ask, r, s.opt.All)
}

// memLeft is how many bytes a graph may take beside what the search has visited, an eighth of the limit in any case; 0 for no bound.
func (s *base) memLeft() int {
	used, _ := s.visited.usage(0)
	return max(s.opt.Mem-int(used), s.opt.Mem/8)
}

// liver returns a search that has the machine on which the graph is built: nothing is left out, and nothing renamed.
func (s *search) liver(ctx context.Context) *search {
	opt := s.opt
	opt.POR, opt.Store, opt.Links, opt.Liveness, opt.Aside, opt.NoCache, opt.All, opt.Keep, opt.Workers = por.None, nil, nil, nil, false, false, false, 0, 1
	l := newSearch(ctx, s.m.Facts, opt)
	l.m.Keep |= memmodel.KeepRounds
	if !l.allowPromises() {
		por.Interleave(l.m)
	}
	return l
}

// levelNotes says of levels that are asked about that they make no difference.
func levelNotes(ask *Liveness, found *liveness.Found) (notes []string) {
	for _, q := range ask.Asked {
		if q.SubGroups && q.Sub != liveness.Fair && !found.SubGroups {
			notes = append(notes, "Each sub-group of the program has one work-item: how work-items of a sub-group are scheduled makes no difference.")
			break
		}
	}
	return notes
}

// addRuns adds the violations that an answer shows: one, or one for each work-item that goes round, and place where it does, with all components.
func (l *reporter) addRuns(r *Result, a *liveness.Answer) {
	for _, x := range append([]*liveness.Lasso{a.Lasso}, a.More...) {
		v := l.runs(a, x)
		if !slices.ContainsFunc(r.Violations, func(w Violation) bool { return w.UnitName == v.UnitName && w.Line == v.Line }) {
			r.Violations = append(r.Violations, v)
		}
	}
}

// conclusive has the answers count for a result in which nothing goes wrong so far: all executions that go on for ever, of different components, or one.
func (l *reporter) conclusive(live *Live, ask *Liveness, r *Result, all bool) {
	required := ask.Required
	if len(required) == 0 {
		required = decisive(live.Answers)
	}
	if len(required) == 0 {
		return
	}
	for _, a := range live.Answers {
		if !slices.Contains(required, a.Question) {
			continue
		}
		switch a.Verdict {
		case liveness.Runs:
			if len(r.Violations) == 0 || all {
				l.addRuns(r, &a)
			}
		case liveness.Unknown:
			for _, why := range a.Why {
				if why = notKnown(&a, why); !slices.Contains(r.Incomplete, why) {
					r.Incomplete = append(r.Incomplete, why)
				}
			}
		}
	}
	if len(r.Violations) > 0 {
		r.Unexecuted, r.Unevaluated = nil, nil
	}
	r.conclude()
}

// decisive returns the question on which the verdict depends if none is required: none if it is known that every execution ends under some model. Weak fairness comes
// first: while it is open whether some model is enough with that, a model that is enough with strong fairness does not settle it.
func decisive(all []liveness.Answer) []liveness.Question {
	for _, f := range []liveness.Fairness{liveness.Weak, liveness.Strong} {
		var open []liveness.Question
		for _, a := range all {
			switch {
			case a.Fairness != f:
			case a.Verdict == liveness.Ends:
				return nil
			case a.Verdict == liveness.Unknown:
				open = append(open, a.Question)
			}
		}
		if len(open) > 0 {
			return open[len(open)-1:] // the strongest
		}
	}
	return []liveness.Question{all[len(all)-1].Question}
}

// notKnown says that it is not known whether executions end.
func notKnown(a *liveness.Answer, why string) string {
	return fmt.Sprintf("whether every execution ends under %v is not known: %s", a.Levels, why)
}

// runs is the violation that an answer shows, with a schedule if that could be told.
func (l *reporter) runs(a *liveness.Answer, x *liveness.Lasso) Violation {
	v := Violation{Lasso: &Lasso{Question: a.Question}}
	v.Kind = state.MayRun
	t := newConcretiser(l.m)
	var canon memmodel.Canon
	l.m.Normalise(&canon, t.s)
	tell := func(steps []liveness.Step) {
		for _, st := range steps {
			t.concretise([]Move{{st.Unit, st.Choice}})
			if t.lost {
				return
			}
			l.m.Normalise(&canon, t.s)
		}
	}
	if x == nil || len(x.Loop) == 0 {
		v.Untold = true
		return v
	}
	v.Lasso.Loop = len(x.Stem)
	tell(x.Stem)
	if !t.lost {
		v.Unit = l.spinner(x, t.s)
		v.PC = t.s.PC(v.Unit)
		l.describe(&v, t.s)
	}
	tell(x.Loop)
	moves, found := t.schedule()
	if !found || t.lost {
		v.Untold = true
		return v
	}
	v.Schedule = moves
	return v
}

// spinner returns a unit that goes round, at the state where the loop begins: one that waits, if some unit does.
func (l *reporter) spinner(x *liveness.Lasso, s *state.State) memmodel.Unit {
	best := x.Loop[0].Unit
	for _, st := range x.Loop {
		if u := st.Unit; u < s.Cast.Count() && s.Cast.Units[u].Func >= 0 && !s.Cast.Units[u].Place.Host {
			return u
		}
	}
	return best
}

// VerifyLasso repeats an execution that is said to go on for ever, and returns an error unless it does: it must come back to where the part begins that is
// repeated, and keep there what the scheduler and memory owe.
func VerifyLasso(p *ir.Program, spec memmodel.Spec, schedule []Move, l *Lasso) error {
	if l == nil || l.Loop < 0 || l.Loop >= len(schedule) {
		return errors.New("it does not say which part is repeated for ever")
	}
	var first error
	for m := range Replayers(p, spec, schedule) {
		m.Keep |= memmodel.KeepRounds
		err := verifyLasso(m, schedule, l)
		if err == nil {
			return verifyStrong(m, l.Question)
		}
		first = cmp.Or(first, err)
	}
	return first
}

// lassoEffort bounds the work of asking whether executions end after all.
const lassoEffort = 1 << 22

// verifyStrong returns an error if a question is one of strong fairness, to which the answer is that every execution ends: what is repeated in a round may have probability 0.
func verifyStrong(m *state.Machine, q liveness.Question) error {
	if q.Fairness != liveness.Strong {
		return nil
	}
	m.Effort.Count(lassoEffort)
	found := liveness.Decide(context.Background(), m, []liveness.Question{q}, liveness.Options{})
	if found.Answers[0].Verdict == liveness.Ends {
		return errors.New("with probability 1 it ends (strong fairness)")
	}
	return nil
}

func verifyLasso(m *state.Machine, schedule []Move, l *Lasso) error {
	s := m.Start(nil)
	started := map[uint64]bool{}
	var begin, at *state.State
	var loop []liveness.Step
	for i, mv := range schedule {
		if i == l.Loop {
			begin = liveness.Canonical(m, s)
			at = begin
		}
		if mv.Unit < 0 || mv.Unit >= s.Cast.Count() || !slices.Contains(por.Moves(m, s, mv.Unit, nil), mv.Choice) {
			return fmt.Errorf("move %d cannot be made", i+1)
		}
		started[s.Cast.Units[mv.Unit].ID] = true
		if m.Try(s, mv.Unit, mv.Choice); s.Abandoned {
			return fmt.Errorf("the memory model forbids move %d", i+1)
		}
		if begin == nil {
			continue
		}
		next := liveness.Canonical(m, s)
		st, ok := liveness.Same(m, at, next, mv.Unit, por.Moves(m, at, mv.Unit, nil))
		if !ok {
			return fmt.Errorf("move %d cannot be made again and again", i+1)
		}
		loop, at = append(loop, st), next
	}
	return liveness.Obeys(m, begin, loop, started, l.Question.Levels)
}
