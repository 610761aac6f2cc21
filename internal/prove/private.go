package prove

import (
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// maxPrivate bounds the registers among which that is looked for of which an address is.
const maxPrivate = 32

// private accesses memory of the work-item's own by an address that is not a number: the first registers hold it, of which the address says one
// (docs/exploration/proofs.md, "Terms and forms").
func (m *machine) private(w *way, in *ir.Instr, addr *term) {
	number, known := m.register(addr)
	known = known && m.f.Private <= maxPrivate
	switch in.Op {
	case ir.OpLoad:
		if in.Dst < 0 {
			return
		}
		if in.Type == ir.Ptr {
			m.give(in.Pos, "a pointer in memory")
		}
		n := in.Type.Bits()
		v := m.unknown("private", n, item)
		for r := 0; known && r < m.f.Private; r++ {
			v = m.ite(m.eq(number, m.num(64, uint64(r))), m.ext(m.reread(w.regs[r]), n, false), v)
		}
		m.set(w, in.Dst, m.value(in.Type, v))
	case ir.OpStore:
		v := m.operand(w, in.B)
		for r := range m.f.Private {
			if !known {
				w.regs[r] = m.unknown("private", 64, item)
				continue
			}
			w.regs[r] = m.ite(m.eq(number, m.num(64, uint64(r))), v, w.regs[r])
		}
	default:
		m.give(in.Pos, "an atomic operation on private memory")
	}
}

// register is the number of the register that a private address is of.
func (m *machine) register(addr *term) (number *term, ok bool) {
	switch {
	case addr.op == opConst:
		return m.num(64, uint64(int64(addr.k)&^ir.SegMask)), true
	case addr.op == opIte:
		a, ok1 := m.register(addr.args[1])
		b, ok2 := m.register(addr.args[2])
		if !ok1 || !ok2 {
			return nil, false
		}
		return m.ite(addr.args[0], a, b), true
	case addr.op == opFun && addr.name == pointerSum:
		base, ok := m.register(addr.args[0])
		if !ok {
			return nil, false
		}
		return m.add(base, addr.args[1]), true
	}
	return nil, false
}

// reread is what a register holds that is read once more: what nothing has written may be something else each time.
func (m *machine) reread(t *term) *term {
	return m.rebuild(t, map[*term]*term{}, func(s *term) *term {
		if strings.HasPrefix(s.name, unset) {
			return m.unknown(unset, s.w, item)
		}
		return s
	})
}

// unset is how symbols of what nothing has written are named.
const unset = "unwritten"
