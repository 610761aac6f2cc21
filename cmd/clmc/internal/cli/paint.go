package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"

	"golang.org/x/term"
)

// painter colours the lines of a report on a terminal: verdicts, and what was found. It stands
// behind the door to the terminal, so that no text of a model can colour anything.
type painter struct {
	w    io.Writer
	rest []byte // of a line that has not ended
}

const (
	red      = "\x1b[1;31m"
	green    = "\x1b[1;32m"
	yellow   = "\x1b[1;33m"
	noColour = "\x1b[0m"
)

// paints say what is coloured: what the pattern matches at the start of a line.
var paints = []struct {
	pattern *regexp.Regexp
	colour  string
}{
	{regexp.MustCompile(`^(?:.*: )?verdict: verified`), green},
	{regexp.MustCompile(`^(?:.*: )?verdict: violated`), red},
	{regexp.MustCompile(`^(?:.*: )?verdict: inconclusive`), yellow},
	{regexp.MustCompile(`^CL1\d\d\d:`), red},
	{regexp.MustCompile(`^ok  `), green},
	{regexp.MustCompile(`^(?:UNEXPECTED|FAILED)  `), red},
	{regexp.MustCompile(`^unfinished  `), yellow},
}

// newPainter returns a writer of results that colours them if that is a terminal whose user
// has nothing against it (https://no-color.org).
func newPainter(w io.Writer) io.Writer {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return w
	}
	return &painter{w: w}
}

// Write implements io.Writer. What follows the last end of a line is held back.
func (p *painter) Write(text []byte) (int, error) {
	p.rest = append(p.rest, text...)
	end := bytes.LastIndexByte(p.rest, '\n') + 1
	var out []byte
	for line := range bytes.Lines(p.rest[:end]) {
		out = append(out, painted(line)...)
	}
	p.rest = append(p.rest[:0], p.rest[end:]...)
	_, err := p.w.Write(out)
	return len(text), err
}

// flush writes what has been held back.
func (p *painter) flush() error {
	_, err := p.w.Write(p.rest)
	p.rest = p.rest[:0]
	return err
}

// painted colours what the line begins with.
func painted(line []byte) []byte {
	for _, c := range paints {
		if at := c.pattern.FindIndex(line); at != nil {
			return append(append(append([]byte(c.colour), line[:at[1]]...), noColour...), line[at[1]:]...)
		}
	}
	return line
}
