package optimise

import (
	"bytes"
	"html/template"
	"maps"
	"slices"
	"strings"
)

// pageTemplate is the page of a result: the source, and beside each line what may be weaker there.
var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Model}}: {{.Verdict}}</title>
<style>
body { font: 15px/1.4 sans-serif; margin: 2em; color: #111; background: #fff; }
table { border-collapse: collapse; }
td { padding: 0 .6em; vertical-align: top; }
td.n { text-align: right; color: #666; }
td.c { font-family: monospace; white-space: pre; tab-size: 4; }
td.m { font-size: 13px; border-left: 1px solid #999; }
tr.weaker td { background: #eaf5ea; }
tr.same td.m { color: #444; }
.why { color: #444; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111; } tr.weaker td { background: #1d331d; } .why, td.n, tr.same td.m { color: #aaa; } }
</style>
</head>
<body>
<h1>{{.Model}}</h1>
<p>{{.Line}}</p>
{{with .Claim}}<p>{{.}}</p>
{{end}}{{range .Warnings}}<p>Warning: {{.}}</p>
{{end}}{{range .Files}}<h2>{{.Name}}</h2>
<table>
{{range .Lines}}<tr{{with .Class}} class="{{.}}"{{end}}><td class="n">{{.Number}}</td><td class="c">{{.Text}}</td><td class="m">{{range .Notes}}<div>{{.Text}}{{range .Why}}<div class="why">{{.}}</div>{{end}}</div>{{end}}</td></tr>
{{end}}</table>
{{end}}</body>
</html>
`))

type pageFile struct {
	Name  string
	Lines []pageLine
}

type pageLine struct {
	Number int
	Text   string
	Class  string // weaker, or same where nothing may be; "" without a site
	Notes  []pageNote
}

type pageNote struct {
	Text string
	Why  []string
}

// Page is a page with the source, and what may be weaker in its margin.
func (r *Result) Page() []byte {
	var files []pageFile
	changes := r.Changes()
	for _, name := range slices.Sorted(maps.Keys(r.p.original)) {
		f := pageFile{Name: name}
		text := r.p.original[name]
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			l := pageLine{Number: i + 1, Text: line}
			for _, c := range changes {
				if c.File == name && c.Line == i+1 {
					l.note(&c)
				}
			}
			f.Lines = append(f.Lines, l)
		}
		if r.p.own(name) {
			files = append(files, f)
		}
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, map[string]any{"Model": r.Model, "Verdict": r.Verdict, "Line": r.Line(), "Claim": r.Claim(), "Warnings": r.Warnings(), "Files": files})
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// note adds what becomes of a site to its line.
func (l *pageLine) note(c *Change) {
	n := pageNote{Text: c.What + ": " + c.From, Why: c.Weaker}
	if l.Class == "" {
		l.Class = "same"
	}
	switch {
	case c.Kept != "":
		n.Why = append(n.Why, "kept: "+c.Kept)
	case c.From != c.To:
		n.Text += " → " + c.To
		l.Class = "weaker"
	}
	l.Notes = append(l.Notes, n)
}
