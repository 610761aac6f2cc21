package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
)

// searchFlags are the flags of every command that explores.
type searchFlags struct {
	spec      specValue
	por       porValue
	promises  promisesValue
	promised  promisesTimeValue
	legacy    legacyValue
	noCache   bool
	workers   int
	symmetry  bool
	analyses  analysesValue
	maxStates int
	timeLimit time.Duration
	cpuLimit  time.Duration
	progress  choiceValue
	format    choiceValue
}

func (s *searchFlags) register(f *pflag.FlagSet) {
	s.registerModel(f)
	f.Var(&s.por, "por", "partial-order reduction: "+oneOf(porNames()))
	f.BoolVar(&s.noCache, "no-cache", false, "go through every execution, without a set of visited states, to count them; a model with endless loops does not end")
	f.BoolVar(&s.symmetry, "symmetry", true, "treat states as equal that differ only by swapping work-items or work-groups whose ids make no difference")
	s.registerRun(f)
}

// registerModel registers the flags that say what the executions of a model are.
func (s *searchFlags) registerModel(f *pflag.FlagSet) {
	s.spec.Spec = memmodel.Specs[0]
	f.Var(&s.spec, "spec", "the version of the memory model: "+oneOf(specNames()))
	f.Var(&s.promises, "promises", "explore load buffering: up to `N` writes of each work-item may become visible early (0: none; auto: "+strconv.Itoa(explore.DefaultPromises)+" where it can matter)")
	f.Var(&s.legacy, "legacy-atomics", "the scope of the atomic functions of OpenCL 1.x, such as atomic_inc, which name none: device, as implementations do it, or work_group")
}

// registerRun registers the flags that make no difference to what a search
// finds as far as it goes.
func (s *searchFlags) registerRun(f *pflag.FlagSet) {
	f.IntVar(&s.workers, "workers", 1, "search on `N` processors at a time (0: all)")
	f.IntVar(&s.maxStates, "max-states", 0, "stop after `N` states (0: no limit)")
	s.registerLimits(f)
	f.Var(&s.promised, "promises-time", "when all executions without load buffering are explored, explore those with it for a `time` such as 30s, for as many times as much work as that was, such as 10x (of some seconds at least), or unlimited")
	s.registerPrint(f)
}

// registerLimits registers the flags about how long a command may take.
func (s *searchFlags) registerLimits(f *pflag.FlagSet) {
	f.DurationVar(&s.timeLimit, "time-limit", 0, "stop after a `duration` such as 30s or 5m (0: no limit)")
	f.DurationVar(&s.cpuLimit, "cpu-limit", 0, "stop after so much processor time of this process, a `duration` such as 30s or 5m (0: no limit)")
}

// registerPrint registers the flags about what is printed of results and of progress.
func (s *searchFlags) registerPrint(f *pflag.FlagSet) {
	s.progress = progressValue()
	if s.format.choices == nil {
		s.format = formatValue()
	}
	f.Var(&s.format, "format", "how to print results: "+oneOf(s.format.choices))
	f.Var(&s.progress, "progress", progressHelp)
}

// check reports values that no search can use.
func (s *searchFlags) check() error {
	switch {
	case s.workers < 0 || s.workers > explore.MaxWorkers:
		return fmt.Errorf("--workers %d: want a number from 1 to %d, or 0 for one per processor", s.workers, explore.MaxWorkers)
	case s.workers != 1 && s.noCache:
		return errors.New("--workers and --no-cache: workers tell each other which states they have explored; leave one of the two out")
	case s.maxStates < 0:
		return fmt.Errorf("--max-states %d: want a positive number, or 0 for no bound", s.maxStates)
	case s.timeLimit < 0:
		return fmt.Errorf("--time-limit %v: want a positive duration, or 0 for no bound", s.timeLimit)
	}
	return cputime.Check(s.cpuLimit)
}

// options are the explorer's.
func (s *searchFlags) options() explore.Options {
	return explore.Options{
		Spec: s.spec.Spec, POR: s.por.Mode, NoSymmetry: !s.symmetry, NoCache: s.noCache, Workers: s.processors(),
		MaxStates: s.maxStates, Promises: int(s.promises), PromisesTime: s.promised.PromisesTime, Without: s.analyses.without,
	}
}

// limit applies the limits on time.
func (s *searchFlags) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return s.limitFor(ctx, s.timeLimit)
}

// limitFor applies what is left of a time limit.
func (s *searchFlags) limitFor(ctx context.Context, whole time.Duration) (context.Context, context.CancelFunc) {
	ctx, free := cputime.Limit(ctx, s.cpuLimit)
	if s.timeLimit == 0 {
		return ctx, free
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeLimit, fmt.Errorf("the time limit of %v was met", whole))
	return ctx, func() { cancel(); free() }
}

// specNames lists the readings, the default first.
func specNames() []string {
	var names []string
	for _, s := range memmodel.Specs {
		names = append(names, s.Name)
	}
	return names
}

// porNames lists the reductions, the default first.
func porNames() []string {
	var names []string
	for _, m := range por.Modes() {
		names = append(names, m.String())
	}
	return names
}

// formatValue is the value of --format.
func formatValue() choiceValue { return choiceValue{"text", []string{"text", "json"}} }

// annotatedValue is the value of --format where results can be commands of GitHub's workflows, too.
func annotatedValue() choiceValue { return choiceValue{"text", []string{"text", "json", "github"}} }

// progressValue is the value of --progress.
func progressValue() choiceValue {
	return choiceValue{"auto", []string{"auto", "lines", "json", "never"}}
}

const progressHelp = "progress on standard error: auto (a bar on a terminal, else a line per minute), lines (one per 10s), json (an object per second) or never"

// processors returns the number of workers, which may be left to the machine.
func (s *searchFlags) processors() int {
	if s.workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return s.workers
}
