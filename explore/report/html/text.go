package html

import (
	"strings"

	"github.com/clmc/clmc/internal/visible"
)

// Bounds on what is shown of what others have written.
const (
	maxText = 400     // characters of a line: a name can be of any length
	maxSaid = 4000    // of a message
	maxFile = 2 << 20 // bytes of a source file
)

// line shows a text as a part of a line.
func line(s string) string { return clip(visible.Line(s), maxText) }

// said shows a message.
func said(s string) string { return clip(visible.Line(s), maxSaid) }

// clip leaves the middle out of a text that is too long: names that are alike often
// differ at their ends.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n*2/3]) + " … " + string(r[len(r)-n/3:])
}

// source shows a file, line by line, as they are numbered.
func source(s string) string {
	cut := len(s) > maxFile
	if cut {
		s = s[:maxFile]
	}
	lines := strings.Split(visible.Text(strings.ReplaceAll(s, "\r\n", "\n")), "\n")
	for i, l := range lines {
		lines[i] = clip(l, maxSaid)
	}
	if cut {
		lines = append(lines, "… the file goes on")
	}
	return strings.Join(lines, "\n")
}
