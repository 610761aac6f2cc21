package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// ended draws three units, two of them in a work-group, that hand data on from one to
// the next by scopes that just reach it. Each ends when it has handed on, and what it
// has done reaches the last one only through the others, or does not.
func (g *gen) ended() {
	flags := []*Var{g.b.Atomic("x"), g.b.Atomic("y")}[:pick(g, 1, 2, 2)]
	d := g.b.Plain("d")
	alone := g.IntN(3)
	scopeTo := func(i int) memmodel.Scope { // from unit i to the next
		if g.chance(0.1) {
			return pick(g, workGroup, device)
		}
		if i == alone || i+1 == alone {
			return device
		}
		return workGroup
	}
	for i := range 3 {
		t := g.b.Thread(memmodel.Place{Group: uint16(bit(i == alone))})
		if i > 0 {
			g.take(t, flags[(i-1)%len(flags)], scopeTo(i-1))
		}
		if i == 0 || g.chance(0.3) {
			t.Write(d, t.Int(1))
		}
		if i < 2 {
			g.handOn(t, flags[i%len(flags)], scopeTo(i))
		} else {
			t.Read(d)
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// take reads a flag, acquires what it says, and leaves the thread if it says nothing.
func (g *gen) take(t *Thread, flag *Var, s memmodel.Scope) {
	o := pick(g, acquire, acquire, relaxed)
	var r Val
	if g.chance(0.7) {
		r = t.Load(flag, o, s)
	} else {
		r = t.RMW(pick(g, ir.Add, ir.Or), flag, t.Int(pick(g, int64(0), 8)), pick(g, o, o, acqRel), s)
	}
	if o == relaxed && g.chance(0.7) {
		t.Fence(globalFlag, acquire, s)
	}
	if g.chance(0.4) {
		r = t.Bin(ir.Eq, r, t.Int(1+g.Int64N(g.last+1)))
	}
	if g.chance(0.9) {
		t.ExitUnless(r)
	}
}

// handOn releases what the thread has done through a flag, and may continue the
// release sequence, or write the flag once more.
func (g *gen) handOn(t *Thread, flag *Var, s memmodel.Scope) {
	o := release
	if g.chance(0.3) {
		t.Fence(globalFlag, release, s)
		o = relaxed
	}
	switch g.IntN(4) {
	case 0, 1:
		t.Store(flag, t.Int(g.value()), o, s)
	case 2:
		t.RMW(ir.Add, flag, t.Int(g.value()), o, s)
	case 3:
		t.RMW(ir.Or, flag, t.Int(0), o, s)
	}
	if g.chance(0.35) {
		t.Store(flag, t.Int(pick(g, g.last, g.value())), relaxed, s)
	}
	if g.chance(0.2) {
		t.Load(flag, relaxed, s)
	}
}
