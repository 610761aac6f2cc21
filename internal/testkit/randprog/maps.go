package randprog

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// hostMaps draws a host that maps and unmaps memory that kernels on several queues
// access.
func (g *gen) hostMaps() {
	m := &maps{gen: g, order: pick(g, 0.3, 0.6, 0.9), left: pick(g, 4, 5, 6)}
	kind := func() memmodel.Kind { return pick(g, memmodel.Buffer, memmodel.CoarseSVM) }
	m.data = append(m.data, g.b.Var(Var{Name: "d", Kind: kind(), Plain: true, Mapped: true, Len: pick(g, 1, 1, 2)}))
	if g.chance(0.5) {
		m.data = append(m.data, g.b.Var(Var{Name: "x", Kind: kind(), Plain: g.chance(0.3), Mapped: true, Len: 1}))
	}
	if g.chance(0.1) {
		m.flag = g.b.Var(Var{Name: "f", Kind: memmodel.SystemSVM})
	}
	m.queues = []int64{0}
	if g.chance(0.85) {
		m.queues = append(m.queues, g.b.Queue(0, g.chance(0.5)))
	}
	m.host = g.b.Thread(memmodel.Place{Host: true})
	if len(m.queues) > 1 && g.chance(0.6) {
		m.overlap()
	}
	var second *Thread
	at := -1
	if g.chance(0.2) {
		at = 1 + g.IntN(3)
	}
	for i := range pick(g, 3, 4, 5, 6) {
		if i == at {
			second = g.b.HostThread("T", len(m.events))
			m.host.Go(second, m.events...)
			m.atGo = len(m.events)
		}
		m.step()
	}
	if q := m.held; q != nil && g.chance(0.5) {
		m.access()
	}
	if second == nil {
		return
	}
	m.host, m.held, m.events = second, nil, nil
	for p := range m.atGo {
		m.events = append(m.events, Val(p))
	}
	for range pick(g, 2, 3, 3) {
		m.step()
	}
}

// maps is a program that maps memory being drawn.
type maps struct {
	*gen
	data   []*Var
	flag   *Var
	queues []int64
	host   *Thread
	events []Val // of the commands so far
	atGo   int   // how many there were when the second thread began
	held   *held
	order  float64 // of what comes before, how much a command follows
	left   int     // commands
	made   int
}

// held is a region that is mapped.
type held struct {
	v           *Var
	from, cells int64
	writes      bool
}

// overlap draws two kernels, perhaps ordered, and a map command that follows only
// the first, so that it may undo what the second does.
func (m *maps) overlap() {
	v := m.data[0]
	write := func(wait ...Val) Val {
		k := m.command("K")
		k.StoreAt(k.Addr(v, int64(m.IntN(v.Len))), k.Int(m.value()), memmodel.NonAtomic, 0)
		if m.chance(0.3) {
			k.LoadAt(k.Addr(v, int64(m.IntN(v.Len))), memmodel.NonAtomic, 0)
		}
		e := m.host.Command(ir.OpEnqueueNDRange, m.queues[m.made-1], k, wait...)
		m.events = append(m.events, e)
		return e
	}
	first := write()
	var wait []Val
	if m.chance(0.6) {
		wait = append(wait, first)
	}
	second := write(wait...)
	c := m.command("M")
	m.held = &held{v: v, cells: int64(v.Len), writes: m.chance(0.3)}
	c.Map(v, 0, m.held.cells, m.held.writes)
	e := m.host.Native(pick(m.gen, 0, 0, m.queues[1]), c, first)
	m.events = append(m.events, e)
	if m.host.WaitFor(e); m.chance(0.85) {
		m.host.WaitFor(second)
	}
	if m.chance(0.6) {
		m.access()
	}
	m.left = 4
}

// wait draws a wait list.
func (m *maps) wait() (list []Val) {
	for _, e := range m.events {
		if m.chance(m.order) {
			list = append(list, e)
		}
	}
	return list
}

func (m *maps) step() {
	switch n := m.IntN(10); {
	case n < 3:
		m.kernel()
	case n < 6 && m.held == nil:
		m.mapSome()
	case n < 5 && m.held != nil || n == 5 && m.chance(0.2):
		m.access()
	case n < 7 && m.held != nil:
		m.unmap()
	case n == 7 && len(m.events) > 0:
		m.host.WaitFor(pick(m.gen, m.events...))
	case n == 8:
		m.host.FinishQueue(pick(m.gen, m.queues...))
	case m.flag != nil:
		m.signal(m.host)
	}
}

