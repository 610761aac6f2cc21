package models

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The rules of memory kinds, sub-groups, collectives, copies and commands.
var commandRules = strings.Fields(`1.5 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 11.5 11.6 11.7
	12.1 12.2 12.3 12.4 12.5 12.6 12.7 12.8 12.9 12.10 12.11 12.12 12.13 12.14 12.15 12.16 12.17 12.18 12.19 12.20 12.21 12.22`)

// mutantsOf are the files with what breaks rules on purpose.
var mutantsOf = map[string]string{"models": "mutants_test.go", "explore": "../explore/mutants_test.go", "copies": "../explore/copies_test.go"}

// The table of docs/semantics.md has each rule of commands, with models that cite
// it and mutants that break it.
func TestEachRuleHasAModel(t *testing.T) {
	var listed []string
	for line := range strings.Lines(read(t, "../docs/semantics.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 3 || !slices.Contains(commandRules, strings.TrimSpace(cells[0])) {
			continue
		}
		rule := strings.TrimSpace(cells[0])
		listed = append(listed, rule)
		cited := regexp.MustCompile(`(^|[^0-9.])` + regexp.QuoteMeta(rule) + `([^0-9]|$)`)
		for _, model := range names(cells[1]) {
			header, _, _ := strings.Cut(read(t, filepath.Join(model, "main.go")), "\npackage main")
			if !cited.MatchString(header) {
				t.Errorf("rule %s: the header of model %s does not cite it", rule, model)
			}
		}
		for _, where := range names(cells[2]) {
			broken := regexp.MustCompile(`\{"([0-9., ]*[, ])?` + regexp.QuoteMeta(rule) + `[, ]`)
			if !broken.MatchString(read(t, mutantsOf[where])) {
				t.Errorf("rule %s: no mutant of it in %s", rule, mutantsOf[where])
			}
		}
	}
	if !slices.Equal(listed, commandRules) {
		t.Errorf("listed are %v, not %v", listed, commandRules)
	}
}

// names returns what stands in backquotes.
func names(cell string) (list []string) {
	for _, q := range regexp.MustCompile("`[^`]*`").FindAllString(cell, -1) {
		list = append(list, strings.Trim(q, "`"))
	}
	return list
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
