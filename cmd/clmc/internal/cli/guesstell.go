package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/visible"
)

// What is told of the launches that were guessed.

// tellGuesses prints what came of all launches, the most telling first: the report of the first that shows a violation, and a line for each. If none can be explored, the
// first error says why; that the time was over is no such error, and says nothing of the file.
func (a *app) tellGuesses(ctx context.Context, x *exploreFlags, t model.Target, all []*tried, skipped int, tally map[explore.Verdict]int, proofs []proved) error {
	if !slices.ContainsFunc(all, func(c *tried) bool { return c.err == nil || errors.Is(c.err, guard.ErrLeft) }) {
		return all[0].err
	}
	a.settleRaces(ctx, x, t, all)
	countRaces(all)
	doubtRaces(all)
	doubtDivergence(all)
	if !x.strict {
		a.reviseRows(ctx, x, t, all)
	}
	slices.SortStableFunc(all, func(c, d *tried) int { return cmp.Compare(rank(c), rank(d)) })
	for _, c := range all {
		a.code = worse(a.code, c.exit(x.strict))
	}
	never := neverIn(all)
	unmet := require(all, x.require, never)
	if skipped > 0 || len(unmet) > 0 {
		a.code = worse(a.code, exitInconclusive)
	}
	tally[verdictOfAll(all, skipped)]++
	if err := a.reportGuesses(ctx, x, all, proofs); err != nil || x.format.value == "json" {
		return cmp.Or(err, firstError(all))
	}
	if !x.quiet && x.format.value == "text" {
		a.listGuesses(x, t, all, skipped)
	}
	name := visible.Line(string(t))
	for _, p := range proofs {
		fmt.Fprintf(a.out, "%s: %s is proved: %s%s\n", name, p.kernel, p.what, p.assuming)
	}
	verdict := verdictOfGuesses(all, skipped, never, x.macros, proofs)
	if x.format.value == "github" && all[0].violation() == nil && (strings.HasPrefix(verdict, "inconclusive") || len(unmet) > 0) {
		if err := report.Warn(a.out, string(t), "not decided", strings.Join(append([]string{verdict}, unmet...), "; ")); err != nil {
			return err
		}
	}
	for _, why := range unmet {
		fmt.Fprintf(a.out, "%s: required: %s\n", name, why)
	}
	_, err := fmt.Fprintf(a.out, "%s: verdict: %s\n", name, verdict)
	return err
}

// verdictOfAll is the verdict on a file whose launches were guessed: what hangs on a guess, and what was not explored, leaves it open.
func verdictOfAll(all []*tried, skipped int) explore.Verdict {
	v := explore.Verified
	if skipped > 0 {
		v = explore.Inconclusive
	}
	for _, c := range all {
		switch {
		case rank(c) == 0:
			return explore.Violated
		case rank(c) < 4:
			v = explore.Inconclusive
		case c.r.Verdict == explore.ButForKnown && v == explore.Verified:
			v = explore.ButForKnown
		}
	}
	return v
}

