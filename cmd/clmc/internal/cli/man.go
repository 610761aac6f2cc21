package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/clmc/clmc/internal/regular"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages of clmc and its commands into a folder",
		Long:    "Write the manual pages of clmc and its commands into a folder.",
		Example: "  clmc man man/\n  man man/clmc-explore.1",
		Args:    oneArg("a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return inputError{regular.Fault(args[0], err)}
			}
			never := time.Unix(0, 0).UTC() // pages are the same however late they are written
			if err := doc.GenManTree(cmd.Root(), &doc.GenManHeader{Title: "CLMC", Section: "1", Source: "clmc", Date: &never}, args[0]); err != nil {
				return inputError{regular.Fault(args[0], err)}
			}
			fmt.Fprintf(a.out, "the pages are in %s\n", args[0])
			return nil
		},
	}
}
