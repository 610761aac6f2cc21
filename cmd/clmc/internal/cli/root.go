package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/internal/shell"
)

const rootLong = `clmc is a model checker for OpenCL. It explores every execution that OpenCL 2.x or 3.0
allows a kernel to have, and reports data races, barrier divergence, failed assertions,
deadlock and misuse, each with a schedule that leads to it.

It reads

  kernel.cl      a kernel in OpenCL C, launched as flags or its //clmc:launch line say
  model.go       a model: host and kernels in Go, in the vocabulary of models/cl
  test.litmus    a litmus test in herd's OpenCL format
  @NAME          a kernel or model that comes with clmc

It needs no device, no driver, no Go toolchain and no network.

Read on in README.md, docs/tutorial.md and docs/opencl-c.md, which are in the repository
of clmc, or run clmc init for a folder to begin in.`

const rootExample = `  clmc explore kernel.cl                explore a kernel with a //clmc:launch line
  clmc explore scan.cl --global 8 --local 4 --arg 'in=int[8]{1..8}' --arg tmp=local[4]
  clmc explore -D n=4 --all model.go    set the constant n of a model, collect all violations
  clmc explore @kernel_dot.cl           explore a kernel that comes with clmc
  clmc models                           list the kernels and models that come with clmc
  clmc litmus tests/                    run a folder of litmus tests
  clmc run checks.yaml                  run a list of checks, for CI or at night
  clmc explain CL1001                   say what a kind of violation means`

// Commands returns the commands of clmc, for what writes pages about them.
func Commands() *cobra.Command { return (&app{}).root() }

// root builds the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "clmc",
		Short:         "Model checker for concurrent OpenCL programs",
		Long:          rootLong + "\n\n" + exitHelp,
		Example:       rootExample,
		SilenceErrors: true, // execute reports them
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,

		Args:    unknownCommand,
		Version: version(),

		PersistentPreRunE: notEmpty,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(a.exploreCommand(), a.watchCommand(), a.captureCommand(), a.proveCommand(), a.optimiseCommand(), a.repairCommand(), a.simulateCommand(), a.litmusCommand(), a.runCommand(), a.testCommand(), a.initCommand(), a.replayCommand(),
		a.resumeCommand(), a.statusCommand(),
		a.workerCommand(), a.hubCommand(), a.clusterCommand(),
		a.devicesCommand(), a.deviceChildCommand(), a.explainCommand(), a.modelsCommand(), a.versionCommand())
	root.SetFlagErrorFunc(unknownFlag)
	root.SetVersionTemplate("clmc {{.Version}}\n")
	completeValues(root)
	groupFlags(root)
	return root
}

// notEmpty refuses arguments and values that are empty: somebody has forgotten to
// set a variable, and must not find in the morning that nothing was kept.
func notEmpty(cmd *cobra.Command, args []string) error {
	for i, arg := range args {
		if arg == "" && !strings.HasPrefix(cmd.Name(), cobra.ShellCompRequestCmd) { // where nothing has been typed yet
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

// unknownCommand refuses what is no command, and says which was probably meant.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "name a command first; 'clmc' lists them"
	if all := cmd.SuggestionsFor(args[0]); len(all) > 0 {
		hint = "did you mean " + oneOf(all) + "?"
	} else if ext := filepath.Ext(args[0]); ext == ".go" || ext == ".cl" || ext == ".litmus" || strings.HasPrefix(args[0], "@") {
		hint = "to explore it: clmc explore " + shell.Word(args[0])
	}
	return fmt.Errorf("unknown command %q: %s", args[0], hint)
}

// unknownFlag says which flag was probably meant by one that a command does not have.
func unknownFlag(cmd *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	all := similar(name, known)
	if len(all) == 0 {
		return err
	}
	return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(all, ", --"))
}

// similar returns those of the known words that cobra takes for what was meant.
func similar(word string, known []string) []string {
	list := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, k := range known {
		list.AddCommand(&cobra.Command{Use: k, Run: func(*cobra.Command, []string) {}})
	}
	return list.SuggestionsFor(word)
}

// completeValues has shells complete the values of flags that are one of a few words.
func completeValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		var choices []string
		switch v := f.Value.(type) {
		case *choiceValue:
			choices = v.choices
		case *specValue:
			choices = specNames()
		case *porValue:
			choices = porNames()
		case *legacyValue:
			choices = []string{"device", "work_group"}
		case *promisesValue:
			choices = []string{"auto", "0"}
		case *promisesTimeValue:
			choices = []string{"10x", "30s", "unlimited"}
		default:
			return
		}
		cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
	})
	for _, sub := range cmd.Commands() {
		completeValues(sub)
	}
}
