package prove

import (
	"fmt"
	"maps"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// What a work-item reads is what was there at the last barrier, for all of its group alike, unless it has written there
// since. Others may have written there, too; but then they meet, which is what is asked. The first meeting in an
// execution is one of work-items that have seen no other.

// memory is what a work-item sees of each object.
type memory struct {
	era      int   // of versions
	top      scope // of them
	objs     map[int]*content
	interval *term // a symbol that who comes here has in common, if no barrier lies between them
}

// content is the version of an object that the last barrier left, and what the work-item has written since.
type content struct {
	version *term
	writes  []write
}

type write struct {
	pc, off, v *term
	w          int // bits of the cell
}

// maxWrites bounds the writes that are remembered of an object.
const maxWrites = 8

func newMemory() *memory { return &memory{objs: map[int]*content{}, top: group} }

func (m *memory) clone() *memory {
	n := &memory{m.era, m.top, maps.Clone(m.objs), m.interval}
	for o, c := range n.objs {
		n.objs[o] = &content{c.version, slices.Clone(c.writes)}
	}
	return n
}

// clean reports whether a work-item sees nothing that others of its group do not.
func (m *memory) clean() bool {
	for _, c := range m.objs {
		if len(c.writes) > 0 || c.version.scope == item {
			return false
		}
	}
	return m.top <= group
}

// forget begins new versions of everything.
func (m *machine) forget(s scope) {
	m.made++
	m.mem = &memory{era: m.made, top: s, objs: map[int]*content{}, interval: m.unknown("interval", countBits, s)}
}

// lapse begins new versions, in the same interval if nobody meets.
func (m *machine) lapse(s scope, stops bool) {
	interval := m.mem.interval
	m.forget(s)
	if !stops {
		m.mem.interval = interval
	}
}

// carry notes what the work-item itself has written before a meeting: nobody else has written there, or they meet. It is noted of what ids, scalars, and buffers to
// which nothing writes make alone (docs/exploration/proofs.md, "Terms and forms").
func (m *machine) carry(old *memory, pc *term) {
	if m.quiet > 0 {
		return
	}
	for obj := range m.k.Program.Objects {
		c := old.objs[obj]
		if c == nil {
			continue
		}
		for i, o := range c.writes {
			v := o.v
			for _, later := range c.writes[i+1:] {
				v = m.ite(m.and(later.pc, m.eq(later.off, o.off)), later.v, v)
			}
			known := m.and(pc, o.pc)
			if slices.ContainsFunc(slices.Concat(m.symbolsOf(known), m.symbolsOf(o.off), m.symbolsOf(v)), func(s *term) bool { return s.fresh }) {
				continue
			}
			m.fact(m.implies(known, m.eq(m.read(obj, o.w, o.off, m.content(obj).version), m.ext(v, o.w, false))))
		}
	}
}

// read is what an object holds.
func (m *machine) read(obj, w int, args ...*term) *term {
	return m.mk(term{op: opRead, w: w, name: readName(m.k.Program.Objects[obj].Name, obj), args: args})
}

func (m *machine) content(obj int) *content {
	c := m.mem.objs[obj]
	if c == nil {
		v := m.sym(fmt.Sprintf("version %d of object %d", m.mem.era, obj), 32, m.mem.top)
		v.fresh = true
		c = &content{version: v}
		m.mem.objs[obj] = c
	}
	return c
}

// lose forgets what a work-item has written to an object.
func (m *machine) lose(obj int) {
	m.mem.objs[obj] = &content{version: m.unknown("version", 32, item)}
}

func (m *machine) load(p []place, in *ir.Instr) *term {
	var v *term
	for i := len(p) - 1; i >= 0; i-- {
		one := m.loadOne(&p[i], in)
		if v == nil {
			v = one
		} else {
			v = m.ite(p[i].cond, one, v)
		}
	}
	return v
}

func (m *machine) loadOne(p *place, in *ir.Instr) *term {
	w := in.Type.Bits()
	if m.readOnly(p.obj) {
		return m.value(in.Type, m.read(p.obj, w, p.off))
	}
	c := m.content(p.obj)
	v := m.value(in.Type, m.read(p.obj, w, p.off, c.version))
	for _, o := range c.writes {
		v = m.ite(m.and(o.pc, m.eq(o.off, p.off)), o.v, v)
	}
	return v
}

func (m *machine) store(p []place, pc, v *term, w int) {
	for i := range p {
		c := m.content(p[i].obj)
		if len(c.writes) >= maxWrites {
			m.lose(p[i].obj)
			continue
		}
		c.writes = append(c.writes, write{m.and(pc, p[i].cond), p[i].off, v, w})
	}
}

// readName names the function that an object's content is.
func readName(name string, obj int) string { return fmt.Sprintf("%s %d", name, obj) }

// readOnly reports whether nothing of the kernel writes to an object that all share.
func (m *machine) readOnly(obj int) bool {
	o := &m.k.Program.Objects[obj]
	return !m.written[obj] && o.Region != memmodel.Local
}

// place is memory that an address may be of: cell off of an object, if cond.
type place struct {
	cond, off *term
	obj       int
}

// maxPlaces bounds the objects that an address may be of.
const maxPlaces = 8

// places finds the memory of an address. An address is a base that the front end has given out and a distance; that the distance may
// lead out of the object is another matter.
func (m *machine) places(addr *term) (list []place, private, ok bool) {
	switch addr.op {
	case opConst:
		return m.placeAt(int64(addr.k))
	case opIte:
		a, pa, oka := m.places(addr.args[1])
		b, pb, okb := m.places(addr.args[2])
		if !oka || !okb || pa != pb || len(a)+len(b) > maxPlaces {
			return nil, false, false
		}
		for _, p := range a {
			p.cond = m.and(p.cond, addr.args[0])
			list = append(list, p)
		}
		for _, p := range b {
			p.cond = m.and(p.cond, m.not(addr.args[0]))
			list = append(list, p)
		}
		return list, pa, true
	case opFun:
		if addr.name != pointerSum {
			return nil, false, false
		}
		list, private, ok = m.places(addr.args[0])
		for j := range list {
			list[j].off = m.add(list[j].off, addr.args[1])
		}
		return list, private, ok
	}
	return nil, false, false
}

// pointerSum is the name of a pointer moved by a distance.
const pointerSum = "pointer"

func (m *machine) placeAt(addr int64) (list []place, private, ok bool) {
	if addr&ir.SegMask == ir.SegPrivate {
		return nil, true, true
	}
	for i := range m.k.Program.Objects {
		o := &m.k.Program.Objects[i]
		seg := ir.SegShared
		if o.Func >= 0 {
			seg = ir.SegGroup
		}
		at := int32(addr &^ ir.SegMask)
		if addr&ir.SegMask == seg && (o.Func < 0 || o.Func == m.k.Func) && at >= o.Base && at < o.Base+int32(o.Layout.Cells()) {
			return []place{{m.yes, m.num(64, uint64(at-o.Base)), i}}, false, true
		}
	}
	return nil, false, false
}
