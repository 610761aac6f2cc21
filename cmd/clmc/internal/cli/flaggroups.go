package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup is a heading in the help of a command, with the flags below it.
type flagGroup struct {
	title string
	names []string
}

// flagGroups are the groups, in the order in which the help prints them.
var flagGroups = []flagGroup{
	{"Kernel", []string{"kernel", "global", "local", "groups", "any-size", "assume", "config", "offset", "sub-group", "arg", "given", "any-width", "define", "include", "cl-std", "legacy-atomics", "keep-values", "unwritten", "undefined", "gpuverify-header", "launches", "no-proof", "strict"}},
	{"Search", []string{"all", "spec", "promises", "promises-time", "witness", "runs", "seed", "max-steps", "time-limit", "cpu-limit", "budget", "paranoid", "max-states", "workers", "jobs", "until-idle", "require",
		"por", "symmetry", "analysis", "exact", "no-cache", "expect", "specs", "robust", "from", "cost", "fast", "remove-barriers", "modernise", "repair", "check", "why", "gen", "count"}},
	{"Liveness", []string{"liveness", "fairness", "liveness-direct"}},
	{"Device", []string{"device", "library", "time-per-test", "yes", "unpromised", "mapping", "tune", "report", "emit"}},
	{"Hub", []string{"listen", "dir", "max-disk", "max-jobs", "asker", "insecure"}},
	{"Store", []string{"store", "mem", "checkpoint-every", "disk-limit"}},
	{"Cluster", []string{"cluster", "context", "creds", "nkey", "tls-ca", "tls-cert", "tls-key", "no-work", "replicas"}},
	{"Output", []string{"format", "full", "no-try", "html", "graph", "trace", "traces", "outcomes", "json", "junit", "sarif", "github", "output", "patch", "write", "progress", "quiet", "verbose", "help"}},
}

// fewFlags is how many flags a command may have before they are grouped.
const fewFlags = 8

// grouped returns the flags of a set by group, each with its title, in the order of flagGroups; those of no group
// come last. A command with few flags has one group, called Flags.
func grouped(all *pflag.FlagSet) (groups []flagGroup, sets []*pflag.FlagSet) {
	n := 0
	all.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			n++
		}
	})
	if n <= fewFlags {
		return []flagGroup{{title: "Flags"}}, []*pflag.FlagSet{all}
	}
	for _, g := range append(slices.Clone(flagGroups), flagGroup{title: "Other", names: ungrouped(all)}) {
		set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range g.names {
			if f := all.Lookup(name); f != nil && !f.Hidden {
				set.AddFlag(f)
			}
		}
		if set.HasFlags() {
			groups, sets = append(groups, g), append(sets, set)
		}
	}
	return groups, sets
}

// ungrouped lists the flags of a set that are in no group.
func ungrouped(all *pflag.FlagSet) (names []string) {
	all.VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(flagGroups, func(g flagGroup) bool { return slices.Contains(g.names, f.Name) }) {
			names = append(names, f.Name)
		}
	})
	return names
}

// helpWidth is how many columns the help of flags takes.
const helpWidth = 110

// flagUsages is the part of a command's help that lists its flags.
func flagUsages(all *pflag.FlagSet) string {
	var b strings.Builder
	groups, sets := grouped(all)
	for i, g := range groups {
		title := g.title
		if len(groups) > 1 {
			title += " flags"
		}
		b.WriteString(title + ":\n" + sets[i].FlagUsagesWrapped(helpWidth) + "\n")
	}
	return b.String()
}

// groupFlags has the help of a command, and of those below it, list flags by group.
func groupFlags(root *cobra.Command) {
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		"Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{flagUsages .LocalFlags | trimTrailingWhitespaces}}", 1))
}
