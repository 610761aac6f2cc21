package explore

import (
	"context"
	"fmt"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// What comes before a search: the analysis of the program, within what there is of time and memory.

// begin returns a search of a program that is about to begin. Whoever asks for it closes it. If the program
// cannot be analysed within what there is of time and memory, there is none, but a result.
func begin(ctx context.Context, p *ir.Program, opt Options) (*search, *Result) {
	s, unready := analysed(ctx, p, opt)
	if s == nil {
		return nil, unready
	}
	s.allowPromises()
	s.prepare()
	return s, nil
}

// What the cells of a program take beside its states: each is described among the facts, and once more for each set of units that there is
// at a time, of which a launch alone makes three.
const (
	cellBytes   = 640
	besideCells = 192 << 20
)

// tooManyCells reports a program that has more cells of memory than there is room for.
func tooManyCells(p *ir.Program, mem int) error {
	cells := 0
	for i := range p.Objects {
		if p.Objects[i].Func < 0 {
			cells += p.Objects[i].Layout.Cells()
		}
	}
	if bytes := cells * cellBytes; mem > 0 && bytes/2 > mem+besideCells/2 {
		return fmt.Errorf("the memory limit of %d MiB was met: the program has %d cells of memory, which take about %d MiB", mem>>20, cells, bytes>>20)
	}
	return nil
}

// notAnalysed is the result of a search that has not begun, as err says why.
func notAnalysed(opt *Options, err error) *Result {
	r := &Result{
		Spec: opt.Spec, POR: opt.POR, Exact: opt.Exact, NoCache: opt.NoCache, Shared: len(opt.Links) > 0, Paused: true,
		Incomplete: []string{err.Error()},
	}
	if opt.Store != nil {
		r.Store = opt.Store.Dir()
	}
	r.conclude()
	return r
}

// analysed returns a search of a program of which the facts are known, and no more. Else it is as begin.
func analysed(ctx context.Context, p *ir.Program, opt Options) (*search, *Result) {
	if opt.Spec.Name == "" {
		opt.Spec = memmodel.Specs[0]
	}
	if why := tooManyCells(p, opt.Mem); why != nil {
		return nil, notAnalysed(&opt, why)
	}
	if f := opt.Facts; f != nil {
		return newSearch(ctx, f, opt), nil
	}
	f, err := guard.Analyse(ctx, "analyse", func(spent func() bool) (*facts.Facts, error) { return facts.Unless(spent, p, opt.Spec), nil })
	if err != nil {
		return nil, notAnalysed(&opt, err)
	}
	return newSearch(ctx, f, opt), nil
}
