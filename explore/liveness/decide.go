package liveness

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/clmc/clmc/state"
)

// Found is what is known of some questions.
type Found struct {
	Answers       []Answer // in the order of the questions
	States, Steps int      // of all graphs
	SubGroups     bool     // some sub-group may have several work-items
}

// Decide answers questions about a machine's program. Each is asked of a graph of which enough is left out, and that still
// tells: docs/exploration/liveness.md, "What is left out", says why. What none of these tells is asked of the graph in which nothing is left out; with
// Options.Direct all questions are.
func Decide(ctx context.Context, m *state.Machine, all []Question, opt Options) *Found {
	d := &decider{ctx: ctx, m: m, opt: opt, found: &Found{}, stuck: make([]bool, len(all))}
	for _, q := range all {
		d.found.Answers = append(d.found.Answers, Answer{Question: q})
	}
	if !opt.Direct {
		if opt.WayOut {
			d.fairlyEnds()
		}
		weak := func(a *Answer) bool { return a.Fairness == Weak }
		d.ask(func(a *Answer) bool { return weak(a) && a.heedsAll() }, Options{Rounds: true, AtOnce: Started})
		d.ask(weak, Options{Rounds: true, AtOnce: NoItem})
		d.ask(func(a *Answer) bool { return a.heedsAll() }, Options{AtOnce: Started})
	}
	d.ask(func(*Answer) bool { return true }, Options{})
	for i := range d.found.Answers {
		if a := &d.found.Answers[i]; a.Verdict == Unknown && len(a.Why) == 0 {
			a.Why = []string{why(ctx)}
		}
	}
	d.findSubGroups()
	return d.found
}

// findSubGroups says that there may be sub-groups of several work-items unless all units are known, or soon are.
func (d *decider) findSubGroups() {
	asks := slices.ContainsFunc(d.found.Answers, func(a Answer) bool { return a.SubGroups && a.Sub != Fair })
	if d.known || d.found.SubGroups || !asks {
		return
	}
	g := begin(d.ctx, d.m, Options{Rounds: true, AtOnce: Started, MaxStates: 1 << 10})
	g.grow(d.ctx, math.MaxInt)
	d.found.SubGroups = g.SubGroups() || !g.whole() || len(g.Incomplete) > 0
}

// heedsAll reports whether no work-item of a work-group that has started is neglected for ever.
func (l Levels) heedsAll() bool { return OBE.Weaker(l.Device) && l.below() }

// below reports whether all below the work-groups are scheduled fairly.
func (l Levels) below() bool { return l.Group == Fair && (!l.SubGroups || l.Sub == Fair) }

// decider answers questions.
type decider struct {
	ctx   context.Context
	m     *state.Machine
	opt   Options
	found *Found
	known bool   // all units are, from some graph that is whole
	stuck []bool // by question: a bound was met, as in each larger graph
}

// ask asks those questions of a kind that have no answer yet of a graph.
func (d *decider) ask(kind func(*Answer) bool, opt Options) {
	open := d.open(kind)
	if len(open) == 0 || d.ctx.Err() != nil {
		return
	}
	var questions []Question
	for _, i := range open {
		questions = append(questions, d.found.Answers[i].Question)
	}
	needs := Needs(questions)
	opt.Starts, opt.Each = needs.Starts, needs.Each
	opt.MaxStates, opt.Mem, opt.Given, opt.Progress, opt.All = d.opt.MaxStates, d.opt.Mem, d.opt.Given, d.opt.Progress, d.opt.All
	if !slices.ContainsFunc(open, func(i int) bool { return !d.stuck[i] }) { // an execution may be found all the same
		if d.opt.Once {
			return
		}
		opt.MaxStates = min(cmp.Or(opt.MaxStates, brief), brief)
	}
	g := begin(d.ctx, d.m, opt)
	tried := !opt.Rounds || opt.AtOnce != Started // without names
	for size := cmp.Or(d.opt.Look, firstLook); ; size *= 4 {
		if d.opt.Direct || d.opt.All {
			size = math.MaxInt / 4
		}
		g.grow(d.ctx, size)
		done := g.whole() || g.stopped || len(g.nodes) < size
		d.look(g, kind, done)
		if !done && !tried {
			tried = d.askSymmetric(g, kind, opt)
		}
		if open = d.open(kind); done || len(open) == 0 {
			break
		}
	}
	d.count(g)
	d.known, d.found.SubGroups = d.known || g.whole(), d.found.SubGroups || g.SubGroups()
}

// count adds the size of a graph.
func (d *decider) count(g *Graph) {
	d.found.States, d.found.Steps = d.found.States+g.States(), d.found.Steps+g.Edges()
}

