package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/optimise"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/memmodel"
)

const optimiseLong = `Search the cheapest orders, scopes and fence flags with which a model verifies.

Each atomic operation, fence and barrier that kernels execute may become weaker; a fence may go. What is printed has been
verified by itself: as it is written, in each configuration, under each reading. Configurations are the lines //clmc:expect of the
model that expect verified, or --config; without either it is the model as it is. //clmc:fixed at the end of a line keeps what
is there, //clmc:free order,scope limits what may change, and //clmc:weight 10 says that it costs ten times as much.

docs/optimise.md says what is searched, what a cost is, and why weakening is not monotone.`

const optimiseExit = `Exit codes:
  0  optimised, or nothing to weaken; with --check: nothing to weaken
  1  not verified to begin with; with --check: something can be weakened
  2  the command line or a file is at fault
  3  inconclusive: a limit was met, and nothing cheaper was verified
  4  internal error: a bug of clmc, please report it`

const optimiseExample = `  clmc optimise lock.go
  clmc optimise --from strongest --patch lock.diff lock.go
  clmc optimise --config '-D n=2' --config '-D n=3 -D local=1' lock.go
  clmc optimise --config '-D N=4' --write reduce.cl
  clmc optimise --check lock.go`

// optimiseFlags are the flags of clmc optimise and clmc repair.
type optimiseFlags struct {
	from      choiceValue
	configs   []string
	defines   defines
	kernel    kernelFlags
	robust    bool
	specs     string
	cost      string
	fast      bool
	barriers  bool // that may go
	modernise bool
	repair    bool
	workers   int
	store     string
	traces    string
	page      string
	live      liveFlags
	timeLimit time.Duration
	cpuLimit  time.Duration
	mem       sizeValue
	output    string
	patch     string
	write     bool
	check     bool
	format    choiceValue
	asIs      bool // the model as it is is a configuration, whatever it expects to verify
}

func (a *app) optimiseCommand() *cobra.Command {
	x := &optimiseFlags{defines: defines{}, format: formatValue(), from: choiceValue{"source", []string{"source", "strongest"}}}
	cmd := &cobra.Command{
		Use:     "optimise MODEL",
		Aliases: []string{"optimize"},
		Short:   "Search the weakest orders, scopes and flags with which a model verifies",
		Long:    optimiseLong + "\n\n" + optimiseExit,
		Example: optimiseExample,
		Args:    oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if x.repair && x.store != "" {
				return errors.New("--store goes without --repair: a repair keeps nothing of what it has checked")
			}
			if x.repair {
				return a.repair(cmd.Context(), x, model.Target(args[0]))
			}
			return a.optimise(cmd.Context(), x, model.Target(args[0]))
		},
	}
	f := cmd.Flags()
	f.Var(&x.from, "from", "where the search begins: source, as it is written, so that nothing becomes stronger; or strongest, with each operation as strong as can be")
	f.BoolVar(&x.fast, "fast", false, "weaken one operation after the other: fewer checks, and often not the cheapest")
	f.BoolVar(&x.barriers, "remove-barriers", false, "barriers may go, too")
	f.BoolVar(&x.repair, "repair", false, "search upwards, as clmc repair does")
	f.StringVar(&x.traces, "traces", "", "write into the folder `DIR`, for each single weakening that goes wrong, an execution for clmc replay")
	f.StringVar(&x.store, "store", "", "keep what has been checked in the folder `DIR`: the same command goes on from there after a crash")
	f.BoolVar(&x.check, "check", false, "write nothing, and exit with 1 if something can be weakened")
	x.register(f)
	return cmd
}

