package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootLong = `clmc explores every execution that OpenCL 2.x and 3.0 allow a concurrent program
to have, and reports data races, barrier divergence, failed assertions, deadlock
and misuse, each with a schedule that leads to it.

A model is a Go file in the vocabulary of github.com/clmc/clmc/models/cl, or a
litmus test in herd's OpenCL format. No Go toolchain, module or network is needed
to explore one.

Read on in docs/language.md, on how to write a model, docs/cli.md, on this command,
and docs/semantics.md, on the memory model: https://github.com/clmc/clmc.`

const rootExample = `  clmc explore model.go                 explore a model
  clmc explore -D n=4 --all model.go    set its constant n, collect all violations
  clmc explore @kernel_dot              explore a model that comes with clmc
  clmc models                           list the models that come with clmc
  clmc litmus tests/                    run a folder of litmus tests
  clmc run checks.yaml                  run a list of checks, for CI or at night
  clmc explain CL1001                   say what a kind of violation means`

// root builds the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "clmc",
		Short:         "Model checker for concurrent OpenCL programs",
		Long:          rootLong + "\n\n" + exitHelp,
		Example:       rootExample,
		SilenceErrors: true, // execute reports them
		SilenceUsage:  true,
		Args:          cobra.NoArgs,

		PersistentPreRunE: notEmpty,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(a.exploreCommand(), a.simulateCommand(), a.litmusCommand(), a.runCommand(), a.testCommand(), a.initCommand(), a.replayCommand(),
		a.resumeCommand(), a.statusCommand(),
		a.explainCommand(), a.modelsCommand(), a.versionCommand())
	return root
}

// notEmpty refuses arguments and values that are empty: somebody has forgotten to
// set a variable, and must not find in the morning that nothing was kept.
func notEmpty(cmd *cobra.Command, args []string) error {
	for i, arg := range args {
		if arg == "" {
			return fmt.Errorf("argument %d is empty", i+1)
		}
	}
	var errs []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.String() == "" {
			errs = append(errs, fmt.Errorf("--%s: the value is empty", f.Name))
		}
	})
	return errors.Join(errs...)
}
