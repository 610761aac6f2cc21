package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/visible"
)

// SVG draws the execution graph of a trace: a column for each work-item, steps
// from top to bottom, and arrows for what they read from, what precedes them
// in modification order and what they synchronise with.
func SVG(w io.Writer, t *trace.Trace) error {
	d := layOut(t)
	foot := d.footer()
	c := &canvas{}
	height := d.height + foot.height + margin
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="Helvetica, Arial, sans-serif">`+"\n",
		d.width, height, d.width, height)
	c.defs()
	fmt.Fprintf(&c.b, `<rect width="%.0f" height="%.0f" fill="#ffffff"/>`+"\n", d.width, height)
	for i, line := range d.heading {
		c.text(margin, float64(margin+14+i*18), 14, "bold", "#1f2328", line)
	}
	d.drawLanes(c)
	for _, b := range d.boxes {
		d.drawBox(c, b)
	}
	for _, p := range d.routes {
		d.drawRoute(c, p)
	}
	for _, p := range d.routes {
		d.drawLabel(c, p)
	}
	foot.draw(c, d.height)
	c.b.WriteString("</svg>\n")
	_, err := io.WriteString(w, c.b.String())
	return err
}

// canvas collects the elements of a drawing.
type canvas struct{ b strings.Builder }

// defs defines the arrow heads, one for each colour.
func (c *canvas) defs() {
	c.b.WriteString("<defs>\n")
	for _, s := range []*style{styleRF, styleMO, styleSWGlobal, styleSWLocal, styleCommand, styleEarly, styleRace} {
		fmt.Fprintf(&c.b, `<marker id="%s" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0.5 L8,4 L0,7.5 z" fill="%s"/></marker>`+"\n",
			head(s), s.colour)
	}
	c.b.WriteString("</defs>\n")
}

// head names the arrow head of a style.
func head(s *style) string { return "head-" + s.colour[1:] }

func (c *canvas) text(x, y, size float64, weight, colour, s string) {
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" font-size="%g" font-weight="%s" fill="%s">%s</text>`+"\n", x, y, size, weight, colour, escape(s))
}

// mono writes a line of a box.
func (c *canvas) mono(x, y float64, s string) {
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" font-size="11" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" xml:space="preserve" fill="#1f2328">%s</text>`+"\n", x, y, escape(s))
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(visible.Line(s))) // a Builder does not fail
	return b.String()
}

// drawLanes draws the names of the lanes and the lines that their steps are on.
func (d *drawing) drawLanes(c *canvas) {
	top := d.lanesTop()
	for i, l := range d.lanes {
		q := &d.t.Lanes[l]
		x := d.left[i]
		first, last := top+headerHeight, top+headerHeight
		for _, b := range d.boxes {
			if b.lane == l || b.lane < 0 && passes(d.t, b.row, l) {
				last = b.y
			}
		}
		fmt.Fprintf(&c.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="1.2"/>`+"\n",
			x+boxWidth/2, first, x+boxWidth/2, last, styleSB.colour)
		fmt.Fprintf(&c.b, `<rect x="%.1f" y="%.1f" width="%d" height="%d" rx="4" fill="#f6f8fa" stroke="#d0d7de"/>`+"\n", x, top+2, boxWidth, headerHeight-4)
		c.text(x+boxPad, top+17, 13, "bold", "#1f2328", q.Name)
		c.text(x+boxPad, top+31, 10.5, "normal", "#57606a", place(q))
	}
}

