package report

import (
	"encoding/json"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
)

// area is where Graphviz has put something.
type area struct {
	what           string
	x0, y0, x1, y1 float64
}

func (a *area) meets(b *area) bool {
	return a.x0 < b.x1-1 && b.x0 < a.x1-1 && a.y0 < b.y1-1 && b.y0 < a.y1-1
}

// placed returns where Graphviz puts the nodes of a graph and the labels of its edges.
func placed(t *testing.T, dot string) (nodes, labels []area) {
	t.Helper()
	cmd := exec.Command("dot", "-Tjson")
	cmd.Stdin = strings.NewReader(dot)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v in\n%s", err, dot)
	}
	var g struct {
		Objects []struct{ Name, Pos, Width, Height string }
		Edges   []struct {
			Label []struct {
				Op    string
				Pt    []float64
				Width float64
				Text  string
			} `json:"_ldraw_"`
		}
	}
	if err := json.Unmarshal(out, &g); err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, o := range g.Objects {
		if x, y, ok := strings.Cut(o.Pos, ","); ok {
			w, h := number(o.Width)*72/2, number(o.Height)*72/2 // inches
			nodes = append(nodes, area{o.Name, number(x) - w, number(y) - h, number(x) + w, number(y) + h})
		}
	}
	for _, e := range g.Edges {
		for _, l := range e.Label {
			if l.Op == "T" {
				labels = append(labels, area{l.Text, l.Pt[0] - l.Width/2, l.Pt[1] - 2, l.Pt[0] + l.Width/2, l.Pt[1] + 8})
			}
		}
	}
	return nodes, labels
}

// TestGraphvizLabels checks that labels lie neither on each other nor on boxes in what Graphviz makes of the drawings.
func TestGraphvizLabels(t *testing.T) {
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("no dot in the path: install Graphviz to look at what it makes of the drawings")
	}
	seen := 0
	for _, name := range models[:6] {
		tr := reported(t, name, loaded(t, name), explore.Options{}).Traces[0]
		nodes, labels := placed(t, written(t, func(w io.Writer) error { return DOT(w, tr) }))
		seen += len(labels)
		for i, a := range labels {
			for _, b := range append(labels[i+1:len(labels):len(labels)], nodes...) {
				if a.meets(&b) {
					t.Errorf("%s: %q lies on %q", name, a.what, b.what)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no labels")
	}
}

// TestStrips checks that the strip of a barrier in a drawing says which memory it orders, however narrow it is.
func TestStrips(t *testing.T) {
	tr := reported(t, "barrier", loaded(t, "barrier"), explore.Options{}).Traces[0]
	svg, _ := draw(t, tr)
	for _, b := range tr.Barriers {
		if !strings.Contains(svg, Orders(&b)) {
			t.Errorf("the drawing does not say that the barrier %s", Orders(&b))
		}
	}
	if len(tr.Barriers) == 0 {
		t.Error("no barriers")
	}
}
