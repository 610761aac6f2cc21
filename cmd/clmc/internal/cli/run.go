package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/report/sarif"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
)

const runLong = `Run a list of checks: explore each kernel or model, compare the result with the expected one, and
sum up. LIST is a YAML file such as

  budget: 8h               # for all checks together; shared fairly
  store: clmc-store        # remembers results, and keeps unfinished searches
  keep: 720h               # how long it keeps what no run uses (the default)
  defaults: {spec: "3.0"}  # options of all checks
  checks:
    - model: kernels/scan.cl
      kernel: scan
      global: 8
      local: 4
      args: ["in=int[8]{1..8}", "tmp=local[4]"]
    - model: models/shipped/kernel_dot
      define: {n: 4}
    - model: models/shipped/kernel_dot_wrongflag
      expect: CL1001
    - model: tests/        # a folder: a check for each model in it
      time-limit: 10m

A model is named as for clmc explore. Paths are relative to the list; name gives a check a name.
The options spec, por, promises, legacy-atomics, unwritten, define, all, exact, max-states, time-limit,
cpu-limit, promises-time, liveness, fairness and device are the flags of clmc explore. "promises: undecided-ok" accepts a check that is verified
without load buffering, and with it not decided in promises-time. expect is one of

  verified           no execution goes wrong (the default)
  CL1001, or a list  a violation of that kind, or of one of these kinds; with
                     "all: true", of each of these kinds and no other.
                     "violated CL1001", as in //clmc:expect lines, means the same
  holds              the condition of a litmus test holds (the default for litmus tests)
  fails              it does not hold
  undefined          the litmus test has a data race or barrier divergence

Each check gets an equal part of the time that is left; what it does not use goes to the others.
With a store, a finished check is not run again unless its model, its options or clmc have changed,
and an unfinished one continues where it stopped. docs/nightly.md shows how to run a list every night.

With --cluster the searches are jobs on a server, which all its workers share: while this process
goes through the list, they work on other checks, and on large ones together.`

const runExit = `Exit codes:
  0  every check found what is expected
  1  some check found something else
  2  the command line, the list or a model is at fault; the other checks are run
  3  some check is unfinished: its limit, the budget or an interrupt cut it short
  4  internal error: a bug of clmc, please report it
  5  a device leaves what no execution does
The worst counts, in the order 4, 2, 1, 5, 3, 0.`

const runExample = `  clmc run checks.yaml
  clmc run --budget 8h --store /var/lib/clmc checks.yaml
  clmc run --junit results.xml --sarif results.sarif checks.yaml
  clmc run --format json checks.yaml > results.json
  clmc run --cluster nats://host:4222 checks.yaml`

// runFlags are the flags of clmc run.
type runFlags struct {
	storeFlags
	clusterFlags
	budget   time.Duration
	store    string
	format   choiceValue
	progress choiceValue
	quiet    bool
	files    map[string]*string // to write, by format
	pages    string             // the folder for pages, "" for none

	timeLimit time.Duration // for each check, of clmc test
	cpuLimit  time.Duration // likewise
}

func newRunFlags() *runFlags { return &runFlags{files: map[string]*string{}} }

// check reports values that no run can use, and lets -q silence progress.
func (r *runFlags) check() error {
	if r.quiet {
		r.progress.value = "never"
	}
	switch {
	case r.budget < 0:
		return fmt.Errorf("--budget %v: want a positive duration", r.budget)
	case r.timeLimit < 0:
		return fmt.Errorf("--time-limit %v: want a positive duration, or 0 for no bound", r.timeLimit)
	}
	return cmp.Or(cputime.Check(r.cpuLimit), r.clusterFlags.check(), r.storeFlags.check())
}

// bound gives a list the budget and the store that the flags name.
func (r *runFlags) bound(list *checks.List) {
	if r.budget > 0 {
		list.Budget = r.budget
	}
	if r.store != "" {
		list.Store = r.store
	}
}