// command counts a command and names its code.
func (m *maps) command(prefix string) *Thread {
	if m.made == m.left {
		return nil
	}
	m.made++
	return m.b.Kernel(fmt.Sprintf("%s%d", prefix, m.made))
}

// kernel draws a kernel, or now and then a copy.
func (m *maps) kernel() {
	k := m.command("K")
	if k == nil {
		return
	}
	if m.chance(0.15) {
		from, to := pick(m.gen, m.data...), pick(m.gen, m.data...)
		r := k.Reg()
		k.LoadInto(r, k.Addr(from, 0), memmodel.NonAtomic, 0)
		k.StoreAt(k.Addr(to, int64(m.IntN(to.Len))), r, memmodel.NonAtomic, 0)
		m.events = append(m.events, m.host.Native(pick(m.gen, m.queues...), k, m.wait()...))
		return
	}
	for range pick(m.gen, 1, 1, 2) {
		v := pick(m.gen, m.data...)
		m.touch(k, v, int64(m.IntN(v.Len)), device)
	}
	if m.flag != nil && m.chance(0.5) {
		m.signal(k)
	}
	m.events = append(m.events, m.host.Command(ir.OpEnqueueNDRange, pick(m.gen, m.queues...), k, m.wait()...))
}

// touch draws an access of a cell.
func (m *maps) touch(t *Thread, v *Var, cell int64, s memmodel.Scope) {
	addr, o := t.Addr(v, cell), [2]memmodel.Order{}
	if !v.Plain && m.chance(0.7) {
		o = [2]memmodel.Order{pick(m.gen, relaxed, acquire), pick(m.gen, relaxed, release)}
	}
	switch m.IntN(5) {
	case 0, 1:
		t.LoadAt(addr, o[0], s)
	case 2:
		if o[0] != memmodel.NonAtomic {
			r := t.observed()
			t.emit(ir.Instr{Op: ir.OpRMW, Alu: ir.Add, Type: ir.I32, Order: relaxed, Scope: s, Dst: int32(r), A: int32(addr), B: int32(t.Int(1))})
			return
		}
		fallthrough
	default:
		t.StoreAt(addr, t.Int(m.value()), o[1], s)
	}
}

// signal draws an access of the flag.
func (m *maps) signal(t *Thread) {
	if m.chance(0.5) {
		t.Store(m.flag, t.Int(1), pick(m.gen, relaxed, release), allSVM)
	} else {
		t.Load(m.flag, pick(m.gen, relaxed, acquire), allSVM)
	}
}

func (m *maps) mapSome() {
	c := m.command("M")
	if c == nil {
		return
	}
	v := pick(m.gen, m.data...)
	q := &held{v: v, cells: int64(v.Len), writes: m.chance(0.5)}
	if v.Len > 1 && m.chance(0.3) {
		q.from, q.cells = int64(m.IntN(2)), 1
	}
	c.Map(v, q.from, q.cells, q.writes)
	e := m.host.Native(pick(m.gen, m.queues...), c, m.wait()...)
	m.events = append(m.events, e)
	m.held = q
	if m.chance(0.85) {
		m.host.WaitFor(e)
	}
}

// access draws an access by the host, most of the time of what is mapped.
func (m *maps) access() {
	if m.held == nil {
		v := pick(m.gen, m.data...)
		m.touch(m.host, v, int64(m.IntN(v.Len)), allSVM)
		return
	}
	q := m.held
	cell := q.from + m.Int64N(q.cells)
	if q.writes && m.chance(0.5) {
		m.touch(m.host, q.v, cell, allSVM)
	} else {
		m.host.LoadAt(m.host.Addr(q.v, cell), memmodel.NonAtomic, 0)
	}
}

func (m *maps) unmap() {
	c := m.command("U")
	if c == nil {
		return
	}
	q := m.held
	c.Unmap(q.v, q.from, q.cells)
	m.events = append(m.events, m.host.Native(pick(m.gen, m.queues...), c, m.wait()...))
	m.held = nil
}
