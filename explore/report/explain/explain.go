package explain

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Topics lists the pages that are not about a kind of violation.
func Topics() []string { return []string{"load-buffering", "proved", "why-not"} }

// Explain returns the page, in Markdown, of a topic or of the kind of violation
// with that id, and whether there is one. Case does not matter.
func Explain(id string) (string, bool) {
	name := strings.ToUpper(id)
	if topic := strings.ToLower(id); slices.Contains(Topics(), topic) {
		name = topic
	}
	page, err := pages.ReadFile(name + ".md")
	return string(page), err == nil
}
