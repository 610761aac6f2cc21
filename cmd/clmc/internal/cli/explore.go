package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/prove"
	"github.com/clmc/clmc/internal/visible"
)

const exploreLong = `Explore every execution that the OpenCL memory model allows, and report what can go wrong.

MODEL is one of

  kernel.cl     a kernel in OpenCL C; how it is launched is said by its //clmc:launch line
                or by the kernel flags
  reduce.sim    a simulator file of Oclgrind, which names a kernel file and its launch
  model.go      a model in Go
  test.litmus   a litmus test
  FOLDER        all models in it and below; clmc lists what looks like a model and is not
                checked
  @NAME         a kernel or model that comes with clmc: see clmc models

The search stops at the first violation unless --all is given. Of a litmus test the report
says whether its condition holds; the exit code is about violations. clmc litmus --expect
exits by the condition.

With --device, a kernel also runs on an OpenCL device, and what it leaves there is compared with what
its executions leave. docs/devices.md says what that means. Nothing runs on a device without --device.`

const exploreExample = `  clmc explore kernel.cl
  clmc explore scan.cl --global 8 --local 4 --arg n=8 --arg 'in=int[8]{1..8}' --arg tmp=local[4]
  clmc explore model.go -D n=8 --time-limit 5m
  clmc explore --spec 2.0 --all model.go
  clmc explore --graph bug.svg --trace bug.json @kernel_dot_wrongflag
  clmc explore --html bug.html @kernel_dot_wrongflag.cl
  clmc explore --format json models/shipped/ > results.json
  clmc explore --store night.store --mem 16GiB model.go
  clmc explore --cluster nats://host:4222 model.go
  clmc explore --device kernel.cl`

const exploreExit = `
With --device also 5: the device leaves what no execution does; and 3: the kernel was not run
there, and it is said why. A launch that the device cannot do is 2.`

// exploreFlags are the flags of clmc explore.
type exploreFlags struct {
	searchFlags
	storeFlags
	outputFlags
	clusterFlags
	defines  defines
	kernel   kernelFlags
	all      bool
	exact    bool
	store    string // the directory, "" for none
	outcomes int
	witness  string // a condition; "" for none
	quiet    bool
	verbose  bool     // the search is told about, too
	noWork   bool     // with a cluster: only watch
	replicas int      // of a job on a cluster
	known    []string // what a list of checks says is known
	require  requirements
	live     liveFlags
	device   kernelDeviceFlags
	launches int  // how many launches of a kernel to guess, if nothing says how it is launched
	strict   bool // what hangs on a guess counts
	// extension is one that launches are guessed with, because the file does not compile without it, for that reason.
	extension string
	without   error
	// macros are those that launches are guessed with, as the file leaves them to its host; sized: some are numbers.
	macros  []string
	sized   bool
	noProof bool // no proof is tried before launches that are found
	noTry   bool // repairs are not tried
	tries   bool // the command is one that tries them
}

// check reports values that no search can use, and lets -q silence progress.
func (x *exploreFlags) check() error {
	if err := x.checkRun(); err != nil {
		return err
	}
	if x.witness != "" && (x.store != "" || x.used()) {
		return errors.New("--witness goes without --store and --cluster")
	}
	if x.analyses.without != 0 && (x.store != "" || x.used()) {
		return errors.New("--analysis goes without --store and --cluster")
	}
	if x.exact && x.workers != 1 {
		return errors.New("--workers and --exact: workers tell each other fingerprints of states, not whole states; leave one of the two out")
	}
	if err := x.checkLive(); err != nil {
		return err
	}
	if err := x.checkShared(); err != nil {
		return err
	}
	return x.storeFlags.check()
}

// checkShared reports flags that do not go with a cluster, or only with one.
func (x *exploreFlags) checkShared() error {
	switch {
	case !x.used() && x.noWork:
		return errors.New("--no-work: it is for searches that others work on; name a server with --cluster")
	case x.replicas < 0 || x.replicas > 5:
		return fmt.Errorf("--replicas %d: want a number from 1 to 5, or 0 for as many as there can be up to three", x.replicas)
	case !x.used():
		return x.clusterFlags.check()
	}
	opt := x.options()
	opt.Exact = x.exact
	if err := opt.Shareable(); err != nil {
		flag := "--exact"
		if x.noCache {
			flag = "--no-cache"
		}
		return fmt.Errorf("%s and --cluster: %w; leave one of the two out", flag, err)
	}
	return nil
}

// checkRun does so for what is run without a store.
func (x *exploreFlags) checkRun() error {
	if x.quiet {
		x.progress.value = "never"
	}
	if x.outcomes < -1 {
		return fmt.Errorf("--outcomes %d: want a number, or -1 for all", x.outcomes)
	}
	return x.searchFlags.check()
}

