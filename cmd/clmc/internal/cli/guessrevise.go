package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
)

// A data race of rows that overlap, where the distance of rows was guessed: rows are made longer, as buffers are that are too short.

// rowLengths are the numbers that are tried in the place of a guessed one: more than the elements of a row, and of a plane, in launches of a few work-items.
var rowLengths = []int64{64, 1024}

// mostRevised bounds the scalars that are tried so, one after the other.
const mostRevised = 8

// row is a scalar with another number.
type row struct {
	name   string
	length int64
}

// reviseRows replaces launches with a data race in a buffer whose layout guessed scalars say by launches with longer rows, if one of those is verified and
// does no less. Where one race of a kernel stays, the others do. What has been tried with other numbers is not tried again.
func (a *app) reviseRows(ctx context.Context, x *exploreFlags, t model.Target, all []*tried) {
	found := map[string]row{} // by kernel: what has helped
	open := map[string]bool{} // nothing has
	for _, c := range all {
		v, kernel := c.violation(), c.opt.Kernel
		if v == nil || v.Kind != state.DataRace || c.settled != nil || open[kernel] || !c.guess.LaidOut(v.Location, c.model.Program.Data) {
			continue
		}
		var rows []row
		if r, ok := found[kernel]; ok {
			rows = append(rows, r)
		}
		for _, n := range rowLengths {
			for _, name := range c.guess.Spacing(c.model.Program.Data) {
				rows = append(rows, row{name, n})
			}
		}
		helped := slices.IndexFunc(rows[:min(len(rows), mostRevised*len(rowLengths))], func(r row) bool { return a.reviseRow(ctx, x, t, c, v, r) })
		if open[kernel] = helped < 0; helped >= 0 {
			found[kernel] = rows[helped]
		}
	}
}

// doesLess reports whether there is a line in which fewer work-items access memory than in another launch.
func (d *tried) doesLess(c *tried) bool {
	now := clc.Comers(d.model.Program)
	for at, n := range clc.Comers(c.model.Program) {
		if now[at] < n {
			return true
		}
	}
	return false
}

// reviseRow replaces a launch by one with another number, if that has no violation, and each line is come to by as many work-items.
func (a *app) reviseRow(ctx context.Context, x *exploreFlags, t model.Target, c *tried, v *explore.Violation, r row) bool {
	g, ok := c.guess.With(r.name, r.length)
	if !ok || ctx.Err() != nil {
		return false
	}
	d := &tried{guess: g, share: c.share, number: c.number, sized: c.sized}
	a.tryGuess(ctx, x, t, d, nil, map[string]bool{})
	if d.rep == nil || d.r.Verdict != explore.Verified || d.doesLess(c) {
		return false
	}
	first := slices.IndexFunc(c.opt.Args, func(arg string) bool { return strings.HasPrefix(arg, r.name+"=") })
	d.revised = fmt.Sprintf("%s is %d here: with %s there is %s %s where rows overlap", r.name, r.length, c.opt.Args[first], v.Kind.ID(), v.Kind)
	d.rep.Notes = append(d.rep.Notes, d.revised)
	*c = *d
	return true
}
