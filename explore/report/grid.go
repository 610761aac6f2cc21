package report

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/explore/trace"
)

// grid lays a schedule out in a terminal.
type grid struct {
	t        *trace.Trace
	lanes    []int // those that do something, in order
	width    int
	id, line int   // widths of the step and source line columns
	column   []int // widths of the lanes' columns
	left     []int // what is to the left of them
}

// fit divides the width among the lanes: what the host does not need goes to
// the work-items. It reports whether columns are wide enough to read.
func (g *grid) fit(rows []row) bool {
	free, hosts := g.width-len(g.margin("", "")), 0
	even := free / len(g.lanes)
	need := make([]int, len(g.lanes))
	for i, l := range g.lanes {
		if !g.t.Lanes[l].Host {
			continue
		}
		need[i] = width(g.t.Lanes[l].Name) + 2
		for _, r := range rows {
			if r.lane == l {
				need[i] = max(need[i], width(r.text)+5)
			}
		}
		need[i] = min(need[i], even)
		free -= need[i]
		hosts++
	}
	at := 0
	for i := range g.lanes {
		if need[i] == 0 {
			need[i] = free / (len(g.lanes) - hosts)
		}
		g.left = append(g.left, at)
		at += need[i]
	}
	g.column = need
	return even >= minColumn
}

// minColumn is the least width of a readable column.
const minColumn = 24

// columns writes one column a lane.
func (g *grid) columns(b *strings.Builder, rows []row) {
	head := g.margin("", "")
	for _, l := range g.lanes {
		w := g.column[g.index(l)]
		head += pad(clip(g.t.Lanes[l].Name, w-2), w)
	}
	put(b, head)
	if sub := g.places(); sub != "" {
		put(b, sub)
	}
	for _, r := range rows {
		if r.lane < 0 {
			g.across(b, r)
			continue
		}
		left := strings.Repeat(" ", g.left[g.index(r.lane)])
		for i, text := range g.cell(r) {
			margin := g.margin("", "")
			if i == 0 {
				margin = g.margin(r.label(), lineOf(g.t, r))
			}
			put(b, margin+left+text)
		}
	}
}

// cell returns the lines of a step, and those of its notes.
func (g *grid) cell(r row) []string {
	text := r.text
	if r.mark {
		text = "*" + text
	}
	w := g.column[g.index(r.lane)]
	lines := hang(text, w-2, "  ")
	for _, n := range r.notes {
		for _, l := range hang(n, w-4, "  ") {
			lines = append(lines, "  "+l)
		}
	}
	return lines
}

// hang wraps text with all lines but the first indented.
func hang(text string, w int, by string) []string {
	lines := wrap(text, w-len(by))
	for i := range lines[1:] {
		lines[i+1] = by + lines[i+1]
	}
	return lines
}

// places is the line below the names that tells the lanes' places apart.
func (g *grid) places() string {
	s := g.margin("", "")
	for _, l := range g.lanes {
		q := &g.t.Lanes[l]
		where := fmt.Sprintf("group %d", q.Group)
		if q.Host {
			where = ""
		} else if g.devices() {
			where = fmt.Sprintf("device %d, group %d", q.Device, q.Group)
		}
		s += pad(where, g.column[g.index(l)])
	}
	return s
}

// devices reports whether the lanes run on several devices.
func (g *grid) devices() bool {
	first := -1
	for _, l := range g.lanes {
		q := &g.t.Lanes[l]
		if q.Host {
			continue
		}
		if first >= 0 && q.Device != first {
			return true
		}
		first = q.Device
	}
	return false
}

func (g *grid) index(lane int) int {
	for i, l := range g.lanes {
		if l == lane {
			return i
		}
	}
	return 0
}

// margin is the left part of a line.
func (g *grid) margin(id, line string) string {
	s := "  " + strings.Repeat(" ", g.id-len(id)) + id
	if g.line > 0 {
		s += " " + strings.Repeat(" ", g.line-len(line)) + line
	}
	return s + "  "
}

// across writes a row that concerns all lanes.
func (g *grid) across(b *strings.Builder, r row) {
	text := "──── " + r.text + " "
	fill := g.width - len(g.margin("", "")) - width(text)
	put(b, g.margin(r.label(), "")+text+strings.Repeat("─", max(fill, 4)))
}

// prefixed writes one line a step, each with its lane's name, and before it, if there are not
// too many, a strip that shows which lane it is.
func (g *grid) prefixed(b *strings.Builder, rows []row) {
	name := 0
	for _, l := range g.lanes {
		name = min(max(name, width(g.t.Lanes[l].Name)), maxName)
	}
	strip := len(g.lanes) <= maxStrip && g.width-len(g.margin("", ""))-2*len(g.lanes)-name >= minColumn
	for _, r := range rows {
		if r.lane < 0 {
			put(b, g.margin(r.label(), "")+clip("──── "+r.text, g.width-len(g.margin("", ""))-5)+" ────")
			continue
		}
		text := r.text
		if r.mark {
			text = "*" + text
		}
		if len(r.notes) > 0 {
			text += "; " + strings.Join(r.notes, "; ")
		}
		first, other := g.margin(r.label(), lineOf(g.t, r)), g.margin("", "")
		if strip {
			first, other = first+g.strip(r.lane)+" ", other+g.strip(-1)+" "
		}
		first += pad(clip(g.t.Lanes[r.lane].Name, name), name) + "  "
		b.WriteString(indent(text, first, pad(other, width(first)+2), g.width))
	}
}

const (
	maxStrip = 16 // lanes of a strip
	maxName  = 24 // characters of a lane's name beside a line
)

// strip shows the lanes, with a mark at one of them.
func (g *grid) strip(lane int) string {
	var s strings.Builder
	for _, l := range g.lanes {
		if l == lane {
			s.WriteString("● ")
		} else {
			s.WriteString("│ ")
		}
	}
	return s.String()
}

// clip shortens text to w characters.
func clip(s string, w int) string {
	if width(s) <= w {
		return s
	}
	r := []rune(s)
	return string(r[:max(w-1, 0)]) + "…"
}

func put(b *strings.Builder, line string) {
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
