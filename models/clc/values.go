package clc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/state/ir"
)

// influence finds out on the content of which buffers it depends what can happen: whether what was
// read of one reaches an address, a branch, a check, an assertion, an atomic operation or what is enqueued.
// What reaches none of these is moved about and computed with, and any other content would have been
// moved about and computed with in the same way: one search answers for all.
type influence struct {
	p       *ir.Program
	funcs   []*flow
	objects []sources // that the content of each object may come from
	reached []string  // by source: where it reaches something, "" as long as nothing is known
	loaded  sources
	changed bool
}

// sources is a set of buffers, by their order.
type sources uint64

// maxSources bounds the buffers that are told apart.
const maxSources = 64

// flow is what is known of one function.
type flow struct {
	f       *ir.Func
	points  *ir.PointsTo
	at      [][]sources // by instruction: what each register may come from before it; nil if it is not reached
	regs    []sources   // before the present instruction
	private sources     // of private memory that pointers reach
}

// valuesNote says on what content of buffers the result does and does not depend, or nothing.
func valuesNote(p *ir.Program, buffers []*code.Buffer) string {
	if len(buffers) == 0 || len(buffers) > maxSources {
		return ""
	}
	in := &influence{p: p, objects: make([]sources, len(p.Objects)), reached: make([]string, len(buffers))}
	for i, b := range buffers {
		in.objects[b.Object()] |= 1 << i
	}
	for i, f := range p.Funcs {
		fl := &flow{f: f, points: p.PointsTo(i), at: make([][]sources, len(f.Code)), regs: make([]sources, f.Regs)}
		fl.at[0] = make([]sources, f.Regs)
		in.funcs = append(in.funcs, fl)
	}
	for in.changed = true; in.changed; {
		in.changed = false
		for _, f := range in.funcs {
			for pc := range f.f.Code {
				if f.at[pc] == nil {
					continue
				}
				copy(f.regs, f.at[pc])
				in.step(f, &f.f.Code[pc])
				for _, next := range f.f.Code[pc].Successors(pc) {
					in.changed = f.enter(int(next)) || in.changed
				}
			}
		}
	}
	var free, bound []string
	for i, b := range buffers {
		switch {
		case in.reached[i] != "":
			bound = append(bound, b.Name+" ("+in.reached[i]+")")
		case in.loaded&(1<<i) != 0:
			free = append(free, b.Name)
		}
	}
	slices.Sort(free)
	slices.Sort(bound)
	var parts []string
	if free != nil {
		parts = append(parts, "The result holds for every content of "+strings.Join(free, ", ")+".")
	}
	if bound != nil {
		parts = append(parts, "It holds only for the given content of "+strings.Join(bound, ", ")+".")
	}
	return strings.Join(parts, " ")
}

// enter joins what holds now to what holds before an instruction, and reports whether that is new.
func (f *flow) enter(pc int) bool {
	if f.at[pc] == nil {
		f.at[pc] = slices.Clone(f.regs)
		return true
	}
	changed := false
	for r, s := range f.regs {
		changed = changed || f.at[pc][r]|s != f.at[pc][r]
		f.at[pc][r] |= s
	}
	return changed
}

// of returns what an operand may come from.
func (f *flow) of(o int32) sources {
	if o < 0 {
		return 0
	}
	return f.regs[o]
}

// step propagates through an instruction.
func (in *influence) step(f *flow, i *ir.Instr) {
	var out sources
	switch i.Op {
	case ir.OpMove, ir.OpUn, ir.OpConv:
		out = f.of(i.A)
	case ir.OpBin:
		if i.B >= 0 || f.f.Consts[^i.B] != ir.Unwritten { // else it asks whether, and not what
			out = f.of(i.A) | f.of(i.B)
		}
	case ir.OpLoad:
		in.reach(f.of(i.A), i, "used in an address")
		out = in.read(f, i)
		in.loaded |= out
	case ir.OpStore:
		in.reach(f.of(i.A), i, "used in an address")
		if i.Order != memmodel.NonAtomic {
			in.reach(f.of(i.B), i, "stored by an atomic operation")
		}
		in.write(f, i, f.of(i.B))
	case ir.OpRMW, ir.OpCmpXchg:
		// What an atomic operation finds, others may have come first to change: it decides.
		all := in.read(f, i)
		i.Uses(func(o int32) { all |= f.of(o) })
		in.reach(all, i, "used in an atomic operation")
	case ir.OpBranch:
		in.reach(f.of(i.A), i, "decides a branch")
	case ir.OpCheck:
		how := "decides whether an operation is allowed"
		if i.Check == ir.CheckIndex || i.Check == ir.CheckObject {
			how = "used in an address"
		}
		in.reach(f.of(i.A), i, how)
	case ir.OpAssert, ir.OpAssume:
		in.reach(f.of(i.A), i, "decides an assertion")
	default:
		i.Uses(func(o int32) { in.reach(f.of(o), i, "used") })
	}
	d, d2 := i.Results()
	if d >= 0 {
		f.regs[d] = out
	}
	if d2 >= 0 {
		f.regs[d2] = 0 // of an atomic operation: nothing goes through it unseen
	}
}

// reach notes that what comes from some sources matters at an instruction.
func (in *influence) reach(s sources, i *ir.Instr, how string) {
	for n := range in.reached {
		if s&(1<<n) != 0 && in.reached[n] == "" {
			at := in.p.Positions[i.Pos]
			in.reached[n] = fmt.Sprintf("%s at %s:%d", how, in.p.Sources[at.File].Name, at.Line)
			in.changed = true
		}
	}
}

// read returns what a cell that is read may hold.
func (in *influence) read(f *flow, i *ir.Instr) (s sources) {
	objects, at, known := f.points.Address(i)
	if known && at&ir.SegMask == ir.SegPrivate {
		if r := at &^ ir.SegMask; r < int64(len(f.regs)) { // else a check has failed before
			s = f.regs[r]
		}
		return f.private | s
	}
	for n := range in.objects {
		if objects.Has(n) {
			s |= in.objects[n]
		}
	}
	if !known {
		s |= f.inPrivate()
	}
	return s
}

// inPrivate returns what private memory that pointers reach may hold.
func (f *flow) inPrivate() sources {
	s := f.private
	for r := range f.f.Private {
		s |= f.regs[r]
	}
	return s
}

// write notes what a cell that is written may hold.
func (in *influence) write(f *flow, i *ir.Instr, s sources) {
	if s == 0 {
		return
	}
	objects, _, known := f.points.Address(i)
	for n := range in.objects {
		if objects.Has(n) && in.objects[n]|s != in.objects[n] {
			in.objects[n] |= s
			in.changed = true
		}
	}
	if f.private|s != f.private && (!known || i.Order == memmodel.NonAtomic) {
		f.private |= s
		in.changed = true
	}
}
