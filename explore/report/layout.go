package report

import (
	"slices"

	"github.com/clmc/clmc/explore/trace"
)

// measures of a drawing, in pixels.
const (
	boxWidth   = 236
	lineHeight = 14
	boxChars   = 32 // a line of the boxes' text
	boxPad     = 8
	rowGap     = 12
	portGap    = 13 // between arrows that meet a side of a box
	trackGap   = 11 // between arrows in a gutter
	gutterPad  = 26
	margin     = 24
	labelWidth = 5.6 // of a character of a label
)

// box is a row of the schedule, placed.
type box struct {
	row
	lines []string // of text, below the caption
	x, y  float64
	w, h  float64
	ports [2][]int // arrows that meet the left and the right side
}

// sides of a box.
const (
	leftSide = iota
	rightSide
)

// route is where an arrow runs: level from its source to a track in the
// gutter beside its target, along that, and level again. A row has one box
// only, so that arrows cross no boxes.
type route struct {
	arrow
	source, target *box
	fromSide       int
	toSide         int
	gutter, track  int // gutter g is to the left of lane g
	y0, y1         float64
}

// repeats reports whether a route would look as another does.
func (p *route) repeats(q *route) bool {
	return p.source == q.source && p.target == q.target && p.style == q.style && p.label == q.label
}

// drawing is a trace laid out: a column a lane, steps from top to bottom.
type drawing struct {
	t       *trace.Trace
	lanes   []int
	column  map[int]int // lane -> column
	boxes   []*box
	at      map[int]*box // by step
	routes  []*route
	tracks  []int     // by gutter: how many
	left    []float64 // by column
	width   float64
	height  float64
	heading []string
}

// headerHeight is that of the lanes' names.
const headerHeight = 40

// lanesTop is where the lanes' names begin, below the heading.
func (d *drawing) lanesTop() float64 { return float64(margin + len(d.heading)*18 + rowGap) }

func layOut(t *trace.Trace) *drawing {
	d := &drawing{t: t, lanes: lanesOf(t), column: map[int]int{}, at: map[int]*box{}}
	for c, l := range d.lanes {
		d.column[l] = c
	}
	for _, r := range rowsOf(t) {
		d.place(r)
	}
	for _, a := range arrows(t) {
		d.connect(a)
	}
	d.assignTracks()
	d.setColumns()
	d.setRows()
	return d
}

// place makes the box of a row.
func (d *drawing) place(r row) {
	b := &box{row: r, w: boxWidth}
	if r.lane < 0 {
		b.lines = []string{r.text}
	} else {
		b.lines = hang(r.text, boxChars, "  ")
		if d.t.Step(r.to).Kind == trace.Depart {
			b.lines = nil // the text is the first effect
		}
		for _, e := range effects(d.t, d.t.Step(r.to)) {
			b.lines = append(b.lines, hang(e, boxChars, "  ")...)
		}
	}
	d.boxes = append(d.boxes, b)
	for s := r.from; s <= r.to; s++ {
		d.at[s] = b
	}
}

// connect makes the route of an arrow and claims ports for it.
func (d *drawing) connect(a arrow) {
	p := &route{arrow: a, source: d.at[a.from], target: d.at[a.to]}
	if p.source == nil || p.target == nil || p.source == p.target && a.style != styleLoop || p.source.lane < 0 || p.target.lane < 0 {
		return // a barrier's band says it, or the step or its lane is not shown
	}
	if slices.ContainsFunc(d.routes, p.repeats) {
		return // the steps of a box read the same twice
	}
	from, to := d.column[p.source.lane], d.column[p.target.lane]
	switch {
	case from == to:
		p.fromSide, p.toSide, p.gutter = rightSide, rightSide, to+1
	case from < to:
		p.fromSide, p.toSide, p.gutter = rightSide, leftSide, to
	default:
		p.fromSide, p.toSide, p.gutter = leftSide, rightSide, to+1
	}
	i := len(d.routes)
	d.routes = append(d.routes, p)
	p.source.ports[p.fromSide] = append(p.source.ports[p.fromSide], i)
	p.target.ports[p.toSide] = append(p.target.ports[p.toSide], i)
}