// register registers the flags that clmc optimise and clmc repair have in common.
func (x *optimiseFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&x.configs, "config", nil, "flags of one `CONFIGURATION` in which the model must verify, such as '-D n=2 -D local=1' or '--global 8 --local 4' (repeatable)")
	f.BoolVar(&x.robust, "robust", true, "the model must verify under 3.0, 2.0, 3.1 and popl16-scoped; else under 3.0 alone")
	f.StringVar(&x.specs, "specs", "", "the `VERSIONS` of the memory model under which it must verify, with commas between them, instead of --robust")
	f.StringVar(&x.cost, "cost", "default", "the table of costs: default, amdgpu, ptx, or a `FILE` in YAML")
	f.BoolVar(&x.modernise, "modernise", false, "write atomic functions of OpenCL 1.x as those that have an order, which may change then")
	x.live.register(f)
	f.IntVar(&x.workers, "workers", 1, "search on `N` processors at a time (0: all)")
	f.StringVar(&x.page, "html", "", "write a page with the source, and beside each line what may be weaker, into `FILE`")
	f.VarP(x.defines, "define", "D", "set a macro of a kernel file, or a constant of a model in Go, in each configuration (repeatable)")
	x.kernel.register(f)
	f.DurationVar(&x.timeLimit, "time-limit", 0, "stop after a `duration` such as 30s or 5m, with the best that is verified by then (0: no limit)")
	f.DurationVar(&x.cpuLimit, "cpu-limit", 0, "stop after so much processor time of this process, a `duration` such as 30s or 5m (0: no limit)")
	f.Var(&x.mem, "mem", "the most memory for the states of one search, such as 512MiB (0: no bound)")
	f.StringVarP(&x.output, "output", "o", "", "write the model with what was found into `FILE`")
	f.StringVar(&x.patch, "patch", "", "write a patch into `FILE`, for patch -p1")
	f.BoolVar(&x.write, "write", false, "change the model's files themselves")
	f.Var(&x.format, "format", "how to print results: text or json")
}

// oneModel demands one model.
func oneModel(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("name one model: a .cl, .go or .litmus file, or @NAME")
	}
	return nil
}

// search turns the flags into what is searched.
func (x *optimiseFlags) search(t model.Target) (opt optimise.Options, err error) {
	if x.timeLimit < 0 {
		return opt, fmt.Errorf("--time-limit %v: want a positive duration, or 0 for no bound", x.timeLimit)
	}
	if err := cputime.Check(x.cpuLimit); err != nil {
		return opt, err
	}
	if x.workers < 0 || x.workers > explore.MaxWorkers {
		return opt, fmt.Errorf("--workers %d: want a number from 1 to %d, or 0 for one per processor", x.workers, explore.MaxWorkers)
	}
	n := 0
	for _, named := range []bool{x.output != "", x.write, x.check} {
		if named {
			n++
		}
	}
	if n > 1 || x.check && x.patch != "" {
		return opt, errors.New("-o, --write and --check: name one of them")
	}
	if err := x.checkRepair(); err != nil {
		return opt, err
	}
	if x.write && strings.HasPrefix(string(t), "@") {
		return opt, fmt.Errorf("--write %s: a model that comes with clmc is no file; use -o or --patch", t)
	}
	opt = optimise.Options{Strongest: x.from.value == "strongest", Fast: x.fast, RemoveBarriers: x.barriers, Modernise: x.modernise, Mem: int(x.mem), Specs: memmodel.Specs[:1],
		Workers: (&searchFlags{workers: x.workers}).processors(), Store: x.store, Traces: x.traces, Version: version(), Timed: x.timeLimit > 0 || x.cpuLimit > 0}
	if opt.Liveness, err = x.live.ask(nil); err != nil {
		return opt, err
	}
	if x.robust {
		opt.Specs = optimise.Robust()
	}
	if x.specs != "" {
		opt.Specs = nil
		for _, name := range strings.Split(x.specs, ",") {
			s, err := memmodel.ParseSpec(strings.TrimSpace(name))
			if err != nil {
				return opt, fmt.Errorf("--specs: %w", err)
			}
			opt.Specs = append(opt.Specs, s)
		}
	}
	if opt.Cost, err = optimise.ReadTable(x.cost); err != nil {
		return opt, inputError{fmt.Errorf("--cost %w", err)}
	}
	opt.Configs, err = x.configurations(t)
	return opt, err
}

