package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// GitHub writes a summary as commands of GitHub's workflows, which show what is unexpected at its line: a violation where it is, what was not met, failed or
// did not end at the check. The last line is for people.
func (s *Summary) GitHub(w io.Writer) error {
	var b strings.Builder
	for _, c := range s.Checks {
		c.annotate(&b)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return s.Text(w)
}

// annotate writes what is unexpected about a check.
func (c *Check) annotate(b *strings.Builder) {
	level := "error"
	switch c.Status {
	case Expected:
		return
	case Unfinished:
		level = "warning"
	case Unexpected:
		told := false
		for _, v := range c.Result().Violations {
			if slices.Contains(strings.Fields(c.Expect), v.ID) {
				continue
			}
			told = true
			annotation(b, level, v.At.File, v.At.Line, v.At.Col, v.ID+" "+v.Kind, v.Message+"\nsee: "+c.Again)
		}
		if told {
			return
		}
	}
	annotation(b, level, cmp.Or(c.At.File, c.Model), c.At.Line, c.At.Col, c.Name, c.Reason)
}

// annotation writes one command. Characters that end it, or a part of it, are written as numbers.
func annotation(b *strings.Builder, level, file string, line, col int, title, text string) {
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	part := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var parts []string
	if file != "" {
		parts = append(parts, "file="+part.Replace(filepath.ToSlash(filepath.Clean(file))))
	}
	if line > 0 {
		parts = append(parts, fmt.Sprintf("line=%d,col=%d", line, max(col, 1)))
	}
	parts = append(parts, "title="+part.Replace(title))
	fmt.Fprintf(b, "::%s %s::%s\n", level, strings.Join(parts, ","), message.Replace(text))
}
