package report

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state/ir"
)

// awaits says of each wait, in a sentence, that it is one for what nothing obliges to run (rule 11.8).
func awaits(p *ir.Program, all []explore.Await) (lines []string) {
	for _, w := range all {
		at := "waits"
		if pos := trace.Line(p, w.At); pos.Line > 0 && int(w.At.File) < len(p.Sources) {
			if at += fmt.Sprintf(" in line %d", pos.Line); len(p.Sources) > 1 {
				at += " of " + pos.File
			}
		}
		whom, never := fmt.Sprintf("work-group %d", w.In), "it ever runs"
		switch {
		case w.Near:
			whom, never = fmt.Sprintf("work-item %s of its sub-group", w.For), "it runs meanwhile"
		case w.Far:
			whom += " of " + w.Of
		}
		lines = append(lines, fmt.Sprintf("work-item %s %s for %s; OpenCL does not promise that %s", w.Who, at, whom, never))
	}
	return lines
}

// awaits writes them as notes.
func (r *Report) awaits(b *strings.Builder) {
	for i, line := range r.Awaits {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(indent(line+".", "note: ", "  ", r.Width))
	}
}
