package report

import (
	"fmt"
	"slices"
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

// between says that whether executions end hangs on the scheduler, as work-groups wait for each other; nothing if they do not.
func between(p *ir.Program, all []ir.Pos) string {
	var at []string
	for _, pos := range all {
		if line := trace.Line(p, pos); line.Line > 0 {
			if place := fmt.Sprintf("%s:%d", line.File, line.Line); !slices.Contains(at, place) {
				at = append(at, place)
			}
		}
	}
	where := ""
	switch {
	case len(at) > maxBetween:
		where = fmt.Sprintf(" (%s and %d other places)", strings.Join(at[:maxBetween], ", "), len(at)-maxBetween)
	case len(at) > 0:
		where = " (" + strings.Join(at, ", ") + ")"
	case len(all) == 0:
		return ""
	}
	return "work-groups wait for each other" + where + "; whether they end depends on the scheduler: see --liveness all"
}

// maxBetween bounds the places that it names.
const maxBetween = 3

// awaits writes them as notes.
func (r *Report) awaits(b *strings.Builder) {
	if len(r.Awaits) > 0 || r.Between != "" {
		b.WriteByte('\n')
	}
	for _, line := range r.Awaits {
		b.WriteString(indent(line+".", "note: ", "  ", r.Width))
	}
	if r.Between != "" {
		b.WriteString(indent(r.Between, "note: ", "  ", r.Width))
	}
}
