package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the readings of the specification that it knows",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(a.out, "clmc %s, built with %s for %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			fmt.Fprintf(a.out, "specifications: %s (the first is the default)\n", strings.Join(specNames(), ", "))
			return nil
		},
	}
}

// version is that of the module that the binary was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
