package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// rounds draws work-items of one work-group that run one kernel: loops, one in or
// after another, with barriers and collectives in and between them, and what
// differs from one work-item to the next: how often it goes round, in which rounds
// it comes to a barrier, and whether it leaves the loop then. Mostly they agree.
func (g *gen) rounds() {
	if g.chance(0.5) {
		g.spots()
		return
	}
	d := &drawing{gen: g, profile: baseProfile()}
	d.oneGroup, d.subGroups = true, g.chance(0.4)
	d.variables()
	k := &kernelShape{drawing: d, sites: 4, differs: pick(g, 0, 0.1, 0.3)}
	body := k.block(0)
	budget := pick(g, 0, 0, 3)
	for i := range pick(g, 2, 2, 3) {
		w := &workItem{kernelShape: k, t: d.b.Thread(memmodel.Place{Sub: d.sub(i)}), budget: &budget}
		w.loaded = []Val{w.t.Int(g.Int64N(2))}
		w.block(body, nil)
	}
}

// sub puts some work-items into the second sub-group.
func (d *drawing) sub(i int) uint16 {
	if d.subGroups && i > 0 && d.chance(0.6) {
		return 1
	}
	return 0
}

// kernelShape is a kernel being drawn.
type kernelShape struct {
	*drawing
	sites   int     // of meetings, at most
	differs float64 // how likely a work-item differs from the others at one place
	names   int
}

// part is a statement of a kernel: a loop with a body, a meeting, or an access.
type part struct {
	body   []part // of a loop
	rounds int64  // of a loop, for those that do not differ
	meet   *meeting
	guard  bool  // the meeting is for some rounds of the innermost loop only
	at     int64 // the round, for those that do not differ
	leave  bool  // and the loop ends with it
}

// block draws the statements of a loop's body, or of the kernel.
func (k *kernelShape) block(depth int) (list []part) {
	for range pick(k.gen, 1, 2, 2, 3) {
		switch {
		case depth < 2 && k.chance(0.45):
			list = append(list, part{body: k.block(depth + 1), rounds: pick[int64](k.gen, 1, 2, 2, 3)})
		case k.sites > 0 && k.chance(0.75):
			k.sites--
			m := k.site()
			list = append(list, part{meet: &m, guard: depth > 0 && k.chance(0.7), at: k.Int64N(2), leave: depth > 0 && k.chance(0.25)})
		default:
			list = append(list, part{})
		}
	}
	return list
}

// site draws a meeting of a name of its own.
func (k *kernelShape) site() meeting {
	m := k.meeting(string("ABCD"[k.names]))
	m.barrier = k.chance(0.8)
	m.SubGroup = k.subGroups && k.chance(0.5)
	k.names++
	return m
}

// workItem writes the code of one work-item.
type workItem struct {
	*kernelShape
	t      *Thread
	budget *int // accesses left
	loaded []Val
}

// own returns n, or what this work-item has in its place.
func (w *workItem) own(n int64) int64 {
	if w.chance(w.differs) {
		return w.Int64N(4)
	}
	return n
}

// block writes statements; round is that of the innermost loop.
func (w *workItem) block(list []part, round *Val) {
	for _, p := range list {
		switch {
		case p.body != nil:
			w.t.Repeat(w.own(p.rounds), func(i Val) { w.block(p.body, &i) })
		case p.meet == nil:
			if *w.budget--; *w.budget >= 0 {
				w.loaded = w.step(w.t, w.loaded)
			}
		case p.guard:
			cond := w.t.Bin(ir.Eq, *round, w.t.Int(w.own(p.at)))
			if w.chance(0.1) { // or it depends on what is read
				cond = w.t.Bin(ir.And, pick(w.gen, w.loaded...), w.t.Int(1))
			}
			w.t.If(cond, func() { w.come(p) }, nil)
		default:
			w.come(p)
		}
	}
}

// come writes a meeting, and perhaps a break.
func (w *workItem) come(p part) {
	m := p.meet
	switch {
	case m.barrier && m.SubGroup:
		w.t.SubGroupBarrier(m.site, m.flags, m.scope)
	case m.barrier:
		w.t.Barrier(m.site, m.flags, m.scope)
	default:
		m.From = w.t.Int(0)
		w.t.Collect(m.site, w.t.Int(w.Int64N(2)), m.Collective)
	}
	if p.leave {
		w.t.BreakIf(w.t.Int(1))
	}
}

// spots draws two work-items that come to one barrier in one round each of two
// loops, one in the other; before, they go round a loop whose barrier nobody comes to.
func (g *gen) spots() {
	sub := g.chance(0.2) // a sub-group of each, with a barrier in each round
	outer, inner := g.Int64N(2), g.Int64N(2)
	for i := range 2 {
		place := memmodel.Place{}
		if sub {
			place.Sub = uint16(i)
		}
		t := g.b.Thread(place)
		never := t.Int(9)
		t.Repeat(g.Int64N(3), func(n Val) {
			t.If(t.Bin(ir.Eq, n, never), func() { t.Barrier("A", localFlag, workGroup) }, nil)
		})
		mine, at := outer, inner
		if g.chance(0.5) {
			mine, at = g.Int64N(2), g.Int64N(2)
		}
		first, last := 1+g.Int64N(2), 1+g.Int64N(2)
		t.Repeat(2, func(j Val) {
			n := t.Bin(ir.Add, t.Int(first), t.Bin(ir.Mul, j, t.Int(last-first+1)))
			k := t.Reg()
			t.Set(k, t.Int(0))
			t.While(func() Val { return t.Bin(ir.Lt, k, n) }, func() {
				if sub {
					t.SubGroupBarrier("S", localFlag, subGroup)
				}
				here := t.Bin(ir.And, t.Bin(ir.Eq, j, t.Int(mine)), t.Bin(ir.Eq, k, t.Int(at)))
				t.If(here, func() { t.Barrier("B", localFlag, workGroup) }, nil)
				t.Set(k, t.Bin(ir.Add, k, t.Int(1)))
			})
		})
	}
}
