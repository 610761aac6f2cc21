package report

import (
	"encoding/xml"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/visible"
)

// hostile is text that a drawing, Graphviz or a terminal may obey.
const hostile = "</text><script>x</script><img src=x>\" ]; evil [label=\"\\N \\G \\\" &lt; ]]> --> \u202e \x1b[31m \n\r {}"

// hostileReport is a report of testdata all of whose names are hostile.
func hostileReport(t *testing.T) *Report {
	rep := reported(t, "barrier", loaded(t, "barrier"), explore.Options{})
	rep.Model = hostile
	tr := rep.Traces[0]
	tr.Message, tr.Location = hostile+": "+hostile, hostile
	for i := range tr.Lanes {
		tr.Lanes[i].Name += hostile
	}
	for i := range tr.Steps {
		s := &tr.Steps[i]
		s.Brief, s.Op, s.Location, s.Source, s.File, s.Via = hostile+s.Brief, hostile, hostile, hostile, hostile, hostile
	}
	for i := range tr.Why {
		tr.Why[i].Text, tr.Why[i].Repair = hostile, hostile
	}
	for i := range tr.Barriers {
		tr.Barriers[i].Function = hostile
	}
	for i := range tr.Edges {
		tr.Edges[i].Location = hostile
	}
	for i := range tr.Private {
		tr.Private[i].Name, tr.Private[i].Value = hostile, hostile
	}
	return rep
}

// TestHostileDrawings checks that names do not become elements of a drawing, nodes of a graph, or what a
// terminal obeys.
func TestHostileDrawings(t *testing.T) {
	rep := hostileReport(t)
	calm := reported(t, "barrier", loaded(t, "barrier"), explore.Options{})
	svg, dot := draw(t, rep.Traces[0])
	elements := map[string]bool{}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local] = true
		}
	}
	for _, name := range []string{"script", "img"} {
		if elements[name] {
			t.Errorf("the drawing has an element <%s>", name)
		}
	}
	for _, text := range []string{svg, dot} {
		if strings.ContainsAny(text, "\x1b\u202e\r") {
			t.Error("a drawing has control characters")
		}
	}
	if _, calmDot := draw(t, calm.Traces[0]); strings.Count(dot, "\n") != strings.Count(calmDot, "\n") {
		t.Error("names have become lines of the graph")
	}
	if statement := regexp.MustCompile(`(?m)^\s*evil`).FindString(dot); statement != "" {
		t.Error("a name has become a node")
	}
	if _, err := exec.LookPath("dot"); err == nil {
		nodes, _ := placed(t, dot)
		calmNodes, _ := placed(t, written(t, func(w io.Writer) error { return DOT(w, calm.Traces[0]) }))
		if len(nodes) != len(calmNodes) {
			t.Errorf("%d nodes, and %d with harmless names", len(nodes), len(calmNodes))
		}
	}
	var b strings.Builder
	w := visible.NewWriter(&b) // as all that is printed
	if err := rep.Text(w); err != nil || w.Flush() != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e\r") {
		t.Error("the text has control characters")
	}
}
