package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestFlagGroups checks that each flag of a command with many flags is in one of the groups, and in one alone.
func TestFlagGroups(t *testing.T) {
	owner := map[string]string{}
	for _, g := range flagGroups {
		for _, name := range g.names {
			if owner[name] != "" {
				t.Errorf("--%s is in the groups %s and %s", name, owner[name], g.title)
			}
			owner[name] = g.title
		}
	}
	many, used := 0, map[string]bool{}
	for _, cmd := range (&app{}).root().Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { used[f.Name] = true })
		if groups, _ := grouped(cmd.Flags()); len(groups) > 1 {
			many++
			for _, name := range ungrouped(cmd.Flags()) {
				t.Errorf("clmc %s --%s is in no group: add it to flagGroups", cmd.Name(), name)
			}
		}
	}
	if many < 5 {
		t.Errorf("%d commands have groups", many)
	}
	for name := range owner {
		if !used[name] && name != "help" {
			t.Errorf("flagGroups has --%s, and no command does", name)
		}
	}
}

// TestGroupedHelp checks that the help of explore has a heading for each group, in order, and each flag once.
func TestGroupedHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"explore", "--help"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	help := stdout.String()
	var at []int
	for _, title := range []string{"Kernel", "Search", "Store", "Cluster", "Output"} {
		at = append(at, strings.Index(help, "\n"+title+" flags:\n"))
	}
	if slices.Contains(at, -1) || !slices.IsSorted(at) {
		t.Errorf("the headings are at %d in\n%s", at, help)
	}
	cmd, _, err := (&app{}).root().Find([]string{"explore"})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if n := strings.Count(help, " --"+f.Name+" ") - strings.Count(help, "with --"+f.Name+" "); !f.Hidden && n < 1 {
			t.Errorf("the help does not list --%s", f.Name)
		}
	})
	for line := range strings.Lines(help) {
		if len(line) > helpWidth+1 && strings.HasPrefix(line, "   ") {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
