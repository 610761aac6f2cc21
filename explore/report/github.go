package report

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/visible"
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

// GitHub writes a report as such commands: each violation at its line, and what is not decided, or was required and is not met, at the model. The last line
// is for people.
func (r *Report) GitHub(w io.Writer) error {
	if err := r.Annotate(w, false); err != nil {
		return err
	}
	for _, why := range r.Unmet {
		if err := Warn(w, r.Model, "required", why); err != nil {
			return err
		}
	}
	if r.Result.Verdict == explore.Inconclusive {
		if err := Warn(w, r.Model, "inconclusive", r.Verdict()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", visible.Line(r.Model), r.Verdict())
	return err
}

// Warn writes such a command about a model as a whole.
func Warn(w io.Writer, model, title, text string) error {
	var b strings.Builder
	annotation(&b, "warning", model, 0, 0, title, text)
	_, err := io.WriteString(w, b.String())
	return err
}

// Annotate writes each violation of a report as a command that shows it at its line: as an error, or as a warning if it hangs on what was guessed.
func (r *Report) Annotate(w io.Writer, guessed bool) error {
	level, suffix := "error", ""
	if guessed {
		level, suffix = "warning", " (if the kernel can be launched so)"
	}
	var b strings.Builder
	for _, t := range r.Document().Violations {
		again := shell.Command(slices.Concat([]string{"clmc", "explore", r.Model}, r.Defines, r.Launch)...)
		annotation(&b, level, t.At.File, t.At.Line, t.At.Col, t.ID+" "+t.Kind, t.Message+suffix+"\nsee: "+again)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// AnnotateError writes an error of a model as such commands: at the places that it names, and else at the model.
func AnnotateError(w io.Writer, model string, err error) error {
	var b strings.Builder
	var placed interface {
		Each(func(at token.Position, message string))
	}
	if errors.As(err, &placed) {
		placed.Each(func(at token.Position, message string) {
			annotation(&b, "error", cmp.Or(at.Filename, model), at.Line, at.Column, "not explored", message)
		})
	} else {
		annotation(&b, "error", model, 0, 0, "not explored", err.Error())
	}
	_, failed := io.WriteString(w, b.String())
	return failed
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