// assignTracks gives arrows whose ways along a gutter overlap different tracks.
func (d *drawing) assignTracks() {
	d.tracks = make([]int, len(d.lanes)+1)
	index := map[*box]int{}
	for i, b := range d.boxes {
		index[b] = i
	}
	type span struct{ from, to int }
	taken := make([][][]span, len(d.tracks)) // by gutter and track
	for _, p := range d.routes {
		s := span{index[p.source], index[p.target]}
		if s.from > s.to {
			s.from, s.to = s.to, s.from
		}
		g := taken[p.gutter]
		free := func(used []span) bool {
			return !slices.ContainsFunc(used, func(q span) bool { return s.from <= q.to && q.from <= s.to })
		}
		p.track = slices.IndexFunc(g, free)
		if p.track < 0 {
			p.track = len(g)
			g = append(g, nil)
		}
		g[p.track] = append(g[p.track], s)
		taken[p.gutter] = g
		d.tracks[p.gutter] = len(g)
	}
}

// setColumns finds where the columns are, with room for gutters and the labels
// in them.
func (d *drawing) setColumns() {
	x := float64(margin)
	for c := range d.lanes {
		x += d.gutterWidth(c)
		d.left = append(d.left, x)
		x += boxWidth
	}
	d.width = x + d.gutterWidth(len(d.lanes)) + margin
}

// gutterWidth is the room to the left of column c.
func (d *drawing) gutterWidth(c int) float64 {
	w := 0.0
	if c > 0 && c < len(d.lanes) {
		w = gutterPad
	}
	if n := d.tracks[c]; n > 0 {
		w = gutterPad*2 + float64(n-1)*trackGap
	}
	// Labels stand beside the source, in the gutter next to it.
	for _, p := range d.routes {
		from := d.column[p.source.lane]
		beside := from
		if p.fromSide == rightSide {
			beside = from + 1
		}
		if beside == c {
			w = max(w, float64(len(p.label))*labelWidth+gutterPad+float64(max(d.tracks[c]-1, 0))*trackGap)
		}
	}
	return w
}

// setRows finds where the rows are, high enough for text and ports.
func (d *drawing) setRows() {
	d.heading = wrap(d.t.ID+": "+d.t.Message, max(int((d.width-2*margin)/9), 40))
	y := d.lanesTop() + headerHeight + rowGap
	for _, b := range d.boxes {
		b.y = y
		b.h = float64(len(b.lines)+1)*lineHeight + boxPad
		if b.lane < 0 {
			b.x, b.w, b.h = d.band(b)
		} else {
			b.x = d.left[d.column[b.lane]]
			ports := max(len(b.ports[leftSide]), len(b.ports[rightSide]))
			b.h = max(b.h, float64(ports+1)*portGap)
		}
		y += b.h + rowGap
	}
	d.height = y
	for i, p := range d.routes {
		p.y0, p.y1 = p.source.port(p.fromSide, i), p.target.port(p.toSide, i)
	}
}

// band returns the extent of a row across lanes: the columns that take part,
// or all.
func (d *drawing) band(b *box) (x, w, h float64) {
	first, last := len(d.lanes), -1
	for c, l := range d.lanes {
		if passes(d.t, b.row, l) {
			first, last = min(first, c), c
		}
	}
	if last < 0 {
		first, last = 0, len(d.lanes)-1
	}
	return d.left[first], d.left[last] + boxWidth - d.left[first], 24
}

// port returns the height at which an arrow meets a side of the box.
func (b *box) port(side, i int) float64 {
	n := len(b.ports[side])
	k := slices.Index(b.ports[side], i)
	return b.y + b.h*float64(k+1)/float64(n+1)
}

// trackX returns where a route runs along its gutter.
func (d *drawing) trackX(p *route) float64 {
	if p.toSide == leftSide {
		return d.left[p.gutter] - gutterPad/2 - 4 - float64(p.track)*trackGap
	}
	return d.left[p.gutter-1] + boxWidth + gutterPad/2 + 4 + float64(p.track)*trackGap
}
