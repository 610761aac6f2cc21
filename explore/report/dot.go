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
	for _, l := range lanesOf(t) {
		d.lane(l)
	}
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
	sb   strings.Builder // edges of lanes, outside clusters, lest they draw barriers in
	rows []row
	at   map[int]int // step -> row
}

// lane writes the cluster of a lane, its steps chained by sb.
func (d *dot) lane(l int) {
	q := &d.t.Lanes[l]
	fmt.Fprintf(&d.b, "\tsubgraph cluster_%d {\n\t\tlabel=%q;\n\t\tcolor=\"#d0d7de\";\n", l, label(q.Name, place(q)))
	prev, early := -1, []int(nil)
	for i, r := range d.rows {
		if r.lane != l {
			if r.lane < 0 && passes(d.t, r, l) && prev >= 0 {
				d.sequence(prev, i)
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
		fmt.Fprintf(&d.b, "\t\tr%d [label=%q%s];\n", i, label(text...), fill)
		switch {
		case d.t.Step(r.from).Kind == trace.Early: // not there in program order
			early = append(early, i)
		case prev >= 0:
			d.sequence(prev, i)
			fallthrough
		default:
			for _, e := range early { // but drawn there
				fmt.Fprintf(&d.sb, "\tr%d -> r%d [style=invis];\n", e, i)
			}
			prev, early = i, nil
		}
		for s := r.from; s <= r.to; s++ {
			d.at[s] = i
		}
	}
	d.b.WriteString("\t}\n")
}

// sequence draws sb between two rows.
func (d *dot) sequence(from, to int) {
	fmt.Fprintf(&d.sb, "\tr%d -> r%d [color=%q];\n", from, to, styleSB.colour)
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
		from, to := d.at[a.from], d.at[a.to]
		if from == to || d.rows[from].lane < 0 || d.rows[to].lane < 0 {
			continue // a barrier's node says it, or the lane is not shown
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