// checkRepair reports flags that do not go with a search upwards.
func (x *optimiseFlags) checkRepair() error {
	for _, f := range []struct {
		named bool
		name  string
	}{{x.from.value == "strongest", "--from strongest"}, {x.fast, "--fast"}, {x.barriers, "--remove-barriers"}, {x.check, "--check"}, {x.traces != "", "--traces"}, {x.page != "", "--html"}} {
		if x.repair && f.named {
			return fmt.Errorf("--repair and %s: that is for what becomes weaker; leave one of the two out", f.name)
		}
	}
	return nil
}

// configurations are those of --config, or else what the model expects to verify, or else the model as it is.
func (x *optimiseFlags) configurations(t model.Target) ([]optimise.Config, error) {
	base := model.Options{Defines: x.defines, Kernels: x.kernel.options}
	if len(x.configs) > 0 {
		return x.given()
	}
	if len(x.defines) > 0 || x.kernel.options.Launches() || strings.HasPrefix(string(t), "@") {
		return []optimise.Config{{Options: base}}, nil
	}
	list, _, err := checks.Stated([]model.Target{t})
	if err != nil {
		return nil, inputError{err}
	}
	var out []optimise.Config
	for _, c := range list.Checks {
		if !c.Expect.Verified() {
			continue
		}
		one := optimise.Config{Options: model.Options{Defines: c.Defines, LegacyWorkGroup: c.LegacyWorkGroup, Kernels: x.kernel.options}, Promises: c.Explore.Promises}
		for _, name := range sortedKeys(c.Defines) {
			one.Name += " -D " + name + "=" + c.Defines[name]
		}
		if c.LegacyWorkGroup {
			one.Name += " --legacy-atomics work_group"
		}
		one.Name = strings.TrimSpace(one.Name)
		if !slices.ContainsFunc(out, func(o optimise.Config) bool { return o.Name == one.Name }) { // that of another reading
			out = append(out, one)
		}
	}
	if len(out) == 0 || x.asIs && !slices.ContainsFunc(out, func(o optimise.Config) bool { return o.Name == "" }) {
		out = slices.Insert(out, 0, optimise.Config{Options: base})
	}
	return out, nil
}

// given reads the values of --config.
func (x *optimiseFlags) given() (out []optimise.Config, err error) {
	for _, text := range x.configs {
		words, err := split(text)
		if err != nil {
			return nil, fmt.Errorf("--config %q: %w", text, err)
		}
		one := defines{}
		for name, value := range x.defines {
			one[name] = value
		}
		k := &kernelFlags{options: x.kernel.options}
		k.options.Args = slices.Clone(k.options.Args)
		var legacy legacyValue
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.VarP(one, "define", "D", "")
		f.Var(&legacy, "legacy-atomics", "")
		before := x.kernel.options
		k.register(f)
		k.options = before
		if err := f.Parse(words); err != nil {
			return nil, fmt.Errorf("--config %q: %w", text, err)
		}
		if f.NArg() > 0 {
			return nil, fmt.Errorf("--config %q: %q is no flag", text, f.Arg(0))
		}
		out = append(out, optimise.Config{Name: text, Options: model.Options{Defines: one, LegacyWorkGroup: bool(legacy), Kernels: k.options}})
	}
	return out, nil
}

// split splits a text into words as a shell does: quotes keep blanks together.
func split(text string) (words []string, err error) {
	var word strings.Builder
	quote, some := byte(0), false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quote != 0 && b == quote:
			quote = 0
		case quote == 0 && (b == '\'' || b == '"'):
			quote, some = b, true
		case quote == 0 && (b == ' ' || b == '\t' || b == '\n'):
			if some {
				words = append(words, word.String())
			}
			word.Reset()
			some = false
		default:
			word.WriteByte(b)
			some = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if some {
		words = append(words, word.String())
	}
	return words, nil
}

// optimiseExits are the exit codes of verdicts.
var optimiseExits = map[string]int{optimise.Optimised: exitVerified, optimise.Nothing: exitVerified, optimise.NotVerified: exitViolation,
	optimise.Inconclusive: exitInconclusive}

