package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/proofs"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
)

// guessedStates bounds the states of a guessed launch where the user gives no bound, so that all launches of a file end, and end
// in the same way each time.
const guessedStates = 20_000

// guessedTime bounds the processor time of a guessed launch, where the user gives no limit: with a scalar that was guessed a loop may end late, or never.
const guessedTime = 20 * time.Second

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
	code    int
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
	var all []*tried
	hopeless := map[string]bool{} // by kernel and object: what no length is enough for
	for i, g := range list {
		c := &tried{guess: g}
		if !a.tryGuess(ctx, x, t, c, len(list)-i, all, hopeless) {
			continue
		}
		if all = append(all, c); ctx.Err() != nil {
			return a.tellGuesses(ctx, x, t, all, len(list)-i-1, tally, proofs)
		}
	}
	return a.tellGuesses(ctx, x, t, all, 0, tally, proofs)
}

// guessLaunches guesses the launches of a file. If it does not compile, it may be made for devices that have an extension for which it asks the
// preprocessor: the first with which it compiles is defined in the flags that are returned.
func (x *exploreFlags) guessLaunches(ctx context.Context, t model.Target) (*exploreFlags, []*clc.Guess, error) {
	guesses := func(x *exploreFlags) ([]*clc.Guess, error) {
		opt := x.loadOptions()
		return guard.Read(ctx, "load", func() ([]*clc.Guess, error) { return clc.Guesses(string(t), opt.Preprocessed(), x.launches) })
	}
	list, err := guesses(x)
	if err == nil || ctx.Err() != nil {
		return x, list, err
	}
	text, readErr := regular.Read(string(t), 1<<22)
	if readErr != nil {
		return x, nil, err
	}
	for _, name := range clc.AskedExtensions(text) {
		if _, given := x.defines[name]; given {
			continue
		}
		y := *x
		y.defines = maps.Clone(x.defines)
		if y.defines == nil {
			y.defines = defines{}
		}
		y.defines[name], y.extension, y.without = "", name, err
		if list, err := guesses(&y); err == nil {
			return &y, list, nil
		}
	}
	return x, nil, err
}

// compiledAs says which extension launches are guessed with, if the file needs one.
func (x *exploreFlags) compiledAs(t model.Target) string {
	if x.extension == "" {
		return ""
	}
	first, _, _ := strings.Cut(visible.Text(x.without.Error()), "\n")
	return fmt.Sprintf("%s is compiled as for a device with %s (-D %s). Without it: %s", visible.Line(string(t)), x.extension, x.extension, first)
}

// proofShare is the part of a limit that is tried for proofs, and proofTime how long without a limit.
const (
	proofShare = 10
	proofTime  = 2 * time.Second
)

// proved is a kernel, and what is proved of it.
type proved struct{ kernel, what string }

// proveFirst tries to prove the kernels of a file, and says what is proved. It decides nothing about launches: what a proof is not about, such as
// indices, they still show.
func (a *app) proveFirst(ctx context.Context, x *exploreFlags, t model.Target) (said []proved) {
	if x.noProof {
		return nil
	}
	whole := proofTime
	short, cancel := cputime.Within(ctx, whole)
	if deadline, ok := ctx.Deadline(); ok {
		cancel()
		whole = time.Until(deadline) / proofShare
		short, cancel = context.WithTimeout(ctx, whole)
	}
	defer cancel()
	list, err := guard.Read(short, "prove", func() ([]*proofs.Proof, error) {
		return proofs.File(short, string(t), proofs.Options{Model: x.loadOptions(), Dry: true, Query: whole})
	})
	if err != nil { // loading says what is wrong, and without time there is no proof
		return nil
	}
	for _, p := range list {
		if p.Verdict == proofs.Proved {
			said = append(said, proved{p.Kernel, fmt.Sprintf("no data race, divergence or failed assertion%s, if there is %s", p.Scope.ForAll(), strings.Join(p.Assumed, ", "))})
		}
	}
	return said
}

// tryGuess explores a launch within its share of the time, and again with a longer buffer while one is too short whose length was guessed. It reports
// false for one that has been tried before: contents make no difference to it.
func (a *app) tryGuess(ctx context.Context, x *exploreFlags, t model.Target, c *tried, left int, before []*tried, hopeless map[string]bool) bool {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Until(deadline)/time.Duration(left), errors.New("its share of the time limit was met"))
		defer cancel()
	} else {
		var cancel context.CancelFunc
		ctx, cancel = cputime.Within(ctx, guessedTime)
		defer cancel()
	}
	for {
		c.opt = c.guess.Launch()
		opt := x.loadOptions()
		opt.Kernels = c.opt
		if c.model, c.err = load(ctx, t, opt); c.err != nil {
			c.r, c.rep = nil, nil // of a buffer that was too short
			c.code = exitOfError(c.err)
			return true
		}
		a.hasLoaded(c.model)
		if as := x.compiledAs(t); as != "" && x.format.value == "json" { // the text says it once, of all launches
			c.model.Program.Notes = append(c.model.Program.Notes, as)
		}
		if c.guess.Fill(c.model.Program.Data) {
			continue
		}
		if slices.ContainsFunc(before, func(b *tried) bool { return slices.Equal(b.first.Flags(), c.opt.Flags()) }) {
			return false
		}
		if c.r == nil {
			c.first = c.opt
		}
		x.sayAnalyses(c.model)
		search := x.optionsFor(c.model)
		if search.MaxStates == 0 {
			search.MaxStates = guessedStates
		}
		c.r = a.run(ctx, c.model, search, &x.searchFlags)
		if v := c.violation(); v != nil && v.Kind == state.IndexOutOfRange && ctx.Err() == nil {
			object := c.opt.Kernel + " " + v.Object
			if !hopeless[object] && c.guess.Grow(v.Object) {
				continue
			}
			if !hopeless[object] && c.guess.Grown(v.Object) { // no length helps: the index may be negative
				hopeless[object] = true
				c.guess.Shrink(v.Object)
				continue
			}
		}
		if c.r.Verdict != explore.Violated || len(c.model.Known) > 0 { // what is known is set aside
			c.rep = a.tell(ctx, x.launching(c.opt), c.model, c.r)
		}
		c.judge(x.strict)
		return true
	}
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

