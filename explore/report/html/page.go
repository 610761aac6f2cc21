package html

import (
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/report/explain"
	"github.com/clmc/clmc/explore/trace"
)

// Bounds on what a page holds.
const (
	maxFindings = 64  // violations shown with their executions
	maxOutcomes = 500 // outcomes listed
	maxWaits    = 6   // who waits, of one violation
	around      = 1   // source lines shown before and behind the one in question
)

// page is what the template writes.
type page struct {
	Title, Model, Spec   string
	Verdict, VerdictLine string // the one word, and the sentence
	Findings             []finding
	More                 int    // findings that are left out
	Beyond               string // what it means that executions were followed beyond races, if they were
	Outcomes             []outcome
	OutcomesHead         string
	Condition            *report.Condition
	Facts                []string
	Explorable           bool // there is an execution to step through
	Policy               string
	Style                template.CSS
}

// finding is one violation.
type finding struct {
	Number   int
	ID, Kind string
	Title    string
	After    string // that it comes after a data race, if it does
	Lead     string
	Round    string // which steps are repeated for ever, if some are
	Short    string // where, in a word
	Places   []place
	Why      []reason
	Repairs  []string // of this violation
	Mend     []string // of violations of the kind: paragraphs
	Private  string   // whose the variables are
	Values   []value
	Early    []string
	Behind   string // what it is the cause of
	Open     bool   // whether a race lies behind was not found out
	Steps    int
	More     int // places that are left out
}

type value struct {
	Name, Value string
	Step        int
}

// reason is why accesses are unordered.
type reason struct {
	Text, Rule string
	Steps      []int
}

// place is where something happened.
type place struct {
	Who, Where, At string
	Does           string
	Step           int // 0: none
	Lines          []codeLine
	Via            string
	Second         bool
}

type codeLine struct {
	Number int
	Text   string
	Here   bool
}

type outcome struct {
	Text    string
	Witness int // the number of the outcome, from 1, if an execution with it is shown, else 0
}

// pageTemplate is parsed once a page is written: most runs of clmc write none.
var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(read("page.tmpl"))) })

// Write writes a report as a page.
func Write(w io.Writer, r *report.Report) error {
	p, b := newPage(r), &builder{files: map[string]int{}}
	for _, t := range r.Traces[:len(p.Findings)] {
		b.add(t)
	}
	b.doc.Violations, b.doc.Outcomes, b.doc.Full = len(p.Findings), []int{}, r.Full
	for i := range p.Outcomes {
		b.doc.Outcomes = append(b.doc.Outcomes, -1)
		if i < len(r.Witnesses) && r.Witnesses[i] != nil {
			b.doc.Outcomes[i] = len(b.doc.Executions)
			p.Outcomes[i].Witness = i + 1
			b.add(r.Witnesses[i])
		}
	}
	p.Explorable = len(b.doc.Executions) > 0
	if err := pageTemplate().ExecuteTemplate(w, "head", p); err != nil {
		return err
	}
	if _, err := io.WriteString(w, `<script id="data" type="application/json">`+"\n"); err != nil {
		return err
	}
	// < and > are written as \u003c and \u003e: nothing in the data ends the element.
	if err := report.WriteData(w, &b.doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "</script>\n<script>"+bundled().script+"</script>\n</body>\n</html>\n")
	return err
}

func newPage(r *report.Report) *page {
	p := &page{
		Model: line(r.Model), Spec: r.Result.Spec.Name, Verdict: r.Result.Verdict.String(), VerdictLine: said(r.Verdict()),
		Policy: bundled().policy(), Style: template.CSS(bundled().style), Condition: r.Condition,
	}
	for i, t := range r.Traces {
		if i == maxFindings {
			p.More = len(r.Traces) - i
			break
		}
		p.Findings = append(p.Findings, newFinding(r, i+1, t))
	}
	p.Title = p.Model + ": " + p.Verdict
	if len(p.Findings) > 0 {
		p.Title = p.Findings[0].Title + " · " + p.Model
	}
	p.Beyond = said(r.Beyond())
	p.outcomes(r)
	for _, f := range r.Facts() {
		p.Facts = append(p.Facts, said(f))
	}
	return p
}

// outcomes lists what the executions without violation end in.
func (p *page) outcomes(r *report.Report) {
	all := r.Result.Outcomes
	if len(all) == 0 || len(all) == 1 && len(all[0]) == 0 {
		return
	}
	p.OutcomesHead = r.OutcomesHeading()
	for i, o := range all {
		if i == maxOutcomes {
			p.OutcomesHead += fmt.Sprintf(", the first %d", maxOutcomes)
			break
		}
		p.Outcomes = append(p.Outcomes, outcome{Text: line(r.Result.Names.Text(o))})
	}
}

