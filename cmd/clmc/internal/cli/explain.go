package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/explore/report/explain"
	"github.com/clmc/clmc/state"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain [ID]",
		Short:   "Say what a kind of violation means and how to repair it",
		Long:    "Say what a kind of violation means, why OpenCL forbids it, and how to repair it, with an\nexample. The kinds are the same for kernels in OpenCL C (.cl), models in Go and litmus tests.\nWithout an ID, list the kinds, and the topics: load-buffering and why-not.",
		Example: "  clmc explain\n  clmc explain CL1001\n  clmc explain load-buffering\n  clmc explain why-not",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(kindIDs(), explain.Topics()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, k := range state.Kinds() {
					fmt.Fprintf(a.out, "%s  %v\n", k.ID(), k)
				}
				for _, topic := range explain.Topics() {
					fmt.Fprintln(a.out, topic)
				}
				return nil
			}
			return a.explain(args[0])
		},
	}
}

// explain prints the page of one kind of violation.
func (a *app) explain(id string) error {
	page, ok := explain.Explain(id)
	if !ok {
		return inputError{fmt.Errorf("unknown id %q: want one of %s", id, strings.Join(append(kindIDs(), explain.Topics()...), ", "))}
	}
	_, err := a.out.WriteString(page)
	return err
}

func kindIDs() []string {
	var ids []string
	for _, k := range state.Kinds() {
		ids = append(ids, k.ID())
	}
	return ids
}
