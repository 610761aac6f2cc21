package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/models/shipped"
)

const modelsLong = `List the kernels (.cl) and the models in Go that come with clmc, each with its verdict under
the default version of the memory model. With a NAME, print the source: a start for your own.
Explore one with clmc explore @NAME.`

const modelsExample = `  clmc models
  clmc explore @kernel_dot_wrongflag.cl
  clmc models tree_sum.cl > kernel.cl
  clmc models mp_release_acquire > model.go`

func (a *app) modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "models [NAME]",
		Short:             "List the kernels and models that come with clmc, or print one",
		Long:              modelsLong,
		Example:           modelsExample,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeShipped(""),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listModels()
			}
			m, err := model.Shipped(args[0])
			if err != nil {
				return inputError{err}
			}
			a.out.WriteString(m.Source)
			return nil
		},
	}
}

// listModels prints a line for each model.
func (a *app) listModels() error {
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, m := range shipped.All() {
		fmt.Fprintf(t, "@%s\t%s\t%s\n", m.Name, expected(m), strings.TrimPrefix(m.Description, "is "))
	}
	return t.Flush()
}

// expected is the verdict under the default specification, with the model's
// constants as they stand.
func expected(m shipped.Model) string {
	for _, e := range m.Expectations {
		if len(e.Defines) > 0 || e.Spec != "" {
			continue
		}
		if len(e.Violations) == 0 {
			return "verified"
		}
		return "violated " + strings.Join(e.Violations, " ")
	}
	return "not stated"
}

// completeShipped completes the names of models, with a prefix.
func completeShipped(prefix string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, m := range shipped.All() {
			names = append(names, prefix+m.Name)
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}