// judge finds the exit code of a launch that was explored. A violation that hangs on a size, a scalar or a content that was guessed
// decides it only if strict.
func (c *tried) judge(strict bool) {
	c.code = exitOf(c.r.Verdict)
	v := c.violation()
	if v == nil {
		return
	}
	switch v.Kind {
	case state.BarrierDivergence:
	case state.DataRace:
		data := c.model.Program.Data
		c.depends = clc.DependsOnIndices(data) || c.guess.Misplaces(v.Location, data)
	case state.UninitialisedRead, state.AssertionFailed, state.IndexOutOfRange, state.DivisionByZero:
		c.depends = true
	default:
		c.depends = clc.Depends(c.model.Program.Data)
	}
	if c.depends && !strict {
		c.code = exitInconclusive
	}
}

// tellGuesses prints what came of all launches, the most telling first: the report of the first that shows a violation, and a line for each.
func (a *app) tellGuesses(ctx context.Context, x *exploreFlags, t model.Target, all []*tried, skipped int, tally map[explore.Verdict]int, proofs []proved) error {
	if !slices.ContainsFunc(all, func(c *tried) bool { return c.err == nil }) {
		return all[0].err
	}
	countRaces(all)
	x.doubtRaces(all)
	slices.SortStableFunc(all, func(c, d *tried) int { return cmp.Compare(rank(c), rank(d)) })
	for _, c := range all {
		a.code = worse(a.code, c.code)
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
		fmt.Fprintf(a.out, "%s: %s is proved: %s\n", name, p.kernel, p.what)
	}
	verdict := verdictOfGuesses(all, skipped, never)
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
		for _, p := range proofs {
			if p.kernel == c.opt.Kernel {
				c.rep.Proved = p.what
			}
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

// countRaces counts data races in full that every launch shows, whatever the buffers hold, where no layout was guessed.
func countRaces(all []*tried) {
	contents := map[string]bool{}
	for _, c := range all {
		v := c.violation()
		if v == nil || v.Kind != state.DataRace || c.guess.Misplaces(v.Location, c.model.Program.Data) {
			return
		}
		contents[c.guess.Content()] = true
	}
	for _, c := range all {
		if len(contents) > 1 {
			c.depends, c.code = false, exitViolation
		}
	}
}

// doubtRaces takes a data race for one that hangs on the guess if a guessed scalar says how the buffer is laid out, and another launch of the kernel
// has no violation: rows overlap where they are too short. So it does if the content of a buffer decides what happens, and another launch, as large and with
// another content, comes to the same place and has no violation.
func (x *exploreFlags) doubtRaces(all []*tried) {
	for _, c := range all {
		if v := c.violation(); v == nil || v.Kind != state.DataRace || !slices.ContainsFunc(all, func(d *tried) bool { return d.acquits(c, v) }) {
			continue
		}
		if c.depends = true; !x.strict {
			c.code = exitInconclusive
		}
	}
}

// acquits reports whether launch d, which is verified, shows that a race of c hangs on what was guessed.
func (d *tried) acquits(c *tried, v *explore.Violation) bool {
	if d.r == nil || d.r.Verdict != explore.Verified || d.opt.Kernel != c.opt.Kernel {
		return false
	}
	data := c.model.Program.Data
	return c.guess.LaidOut(v.Location, data) ||
		clc.DependsOnContent(data) && d.guess.AsLarge(c.guess) && d.guess.Content() != c.guess.Content() && d.cameTo(v.Line)
}

// cameTo reports whether a line ran in a launch that was explored whole: one of file:line:col.
func (c *tried) cameTo(place string) bool {
	return c.rep != nil && !slices.ContainsFunc(c.rep.Unexecuted, func(at trace.Pos) bool {
		return strings.HasPrefix(place, fmt.Sprintf("%s:%d:", at.File, at.Line))
	})
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
	if as := x.compiledAs(t); as != "" {
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
		fmt.Fprintf(a.out, "The line for the file that asks for the first one:\n%s\n", first.guess.Line())
	}
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
func verdictOfGuesses(all []*tried, skipped int, never unseen) string {
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
		return fmt.Sprintf("inconclusive: verified for %d of the %d launches tried", count[4], n+skipped) + reservations(all)
	}
	tried := fmt.Sprintf("the %d launches tried", n)
	if n == 1 {
		tried = "the one launch tried"
	}
	return fmt.Sprintf("verified for %s (%s)", tried, covered(all)) + reservations(all) + report.Never(never.ran, never.evaluated)
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