// loadOptions say how to load a model.
func (x *exploreFlags) loadOptions() model.Options {
	return model.Options{Defines: x.defines, LegacyWorkGroup: bool(x.legacy), Kernels: x.kernel.options}
}

// registerOutput registers the flags about what is printed and written.
func (x *exploreFlags) registerOutput(f *pflag.FlagSet) {
	x.registerGraph(f)
	x.registerTrace(f)
	x.registerPage(f)
	x.registerPrinted(f)
}

// registerPrinted registers the flags about how much is printed.
func (x *exploreFlags) registerPrinted(f *pflag.FlagSet) {
	f.IntVar(&x.outcomes, "outcomes", 20, "print at most `N` outcomes (-1: all)")
	f.BoolVarP(&x.quiet, "quiet", "q", false, "print verdicts only, and no progress")
	f.BoolVarP(&x.verbose, "verbose", "v", false, "print also what the search did and what the reductions saved")
}

// registerWhat registers the flags about what is explored, and what counts.
func (x *exploreFlags) registerWhat(f *pflag.FlagSet) {
	f.BoolVar(&x.exact, "exact", false, "compare whole states instead of their fingerprints, as an audit")
	f.Var(&x.analyses, "analysis", "rely only on the analyses `NAMES`, to check a verdict: all, none, or names; -NAME leaves one out")
	_ = f.MarkHidden("analysis") // the flag is there
	f.VarP(x.defines, "define", "D", "set a macro of a kernel file, or a constant of a model in Go (repeatable)")
	f.BoolVar(&x.all, "all", false, "go on after the first violation; after a data race, as if the racing read had returned the newest value. The list may be incomplete")
	f.Var(&x.require, "require", "what a verdict must cover, or else the exit code is 3: "+requirementHelp)
	f.IntVar(&x.launches, "launches", 8, "where nothing says how a kernel is launched: try up to `N` launches of each kernel")
	f.BoolVar(&x.noProof, "no-proof", false, "where nothing says how a kernel is launched: do not try to prove it for all sizes and data first")
	f.BoolVar(&x.strict, "strict", false, "a violation that hangs on a guessed size, scalar or content decides the exit code")
	x.live.register(f)
}

// checkLaunches reports a number of launches that cannot be.
func (x *exploreFlags) checkLaunches() error {
	if x.launches < 1 {
		return fmt.Errorf("--launches %d: want a positive number", x.launches)
	}
	return nil
}

func (x *exploreFlags) registerTry(f *pflag.FlagSet) {
	f.BoolVar(&x.noTry, "no-try", false, "do not try the repairs that are advised: they are not made and explored for a moment")
}

func (a *app) exploreCommand() *cobra.Command {
	x := &exploreFlags{defines: defines{}}
	x.format = annotatedValue()
	cmd := &cobra.Command{
		Use:               "explore MODEL...",
		Short:             "Explore all executions of kernels and models",
		Long:              exploreLong + "\n\n" + exitHelp + exploreExit,
		Example:           exploreExample,
		ValidArgsFunction: completeShipped("@"),
		Args:              someArgs("a kernel or model: a .cl, .go or .litmus file, a folder, or @NAME ('clmc models' lists names)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := x.check(); err != nil {
				return err
			}
			if err := x.checkDevice(cmd.Flags()); err != nil {
				return err
			}
			defer x.device.close()
			if err := x.device.noName(args); err != nil {
				return err
			}
			if err := x.checkLaunches(); err != nil {
				return err
			}
			x.tries = !x.noTry
			return a.explore(cmd.Context(), x, args)
		},
	}
	f := cmd.Flags()
	x.searchFlags.register(f)
	x.storeFlags.register(f)
	f.StringVar(&x.store, "store", "", "keep the search in the folder `DIR`: it can outgrow memory and survives a crash; clmc resume goes on with it")
	x.registerWhat(f)
	f.StringVar(&x.witness, "witness", "", "show an execution whose outcome meets `CONDITION`, such as 'x==1 && 1:r0==0'; exists is the condition of a litmus test. Exits with 0 if there is one, 1 if there is none, 3 if that is not known")
	x.device.register(f)
	x.registerTry(f)
	x.kernel.register(f)
	x.registerOutput(f)
	x.clusterFlags.register(f, "share the search with the workers of the NATS server at `URL`, such as nats://host:4222")
	f.BoolVar(&x.noWork, "no-work", false, "with --cluster: do not search here; wait for what the workers find")
	f.IntVar(&x.replicas, "replicas", 0, "with --cluster: the `number` of servers that keep the search (0: three, or one if there is only one)")
	return cmd
}

