package randprog

import (
	"github.com/clmc/clmc/memmodel"
)

// hostFrees draws one or two host threads that free memory, themselves or by commands, which
// kernels on several queues and they themselves use: mostly before, now and then too late.
func (g *gen) hostFrees() {
	m := &maps{gen: g, order: pick(g, 0.5, 0.8, 1), left: pick(g, 3, 4, 5)}
	kind := pick(g, memmodel.CoarseSVM, memmodel.FineSVM, memmodel.FineSVMAtomics, memmodel.FineSVMAtomics)
	m.data = append(m.data, g.b.Var(Var{Name: "d", Kind: kind, Plain: g.chance(0.5), Mapped: !kind.Fine() && g.chance(0.5), Len: pick(g, 1, 1, 2)}))
	if g.chance(0.3) {
		m.data = append(m.data, g.b.Var(Var{Name: "x", Kind: memmodel.FineSVMAtomics, Len: 1}))
	}
	if g.chance(0.4) {
		m.flag = g.b.Var(Var{Name: "f", Kind: memmodel.SystemSVM})
	}
	m.queues = []int64{0}
	if g.chance(0.6) {
		m.queues = append(m.queues, g.b.Queue(0, g.chance(0.5)))
	}
	m.host = g.b.Thread(memmodel.Place{Host: true})
	for range pick(g, 1, 2, 3) {
		m.useOrWait()
	}
	if g.chance(0.35) {
		second := g.b.HostThread("T", len(m.events))
		m.host.Go(second, m.events...)
		main := *m
		m.host, m.events = second, nil
		for p := range main.events {
			m.events = append(m.events, Val(p))
		}
		m.useOrWait()
		if g.chance(0.5) {
			m.free()
		}
		m.host, m.events, m.held = main.host, main.events, main.held
	}
	if g.chance(0.6) {
		m.host.FinishQueue(pick(g, m.queues...))
	}
	m.free()
	for range pick(g, 0, 0, 1, 1, 2) {
		if g.chance(0.3) {
			m.free()
		} else {
			m.useOrWait()
		}
	}
}

// useOrWait draws a use of the memory, a wait or a hand-over.
func (m *maps) useOrWait() {
	switch n := m.IntN(8); {
	case n < 3:
		m.kernel()
	case n == 3 && len(m.events) > 0:
		m.host.WaitFor(pick(m.gen, m.events...))
	case n == 4 && m.flag != nil:
		m.signal(m.host)
	case n == 5 && m.data[0].Mapped && m.held == nil:
		m.mapSome()
	case n == 6 && m.held != nil:
		m.unmap()
	case m.held != nil || !m.data[0].Mapped:
		m.access()
	}
}

// free draws a free, by the host thread or by a command.
func (m *maps) free() {
	v := m.data[0]
	if m.chance(0.5) {
		m.host.Free(v)
		return
	}
	if c := m.command("F"); c != nil {
		c.Free(v)
		m.events = append(m.events, m.host.Native(pick(m.gen, m.queues...), c, m.wait()...))
	}
}