// optimise searches, prints and writes.
func (a *app) optimise(ctx context.Context, x *optimiseFlags, t model.Target) error {
	r, err := assigned(ctx, a, x, t, optimise.Run)
	if r == nil {
		return err
	}
	a.code = worse(a.code, optimiseExits[r.Verdict])
	if x.check && r.Verdict == optimise.Optimised {
		a.code = worse(a.code, exitViolation)
	}
	patch, err := r.Patch()
	if err != nil {
		return err
	}
	if err := a.tellAssigned(x, r.Document(), r.Text); err != nil {
		return err
	}
	if x.page != "" {
		if err := regular.Replace(x.page, r.Page()); err != nil {
			return inputError{fmt.Errorf("--html: %w", err)}
		}
	}
	if r.Texts == nil || x.check {
		return nil
	}
	return x.save(t, r.Changed(), r.Texts, patch)
}

// assigned searches as the flags say. There is no result if there is an error, or if clmc has found a defect of its own, which it has told then.
func assigned[R any](ctx context.Context, a *app, x *optimiseFlags, t model.Target, search func(context.Context, model.Target, optimise.Options) (*R, error)) (*R, error) {
	ctx, cancel := (&searchFlags{timeLimit: x.timeLimit, cpuLimit: x.cpuLimit}).limit(ctx)
	defer cancel()
	opt, err := guard.Read(ctx, "load", func() (optimise.Options, error) { return x.search(t) })
	if err != nil && !errors.Is(err, guard.ErrLeft) { // the search tells that it was left
		return nil, err
	}
	if x.write {
		if err := writable(string(t)); err != nil {
			return nil, inputError{fmt.Errorf("--write: %w", err)}
		}
	}
	r, err := search(ctx, t, opt)
	if bug := (optimise.Unsound{}); errors.As(err, &bug) {
		a.fail(exitInternal, bug)
		return nil, nil
	}
	if err != nil {
		return nil, inputError{err}
	}
	return r, nil
}

// tellAssigned prints what was found, with the patch if it goes nowhere else.
func (a *app) tellAssigned(x *optimiseFlags, document any, text func(patch bool) string) (err error) {
	if x.format.value == "json" {
		return report.WriteJSON(a.out, document)
	}
	_, err = fmt.Fprint(a.out, visible.Text(text(!x.write && x.output == "" && x.patch == "" && !x.check)))
	return err
}

// save writes what was found to where the flags say.
func (x *optimiseFlags) save(t model.Target, changed []string, texts map[string]string, patch string) error {
	if x.patch != "" {
		if err := regular.Replace(x.patch, []byte(patch)); err != nil {
			return inputError{fmt.Errorf("--patch: %w", err)}
		}
	}
	if x.output != "" {
		if len(changed) > 1 {
			return inputError{fmt.Errorf("-o %s: %d files change; use --patch or --write", x.output, len(changed))}
		}
		for _, name := range changed {
			if err := regular.Replace(x.output, []byte(texts[name])); err != nil {
				return inputError{fmt.Errorf("-o: %w", err)}
			}
		}
	}
	if x.write {
		for _, name := range changed {
			if err := staysInside(t, name); err != nil {
				return inputError{fmt.Errorf("--write: %w", err)}
			}
		}
		for _, name := range changed {
			if err := regular.Replace(name, []byte(texts[name])); err != nil {
				return inputError{fmt.Errorf("--write: %w", err)}
			}
		}
	}
	return nil
}

// staysInside reports a file in the folder of a model that is a link out of it: who has written the model does not choose what changes elsewhere. A link
// that the user names leads where it does.
func staysInside(t model.Target, name string) error {
	folder := string(t)
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	if rel, err := filepath.Rel(folder, name); err != nil || !filepath.IsLocal(rel) || filepath.Clean(name) == filepath.Clean(string(t)) {
		return nil
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s is a link to %s, outside of the model's folder, and nothing was written; use -o or --patch", name, real)
	}
	return nil
}

// writable reports whether a file may be written.
func writable(name string) error {
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is read-only", name)
	}
	return nil
}