func newFinding(r *report.Report, number int, t *trace.Trace) finding {
	f := finding{Number: number, ID: t.ID, Kind: t.Kind, Mend: mend(t.ID), Open: t.Unsettled, Steps: len(t.Steps)}
	f.Title, f.Lead = headline(t)
	f.Round = said(report.Round(t))
	f.After = said(report.AfterRace(t))
	if text := r.Cut(t); text != "" {
		f.After = strings.TrimSpace(f.After + " " + said(text))
	}
	f.places(t)
	if t.At.Line > 0 {
		f.Short = line(fmt.Sprintf("%s:%d", filepath.Base(t.At.File), t.At.Line))
	}
	for _, why := range t.Why {
		f.Why = append(f.Why, reason{said(why.Text), strings.Trim(report.Rules(why.Rule), " ()"), why.Steps})
		if why.Repair != "" {
			f.Repairs = append(f.Repairs, said(why.Advised()))
		}
		if why.Idea != "" {
			f.Repairs = append(f.Repairs, said("Idea: "+why.Idea))
		}
	}
	if len(t.Private) > 0 {
		f.Private = line(t.Lanes[t.PrivateLane()].String())
	}
	for _, v := range t.Private {
		f.Values = append(f.Values, value{line(v.Name), line(v.Value), v.Step})
	}
	for _, e := range t.Early {
		f.Early = append(f.Early, said(e.Text))
	}
	if c := t.Consequence; c != nil {
		f.Behind = said(c.ID + ": " + c.Message)
	}
	return f
}

// headline divides a message in a title and what it says of it.
func headline(t *trace.Trace) (title, lead string) {
	title = strings.ToUpper(t.Kind[:1]) + t.Kind[1:]
	head, rest, ok := strings.Cut(t.Message, ": ")
	if ok && len(head) <= maxText && strings.HasPrefix(strings.ToLower(head), t.Kind) {
		return line(head), said(strings.ToUpper(rest[:1]) + rest[1:])
	}
	if t.Location != "" {
		title += ": " + line(t.Location)
	}
	return title, said(t.Message)
}

// places are the accesses at fault, or who waits where, or else where it was found.
func (f *finding) places(t *trace.Trace) {
	for i, id := range t.Accesses {
		s := t.Step(id)
		l := &t.Lanes[s.Lane]
		sort := ""
		if !s.Atomic && s.Region != "" {
			sort = ", not atomic"
		}
		p := newPlace(t, *s.Pos, line(l.String()), l.Where(), line(s.Op)+sort)
		p.Step, p.Second = id, i > 0
		f.Places = append(f.Places, p)
	}
	if len(f.Places) > 0 {
		return
	}
	for i, q := range t.Waits {
		if i == maxWaits {
			f.More = len(t.Waits) - i
			break
		}
		l := &t.Lanes[q.Lane]
		p := newPlace(t, q.Pos, line(l.String()), l.Where(), said(q.Text))
		p.Step = lastOf(t, q.Lane)
		f.Places = append(f.Places, p)
	}
	if len(f.Places) == 0 && t.At.Line > 0 {
		p := newPlace(t, t.At, "", "", "")
		if t.ViolationKind().OfOneExecution() && len(t.Lanes) > 0 {
			l := &t.Lanes[t.PrivateLane()]
			p.Who, p.Where = line(l.String()), l.Where()
		}
		p.Step = len(t.Steps)
		f.Places = append(f.Places, p)
	}
}

// lastOf returns the last step of a lane, or 0.
func lastOf(t *trace.Trace, lane int) int {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if t.Steps[i].Lane == lane {
			return t.Steps[i].ID
		}
	}
	return 0
}

func newPlace(t *trace.Trace, at trace.Pos, who, where, does string) place {
	return place{Who: who, Where: where, At: line(at.String()), Does: does, Lines: excerpt(t, at), Via: line(at.Via)}
}

// excerpt returns the lines around a place, with the indentation that they share left out.
func excerpt(t *trace.Trace, at trace.Pos) (out []codeLine) {
	text, ok := t.Source(at.File)
	if !ok || at.Line == 0 {
		if at.Source != "" {
			out = append(out, codeLine{at.Line, line(at.Source), true})
		}
		return out
	}
	lines := strings.Split(text, "\n")
	from, to := max(at.Line-around, 1), min(at.Line+around, len(lines))
	indent := -1
	for n := from; n <= to; n++ {
		l := strings.TrimRight(strings.ReplaceAll(lines[n-1], "\t", "    "), " \r")
		if blank := len(l) - len(strings.TrimLeft(l, " ")); l != "" && (indent < 0 || blank < indent) {
			indent = blank
		}
		out = append(out, codeLine{n, l, n == at.Line})
	}
	for i := range out {
		out[i].Text = line(out[i].Text[min(max(indent, 0), len(out[i].Text)):])
	}
	return out
}

// mend returns the paragraphs of the page about a kind of violation that say how to repair it.
func mend(id string) (paragraphs []string) {
	text, _ := explain.Explain(id)
	_, text, _ = strings.Cut(text, "## How to repair it\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if p != "" {
			paragraphs = append(paragraphs, strings.ReplaceAll(strings.ReplaceAll(p, "\n", " "), "`", ""))
		}
	}
	return paragraphs
}
