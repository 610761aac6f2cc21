package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

func (a *app) replayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay TRACE MODEL",
		Short: "Perform a recorded schedule again, step by step",
		Args:  cobra.ExactArgs(2),
		RunE:  func(*cobra.Command, []string) error { return errors.New("replay is not built yet") },
	}
}
