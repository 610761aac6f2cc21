package explain

import (
	"embed"
	"strings"
)

//go:embed CL*.md
var pages embed.FS

// Explain returns the page, in Markdown, of the kind of violation with that id,
// and whether there is one. Case does not matter.
func Explain(id string) (string, bool) {
	page, err := pages.ReadFile(strings.ToUpper(id) + ".md")
	return string(page), err == nil
}