// reportGuesses prints the report of the first if it shows a violation; as JSON, of each.
func (a *app) reportGuesses(ctx context.Context, x *exploreFlags, all []*tried, proofs []proved) error {
	isJSON := x.format.value == "json"
	for i, c := range all {
		if c.r == nil {
			continue
		}
		if !isJSON && (i > 0 || x.quiet || c.violation() == nil) {
			continue
		}
		if c.rep == nil {
			c.rep = a.tell(ctx, x.launching(c.opt), c.model, c.r)
		}
		if c.rep == nil {
			continue // there was an error, which was told
		}
		if isJSON && c.settled != nil {
			c.rep.Notes = append(c.rep.Notes, c.races())
		}
		if p := proofOf(c.opt.Kernel, proofs); p != nil {
			c.rep.Proved = p.what + p.assuming
		}
		write := func() error { return a.writeReport(c.rep, x.format.value, false) }
		if x.format.value == "github" {
			write = func() error { return c.rep.Annotate(a.out, c.depends && !x.strict) }
		}
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// require says which requirements are not met by launches without a violation: code is covered if one of them comes to it.
func require(all []*tried, list requirements, never unseen) (unmet []string) {
	each := slices.DeleteFunc(slices.Clone(list), func(word string) bool { return word == report.Covered })
	for _, c := range all {
		if c.rep == nil || c.rep.Require(each) {
			continue
		}
		for _, why := range c.rep.Unmet {
			if !slices.Contains(unmet, why) {
				unmet = append(unmet, why)
			}
		}
	}
	if why := report.Uncovered(never.ran, never.evaluated); len(each) < len(list) && why != "" {
		unmet = append(unmet, report.Covered+" is not met: "+why)
	}
	return unmet
}

// firstError returns why a launch was not explored, if one was not.
func firstError(all []*tried) error {
	for _, c := range all {
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// rank orders launches by how much they tell: violations that hang on no guess, those that do, what was not decided, what was verified.
func rank(c *tried) int {
	switch {
	case c.violation() != nil && !c.depends:
		return 0
	case c.violation() != nil:
		return 1
	case c.r == nil:
		return 3
	case c.r.Verdict == explore.Inconclusive:
		return 2
	}
	return 4
}

// listGuesses prints a line for each launch: what came of it, and the command that repeats it.
func (a *app) listGuesses(x *exploreFlags, t model.Target, all []*tried, skipped int) {
	for _, as := range x.compiledAs(t) {
		fmt.Fprintf(a.out, "\n%s\n", as)
	}
	opt := x.loadOptions()
	given := opt.DefineFlags()
	fmt.Fprintf(a.out, "\n%s does not say how it is launched. Launches that were tried:\n", visible.Line(string(t)))
	for _, c := range all {
		took := time.Duration(0)
		if c.r != nil {
			took = c.r.Stats.Elapsed.Round(time.Millisecond)
		}
		fmt.Fprintf(a.out, "  %-20s %8v  clmc explore %s %s\n", c.word(), took, shell.Word(string(t)), shell.Command(slices.Concat(given, c.opt.Flags())...))
		if c.revised != "" {
			fmt.Fprintf(a.out, "    (%s)\n", c.revised)
		}
		if c.err != nil {
			fmt.Fprintf(a.out, "  %s\n", strings.ReplaceAll(visible.Text(c.err.Error()), "\n", "\n  "))
		}
	}
	if skipped > 0 {
		fmt.Fprintf(a.out, "  %d more were not tried: the time was over\n", skipped)
	}
	first := all[0]
	switch {
	case first.violation() == nil:
		fmt.Fprintf(a.out, "To say how the kernel is launched, write a line such as this one into the file:\n%s\n", first.guess.Line())
	case first.depends:
		fmt.Fprintf(a.out, "If the kernel can be launched so, it is wrong; if not, say how it is, by a line such as this one in the file:\n%s\n", first.guess.Line())
	default:
		if first.settled != nil {
			fmt.Fprintln(a.out, first.races())
		}
		fmt.Fprintf(a.out, "The line for the file that asks for the first one:\n%s\n", first.guess.Line())
	}
}

// races says with which other numbers a launch races.
func (c *tried) races() string {
	return fmt.Sprintf("It races at the same places with other numbers that were tried in the place of a guess: %s.", strings.Join(c.settled, ", "))
}

// word says what came of a launch.
func (c *tried) word() string {
	switch v := c.violation(); {
	case c.r == nil:
		return "not explored"
	case v != nil && c.depends:
		return "if so, " + v.Kind.ID()
	case v != nil:
		return "violated " + v.Kind.ID()
	}
	return c.r.Verdict.String()
}

// verdictOfGuesses sums up.
func verdictOfGuesses(all []*tried, skipped int, never unseen, macros []string, proofs []proved) string {
	count := map[int]int{}
	for _, c := range all {
		count[rank(c)]++
	}
	n := len(all)
	first := all[0]
	switch {
	case count[0] > 0:
		return fmt.Sprintf("violated (%s %s) in %d of %d launches tried", first.violation().Kind.ID(), first.violation().Kind, count[0], n)
	case count[1] > 0:
		verified := ""
		if count[4] > 0 {
			verified = fmt.Sprintf("; verified for %d", count[4]) + reservations(all)
		}
		return fmt.Sprintf("inconclusive: violated (%s %s) in %d of %d launches tried if what was guessed of them can be (--strict takes it for granted)", first.violation().Kind.ID(), first.violation().Kind, count[1], n) + verified
	case count[2] > 0 || count[3] > 0 || skipped > 0:
		return fmt.Sprintf("inconclusive: verified for %d of the %d launches tried", count[4], n+skipped) + leftOut(count[2], count[3]+skipped) + reservations(all)
	}
	tried := fmt.Sprintf("the %d launches tried", n)
	if n == 1 {
		tried = "the one launch tried"
	}
	return fmt.Sprintf("verified for %s (%s)", tried, strings.Join(append([]string{covered(all)}, macros...), "; ")) + reservations(all) + ofProofs(all, proofs) + report.Never(never.ran, never.evaluated)
}

// leftOut says how many launches were explored in part, and how many were not explored.
func leftOut(undecided, unexplored int) string {
	var parts []string
	if undecided > 0 {
		parts = append(parts, fmt.Sprintf("%d not decided", undecided))
	}
	if unexplored > 0 {
		parts = append(parts, fmt.Sprintf("%d not explored", unexplored))
	}
	return "; " + strings.Join(parts, ", ")
}

// unseen has the lines that ran in no launch that could have come to them, and those with assertions that none has evaluated, in order.
type unseen struct{ ran, evaluated []trace.Pos }

// neverIn tells what no launch has come to.
func neverIn(all []*tried) unseen {
	out := unseen{ran: neverRan(all)}
	for _, c := range all {
		if c.rep == nil {
			continue
		}
		for _, at := range c.rep.Unevaluated {
			some := slices.ContainsFunc(all, func(d *tried) bool { return d.ran(at) && !slices.Contains(d.rep.Unevaluated, at) })
			if !some && !slices.Contains(out.evaluated, at) {
				out.evaluated = append(out.evaluated, at)
			}
		}
	}
	slices.SortFunc(out.evaluated, inText)
	return out
}

// inText orders lines as they stand in the text.
func inText(a, b trace.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// reservations ends a verdict by what it is not about, each reservation once: launches of one file differ in few.
func reservations(all []*tried) string {
	var parts []string
	add := func(s string) {
		if s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	for _, c := range all {
		if c.rep == nil {
			continue
		}
		if c.r.Verdict == explore.ButForKnown {
			add("; but for what is known")
		}
		if c.rep.WithoutBuffering() {
			add("; without load buffering")
		}
		add(c.rep.Reservations())
	}
	return strings.Join(parts, "")
}

// neverRan returns the lines that ran in no launch that could have come to them, in order.
func neverRan(all []*tried) (lines []trace.Pos) {
	for _, c := range all {
		if c.rep == nil {
			continue
		}
		for _, at := range c.rep.Unexecuted {
			if !slices.Contains(lines, at) && !slices.ContainsFunc(all, func(d *tried) bool { return d.ran(at) }) && (report.HasLine(c.model.Program, at) || inAll(all, at)) {
				lines = append(lines, at)
			}
		}
	}
	slices.SortFunc(lines, inText)
	return lines
}

// inAll reports whether no launch has come to a line: of one that the values of another launch do not rule out there may be no code.
func inAll(all []*tried, at trace.Pos) bool {
	return !slices.ContainsFunc(all, func(c *tried) bool { return c.rep != nil && !slices.Contains(c.rep.Unexecuted, at) })
}

// ran reports whether a line of a launch's program ran in it.
func (c *tried) ran(at trace.Pos) bool {
	return c.rep != nil && report.HasLine(c.model.Program, at) && !slices.Contains(c.rep.Unexecuted, at)
}

// covered says what the launches were.
func covered(all []*tried) string {
	var sizes, values []string
	add := func(list *[]string, s string) {
		if !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, c := range all {
		local := ""
		if c.opt.Local != "" {
			local = " in groups of " + c.opt.Local
		}
		add(&sizes, c.opt.Global+local)
		for _, name := range c.guess.Bounds {
			for _, arg := range c.opt.Args {
				if key, _, _ := strings.Cut(arg, "="); key == name {
					add(&values, arg)
				}
			}
		}
	}
	slices.Sort(values)
	text := "sizes " + strings.Join(sizes, "; ")
	if len(values) > 0 {
		text += "; " + strings.Join(values, ", ")
	}
	return text
}
