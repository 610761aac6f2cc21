package code

import (
	"fmt"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// Kept is a cell of a buffer whose last value belongs to the outcome of an execution.
type Kept struct {
	Name   string    // that the outcome has
	Buffer *Buffer   // nil of a variable
	Global *tree.Var // of program scope; nil of a buffer
	At     int       // its first byte
	Type   ir.Type
}

// keep has the outcome tell what is left in the buffers that the plan keeps. Pointers are no numbers, and are not kept.
func (p *program) keep(plan *Plan) {
	plan.Cells = nil
	add := func(o *object, of Kept) {
		if o == nil || o.pipe != nil {
			return
		}
		o.overlaps(0, o.bytes, func(addr int64, c cell, at int) {
			of.Name, of.At, of.Type = fmt.Sprintf("%d:%s@%d", o.index, o.name, at), at, c.t
			plan.Cells = append(plan.Cells, of)
			p.p.Final = append(p.p.Final, ir.FinalVar{Name: of.Name, Addr: int32(addr)})
		})
	}
	for _, b := range plan.Keep {
		add(b.made, Kept{Buffer: b})
	}
	for _, v := range plan.KeepGlobals {
		add(p.globals[v], Kept{Global: v})
	}
}
