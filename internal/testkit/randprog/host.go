package randprog

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// hostHandOffs draws a chain of units, each on the host or one of two devices,
// that pass on the right to use some data. Data and flags are memory of any
// kind; most flags are such that host and devices may share them.
func (g *gen) hostHandOffs() {
	kinds := []memmodel.Kind{memmodel.CoarseSVM, memmodel.CoarseSVM, memmodel.Buffer, memmodel.FineSVM,
		memmodel.FineSVMAtomics, memmodel.SystemSVM}
	data := []*Var{g.b.Var(Var{Name: "d", Plain: true, Kind: pick(g, kinds...)})}
	if g.chance(0.5) {
		data = append(data, g.b.Var(Var{Name: "e", Plain: true, Kind: pick(g, kinds...)}))
	}
	scope := pick(g, allSVM, allSVM, allSVM, device)
	n := pick(g, 2, 2, 3)
	var before *Var
	for i := range n {
		t := g.b.Thread(g.somewhere())
		if before != nil {
			v := t.Load(before, pick(g, acquire, acquire, acquire, seqCst, relaxed), scope)
			t.ExitUnless(v)
		}
		for _, d := range data {
			if g.chance(0.4) {
				t.Write(d, t.Int(g.value()))
			} else if i+1 == n || g.chance(0.6) {
				t.Read(d)
			}
		}
		if i+1 == n {
			break
		}
		flag := Var{Name: string("fg"[i]), Kind: pick(g, memmodel.FineSVMAtomics, memmodel.FineSVMAtomics, memmodel.SystemSVM, pick(g, kinds...))}
		before = g.b.Var(flag)
		if o := pick(g, release, release, release, seqCst, relaxed); g.chance(0.7) {
			t.Store(before, t.Int(1), o, scope)
		} else {
			t.RMW(ir.Add, before, t.Int(1), o, scope)
		}
	}
}

// somewhere draws the host or a work-item of one of two devices.
func (g *gen) somewhere() memmodel.Place {
	if g.chance(0.4) {
		return memmodel.Place{Host: true}
	}
	return memmodel.Place{Device: uint16(g.IntN(2)), Group: uint16(g.IntN(2))}
}
