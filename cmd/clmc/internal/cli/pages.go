package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/report/html"
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

// write writes the page of a check.
func (p *pages) write(c *report.Check, make func() (*report.Report, error)) error {
	rep, err := make()
	if err != nil {
		return err
	}
	name, ok := p.names[c]
	if !ok {
		name = p.pageName(c.Name)
		p.names[c] = name
	}
	return p.file(name, func(w io.Writer) error { return html.Write(w, rep) })
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
