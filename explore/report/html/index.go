package html

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/clmc/clmc/explore/report"
)

// index is the page that lists the checks of a list.
type index struct {
	List, Policy string
	Counts       string
	Verdict      string // of the class that the counts are shown in
	Style        template.CSS
	Checks       []entry
}

// entry is a check.
type entry struct {
	Name, Status, Reason, Again string
	Page                        string // "" if it has none
	Found                       []string
}

// WriteIndex writes a page that lists checks, with links to the pages that they have: page returns the name of the file, in the same
// folder, or "".
func WriteIndex(w io.Writer, s *report.Summary, page func(*report.Check) string) error {
	p := &index{List: line(s.List), Policy: bundled().policy(), Style: template.CSS(bundled().style), Verdict: "verified"}
	var counts []string
	for _, status := range report.Statuses {
		if n := s.Counts[status]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, status))
			if status != report.Expected {
				p.Verdict = "violated"
			}
		}
	}
	p.Counts = strings.Join(counts, ", ")
	for _, c := range s.Checks {
		e := entry{Name: line(c.Name), Status: string(c.Status), Reason: said(c.Reason), Again: line(c.Again), Page: page(c)}
		for _, f := range c.Violations {
			e.Found = append(e.Found, said(f.ID+": "+f.Message))
		}
		p.Checks = append(p.Checks, e)
	}
	return pageTemplate().ExecuteTemplate(w, "index", p)
}
