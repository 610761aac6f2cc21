package model

import (
	"slices"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/state/ir"
)

// Values that nothing depends on are not computed while a model with kernels in OpenCL C is explored. Who looks at an
// execution wants to see them: so it is repeated once more on the program that computes them all. Its steps are the
// same.

// Valued returns the program that computes all values, nil if that is the model's own one or cannot be loaded.
func (m *Model) Valued() *ir.Program {
	if m.again == nil || !slices.ContainsFunc(m.Program.Objects, func(o ir.Object) bool { return o.Sliced }) {
		return nil
	}
	valued, err := m.again()
	if err != nil {
		return nil
	}
	return valued.Program
}

// showValues has a report show the values that are missing in it.
func (m *Model) showValues(rep *report.Report) {
	if rep.Blank() {
		rep.ShowValues(m.Valued())
	}
}

// retold notes how a model is loaded again with all values, from the texts that it was made of.
func retold(opt Options) func(*Model, error) (*Model, error) {
	return func(m *Model, err error) (*Model, error) {
		if err != nil || opt.Kernels.KeepValues || m.Test != nil {
			return m, err
		}
		name, program, texts := m.Name, m.Program.Name, m.Program.Sources
		m.with = func(given []string, names bool) (*Model, error) {
			opt := opt
			opt.Kernels.Given, opt.Kernels.Names = given, names
			return Again(name, program, texts, false, opt)
		}
		opt.Kernels.KeepValues = true
		m.again = func() (*Model, error) { return Again(name, program, texts, false, opt) }
		return m, nil
	}
}
