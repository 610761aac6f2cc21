package code

import (
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// What reports tell of private variables and of inlined calls.

// variable returns what a variable of the source is known by, before it is anywhere.
func (f *frame) variable(v *tree.Var) *variable {
	return &variable{typ: v.Type, decl: v, call: f.program.call, last: f.last}
}

// noted takes note of the values that a variable has in its registers. A pointer is three of them, which say nothing
// by themselves.
func (f *frame) noted(x *variable) {
	if x == nil || x.decl == nil || opaque(x.typ) {
		return
	}
	for i, l := range f.leaves(x.typ) {
		if l.ptr || i >= len(x.regs) {
			continue
		}
		f.Note(ir.Var{Name: f.leafName(x.decl, i), Call: x.call, From: x.decl.Pos.Line, To: x.last}, ir.Scalar(l.t, false), 0, x.regs[i:i+1])
	}
}

// upTo notes that a scope ends in a line, and returns what takes that back.
func (f *frame) upTo(line int32) (back func()) {
	last := f.last
	f.last = line
	return func() { f.last = last }
}

// calling records a call at the place that is marked. What it returns begins a part of the code that belongs to that call, and
// returns what ends it.
func (f *frame) calling(name string) (enter func() (back func())) {
	at := f.here
	in := f.p.Call(ir.Call{Name: name, Pos: f.At})
	return func() func() {
		out := f.program.call
		f.program.call = in
		f.mark(at)
		return func() {
			f.program.call = out
			f.mark(at)
		}
	}
}

// handles says in a word what the values of some types are handles of.
var handles = map[tree.Kind]string{tree.Event: "event", tree.ClkEvent: "event", tree.Queue: "queue", tree.Sampler: "sampler", tree.ReserveID: "reservation"}

// opaque reports whether the values of a type are handles, whose numbers mean nothing to anybody.
func opaque(t *tree.Type) bool {
	switch t.Kind {
	case tree.Block, tree.Image, tree.Sampler, tree.Event, tree.ClkEvent, tree.Queue, tree.NDRange, tree.ReserveID, tree.Pipe:
		return true
	}
	return false
}
