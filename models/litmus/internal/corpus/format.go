package corpus

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Format returns the text of a test as Load reads it.
func Format(t *Test) string {
	var b strings.Builder
	b.WriteString("=== " + t.ID + "\n" + strings.TrimSpace(t.Source) + "\n")
	b.WriteString(strings.TrimSpace("--- vars "+strings.Join(t.Vars, " ")) + "\n")
	base := t.Verdicts[Base].String()
	b.WriteString("--- " + Base + ": " + base + "\n")
	for _, variant := range slices.Sorted(maps.Keys(t.Verdicts)) {
		if text := t.Verdicts[variant].String(); text != base {
			b.WriteString("--- " + variant + ": " + text + "\n")
		}
	}
	return b.String()
}

// String returns the verdict as files spell it.
func (v Verdict) String() string {
	var words []string
	if v.Race {
		words = append(words, "race")
	}
	if v.Divergence {
		words = append(words, "divergence")
	}
	if len(words) == 0 {
		for _, outcome := range v.Outcomes {
			values := make([]string, len(outcome))
			for i, x := range outcome {
				values[i] = strconv.FormatInt(x, 10)
			}
			words = append(words, strings.Join(values, " "))
		}
		if len(words) == 0 {
			return "none"
		}
		return strings.Join(words, "; ")
	}
	return strings.Join(words, " ")
}
