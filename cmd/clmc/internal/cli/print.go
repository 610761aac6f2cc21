package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/trial"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/state"
)

// print writes the result of a model, and the files about its first violation.
func (a *app) print(ctx context.Context, x *exploreFlags, m *model.Model, r *explore.Result, files *files) error {
	rep := a.tell(ctx, x, m, r)
	if rep == nil {
		return nil
	}
	if !rep.Require(x.require) {
		a.code = worse(a.code, exitInconclusive)
	}
	if err := a.writeReport(rep, x.format.value, x.quiet); err != nil {
		return err
	}
	if err := files.show(rep); err != nil {
		return err
	}
	shown := slices.IndexFunc(rep.Traces, func(t *trace.Trace) bool { return t.ViolationKind() != state.Unreachable })
	if shown < 0 {
		if files.any() {
			a.logf("no execution goes wrong, so there is nothing to draw or to replay")
		}
		return nil
	}
	return a.writeFiles(x, m, rep, rep.Traces[shown], files)
}

// tell makes the report of a search, and sets known findings aside in its result. Without one there was an error, which was told.
func (a *app) tell(ctx context.Context, x *exploreFlags, m *model.Model, r *explore.Result) *report.Report {
	rep, err := m.Tell(ctx, r)
	if err != nil {
		a.fail(exitInternal, fmt.Errorf("%s: %w\n%s", m.Name, err, pleaseReport))
		fmt.Fprintf(a.out, "%s: verdict: %v, but see the error\n", visible.Line(m.Name), r.Verdict)
		return nil
	}
	rep.Outcomes, rep.Full, rep.Terse = x.outcomes, x.full, !x.verbose
	if x.tries && x.format.value != "github" && (!x.quiet || x.format.value == "json" || x.page != "") {
		search := x.options()
		search.Mem = int(x.mem)
		trial.Repairs(ctx, m, rep, trial.Options{Load: x.loadOptions(), Search: search, States: trialStates + r.Stats.States/5, Each: time.Second, All: 2*time.Second + r.Stats.Elapsed/5})
	}
	return rep
}

// trialStates is how many states the search of a mended model may have, besides a fifth of what the search had that has found the violation: a number, and
// not a time, so that the same is said each time.
const trialStates = 1000

// writeReport writes a report to standard output.
func (a *app) writeReport(rep *report.Report, format string, quiet bool) error {
	switch {
	case format == "json":
		return rep.JSON(a.out)
	case format == "github":
		return rep.GitHub(a.out)
	case quiet:
		for _, why := range rep.Unmet {
			fmt.Fprintf(a.out, "%s: required: %s\n", visible.Line(rep.Model), why)
		}
		_, err := fmt.Fprintf(a.out, "%s: %s\n", visible.Line(rep.Model), rep.Verdict())
		return err
	}
	if w := columns(); w > 0 {
		rep.Width = w
	}
	return rep.Text(a.out)
}

// minColumns is the width below which text is not broken further.
const minColumns = 60

// columns is the width of the terminal, or 0 if standard output is none or
// does not tell.
func columns() int {
	w, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || w == 0 {
		return 0
	}
	return max(w, minColumns)
}

// writeFiles draws the first violation and keeps its schedule.
func (a *app) writeFiles(x *exploreFlags, m *model.Model, rep *report.Report, first *trace.Trace, files *files) error {
	if err := files.draw(rep.Shown(first)); err != nil {
		return err
	}
	if files.trace == nil {
		return nil
	}
	f, err := report.NewTraceFile(m.Name, m.Program, rep.Result.Spec, x.defines, first)
	if err != nil {
		return inputError{fmt.Errorf("--trace: %w", err)}
	}
	launch := x.kernel.options
	if m.Data != nil { // what was any is what the trace is about
		launch.Given = m.Data
	}
	f.Launch = launch.Flags()
	if err := files.trace.fill(f.Save); err != nil {
		return inputError{err}
	}
	a.logf("clmc replay %s repeats the violation", shell.Word(files.trace.Name()))
	return nil
}
