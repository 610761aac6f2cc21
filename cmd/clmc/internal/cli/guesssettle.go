package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
)

// A data race of a launch with numbers that were guessed: it is told in full if it happens with other numbers, too. So it does not where a row is too short.

// variant is a launch in which one of the guessed numbers is another one.
type variant struct {
	flags *exploreFlags
	guess *clc.Guess
	what  string // the number, as in WGS=8
}

// settleRaces finds races that happen whatever each guessed number is that could say where they are, as far as is tried.
func (a *app) settleRaces(ctx context.Context, x *exploreFlags, t model.Target, all []*tried) {
	known := map[string][]string{}
	for _, c := range all {
		v := c.violation()
		if v == nil || v.Kind != state.DataRace || !c.sized && !c.guess.Misplaces(v.Location, c.model.Program.Data) {
			continue
		}
		at := c.racesAt(ctx)
		with, done := known[at]
		if !done {
			with = a.settle(ctx, x, t, c, at)
			known[at] = with
		}
		if c.settled = with; len(with) > 0 {
			c.judge()
		}
	}
}

// settle returns the other numbers with which a race happens at the same places, if it does with each; else nil.
func (a *app) settle(ctx context.Context, x *exploreFlags, t model.Target, c *tried, at string) (with []string) {
	for _, v := range c.variants(ctx, x, t) {
		d := &tried{guess: v.guess, share: c.share}
		a.tryGuess(ctx, v.flags, t, d, nil, map[string]bool{})
		if d.racesAt(ctx) != at {
			return nil
		}
		with = append(with, v.what)
	}
	return with
}

// mostNumbers bounds the guessed numbers of which each is tried with another value.
const mostNumbers = 4

// variants returns the launches in which one guessed number is another one: twice as large, and larger than a product of all others, so that rows that
// they are the length of are long enough. It returns none if there are too many, a launch has no like with another number, or a macro is called, of which there is
// no other.
func (c *tried) variants(ctx context.Context, x *exploreFlags, t model.Target) (list []variant) {
	macros := slices.DeleteFunc(slices.Clone(x.macros), func(m string) bool {
		_, value, _ := strings.Cut(m, "=")
		_, err := strconv.Atoi(value)
		return err != nil
	})
	scalars := c.guess.Layout(c.model.Program.Data)
	called := slices.ContainsFunc(x.macros, func(m string) bool { return strings.Contains(m, ")=") })
	if called || len(macros)+len(scalars) > mostNumbers {
		return nil
	}
	others := []int64{8, 16 << (2 * (len(macros) + len(scalars)))}
	for _, m := range macros {
		name, _, _ := strings.Cut(m, "=")
		for _, n := range others {
			y := x.defining(name, strconv.FormatInt(n, 10))
			like, err := y.guesses(ctx, t)
			like = slices.DeleteFunc(like, func(g *clc.Guess) bool { return g.Options.Kernel != c.opt.Kernel })
			if err != nil || c.number >= len(like) {
				return nil
			}
			list = append(list, variant{y, like[c.number], fmt.Sprintf("%s=%d", name, n)})
		}
	}
	for _, name := range scalars {
		for _, n := range others {
			g, ok := c.guess.With(name, n)
			if !ok {
				return nil
			}
			list = append(list, variant{x, g, fmt.Sprintf("%s=%d", name, n)})
		}
	}
	return list
}

// racesAt returns the kernel, the variable and the places of both accesses of a launch's data race; "" if there is no race, or its places are not known.
func (c *tried) racesAt(ctx context.Context) string {
	v := c.violation()
	if v == nil || v.Kind != state.DataRace {
		return ""
	}
	until, _ := ctx.Deadline()
	t, err := trace.BuildUntil(c.model.Program, c.r.Spec, *v, until)
	if err != nil || len(t.Accesses) != 2 {
		return ""
	}
	var places []string
	for _, step := range t.Accesses {
		s := t.Step(step)
		if s == nil || s.Pos == nil {
			return ""
		}
		places = append(places, fmt.Sprintf("%s:%d", *s.Pos, s.Pos.Col))
	}
	slices.Sort(places)
	object, _, _ := strings.Cut(v.Location, "[")
	return strings.Join(append(places, c.opt.Kernel, object), " ")
}
