package code

import (
	"encoding/binary"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// image is the content of an object before the program starts, whatever its cells are.
type image struct {
	bytes    []byte
	pointers map[int]pointer // by where they are
}

// pointer is one in memory: to a global variable or a string literal, at a distance.
type pointer struct {
	to  any // *tree.Var, *tree.StringLit, or nil
	off int64
}

func newImage(bytes int) image { return image{make([]byte, bytes), map[int]pointer{}} }

// put sets the scalar of type t at some byte.
func (m image) put(at int, t ir.Type, v int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	if at < len(m.bytes) {
		copy(m.bytes[at:], b[:bytesOf(t)])
	}
}

// get returns what a cell at some byte holds.
func (m image) get(at int, c cell) int64 {
	var b [8]byte
	if at < len(m.bytes) {
		copy(b[:c.bytes], m.bytes[at:])
	}
	v := int64(binary.LittleEndian.Uint64(b[:]))
	if c.t.Float() {
		return v
	}
	return ir.Wrap(c.t, v)
}

// holdsPointers reports where an object begins with a pointer that the program accesses as something else.
func (p *program) holdsPointers(v *tree.Var, m image) {
	o := p.globals[v]
	for at := range m.pointers {
		if n, ok := o.grid.index(at); ok && o.grid.cells[n%len(o.grid.cells)].ptr {
			continue
		}
		p.fault(v.Pos, "access it as a pointer, or keep an index instead", "%s holds a pointer, and the program accesses its bytes as something else: a pointer has no bytes that are known here", v.Name)
	}
}

// pour fills the cells of an object.
func (p *program) pour(o *object, m image) {
	init := p.p.Objects[o.index].Init
	for n := range init {
		k := n % len(o.grid.cells)
		c := o.grid.cells[k]
		at := n/len(o.grid.cells)*o.grid.period + c.off
		if !c.ptr {
			init[n] = m.get(at, c)
			continue
		}
		init[n] = p.partOf(m.pointers[at], c.part)
	}
}

// partOf returns an operand of a pointer.
func (p *program) partOf(ptr pointer, part int) int64 {
	var o *object
	switch to := ptr.to.(type) {
	case *tree.Var:
		o = p.globals[to]
	case *tree.StringLit:
		o = p.text(to)
	}
	switch {
	case o == nil:
		return 0
	case part == ptrBase:
		return o.addr
	case part == ptrOff:
		return ptr.off
	}
	return int64(o.bytes)
}

// capture makes an image of an object from the cells that were written.
func (p *program) capture(o *object, memory map[int64]int64) image {
	m := newImage(o.bytes)
	for n := range p.p.Objects[o.index].Init {
		c := o.grid.cells[n%len(o.grid.cells)]
		at := n/len(o.grid.cells)*o.grid.period + c.off
		v := memory[o.addr+int64(n)]
		if !c.ptr {
			m.put(at, c.t, v)
		} else if c.part == ptrBase && v != 0 {
			m.pointers[at] = pointer{p.ownerOf(v), memory[o.addr+int64(n)+1]}
		}
	}
	return m
}

// ownerOf returns the variable or the string literal that is at an address.
func (p *program) ownerOf(addr int64) any {
	for v, o := range p.globals {
		if o.addr == addr && o.bytes > 0 {
			return v
		}
	}
	for _, s := range p.literals {
		if p.strings[s.Value].addr == addr {
			return s
		}
	}
	return nil
}
