package prove

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// An asynchronous copy is made by somebody who is none of the work-items.

// copying is a copy that has been started and not been waited for.
type copying struct {
	event    *term
	accesses []*access
	pos      int32
}

// elementBits is how many bits the number of an element of a copy has: one side of it is local memory, which is smaller than that.
const elementBits = 32

// asyncCopy starts a copy. What it accesses is of this interval, and of all that follow until the group has waited for it (docs/exploration/proofs.md, "Copies").
func (m *machine) asyncCopy(w *way, in *ir.Instr, p *pass) {
	args := m.agreed(w, in, p, in.Args)
	n, event := args[2], args[ir.CopyArgs-1]
	if event.is(0) {
		event = m.ext(m.unknown("event", 31, m.now), 64, false)
	}
	c := copying{event: event, pos: in.Pos}
	by := m.unknown("copy", 31, m.now)
	for side, kind := range [...]kind{writes, reads} {
		places, private, ok := m.places(args[side])
		if !ok || private {
			m.give(in.Pos, "an asynchronous copy by a pointer that comes out of memory, or is computed")
		}
		i := wide(m.terms, m.unknown("element", elementBits, item))
		for _, q := range places {
			a := &access{obj: q.obj, off: m.add(q.off, m.mul(i, args[3+side])), kind: kind, copy: by, pos: in.Pos}
			a.pc = m.and(w.pc, q.cond, m.less(false, i, n))
			m.note(w, a, p)
			c.accesses = append(c.accesses, a)
			if kind == writes {
				m.mixed[q.obj] = true
				m.lose(q.obj)
			}
		}
	}
	w.copies = append(w.copies, c)
	m.set(w, in.Dst, event)
}

// waitCopies ends the copies of some events: they come before all that follows (docs/exploration/proofs.md, "Copies").
func (m *machine) waitCopies(w *way, in *ir.Instr, p *pass) {
	events := m.agreed(w, in, p, in.Args)
	w.copies = slices.DeleteFunc(w.copies, func(c copying) bool {
		if !slices.Contains(events, c.event) {
			return false
		}
		if m.quiet == 0 {
			m.across(c.accesses, w.tail)
		}
		w.tail = slices.DeleteFunc(w.tail, func(a *access) bool { return slices.Contains(c.accesses, a) })
		for _, a := range c.accesses {
			if a.kind == writes {
				m.lose(a.obj)
			}
		}
		return true
	})
}

// unlike returns the place of a copy that only one of two ways has, if there is one.
func (w *way) unlike(o *way) (pos int32, ok bool) {
	for _, p := range [...][2]*way{{w, o}, {o, w}} {
		for _, c := range p[0].copies {
			if !slices.ContainsFunc(p[1].copies, func(b copying) bool { return c.event == b.event && slices.Equal(c.accesses, b.accesses) }) {
				return c.pos, true
			}
		}
	}
	return 0, false
}

// underway are the accesses of the copies that nobody has waited for.
func (w *way) underway() (list []*access) {
	for _, c := range w.copies {
		list = append(list, c.accesses...)
	}
	return list
}
