package randprog

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Builder assembles a program of a few units of execution over shared
// variables.
type Builder struct {
	prog    *ir.Program
	next    int64
	threads []*Thread
	hidden  []bool // by object
}

// NewBuilder returns a builder of an empty program.
func NewBuilder(name string) *Builder {
	return &Builder{prog: &ir.Program{Name: name, Positions: make([]ir.Pos, 1)}}
}

// Var is a variable of the program, shared by all its threads. The zero Var is
// an atomic int in coarse-grained global memory that starts at 0.
type Var struct {
	Name   string
	Region memmodel.Region
	Kind   memmodel.Kind
	Plain  bool // not of an atomic type
	Uninit bool
	Init   int64
	Len    int     // of an array; 0 for a scalar
	Hidden bool    // its last value is no part of the outcome
	Mapped bool    // the host may touch it only while it is mapped
	Owner  *Thread // of local memory that each work-group has for itself: the code that uses it

	addr int64
}

// Var declares a variable.
func (b *Builder) Var(v Var) *Var {
	layout := ir.Scalar(ir.I32, !v.Plain)
	if v.Len > 0 {
		layout = &ir.Layout{Elem: layout, Len: v.Len}
	}
	object := ir.Object{Name: v.Name, Region: v.Region, Kind: v.Kind, Func: -1, Layout: layout, HostMaps: v.Mapped}
	segment, next := ir.SegShared, &b.next
	if v.Owner != nil {
		object.Func = slices.Index(b.prog.Funcs, v.Owner.f)
		segment, next = ir.SegGroup, &v.Owner.local
	}
	if !v.Uninit {
		object.Init = slices.Repeat([]int64{v.Init}, layout.Cells())
	}
	b.prog.Objects = append(b.prog.Objects, object)
	b.hidden = append(b.hidden, v.Hidden)
	v.addr = segment + *next
	*next += int64(layout.Cells())
	return &v
}

// Atomic declares a global atomic variable that starts at 0.
func (b *Builder) Atomic(name string) *Var { return b.Var(Var{Name: name}) }

// Plain declares a global variable of a non-atomic type that starts at 0.
func (b *Builder) Plain(name string) *Var { return b.Var(Var{Name: name, Plain: true}) }

// LocalAtomic declares a local atomic variable that starts at 0.
func (b *Builder) LocalAtomic(name string) *Var {
	return b.Var(Var{Name: name, Region: memmodel.Local})
}

// Thread adds a unit of execution, named P0, P1 and so on.
func (b *Builder) Thread(place memmodel.Place) *Thread {
	t := b.Code()
	t.quiet = false
	b.Run(t, place)
	return t
}

// Code adds code that several units of execution may run. What it reads is not
// observed.
func (b *Builder) Code() *Thread {
	id := len(b.threads)
	t := &Thread{b: b, id: id, f: &ir.Func{Name: fmt.Sprintf("P%d", id)}, quiet: true}
	b.threads = append(b.threads, t)
	b.prog.Funcs = append(b.prog.Funcs, t.f)
	return t
}

// Kernel adds a kernel, which runs when a thread or kernel enqueues it.
func (b *Builder) Kernel(name string) *Thread {
	t := &Thread{b: b, id: len(b.threads), kernel: true, named: true, f: &ir.Func{Name: name}}
	b.threads = append(b.threads, t)
	b.prog.Funcs = append(b.prog.Funcs, t.f)
	return t
}

// HostThread adds the code of a host thread or callback that some thread starts at
// most once, with parameters in its first registers.
func (b *Builder) HostThread(name string, params int) *Thread {
	t := b.Kernel(name)
	t.kernel = false
	t.f.Params, t.f.Regs = params, params
	for i := range params {
		t.f.RegNames = append(t.f.RegNames, fmt.Sprintf("p%d", i))
	}
	return t
}

// EnqueueFailure lets each device-side enqueue fail.
func (b *Builder) EnqueueFailure() { b.prog.EnqueueFailure = true }

// Run adds a unit of execution that runs code.
func (b *Builder) Run(t *Thread, place memmodel.Place) {
	name := fmt.Sprintf("P%d", len(b.prog.Threads))
	b.prog.Threads = append(b.prog.Threads, ir.Thread{Name: name, Func: t.id, Place: place})
}

// Program completes the program. The builder must not be used afterwards.
func (b *Builder) Program() *ir.Program {
	for _, t := range b.threads {
		t.finish()
	}
	for i := range b.prog.Threads {
		b.prog.Threads[i].Item = item(i, len(b.prog.Threads))
	}
	b.observeFinals()
	b.prog.Link()
	return b.prog
}

// item numbers the threads as the work-items of one kernel of one dimension.
func item(i, n int) ir.Item {
	one := [3]int64{1, 1, 1}
	return ir.Item{WorkDim: 1, GlobalID: [3]int64{int64(i)}, GlobalSize: [3]int64{int64(n), 1, 1}, LocalSize: one}
}

// observeFinals makes the last value of every cell that is not hidden part of
// the outcome.
func (b *Builder) observeFinals() {
	p, addr := b.prog, int32(0)
	for i, o := range p.Objects {
		if o.Func >= 0 {
			continue
		}
		for c := range o.Layout.Cells() {
			_, path := o.Layout.Cell(c)
			if !b.hidden[i] {
				p.Final = append(p.Final, ir.FinalVar{Name: o.Name + path, Addr: addr})
			}
			addr++
		}
	}
}

// str interns a string of the program.
func (b *Builder) str(s string) int32 { return intern(&b.prog.Strings, s) }

// intern returns the index of v in list, adding it if need be.
func intern[T comparable](list *[]T, v T) int32 {
	i := slices.Index(*list, v)
	if i < 0 {
		i = len(*list)
		*list = append(*list, v)
	}
	return int32(i)
}
