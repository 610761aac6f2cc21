package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
)

// guessedStates bounds the states of a guessed launch where the user gives no bound, so that all launches of a file end, and end
// in the same way each time.
const guessedStates = 20_000

// guessedTime bounds the processor time of a guessed launch, where the user gives no limit: with a scalar that was guessed a loop may end late, or never.
const guessedTime = 20 * time.Second

// mostLengthened bounds how often a launch is loaded again because its objects are too short: their lengths are part of what they hold.
const mostLengthened = 5

// tried is a guessed launch that was explored.
type tried struct {
	guess *clc.Guess
	model *model.Model
	opt   clc.Options
	first clc.Options // before any buffer was made longer
	r     *explore.Result
	rep   *report.Report // on r; of a violation that nobody looks at there is none
	err   error          // why it was not explored
	// depends: a violation hangs on what was guessed, and says nothing against the kernel.
	depends bool
	share   time.Duration // of a limit on time
	cut     bool          // it was not decided within its share
	sized   bool          // macros were guessed that are numbers: any violation hangs on the guess
	number  int           // of the launches of its kernel that were guessed, from 0
	revised string        // which number is not the one that was guessed first, and why
	settled []string      // the other numbers with which a race happens at the same places; nil if that was not tried, or it does not with each
}

// guessable reports whether the launches of a target are to be guessed: nothing says how to launch it.
func (x *exploreFlags) guessable(t model.Target) bool {
	if !t.IsKernel() || x.store != "" || x.used() || x.witness != "" || x.trace != "" || x.page != "" || len(x.graphs) > 0 {
		return false
	}
	text, err := regular.Read(string(t), 1<<22)
	return err == nil && clc.Guessable(string(t), text, &x.kernel.options)
}

// exploreGuesses explores a kernel file with launches that are found in its text, and says what came of each.
func (a *app) exploreGuesses(ctx context.Context, x *exploreFlags, t model.Target, tally map[explore.Verdict]int) error {
	x, list, err := x.guessLaunches(ctx, t)
	if err != nil {
		return err
	}
	proofs := a.proveFirst(ctx, x, t)
	all, skipped := a.takeTurns(ctx, x, t, list, proofs)
	return a.tellGuesses(ctx, x, t, all, skipped, tally, proofs)
}

// takeTurns explores launches, and returns those that were tried and how many were not. Under a time limit half of it is shared among all; what is left then is shared
// among those that have not been decided within their share, as long as that is more than they have had. Of kernels that are proved no more are explored than needed.
func (a *app) takeTurns(ctx context.Context, x *exploreFlags, t model.Target, list []*clc.Guess, proofs []proved) (all []*tried, skipped int) {
	hopeless := map[string]bool{} // by kernel and object: what no length is enough for
	left, limited := leftOf(ctx)
	half := left / 2
	number := map[string]int{}
	for i, g := range list {
		name := g.Options.Kernel
		number[name]++
		if needless(g, all, proofs) {
			continue
		}
		left, _ := leftOf(ctx)
		c := &tried{guess: g, sized: x.sized, share: (left - half) / time.Duration(needed(list[i:], all, proofs)), number: number[name] - 1}
		if !a.tryGuess(ctx, x, t, c, all, hopeless) {
			continue
		}
		if all = append(all, c); ctx.Err() != nil {
			rest := slices.DeleteFunc(slices.Clone(list[i+1:]), func(g *clc.Guess) bool { return needless(g, all, proofs) })
			return all, len(rest)
		}
	}
	for again := limited; again && ctx.Err() == nil; {
		again = false
		open := slices.DeleteFunc(slices.Clone(all), func(c *tried) bool { return !c.cut })
		for i, c := range open {
			left, _ := leftOf(ctx)
			if share := left / time.Duration(len(open)-i); share > c.share && ctx.Err() == nil {
				c.share, again = share, true
				a.tryGuess(ctx, x, t, c, nil, hopeless)
			}
		}
	}
	return all, 0
}

// leftOf is how long it is until a limit on time is met, if there is one.
func leftOf(ctx context.Context) (left time.Duration, limited bool) {
	deadline, limited := ctx.Deadline()
	if limited {
		left = time.Until(deadline)
	}
	return left, limited
}

// tryGuess explores a launch within its share of the time, and again with a longer buffer while one is too short whose length was guessed. It reports
// false for one that has been tried before: contents make no difference to it.
func (a *app) tryGuess(ctx context.Context, x *exploreFlags, t model.Target, c *tried, before []*tried, hopeless map[string]bool) bool {
	ctx, cancel := c.within(ctx)
	defer cancel()
	defer func() { c.cut = ctx.Err() != nil && c.violation() == nil }()
	c.rep, c.depends = nil, false // of a turn before
	for round := 0; ; {
		c.opt = c.guess.Launch()
		opt := x.loadOptions()
		opt.Kernels = c.opt
		if c.model, c.err = load(ctx, t, opt); c.err != nil {
			c.r, c.rep = nil, nil // of a buffer that was too short
			return true
		}
		a.hasLoaded(c.model)
		if x.format.value == "json" { // the text says it once, of all launches
			c.model.Program.Notes = append(c.model.Program.Notes, x.compiledAs(t)...)
		}
		if c.guess.Fill(c.model.Program.Data) {
			continue
		}
		if slices.ContainsFunc(before, func(b *tried) bool { return slices.Equal(b.first.Flags(), c.opt.Flags()) }) {
			return false
		}
		if round == 0 {
			c.first = c.opt
		}
		if round++; round < mostLengthened && c.guess.Lengthen(c.model.Program) {
			continue
		}
		x.sayAnalyses(c.model)
		search := x.optionsFor(c.model)
		if search.MaxStates == 0 {
			search.MaxStates = guessedStates
		}
		c.r = a.run(ctx, c.model, search, &x.searchFlags)
		if v := c.violation(); v != nil && v.Kind == state.IndexOutOfRange && c.resize(v.Object, hopeless) {
			if ctx.Err() == nil {
				continue
			}
			c.r, c.rep, c.err = nil, nil, fmt.Errorf("%s: not explored: %w while its buffers became longer", t, guard.Left(ctx))
			return true
		}
		if c.r.Verdict != explore.Violated || len(c.model.Known) > 0 { // what is known is set aside
			c.rep = a.tell(ctx, x.launching(c.opt), c.model, c.r)
		}
		c.judge()
		return true
	}
}

// within bounds the time of a launch by its share, or by a limit of its own if there is none.
func (c *tried) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, limited := leftOf(ctx); limited {
		return context.WithTimeoutCause(ctx, c.share, errors.New("its share of the time limit was met"))
	}
	return cputime.Within(ctx, guessedTime)
}

// resize makes an object longer that is too short, or as long again as was guessed first if no length helps: the index may be negative. It reports whether the launch
// is another one then.
func (c *tried) resize(name string, hopeless map[string]bool) bool {
	object := c.opt.Kernel + " " + name
	if hopeless[object] || c.guess.Grow(name) {
		return !hopeless[object]
	}
	if !c.guess.Grown(name) {
		return false
	}
	hopeless[object] = true
	c.guess.Shrink(name)
	return true
}

// launching returns the flags with a launch that was guessed, as if the user had given it: a repair is tried with it.
func (x *exploreFlags) launching(launch clc.Options) *exploreFlags {
	y := *x
	y.kernel.options = launch
	return &y
}

// violation returns the first violation, if there is one.
func (c *tried) violation() *explore.Violation {
	if c.r == nil || c.r.Verdict != explore.Violated || len(c.r.Violations) == 0 {
		return nil
	}
	return &c.r.Violations[0]
}
