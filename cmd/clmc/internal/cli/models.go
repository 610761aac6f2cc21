package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "models [NAME]",
		Short: "List the models that come with clmc, or print one",
		Args:  cobra.MaximumNArgs(1),
		RunE:  func(*cobra.Command, []string) error { return nil },
	}
}

// loadShipped loads a model that comes with clmc.
func loadShipped(name string, d defines) (*model, error) {
	return nil, fmt.Errorf("no model is called %s", name)
}