func (d *drawing) drawBox(c *canvas, b *box) {
	fill, stroke, weight := "#ffffff", "#8c959f", 1.0
	switch {
	case b.lane < 0:
		fmt.Fprintf(&c.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="3" fill="#ddf4ff" stroke="#54aeff"/>`+"\n", b.x, b.y, b.w, b.h)
		c.text(b.x+boxPad, b.y+16, 11, "normal", "#0a3069", d.clip(b))
		return
	case b.atFault(d.t):
		fill, stroke, weight = "#ffebe9", "#cf222e", 2
	}
	fmt.Fprintf(&c.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5" fill="%s" stroke="%s" stroke-width="%g"/>`+"\n",
		b.x, b.y, b.w, b.h, fill, stroke, weight)
	c.text(b.x+boxPad, b.y+13, 9.5, "normal", "#57606a", caption(d.t, b.row))
	for i, line := range b.lines {
		c.mono(b.x+boxPad, b.y+13+float64(i+1)*lineHeight, line)
	}
}

// clip shortens the text of a band to what fits.
func (d *drawing) clip(b *box) string {
	text := cmp.Or(b.strip, b.text)
	r := []rune(text)
	if n := int((b.w - 2*boxPad) / 5.6); len(r) > n {
		return string(r[:max(n-3, 0)]) + "..."
	}
	return text
}

// drawRoute draws an arrow with rounded corners.
func (d *drawing) drawRoute(c *canvas, p *route) {
	x0, x1 := p.source.x, p.target.x
	if p.fromSide == rightSide {
		x0 += boxWidth
	}
	if p.toSide == rightSide {
		x1 += boxWidth
	}
	x := d.trackX(p)
	dash, start := "", ""
	if p.style.dash != "" {
		dash = fmt.Sprintf(` stroke-dasharray="%s"`, p.style.dash)
	}
	if p.style == styleRace {
		start = fmt.Sprintf(` marker-start="url(#%s)"`, head(p.style))
	}
	fmt.Fprintf(&c.b, `<path d="%s" fill="none" stroke="%s" stroke-width="%g"%s marker-end="url(#%s)"%s/>`+"\n",
		bend(x0, p.y0, x, p.y1, x1), p.style.colour, p.style.width, dash, head(p.style), start)
}

// bend is a path from (x0, y0) level to x, along it to y1, and level to x1.
func bend(x0, y0, x, y1, x1 float64) string {
	r := math.Min(9, math.Abs(y1-y0)/2)
	h0, h1, v := sign(x-x0)*r, sign(x1-x)*r, sign(y1-y0)*r
	return fmt.Sprintf("M%.1f,%.1f L%.1f,%.1f Q%.1f,%.1f %.1f,%.1f L%.1f,%.1f Q%.1f,%.1f %.1f,%.1f L%.1f,%.1f",
		x0, y0, x-h0, y0, x, y0, x, y0+v, x, y1-v, x, y1, x+h1, y1, x1, y1)
}

func sign(v float64) float64 { return math.Copysign(1, v) }

// drawLabel writes what an arrow is, beside its source.
func (d *drawing) drawLabel(c *canvas, p *route) {
	x, anchor := p.source.x-6, "end"
	if p.fromSide == rightSide {
		x, anchor = p.source.x+boxWidth+6, "start"
	}
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" font-size="10" text-anchor="%s" fill="%s" stroke="#ffffff" stroke-width="3" paint-order="stroke">%s</text>`+"\n",
		x, p.y0-3.5, anchor, p.style.colour, escape(p.label))
}

// footer is what stands below a drawing: the legend and the explanation.
type footer struct {
	styles []*style
	why    [][]string
	height float64
}

func (d *drawing) footer() *footer {
	f := &footer{styles: legend(arrows(d.t))}
	for _, why := range d.t.Why {
		f.why = append(f.why, wrap(strings.TrimSpace(why.Text+" "+why.Repair), max(int((d.width-2*margin)/6.6), 40)))
	}
	f.height = float64(len(f.styles))*16 + 12
	for _, lines := range f.why {
		f.height += float64(len(lines))*16 + 6
	}
	return f
}

func (f *footer) draw(c *canvas, y float64) {
	y += 10
	for _, lines := range f.why {
		for _, line := range lines {
			c.text(margin, y+10, 12, "normal", "#1f2328", line)
			y += 16
		}
		y += 6
	}
	for _, s := range f.styles {
		dash := ""
		if s.dash != "" {
			dash = fmt.Sprintf(` stroke-dasharray="%s"`, s.dash)
		}
		fmt.Fprintf(&c.b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s" stroke-width="%g"%s/>`+"\n",
			margin, y+6, margin+36, y+6, s.colour, s.width, dash)
		c.text(margin+46, y+10, 11, "normal", "#57606a", s.name+": "+s.what)
		y += 16
	}
}
