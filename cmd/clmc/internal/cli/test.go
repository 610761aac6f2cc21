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

const testLong = `Explore models and compare what is found with what the models say themselves, in lines
such as

  //clmc:expect verified
  //clmc:expect -D release=false violated CL1001
  //clmc:expect spec=2.0 verified

of a model in Go or a kernel file, one check for each line. Of a litmus test the
condition is to hold, unless a comment such as (*//clmc:expect fails*) says otherwise.
A folder, also one followed by /..., stands for all models in it and below; without an argument, ./...
What looks like a model there and is not checked is named.
Models without such a line are counted, and not explored.`

const testExample = `  clmc test ./...
  clmc test model.go
  clmc test --time-limit 1m --junit results.xml kernels/...`

func (a *app) testCommand() *cobra.Command {
	r := newRunFlags()
	cmd := &cobra.Command{
		Use:     "test [MODEL...]",
		Short:   "Compare models with their //clmc:expect lines",
		Long:    testLong + "\n\n" + runExit,
		Example: testExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"./..."}
			}
			return a.test(cmd.Context(), r, args)
		},
	}
	r.register(cmd.Flags())
	cmd.Flags().DurationVar(&r.timeLimit, "time-limit", 0, "the most that each check may take, a `duration` such as 30s (0: no bound)")
	return cmd
}

// test runs the checks that models state themselves.
func (a *app) test(ctx context.Context, r *runFlags, args []string) error {
	found, err := find(ctx, args...)
	if err != nil {
		return err
	}
	targets := found.Models
	if found.Folders {
		a.census(targets, found.Left, r.quiet)
	}
	var silent []model.Target
	list, err := guard.Await(ctx, "find", func() (list *checks.List, err error) {
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
		c.TimeLimit = r.timeLimit
	}
	if n := len(silent); n > 0 && !r.quiet {
		a.logf("without a //clmc:expect line, and not explored: %d of %d models, such as %s", n, len(targets), visible.Line(string(silent[0])))
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
