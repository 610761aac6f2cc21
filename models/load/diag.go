package load

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/clmc/clmc/models/internal/diag"
)

// Diagnostics is everything that is wrong with a model, by position.
type Diagnostics = diag.Diagnostics

// reporter collects diagnostics, one for each place: several inlinings of one
// piece of code report the same thing, and what follows a fault at its very
// place is mostly a consequence.
type reporter struct {
	fset  *token.FileSet
	files map[string][]string // lines by file name
	found diag.Diagnostics
	seen  map[string]bool
}

// maxDiagnostics bounds what one run reports.
const maxDiagnostics = 50

func newReporter() *reporter {
	return &reporter{fset: token.NewFileSet(), files: map[string][]string{}, seen: map[string]bool{}}
}

// addFile makes the text of a file known, for the lines that diagnostics quote.
func (r *reporter) addFile(name string, text []byte) {
	r.files[name] = strings.Split(string(text), "\n")
}

// errorf reports a problem at pos.
func (r *reporter) errorf(pos token.Pos, hint, format string, args ...any) {
	r.report(r.fset.PositionFor(pos, false), hint, fmt.Sprintf(format, args...))
}

// report adds a diagnostic.
func (r *reporter) report(pos token.Position, hint, message string) {
	if len(r.found) >= maxDiagnostics {
		return
	}
	key := diag.Location(pos)
	if pos.Line == 0 {
		key += message
	}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	r.found = append(r.found, diag.Diagnostic{Pos: pos, Message: message, Line: diag.Quote(r.files[pos.Filename], pos.Line), Hint: hint})
}

// failed reports whether there is any diagnostic.
func (r *reporter) failed() bool { return len(r.found) > 0 }

// err returns the diagnostics in order, or nil.
func (r *reporter) err() error {
	if !r.failed() {
		return nil
	}
	r.found.Sort()
	return r.found
}
