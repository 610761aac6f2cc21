package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/visible"
)

// DOT writes the execution graph of a trace for Graphviz.
func DOT(w io.Writer, t *trace.Trace) error {
	d := &dot{t: t, rows: rowsOf(t), at: map[int]int{}}
	fmt.Fprintf(&d.b, "digraph execution {\n\tlabel=%q;\n\tlabelloc=t;\n\tnewrank=true;\n\tfontname=\"sans-serif\";\n", label(wrap(t.ID+": "+t.Message, 100)...))
	d.b.WriteString("\tnode [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"monospace\", fontsize=10];\n\tedge [fontname=\"sans-serif\", fontsize=9];\n")
	heads := "\t{ rank=same;"
	for _, l := range lanesOf(t) {
		heads += fmt.Sprintf(" l%d;", l)
		d.lane(l)
	}
	d.b.WriteString(heads + " }\n")
	d.passages()
	d.b.WriteString(d.sb.String())
	d.relations()
	d.b.WriteString("}\n")
	_, err := io.WriteString(w, d.b.String())
	return err
}

// label joins lines, in which nothing is left that a reader cannot see.
func label(lines ...string) string {
	shown := make([]string, len(lines))
	for i, l := range lines {
		shown[i] = visible.Line(l)
	}
	return strings.Join(shown, "\n")
}

type dot struct {
	t    *trace.Trace
	b    strings.Builder
	sb   strings.Builder // edges of lanes
	rows []row
	at   map[int]int // step -> row
}

// lane writes the steps of a lane, chained by sb, below a node with its name: edges go around nodes, and
// across the labels of clusters.
func (d *dot) lane(l int) {
	q := &d.t.Lanes[l]
	fmt.Fprintf(&d.b, "\tl%d [label=%q, group=g%d, shape=plain, style=\"\", fontname=\"sans-serif\", fontsize=12];\n", l, label(q.Name, place(q)), l)
	prev, early := -1, []int(nil)
	for i, r := range d.rows {
		if r.lane != l {
			if r.lane < 0 && passes(d.t, r, l) {
				d.sequence(l, prev, i)
				prev = i
			}
			continue
		}
		fill := ""
		if r.atFault(d.t) {
			fill = ", fillcolor=\"#ffebe9\", color=\"#cf222e\", penwidth=2"
		}
		text := []string{caption(d.t, r)}
		if d.t.Step(r.to).Kind != trace.Depart { // whose text is the first effect
			text = append(text, wrap(r.text, 34)...)
		}
		for _, e := range effects(d.t, d.t.Step(r.to)) {
			text = append(text, wrap(e, 34)...)
		}
		fmt.Fprintf(&d.b, "\tr%d [label=%q, group=g%d%s];\n", i, label(text...), l, fill)
		switch {
		case d.t.Step(r.from).Kind == trace.Early: // not there in program order
			early = append(early, i)
		default:
			d.sequence(l, prev, i)
			for _, e := range early { // but drawn there
				fmt.Fprintf(&d.sb, "\tr%d -> r%d [style=invis];\n", e, i)
			}
			prev, early = i, nil
		}
		for s := r.from; s <= r.to; s++ {
			d.at[s] = i
		}
	}
}

// sequence draws sb between two rows of a lane; the first of them hangs by the name of the lane.
func (d *dot) sequence(lane, from, to int) {
	if from < 0 {
		fmt.Fprintf(&d.sb, "\tl%d -> r%d [color=\"#d0d7de\", arrowhead=none, weight=8];\n", lane, to)
		return
	}
	fmt.Fprintf(&d.sb, "\tr%d -> r%d [color=%q, weight=8];\n", from, to, styleSB.colour)
}

// passages writes a node for each passage of a barrier.
func (d *dot) passages() {
	for i, r := range d.rows {
		if r.lane >= 0 {
			continue
		}
		fmt.Fprintf(&d.b, "\tr%d [shape=box, style=filled, fillcolor=\"#ddf4ff\", label=%q];\n", i, label(wrap(r.text, 60)...))
		for s := r.from; s <= r.to; s++ {
			if _, ok := d.at[s]; !ok {
				d.at[s] = i
			}
		}
	}
}

func (d *dot) relations() {
	for _, a := range arrows(d.t) {
		from, shown := d.at[a.from]
		to, too := d.at[a.to]
		if !shown || !too || from == to && a.style != styleLoop || d.rows[from].lane < 0 || d.rows[to].lane < 0 {
			continue // the step is not shown, or a barrier's node says it
		}
		line := "solid"
		if a.style.dash != "" {
			line = "dashed"
		}
		ends := ""
		switch {
		case a.style == styleRace:
			ends = ", dir=both"
		case from > to: // time goes downwards
			from, to, ends = to, from, ", dir=back"
		}
		// Edges that Graphviz may not use to rank nodes have no room of their own, and their labels lie on other things.
		fmt.Fprintf(&d.b, "\tr%d -> r%d [label=%q, color=%q, fontcolor=%q, style=%s, penwidth=%g%s];\n",
			from, to, label(a.label), a.style.colour, a.style.colour, line, a.style.width, ends)
	}
}
