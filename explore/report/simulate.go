package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state/ir"
)

// simulated says which executions were drawn.
func (r *Report) simulated() string {
	s, stats := r.Result.Simulated, &r.Result.Stats
	text := fmt.Sprintf("%s at random (--seed %d --runs %d) ended without a violation, %s", count(stats.Ends, "execution"), s.Seed, s.Runs, count(stats.Steps, "step"))
	if s.CutShort > 0 {
		text += fmt.Sprintf("; %s had not ended after %s (--max-steps)", number(s.CutShort), count(s.MaxSteps, "step"))
	}
	if stats.Blocked > 0 {
		text += fmt.Sprintf("; %s were discarded: an assumption failed, or the memory model forbids them", number(stats.Blocked))
	}
	text = indent(text+", "+stats.Elapsed.Round(time.Millisecond).String(), "", "", r.Width)
	if why := slices.DeleteFunc(slices.Clone(r.Result.Incomplete), func(why string) bool { return why == explore.NotAll }); len(why) > 0 && r.Result.Verdict != explore.Violated {
		text += indent("These are fewer than --runs asks for: "+because(why)+".", "", "", r.Width)
	}
	return text
}

// maxUnexecuted bounds the lines that are listed as never executed.
const maxUnexecuted = 20

// unexecuted lists the lines that no execution has come to.
func (r *Report) unexecuted(b *strings.Builder) {
	if len(r.Unexecuted) == 0 {
		return
	}
	which := "in any execution"
	if r.Result.Simulated != nil {
		which = "in these executions"
	}
	fmt.Fprintf(b, "\n%s never executed, %s:\n", count(len(r.Unexecuted), "line"), which)
	file := ""
	for i, p := range r.Unexecuted {
		if i == maxUnexecuted {
			fmt.Fprintf(b, "  ... and %s more\n", number(len(r.Unexecuted)-i))
			break
		}
		if p.File != file {
			file = p.File
			fmt.Fprintf(b, "  %s\n", file)
		}
		b.WriteString(r.source(p))
	}
}

// lines are the places of lines of the program's text.
func lines(p *ir.Program, all []ir.Pos) []trace.Pos {
	var out []trace.Pos
	for _, at := range all {
		out = append(out, trace.Line(p, at))
	}
	return out
}
