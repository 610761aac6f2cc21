package checks

import (
	"strings"
	"testing"
)

// A list that is nested too deep is refused before it is parsed, whatever nests it; and what only looks so is not.
func TestDepth(t *testing.T) {
	for what, text := range map[string]string{
		"lists":           "checks: " + strings.Repeat("[", 40_000) + strings.Repeat("]", 40_000),
		"mappings":        "checks: " + strings.Repeat("{a: ", 40_000),
		"both":            "checks: " + strings.Repeat("[{a: ", 40_000),
		"over many lines": "checks:\n" + strings.Repeat(" [\n", 40_000),
		"dashes":          "checks:\n" + strings.Repeat("- ", 40_000) + "x",
		"questions":       "checks:\n" + strings.Repeat("? ", 40_000) + "x",
		"indentation":     "checks:\n" + strings.Repeat(" ", 40_000) + "- x",
		"after quotes":    "checks: ['it', \"a\\\"b\", " + strings.Repeat("[", 40_000),
	} {
		if _, err := Parse("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
			t.Errorf("%s: %.200v", what, err)
		}
	}
	good := "checks:\n" + strings.Repeat("  - {model: 'a[[[.go', defines: {n: 3}} # it's [[[[[\n", 200)
	if _, err := nested(strings.Split(good, "\n")); err != nil {
		t.Error(err)
	}
}
