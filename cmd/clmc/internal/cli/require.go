package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/explore/report"
)

// requirements are what the user demands that a verdict covers: a flag with a list.
type requirements []string

var allRequirements = []string{report.AllData, report.AllSizes, report.Covered}

const requirementHelp = "all-data, all-sizes, covered, MODEL or liveness=MODEL (with --liveness all), or several of them with commas between"

// String returns the list as it is written.
func (r *requirements) String() string { return strings.Join(*r, ",") }

// Type says what a value is, for help.
func (r *requirements) Type() string { return "list" }

// Set adds what a list demands.
func (r *requirements) Set(s string) error {
	for _, word := range demands(s) {
		if _, err := liveness.ParseLevels(word); err == nil {
			word = liveRequirement + word
		}
		if !slices.Contains(allRequirements, word) && !strings.HasPrefix(word, liveRequirement) {
			return fmt.Errorf("%q: want %s", word, requirementHelp)
		}
		if !slices.Contains(*r, word) {
			*r = append(*r, word)
		}
	}
	return nil
}

// demands splits a list at its commas, but for those between the levels of one model.
func demands(list string) (words []string) {
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		level, _, isLevel := strings.Cut(word, "=")
		if n := len(words) - 1; n >= 0 && isLevel && level != "liveness" && strings.Contains(strings.TrimPrefix(words[n], liveRequirement), "=") {
			words[n] += "," + word
			continue
		}
		words = append(words, word)
	}
	return words
}
