package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/explore"
)

const simulateLong = `Perform random executions of a kernel or model: each step is drawn from those that the memory model
allows. This is for models that are too large to be explored, and for a first look.

A violation that clmc finds is real, and the report is that of clmc explore. If it finds none, the
verdict is inconclusive, however many executions were performed. clmc prints the seed: the same seed
gives the same executions. It also lists the lines of the model that no execution reached.`

const simulateExit = `Exit codes:
  1  violation: some execution goes wrong
  2  the command line, a file or a model is at fault
  3  inconclusive: clmc found nothing in the executions that it performed
  4  internal error: a bug of clmc, please report it`

const simulateExample = `  clmc simulate kernel.cl
  clmc simulate -D n=64 --runs 100000 --time-limit 1m model.go
  clmc simulate --seed 7 --trace bug.json --graph bug.svg @kernel_dot_wrongflag`

// simulateFlags are the flags of clmc simulate.
type simulateFlags struct {
	exploreFlags
	runs     int
	steps    int
	seed     uint64
	seedless bool // it is drawn, too
}

func (a *app) simulateCommand() *cobra.Command {
	x := &simulateFlags{exploreFlags: exploreFlags{defines: defines{}}}
	cmd := &cobra.Command{
		Use:               "simulate MODEL",
		Short:             "Perform random executions of a kernel or model that is too large to explore",
		Long:              simulateLong + "\n\n" + simulateExit,
		Example:           simulateExample,
		ValidArgsFunction: completeShipped("@"),
		Args:              oneArg("a kernel or model: a .cl, .go or .litmus file, a folder, or @NAME ('clmc models' lists names)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if x.live.model != "" {
				return errors.New("--liveness is for clmc explore: that random executions end tells nothing of those that go on for ever")
			}
			x.seedless = !cmd.Flags().Changed("seed")
			if err := x.check(); err != nil {
				return err
			}
			return a.simulate(cmd.Context(), x, args[0])
		},
	}
	f := cmd.Flags()
	f.IntVar(&x.runs, "runs", explore.DefaultRuns, "perform `N` executions")
	f.Uint64Var(&x.seed, "seed", 0, "draw the executions of the seed `N` (default: a new one each time)")
	f.IntVar(&x.steps, "max-steps", explore.DefaultSteps, "stop an execution that has not ended after `N` steps")
	x.searchFlags.registerModel(f)
	x.searchFlags.registerLimits(f)
	x.searchFlags.registerPrint(f)
	f.VarP(x.defines, "define", "D", "set a macro of a kernel file, or a constant of a model in Go (repeatable)")
	f.BoolVar(&x.all, "all", false, "go on after the first violation, and collect all")
	x.kernel.register(f)
	x.registerOutput(f)
	x.live.registerRefused(f)
	return cmd
}

// check reports values that no simulation can use.
func (x *simulateFlags) check() error {
	switch {
	case x.runs < 1:
		return fmt.Errorf("--runs %d: want a positive number", x.runs)
	case x.steps < 1:
		return fmt.Errorf("--max-steps %d: want a positive number", x.steps)
	case x.seed > maxSeed:
		return fmt.Errorf("--seed %d: want a number up to %d", x.seed, uint64(maxSeed))
	}
	x.workers, x.symmetry = 1, true
	return x.checkRun()
}

// maxSeed is the largest number that all readers of JSON can tell from the next one.
const maxSeed = 1<<53 - 1

// simulate performs random executions of a model and prints what came of them.
func (a *app) simulate(ctx context.Context, x *simulateFlags, arg string) error {
	found, err := find(ctx, arg)
	if err != nil {
		return err
	}
	if n := len(found.Models); n != 1 {
		return inputError{fmt.Errorf("%s: holds %d models; name one of them, such as %s", arg, n, found.Models[0])}
	}
	files, err := x.open()
	if err != nil {
		return err
	}
	defer files.discard()
	ctx, cancel := x.limit(ctx)
	defer cancel()
	m, err := load(ctx, found.Models[0], x.loadOptions())
	if err != nil {
		return inputError{err}
	}
	draw := explore.Draw{Runs: x.runs, Seed: x.seed, MaxSteps: x.steps}
	if x.seedless {
		draw.Seed = rand.Uint64N(1 << 32)
	}
	opt := x.options()
	opt.All = x.all
	m.Sets(&opt)
	r := a.show(ctx, m.Name, &x.searchFlags, &opt, func(ctx context.Context) *explore.Result {
		return explore.Simulate(ctx, m.Program, opt, draw)
	})
	a.code = worse(a.code, exitOf(r.Verdict))
	return a.print(ctx, &x.exploreFlags, m, r, files)
}
