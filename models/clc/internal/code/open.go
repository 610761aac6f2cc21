package code

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// Open is a kernel that is launched with nobody knows what: its arguments that are passed by value are parameters of its
// function, it asks for all sizes, and its buffers stand for those of any length.
type Open struct {
	Program *ir.Program
	Func    int      // the kernel's
	Scalars []Scalar // what is passed by value, in the order of the function's parameters
	Asked   int      // dimensions of the index space that the kernel asks for
}

// BuildOpen makes the function of a kernel of which the launch fixes nothing. No check of an index in it means anything,
// since the lengths of buffers are not known.
func BuildOpen(src *tree.Unit, l *Launch, legacy memmodel.Scope) (*Open, diag.Diagnostics) {
	l.Dynamic = true
	plan := &Plan{Name: l.Kernel.Name, Launches: []*Launch{l}, LegacyScope: legacy}
	lowered := func(known *survey) *program {
		p := newProgram(src, lower.NewProgram(plan.Name), legacy, known)
		p.anyScalars, p.p.Opaque = true, true
		p.lower(plan)
		return p
	}
	p := lowered(nil)
	var known *survey
	if !p.failed() {
		known = p.survey()
	}
	if !p.failed() {
		p = lowered(known)
	}
	if p.failed() {
		p.found.Sort()
		return nil, p.found
	}
	p.p.FinishSliced(false)
	out := &Open{Program: p.p.Program, Scalars: p.scalars, Asked: p.asked}
	for i, f := range p.p.Funcs {
		if f.Name == l.Kernel.Name {
			out.Func = i
		}
	}
	return out, nil
}

// Number returns the index of the parameter of the kernel's function that the scalar is.
func (s *Scalar) Number() int { return s.param }
