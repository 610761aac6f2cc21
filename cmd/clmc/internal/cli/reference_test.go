package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/internal/testkit/golden"
)

// reference is the file with the reference.
const reference = "../../../../docs/cli.md"

const referenceHead = `# The command line

<!-- Generated from the commands themselves: make docs -->

Results go to standard output, everything else to standard error. The last line of a result is
its verdict, and the exit code says the same. Flags may stand before or after the arguments. Where a
command has many flags, they are grouped: Kernel flags are for kernel files (.cl), except that -D also
sets constants of models in Go.

`

// TestReference checks that docs/cli.md says what the commands say.
func TestReference(t *testing.T) {
	var want bytes.Buffer
	want.WriteString(referenceHead)
	root := (&app{}).root()
	document(&want, root)
	for _, cmd := range root.Commands() {
		document(&want, cmd)
	}
	golden.File(t, reference, want.String())
}

// document writes the section of a command.
func document(w io.Writer, cmd *cobra.Command) {
	prose, exits, hasExits := strings.Cut(cmd.Long, "Exit codes:\n")
	if cmd.Long == "" {
		prose = cmd.Short + "."
	}
	fmt.Fprintf(w, "## %s\n\n```\n%s\n```\n\n%s\n", cmd.CommandPath(), cmd.UseLine(), strings.TrimSpace(prose))
	if hasExits {
		fmt.Fprintf(w, "\nExit codes:\n\n```\n%s\n```\n", strings.Trim(exits, "\n"))
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n\n```\n%s\n```\n", cmd.Example)
	}
	if cmd.HasAvailableLocalFlags() {
		groups, sets := grouped(cmd.LocalFlags())
		for i, g := range groups {
			if len(groups) > 1 {
				fmt.Fprintf(w, "\n**%s**\n", g.title)
			}
			fmt.Fprint(w, "\n| flag | meaning |\n|---|---|\n")
			sets[i].VisitAll(func(f *pflag.Flag) { documentFlag(w, f) })
		}
	}
	fmt.Fprintln(w)
}

// documentFlag writes the row of a flag.
func documentFlag(w io.Writer, f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	names := "--" + f.Name
	if f.Shorthand != "" {
		names = "-" + f.Shorthand + ", " + names
	}
	if value != "" {
		names += " " + value
	}
	switch {
	case f.Name == "jobs":
		usage += " (default: the number of processors)" // not the same everywhere
	case f.DefValue != "" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "false" && f.DefValue != "[]":
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(w, "| `%s` | %s |\n", names, usage)
}
