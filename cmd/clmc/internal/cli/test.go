package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/visible"
)

const testLong = `Explore kernels and models, and compare the results with the lines in them that say what to
expect, such as

  //clmc:expect verified
  //clmc:expect -D release=false violated CL1001
  //clmc:expect spec=2.0 verified
  //clmc:expect liveness=gpu verified
  //clmc:expect liveness=obe fairness=strong violated CL1020

Each line of a kernel file or model in Go is a check. For a litmus test the check is that its condition
holds, unless a comment such as (*//clmc:expect fails*) says otherwise.
A folder, also written folder/..., stands for all models in it and below; without an argument
clmc takes ./... It lists what looks like a model there and is not checked. Models without
such a line are counted, and not explored.`

const testExample = `  clmc test ./...
  clmc test model.go
  clmc test --time-limit 1m --junit results.xml kernels/...`

func (a *app) testCommand() *cobra.Command {
	r, paranoid := newRunFlags(), false
	cmd := &cobra.Command{
		Use:     "test [MODEL...]",
		Short:   "Compare models with their //clmc:expect lines",
		Long:    testLong + "\n\n" + runExit,
		Example: testExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(); err != nil {
				return err
			}
			if paranoid && (r.store != "" || r.used()) {
				return errors.New("--paranoid goes without --store and --cluster")
			}
			if len(args) == 0 {
				args = []string{"./..."}
			}
			return a.test(cmd.Context(), r, args, paranoid)
		},
	}
	r.register(cmd.Flags())
	cmd.Flags().BoolVar(&paranoid, "paranoid", false, "explore each model a second time, without any analysis that leaves executions out, and expect the same; this is for small models")
	cmd.Flags().DurationVar(&r.timeLimit, "time-limit", 0, "stop each check after a `duration` such as 30s (0: no limit)")
	cmd.Flags().DurationVar(&r.cpuLimit, "cpu-limit", 0, "stop each check after so much processor time of this process, a `duration` such as 30s (0: no limit)")
	return cmd
}

// test runs the checks that models state themselves.
func (a *app) test(ctx context.Context, r *runFlags, args []string, paranoid bool) error {
	found, err := find(ctx, args...)
	if err != nil {
		return err
	}
	targets := found.Models
	if found.Folders {
		a.census(targets, found.Left, r.quiet)
	}
	var silent []model.Target
	list, err := guard.Read(ctx, "find", func() (list *checks.List, err error) {
		list, silent, err = checks.Stated(targets)
		return list, err
	})
	if errors.Is(err, guard.ErrLeft) {
		return inputError{err}
	}
	if err != nil {
		a.failFor(inputError{err}) // the other models are explored
	}
	for _, c := range list.Checks {
		c.TimeLimit, c.CPULimit = r.timeLimit, r.cpuLimit
	}
	if paranoid {
		list.Doubt()
	}
	if n := len(silent); n > 0 && !r.quiet {
		a.logf("%d of %d models have no //clmc:expect line and were not explored, such as %s", n, len(targets), visible.Line(string(silent[0])))
	}
	if len(list.Checks) == 0 && err == nil {
		return inputError{fmt.Errorf("no model has a //clmc:expect line, such as\n//clmc:expect verified")}
	}
	if len(list.Checks) == 0 {
		return nil
	}
	r.bound(list)
	return a.runList(ctx, r, list)
}