// someArgs demands at least one argument and says which.
func someArgs(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New("name " + what)
		}
		return nil
	}
}

// explore runs every model and keeps the worst exit code.
func (a *app) explore(ctx context.Context, x *exploreFlags, args []string) error {
	found, err := find(ctx, args...)
	if err != nil {
		return err
	}
	models := found.Models
	if found.Folders {
		a.census(models, found.Left, x.quiet)
	}
	if len(models) > 1 && (x.trace != "" || x.page != "" || len(x.graphs) > 0) {
		return fmt.Errorf("--graph, --trace and --html are for one model at a time, not for %d", len(models))
	}
	if len(models) > 1 && x.store != "" {
		return fmt.Errorf("--store is for one model at a time, not for %d", len(models))
	}
	files, err := x.open()
	if err != nil {
		return err
	}
	defer files.discard()
	tally := map[explore.Verdict]int{}
	for i, t := range models {
		if ctx.Err() != nil {
			a.logf("interrupted: %d of %d models were not explored", len(models)-i, len(models))
			a.code = worse(a.code, exitInconclusive)
			break
		}
		a.guard(func() error { return a.annotated(x, t, a.exploreOne(ctx, x, t, files, tally)) })
		a.out.Flush()
	}
	if len(models) > 1 && x.format.value != "json" {
		a.summarise(len(models), tally)
	}
	return nil
}

// annotated shows an error of a model at its place, where results are shown so; it is returned, to be told.
func (a *app) annotated(x *exploreFlags, t model.Target, err error) error {
	if err != nil && x.format.value == "github" {
		if err := report.AnnotateError(a.out, string(t), err); err != nil {
			return err
		}
	}
	return err
}

// exploreOne explores one model and prints the result.
func (a *app) exploreOne(ctx context.Context, x *exploreFlags, t model.Target, files *files, tally map[explore.Verdict]int) error {
	whole, began := ctx, time.Now()
	ctx, cancel := x.limit(ctx)
	defer cancel()
	if x.guessable(t) {
		if x.device.name != "" {
			return inputError{fmt.Errorf("%s: --device: nothing says how the kernel is launched; without --device, clmc explore finds launches and prints lines for the file", t)}
		}
		return a.exploreGuesses(ctx, x, t, tally)
	}
	opt := x.loadOptions()
	if x.decidesLate() {
		opt.Kernels.Classes = prove.Classes
	}
	m, err := load(ctx, t, opt)
	if x.format.value == "json" && errors.Is(err, guard.ErrLeft) {
		return errors.Join(err, a.unloaded(x, t, err))
	}
	if err != nil {
		return err
	}
	a.hasLoaded(m)
	x.sayAnalyses(m)
	if x.witness != "" {
		return a.witness(ctx, x, m, files)
	}
	if x.used() {
		return a.exploreShared(ctx, x, m, files, tally)
	}
	if x.store != "" {
		return a.exploreKept(whole, time.Since(began), x, m, files, tally)
	}
	m, r, err := m.DecideLate(func(m *model.Model) *explore.Result { return a.search(ctx, x, m, nil) })
	if err != nil {
		return err
	}
	if err := a.conclude(ctx, x, m, r, files, tally); err != nil || x.device.name == "" {
		return err
	}
	return a.beside(ctx, x, t, m, r)
}

// hasLoaded tells whoever wants to know that a model is loaded.
func (a *app) hasLoaded(m *model.Model) {
	if a.loaded != nil {
		a.loaded(m)
	}
}

// decidesLate reports whether inputs may be decided late: executions that no data have say nothing of outcomes and of what goes on for ever, and a
// search that is kept, or shared, would be one of them.
func (x *exploreFlags) decidesLate() bool {
	return x.store == "" && !x.used() && x.witness == "" && x.live.model == "" && x.device.name == ""
}

// sayAnalyses notes which analyses the search of a model does without.
func (x *exploreFlags) sayAnalyses(m *model.Model) {
	if without := x.analyses.without; without != 0 {
		m.Program.Notes = append(m.Program.Notes, fmt.Sprintf("The search does without these analyses: %v.", without))
	}
}

// exploreKept explores a model in a store, having loaded it for so long. That the store is opened counts for no limit: with one shorter than that
// takes, a search would never get on.
func (a *app) exploreKept(ctx context.Context, loaded time.Duration, x *exploreFlags, m *model.Model, files *files, tally map[explore.Verdict]int) error {
	d, err := a.openStore(ctx, x, m)
	if err != nil {
		return err
	}
	rest := x.searchFlags
	if rest.timeLimit > 0 {
		rest.timeLimit = max(rest.timeLimit-loaded, 1)
	}
	ctx, cancel := rest.limitFor(ctx, x.timeLimit)
	defer cancel()
	return a.conclude(ctx, x, m, a.search(ctx, x, m, d), files, tally)
}

