package randprog

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// tallies draws units in a ring, each of which reads one flag and writes the next one, and counts, nearly always without
// looking at the count, before that or after it. Fences may hand something on by the count, what was stored first, say. Some have nothing left to do once they have
// counted, and some count nothing and hand on nothing but the flag.
func (g *gen) tallies() {
	flags := []*Var{g.b.Atomic("x"), g.b.Atomic("y"), g.b.Atomic("v")}
	d := g.b.Atomic("d")
	counts := []*Var{g.b.Atomic("n"), g.b.Atomic("m")}[:pick(g, 1, 1, 2)]
	odd := g.chance(0.3)  // some additions are no mere additions
	last := g.chance(0.6) // all units but one count when they have done all else
	units, goes := pick(g, 2, 3, 3), g.IntN(2)
	for i := range units {
		t := g.b.Thread(memmodel.Place{Group: uint16(i)})
		count := func() {
			for range pick(g, 1, 1, 1, 2) {
				v, order := pick(g, counts...), pick(g, relaxed, relaxed, relaxed, release)
				switch {
				case odd && g.chance(0.3):
					t.RMW(ir.Add, v, t.Int(1), order, device)
				case odd && g.chance(0.3):
					t.Blind(ir.Or, v, t.Int(1), order, device)
				case odd && i == 1 && g.chance(0.5):
					t.Blind(ir.Add, v, t.Int(1), acquire, device)
				default:
					t.Blind(ir.Add, v, t.Int(1), order, device)
				}
			}
		}
		fence := func(p float64) {
			if g.chance(p) {
				t.Fence(globalFlag, pick(g, acquire, release, acqRel, memmodel.SeqCst), device)
			}
		}
		read := func() { t.Load(flags[i], pick(g, relaxed, relaxed, relaxed, relaxed, acquire), device) }
		write := func() {
			t.Store(flags[(i+1)%units], t.Int(1), pick(g, relaxed, relaxed, relaxed, relaxed, release), device)
		}
		relays := i == 2 && g.chance(0.7)
		if i == 0 && g.chance(0.7) {
			t.Store(d, t.Int(1), relaxed, device)
			fence(0.6)
		}
		acts := []func(){read, write}
		if g.chance(0.2) {
			acts = []func(){write, read}
		}
		if !relays && (i == goes || !last) {
			acts = slices.Insert(acts, g.IntN(3), count)
		}
		for _, act := range acts {
			act()
			if !relays {
				fence(0.15)
			}
		}
		if !relays && last && i != goes {
			count()
		}
		if i == 1 && g.chance(0.8) {
			fence(0.7)
			t.Load(d, relaxed, device)
		}
	}
}