// askSymmetric asks whether all executions end, of a graph in which symmetric units have no names, if there are any and the question does
// not depend on names: on who has which number, and who shares a work-group. It reports false if none are known yet.
func (d *decider) askSymmetric(known *Graph, kind func(*Answer) bool, opt Options) bool {
	some, shared := known.symmetric()
	open := slices.DeleteFunc(d.open(kind), func(i int) bool {
		x := d.found.Answers[i].Device
		return x != Fair && (x != OBE || shared)
	})
	if !some || len(open) == 0 {
		return some
	}
	if opt.Mem > 0 { // the graph with names stays
		opt.Mem = max(opt.Mem-known.bytes(), 1)
	}
	opt.Symmetric, opt.Starts = true, slices.ContainsFunc(open, func(i int) bool { return d.found.Answers[i].Device == OBE })
	g := begin(d.ctx, d.m, opt)
	g.grow(d.ctx, math.MaxInt)
	d.count(g)
	for _, i := range open {
		if a := &d.found.Answers[i]; a.Verdict == Unknown && g.sureToEnd(d.ctx, a.Levels) {
			a.Verdict = Ends
			d.endsUnder(a.Levels)
		}
	}
	return true
}

// symmetric reports whether some units are symmetric, and whether some work-group has several work-items.
func (g *Graph) symmetric() (some, shared bool) {
	for i := range g.profiles {
		c := g.profiles[i].cast
		some = some || c.Symmetric()
		for u := range c.Units {
			for v := range u {
				shared = shared || isItem(&c.Units[u]) && isItem(&c.Units[v]) && c.Units[u].Place.SameGroup(c.Units[v].Place)
			}
		}
	}
	return some, shared
}

// firstLook is how many states a graph has when it is first looked whether some execution may go on for ever there.
const firstLook = 1 << 5

// brief is how many states a graph may have that is asked though a smaller one has met a bound.
const brief = 1 << 12

// open returns which questions of a kind have no answer yet.
func (d *decider) open(kind func(*Answer) bool) (which []int) {
	for i := range d.found.Answers {
		if a := &d.found.Answers[i]; a.Verdict == Unknown && kind(a) {
			which = append(which, i)
		}
	}
	return which
}

// look asks a graph, which may not be all built, questions of a kind.
func (d *decider) look(g *Graph, kind func(*Answer) bool, last bool) {
	for _, i := range d.open(kind) {
		a := &d.found.Answers[i]
		if a.Verdict != Unknown {
			continue // by another answer
		}
		b := g.Check(d.ctx, a.Question)
		if b.Verdict == Unknown && !last {
			continue
		}
		if b.Verdict == Unknown && d.stuck[i] {
			continue // which is why
		}
		*a, d.stuck[i] = b, b.Verdict == Unknown && len(g.Incomplete) > 0
		switch {
		case d.opt.Direct || d.opt.All && b.Verdict == Runs:
		case b.Verdict == Ends && b.Fairness == Weak:
			d.endsUnder(b.Levels)
		case b.Verdict == Runs && b.Fairness == Weak:
			d.runs(b.Lasso)
		}
	}
}

// endsUnder notes that every execution ends that keeps what some levels promise: so does each that keeps more, or has a chance of more.
func (d *decider) endsUnder(l Levels) {
	for i := range d.found.Answers {
		if a := &d.found.Answers[i]; a.Verdict == Unknown && l.weaker(a.Levels) {
			a.Verdict, a.Why = Ends, nil
		}
	}
}

// runs notes that an execution goes on for ever, which may keep what other questions ask, too.
func (d *decider) runs(l *Lasso) {
	for i := range d.found.Answers {
		if a := &d.found.Answers[i]; a.Verdict == Unknown && a.Fairness == Weak && l.obeys(d.m, a.Levels) {
			a.Verdict, a.Lasso, a.Why = Runs, l, nil
		}
	}
}

// fairlyEnds notes that from each state some execution comes to the end: so under strong fairness of all it does with probability 1.
func (d *decider) fairlyEnds() {
	for i := range d.found.Answers {
		if a := &d.found.Answers[i]; a.Fairness == Strong && a.Device == Fair && a.below() {
			a.Verdict = Ends
		}
	}
}

// weaker reports whether levels promise no more than others.
func (l Levels) weaker(o Levels) bool {
	return l.SubGroups == o.SubGroups && l.Device.Weaker(o.Device) && l.Group.Weaker(o.Group) && (!l.SubGroups || l.Sub.Weaker(o.Sub))
}
