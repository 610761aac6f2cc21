package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/report/html"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
)

// pages is the folder with the pages of a list's checks.
type pages struct {
	dir   string
	names map[*report.Check]string // of the pages
	taken map[string]bool
}

// openPages makes the folder, before any time is spent.
func openPages(dir string) (*pages, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("--html %w\nName a folder that can be written", regular.Fault(dir, err))
	}
	return &pages{dir: dir, names: map[*report.Check]string{}, taken: map[string]bool{"index.html": true}}, nil
}

// maxPageName bounds the name of a page, in bytes.
const maxPageName = 100

// pageName returns a name for a check's page that every file system takes, and no other check's page has.
func (p *pages) pageName(check string) string {
	base := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return '_'
	}, check), "_.-")
	if len(base) > maxPageName {
		base = base[len(base)-maxPageName:]
	}
	if base == "" {
		base = "check"
	}
	name := base + ".html"
	for n := 2; p.taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d.html", base, n)
	}
	p.taken[strings.ToLower(name)] = true
	return name
}

// write writes the page of a check and, if something goes wrong, a drawing of the first
// execution in which it does, and its trace for clmc replay.
func (p *pages) write(j *checks.Job, m *model.Model, rep *report.Report) error {
	name, ok := p.names[j.Out]
	if !ok {
		name = p.pageName(j.Out.Name)
		p.names[j.Out] = name
	}
	if err := p.file(name, func(w io.Writer) error { return html.Write(w, rep) }); err != nil || len(rep.Traces) == 0 {
		return err
	}
	first, base := rep.Traces[0], strings.TrimSuffix(name, ".html")
	if len(first.Steps) == 0 {
		return nil // no execution shows it
	}
	if err := p.file(base+".svg", func(w io.Writer) error { return report.SVG(w, first) }); err != nil {
		return err
	}
	f, err := report.NewTraceFile(m.Name, m.Program, rep.Result.Spec, j.Defines, first)
	if err != nil {
		return err
	}
	f.Launch = j.Kernels.Flags()
	return p.file(base+".json", f.Save)
}

// index writes the page that lists the checks.
func (p *pages) index(s *report.Summary) error {
	return p.file("index.html", func(w io.Writer) error {
		return html.WriteIndex(w, s, func(c *report.Check) string { return p.names[c] })
	})
}

func (p *pages) file(name string, write func(io.Writer) error) error {
	o, err := openOutput(filepath.Join(p.dir, name))
	if err != nil {
		return fmt.Errorf("--html %w", err)
	}
	return o.fill(write)
}