func (r *runFlags) register(f *pflag.FlagSet) {
	r.format = choiceValue{"text", []string{"text", "json", "junit", "sarif", "github"}}
	r.progress = progressValue()
	f.DurationVar(&r.budget, "budget", 0, "stop after this `duration` for all checks together; replaces that of the list")
	f.StringVar(&r.store, "store", "", "remember results and keep unfinished searches in the folder `DIR`; replaces that of the list")
	r.storeFlags.register(f)
	f.Var(&r.format, "format", "how to print the summary: "+oneOf(r.format.choices))
	for _, format := range r.format.choices[1:] {
		r.files[format] = f.String(format, "", "also write the summary as "+format+" into `FILE`")
	}
	f.StringVar(&r.pages, "html", "", "write into the folder `DIR` index.html, which lists all checks, and for each violation a page to step through its execution, a drawing and a trace for clmc replay")
	f.Var(&r.progress, "progress", progressHelp)
	f.BoolVarP(&r.quiet, "quiet", "q", false, "print only checks that are not as expected, and no progress")
}

func (a *app) runCommand() *cobra.Command {
	r := newRunFlags()
	cmd := &cobra.Command{
		Use:     "run LIST",
		Short:   "Run a list of checks, every night for example",
		Long:    runLong + "\n\n" + runExit,
		Example: runExample,
		Args:    oneArg("a list of checks, such as checks.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(); err != nil {
				return err
			}
			list, err := guard.Read(cmd.Context(), "list", func() (*checks.List, error) { return checks.Read(args[0]) })
			if err != nil {
				return inputError{err}
			}
			r.bound(list)
			return a.runList(cmd.Context(), r, list)
		},
	}
	r.register(cmd.Flags())
	r.clusterFlags.register(cmd.Flags(), "share the checks with the workers of the NATS server at `URL`")
	return cmd
}

// oneArg demands exactly one argument and says which.
func oneArg(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("name %s", what)
		}
		return nil
	}
}

// runList runs the checks of a list and sums up.
func (a *app) runList(ctx context.Context, r *runFlags, list *checks.List) error {
	outputs, err := r.open()
	if err != nil {
		return err
	}
	defer discardAll(outputs)
	d := &desk{app: a, whole: ctx, flags: r, list: list}
	if r.pages != "" {
		if d.pages, err = openPages(r.pages); err != nil {
			return inputError{err}
		}
	}
	n := &checks.Night{List: list, Desk: d, Version: version(), Try: cmp.Or(a.try, checks.QuickTry)}
	if list.Store != "" {
		if n.Results, err = checks.OpenResults(list.Store); err != nil {
			//lint:ignore ST1005 store: is a field of the list
			return inputError{fmt.Errorf("the store of results: %w\nName a folder that can be written with --store or store:", regular.Fault(list.Store, err))}
		}
	}
	if n.Jobs, err = guard.Read(ctx, "list", list.Jobs); err != nil {
		return inputError{err}
	}
	if r.used() {
		if d.part, err = a.startPart(&r.clusterFlags); err != nil {
			return err
		}
		defer d.part.stop()
		d.submit(ctx, n)
	}
	if list.Folders {
		a.left(r, n)
	}
	summary := n.Run(ctx)
	d.closeDevices()
	if d.pages != nil {
		if err := d.pages.index(summary); err != nil {
			return inputError{err}
		}
	}
	for format, o := range outputs {
		if err := o.fill(func(w io.Writer) error { return writeSummary(w, summary, format) }); err != nil {
			return inputError{err}
		}
	}
	return writeSummary(a.out, summary, r.format.value)
}

// left says of which kinds the models of a list are, and what looks like one in the folders that it names and is not checked.
func (a *app) left(r *runFlags, n *checks.Night) {
	models := map[model.Target]bool{}
	for _, j := range n.Jobs {
		models[j.Target] = true
	}
	a.census(slices.Collect(maps.Keys(models)), n.List.Left, r.quiet)
}

// writeSummary writes a summary in a format. Of text, only the last line is
// left to write.
func writeSummary(w io.Writer, s *report.Summary, format string) error {
	switch format {
	case "json":
		return s.JSON(w)
	case "junit":
		return s.JUnit(w)
	case "sarif":
		return sarif.Write(w, s)
	case "github":
		return s.GitHub(w)
	}
	return s.Text(w)
}

// open opens the files that the flags name, before any time is spent.
func (r *runFlags) open() (map[string]*outputFile, error) {
	outputs := map[string]*outputFile{}
	for format, name := range r.files {
		if *name == "" {
			continue
		}
		o, err := openOutput(*name)
		if err != nil {
			discardAll(outputs)
			return nil, inputError{fmt.Errorf("--%s %w", format, err)}
		}
		outputs[format] = o
	}
	return outputs, nil
}

func discardAll(outputs map[string]*outputFile) {
	for _, o := range outputs {
		o.discard()
	}
}
