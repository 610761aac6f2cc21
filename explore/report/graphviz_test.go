package report

import (
	"encoding/json"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
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
	for _, name := range models[:7] {
		tr := reported(t, name, loaded(t, name), explore.Options{}).Traces[0]
		drawn := written(t, func(w io.Writer) error { return DOT(w, tr) })
		if strings.Contains(drawn, "cluster") {
			t.Errorf("%s: there are clusters, across whose labels Graphviz draws edges", name)
		}
		nodes, labels := placed(t, drawn)
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

// queuesModel races over two queues; in its report the lane of a kernel is not shown, and neither are its steps.
const queuesModel = `package main

import "github.com/clmc/clmc/models/cl"

var a, b = cl.NewBuffer[int32](1), cl.NewBuffer[int32](1)

func step1() { b[0] = a[0] + 1 }
func step2() { a[0] = b[0] + 1 }

func main() {
	q := cl.CreateCommandQueue(0, 0)
	e := cl.EnqueueNDRangeKernel(step1, cl.NDRange1D(1, 1))
	cl.EnqueueNDRangeKernel(step2, cl.NDRange1D(1, 1), cl.OnQueue(q), cl.EventWaitList(e))
	cl.EnqueueNDRangeKernel(step1, cl.NDRange1D(1, 1))
	cl.Finish()
	cl.Finish(q)
}
`

// TestEdgesOfShownSteps checks that no edge is drawn for a relation of a step that is not shown, as if it were one of another.
func TestEdgesOfShownSteps(t *testing.T) {
	p, err := load.Source("queues.go", []byte(queuesModel), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr := reported(t, "queues", p, explore.Options{}).Traces[0]
	drawn := written(t, func(w io.Writer) error { return DOT(w, tr) })
	rows := map[string][2]int{}
	for _, m := range regexp.MustCompile(`(?m)^\t(r\d+) \[label="step (\d+)(?:-(\d+))?`).FindAllStringSubmatch(drawn, -1) {
		from, _ := strconv.Atoi(m[2])
		to, err := strconv.Atoi(m[3])
		if err != nil {
			to = from
		}
		rows[m[1]] = [2]int{from, to}
	}
	in := func(step int, row string) bool { r, ok := rows[row]; return ok && r[0] <= step && step <= r[1] }
	edges, hidden := regexp.MustCompile(`(?m)^\t(r\d+) -> (r\d+) \[label=`).FindAllStringSubmatch(drawn, -1), 0
	for _, e := range edges {
		if !slices.ContainsFunc(arrows(tr), func(a arrow) bool {
			return in(a.from, e[1]) && in(a.to, e[2]) || in(a.from, e[2]) && in(a.to, e[1])
		}) {
			t.Errorf("%s: no steps of the two are related:\n%s", e[0], drawn)
		}
	}
	for _, a := range arrows(tr) {
		shown := false
		for row := range rows {
			shown = shown || in(a.from, row)
		}
		if !shown {
			hidden++
		}
	}
	if len(edges) == 0 || hidden == 0 {
		t.Errorf("%d edges, and %d relations of steps that are not shown", len(edges), hidden)
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
