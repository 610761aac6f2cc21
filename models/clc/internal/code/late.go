package code

import (
	"go/token"
	"slices"
	"strings"

	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/models/internal/lower"
)

// late reports whether something is decided late.
func (p *Plan) late() bool {
	return slices.ContainsFunc(p.Launches, func(l *Launch) bool {
		return slices.ContainsFunc(l.Args, func(a Arg) bool {
			return a.Buffer != nil && a.Buffer.Any || slices.ContainsFunc(a.Cells, func(c Cell) bool { return len(c) == 0 })
		})
	})
}

// undecided reports that an input cannot be decided late.
func (p *program) undecided(late *lower.Late) {
	at, file := p.p.Positions[late.At], ""
	if int(at.File) < len(p.p.Sources) {
		file = p.p.Sources[at.File].Name
	}
	d := diag.Diagnostic{Pos: token.Position{Filename: file, Line: int(at.Line), Column: int(at.Col)},
		Message: "what is any cannot be decided late: " + late.Failed,
		Hint:    "give values that are enough, as in n=1..4 or 'a=int[8]{0|1|5}', or raise --any-width"}
	if at.Line > 0 {
		d.Line = diag.Quote(strings.Split(p.p.Sources[at.File].Text, "\n"), int(at.Line))
	}
	p.found = append(p.found, d)
}
