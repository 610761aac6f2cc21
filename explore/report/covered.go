package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state/ir"
)

// Covered is the requirement that each line of the kernels ran in some execution, but for those that are marked.
const Covered = "covered"

// cannotRun says of a line that it cannot run: at its end, or alone on the line before.
const cannotRun = "//clmc:unreachable"

// unmarked leaves out the lines that are marked as unreachable.
func unmarked(p *ir.Program, list []trace.Pos) []trace.Pos {
	text := map[string][]string{}
	for _, s := range p.Sources {
		if strings.Contains(s.Text, cannotRun) {
			text[s.Name] = strings.Split(s.Text, "\n")
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(at trace.Pos) bool {
		lines := text[at.File]
		if at.Line < 1 || at.Line > len(lines) {
			return false
		}
		return strings.Contains(lines[at.Line-1], cannotRun) ||
			at.Line > 1 && strings.HasPrefix(strings.TrimSpace(lines[at.Line-2]), cannotRun)
	})
}

// Uncovered says which lines that never ran, or whose assertions were never evaluated, are in the way of the requirement; nothing if there are none.
func Uncovered(ran, evaluated []trace.Pos) string {
	if len(ran)+len(evaluated) == 0 {
		return ""
	}
	return strings.TrimPrefix(Never(ran, evaluated), "; ") + "; mark what cannot run with " + cannotRun
}

// HasLine reports whether the code of a program has instructions of a line.
func HasLine(p *ir.Program, line trace.Pos) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Code, func(in ir.Instr) bool {
			at := p.Positions[in.Pos]
			return int(at.Line) == line.Line && trace.Line(p, ir.Pos{File: at.File, Line: at.Line}) == line
		})
	})
}

// neverRan ends a verdict on all executions of which some lines are no part: what they do was not checked.
func (r *Report) neverRan() string {
	if r.Result.Verdict != explore.Verified && r.Result.Verdict != explore.ButForKnown {
		return ""
	}
	return Never(r.Unexecuted, r.Unevaluated)
}

// Never ends a verdict on executions in which some lines never ran, and assertions in some lines were never evaluated.
func Never(ran, evaluated []trace.Pos) (text string) {
	if len(ran) > 0 {
		text = "; " + Lines(ran) + " never ran"
	}
	if len(evaluated) > 0 {
		text += "; " + unevaluated(evaluated)
	}
	return text
}

// unevaluated says that the assertions in some lines were never evaluated.
func unevaluated(lines []trace.Pos) string {
	if len(lines) == 1 {
		return "the assertion in " + Lines(lines) + " was never evaluated"
	}
	return "the assertions in " + Lines(lines) + " were never evaluated"
}

// mostRanges bounds the ranges of lines that a verdict names.
const mostRanges = 3

// Lines names lines as "line 4", or "lines 4 to 6 and 9"; those of other files than the first line's with the file.
func Lines(list []trace.Pos) string {
	var ranges []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1].File == list[i].File && list[j+1].Line <= list[j].Line+1 {
			j++
		}
		text := number(list[i].Line)
		if list[j].Line > list[i].Line {
			text += " to " + number(list[j].Line)
		}
		if list[i].File != list[0].File {
			text = list[i].File + ":" + text
		}
		ranges = append(ranges, text)
		i = j + 1
	}
	if n := len(ranges); n > mostRanges {
		ranges = append(ranges[:mostRanges], fmt.Sprintf("%d more", n-mostRanges))
	}
	last := len(ranges) - 1
	text := ranges[last]
	if last > 0 {
		text = strings.Join(ranges[:last], ", ") + " and " + text
	}
	if len(list) == 1 {
		return "line " + text
	}
	return "lines " + text
}