// find finds the models that some arguments name, unless ctx is done before.
func find(ctx context.Context, args ...string) (*model.Found, error) {
	found, err := guard.Read(ctx, "find", func() (*model.Found, error) { return model.Find(args...) })
	if err != nil {
		return nil, inputError{err}
	}
	return found, nil
}

// census says how many models of which kind there are, and what looks like one and is left out.
func (a *app) census(models []model.Target, left []model.Left, quiet bool) {
	if !quiet && len(models)+len(left) > 1 {
		a.logf("found: %s", model.Census(models))
	}
	for _, line := range model.Leftovers(left) {
		a.logf("%s", visible.Line(line))
	}
}

// load loads a model, unless ctx is done before.
func load(ctx context.Context, t model.Target, opt model.Options) (*model.Model, error) {
	m, err := guard.Read(ctx, "load", func() (*model.Model, error) { return t.Load(opt) })
	if errors.Is(err, guard.ErrLeft) {
		err = notExplored(t, err)
	}
	return m, err
}

// unloaded writes the document of a model that loading was given up of.
func (a *app) unloaded(x *exploreFlags, t model.Target, err error) error {
	rep, broken := t.Unloaded(fmt.Sprintf("%v while it was loaded", errors.Unwrap(err)), x.options())
	if broken != nil {
		return broken
	}
	return rep.JSON(a.out)
}

// notExplored says of a model that loading it was given up.
func notExplored(t model.Target, err error) error {
	return fmt.Errorf("%s: not explored: %w while it was loaded", t, err)
}

// conclude counts and prints the result of a model.
func (a *app) conclude(ctx context.Context, x *exploreFlags, m *model.Model, r *explore.Result, files *files, tally map[explore.Verdict]int) error {
	err := a.print(ctx, x, m, r, files) // which sets known findings aside
	a.code = worse(a.code, exitOf(r.Verdict))
	tally[r.Verdict]++
	return err
}

// run explores a model, and shows progress.
func (a *app) run(ctx context.Context, m *model.Model, opt explore.Options, s *searchFlags) *explore.Result {
	return a.show(ctx, m.Name, s, &opt, func(ctx context.Context) *explore.Result { return searchWithin(ctx, m, opt) })
}

// searchWithin searches, within twice the memory for visited states.
func searchWithin(ctx context.Context, m *model.Model, opt explore.Options) *explore.Result {
	mem := opt.Mem
	if mem > 0 && opt.Store != nil {
		mem += searchBeside // its caches
	}
	ctx, free := withinTwice(ctx, mem)
	defer free()
	return explore.Run(ctx, m.Program, opt)
}

// withinTwice returns a context that ends when the process takes much more memory than visited states may, if there is a bound on that: a program's own
// structures grow with its cells, its work-items and its code. Whoever asks for it frees it.
func withinTwice(ctx context.Context, mem int) (within context.Context, free func()) {
	if mem == 0 {
		return ctx, func() {}
	}
	return guard.Within(ctx, twice(mem))
}

// twice is how much memory a process may take where visited states may take so much; 0 is no bound.
func twice(mem int) int64 {
	if mem == 0 {
		return 0
	}
	return 2*int64(min(int64(mem), math.MaxInt64/8)) + searchBeside
}

// searchBeside is how much memory a search may take beside twice that for visited states.
const searchBeside = 64 << 20

// show has something done, and shows the progress that opt is told of meanwhile.
func (a *app) show(ctx context.Context, name string, s *searchFlags, opt *explore.Options, do func(context.Context) *explore.Result) *explore.Result {
	p := a.startProgress(s.progress.value, name, s.maxStates)
	defer p.stop()
	note := opt.Progress
	opt.First = p.answered
	opt.Progress = func(s explore.Stats) {
		p.sample(s)
		if note != nil {
			note(s)
		}
	}
	return do(ctx)
}

// summarise sums up several models in the last line.
func (a *app) summarise(n int, tally map[explore.Verdict]int) {
	line := fmt.Sprintf("%d models:", n)
	failed := n
	for _, v := range explore.Verdicts() {
		if tally[v] > 0 {
			line += fmt.Sprintf(" %d %v,", tally[v], v)
		}
		failed -= tally[v]
	}
	if failed > 0 {
		line += fmt.Sprintf(" %d not explored,", failed)
	}
	fmt.Fprintln(a.out, line[:len(line)-1])
}
