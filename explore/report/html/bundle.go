package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

//go:embed page
var files embed.FS

// modules are the page's code, each below what it imports.
var modules = []string{"dom", "tokens", "execution", "rows", "scroller", "source", "lanes", "state", "app"}

// imports and exports are what a module has for others. In the page all modules are one, as a
// page that is a file cannot load any.
var (
	imports = regexp.MustCompile(`(?m)^import \{[^}]*\} from "[^"]*";\n`)
	exports = regexp.MustCompile(`(?m)^export `)
)

// assets are what is the same in each page.
type assets struct{ script, style string }

var bundled = sync.OnceValue(func() assets {
	var b strings.Builder
	b.WriteString("\"use strict\";\n")
	for _, name := range modules {
		text := exports.ReplaceAllString(imports.ReplaceAllString(read(name+".js"), ""), "")
		b.WriteString("\n// " + name + "\n" + text)
	}
	return assets{b.String(), read("page.css")}
})

// read returns one of the embedded files, which are there.
func read(name string) string {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// policy lets the page run its own code and load nothing.
func (a assets) policy() string {
	return "default-src 'none'; base-uri 'none'; form-action 'none'; script-src '" + digest(a.script) + "'; style-src '" + digest(a.style) + "'"
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
