package optimise

import (
	_ "embed"
	"fmt"
	"strings"
)

// Changed lists the files that the result changes.
func (r *Result) Changed() []string { return r.p.changed(r.Texts) }

// Patch is what the result changes, as a unified diff; "" if there is none.
func (r *Result) Patch() (string, error) {
	if r.Texts == nil {
		return "", nil
	}
	return Patch(r.p.original, r.Texts)
}

// Text is the report, with the patch if it is asked for.
func (r *Result) Text(patch bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s that may change, %s assignments\n", r.Model, plural(len(r.p.sites), "operation"), count(r.Lattice))
	if r.Verdict == Optimised || r.Verdict == Nothing {
		for _, c := range r.Changes() {
			b.WriteString(c.text())
		}
	}
	for _, w := range r.Warnings() {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	if r.Undecided > 0 {
		fmt.Fprintf(&b, "%s could not be decided, and counts as not verified.\n", plural(r.Undecided, "candidate"))
	}
	b.WriteString(effort(r.Checks, r.Cores, r.Replays))
	if claim := r.Claim(); claim != "" {
		b.WriteString(" " + claim)
	}
	b.WriteString("\n")
	if diff, err := r.Patch(); err == nil && patch {
		b.WriteString(diff)
	}
	b.WriteString(r.Line() + "\n")
	return b.String()
}

// text is the line of a site.
func (c *Change) text() string {
	line := fmt.Sprintf("  %s  %s  ", c.Site, c.What)
	switch {
	case c.Kept != "":
		return fmt.Sprintf("%s%s, kept: %s\n", line, c.From, c.Kept)
	case c.From == c.To:
		line += c.From
	default:
		line += c.From + " -> " + c.To
	}
	for _, w := range c.Weaker {
		line += "\n      " + w
	}
	return line + "\n"
}

// effort says what was done to find a result.
func effort(checks, cores, replays int) string {
	return fmt.Sprintf("%s, %s, %s.", plural(checks, "check"), plural(cores, "counterexample"), plural(replays, "replay"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func count(n float64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.1e", n)
}

// Schema names the format of a result.
const Schema = "clmc.optimise/1"

// SchemaText is its JSON Schema.
//
//go:embed optimise.json
var SchemaText string

// Document is a result in its stored form.
type Document struct {
	Schema         string         `json:"schema"`
	Model          string         `json:"model"`
	Verdict        string         `json:"verdict"`
	Why            string         `json:"why,omitempty"`
	Specs          []string       `json:"specs"`
	Configurations []string       `json:"configurations"`
	Was            float64        `json:"was"`
	Cost           float64        `json:"cost"`
	Bound          float64        `json:"bound,omitempty"`
	Complete       bool           `json:"complete"`
	Exhaustive     bool           `json:"exhaustive"`
	Sites          []DocumentSite `json:"sites"`
	Warnings       []string       `json:"warnings"`
	Patch          string         `json:"patch,omitempty"`
	Assignments    float64        `json:"assignments"`
	Checks         int            `json:"checks"`
	Cores          int            `json:"counterexamples"`
	Replays        int            `json:"replays"`
	Undecided      int            `json:"undecided"`
	Seconds        float64        `json:"seconds"`
}

// DocumentSite is a site of a Document.
type DocumentSite struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Col    int      `json:"col"`
	What   string   `json:"what"`
	From   string   `json:"from"`
	To     string   `json:"to"`
	Weaker []string `json:"weaker,omitempty"`
	Kept   string   `json:"kept,omitempty"`
}

// shown is a cost as it is shown: what only breaks ties is left out.
func shown(c int64) float64 { return float64(c-c%10) / 1000 }

// Document returns a result in its stored form.
func (r *Result) Document() *Document {
	d := &Document{Schema: Schema, Model: r.Model, Verdict: r.Verdict, Why: r.Why, Specs: r.p.specNames(), Configurations: r.p.launchNames(), Sites: []DocumentSite{},
		Was: shown(r.Was), Cost: shown(r.Cost), Complete: !r.Late && (r.Verdict == Optimised || r.Verdict == Nothing), Exhaustive: r.Exhaustive,
		Warnings: append([]string{}, r.Warnings()...), Assignments: r.Lattice, Checks: r.Checks, Cores: r.Cores, Replays: r.Replays,
		Undecided: r.Undecided, Seconds: r.Elapsed.Seconds()}
	if r.Late {
		d.Bound = shown(r.Bound)
	}
	for _, c := range r.Changes() {
		d.Sites = append(d.Sites, DocumentSite{c.File, c.Line, c.Col, c.What, c.From, c.To, c.Weaker, c.Kept})
	}
	d.Patch, _ = r.Patch()
	return d
}
