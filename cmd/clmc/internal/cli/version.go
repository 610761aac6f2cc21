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
		Short: "Print the version of clmc, and the versions of the memory model that it knows",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			fmt.Fprintf(a.out, "clmc %s%s, built with %s for %s/%s\n", version(), source(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			fmt.Fprintf(a.out, "specifications: %s (the first is the default)\n", strings.Join(specNames(), ", "))
			return nil
		},
	}
}

// unversioned is the version of a build of which nothing is known.
const unversioned = "(devel)"

// version is that of the module that the binary was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return unversioned
	}
	return info.Main.Version
}

// source says which revision a binary was built from, and whether that was all,
// as far as the build has recorded it.
func source(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	var words []string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			words = append(words, "revision "+s.Value)
		case s.Key == "vcs.time":
			words = append(words, "of "+s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "with changes")
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, " ") + ")"
}
