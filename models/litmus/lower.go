package litmus

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// lowerer resolves a file's names and builds its program.
type lowerer struct {
	*source
	*file
	prog     *lower.Program
	byNumber map[int]*thread
	shared   map[string]*location
	outcome  []variable // locations and registers, without repetition
}

// location is a shared variable.
type location struct {
	param
	object int // index into Program.Objects
}

// build makes the program of a file. Of package lower it uses the tables only: what a
// test says is what is executed, as small as its author made it.
func build(src *source, f *file) *lowerer {
	l := &lowerer{source: src, file: f, prog: lower.NewProgram(f.name),
		byNumber: map[int]*thread{}, shared: map[string]*location{}}
	l.prog.Sources = []ir.Source{{Name: src.name, Text: src.text}}
	l.declare()
	l.outcomes()
	places := l.places()
	for i, t := range f.threads {
		name := threadName(t.num)
		l.prog.Funcs = append(l.prog.Funcs, l.function(t))
		l.prog.Threads = append(l.prog.Threads, ir.Thread{Name: name, Func: i, Place: places[i]})
	}
	l.prog.Link()
	l.final()
	return l
}

// declare collects threads and locations, and gives locations their initial values.
func (l *lowerer) declare() {
	for _, t := range l.threads {
		if l.byNumber[t.num] != nil {
			l.failf(t.pos, "a second thread P%d", t.num)
		}
		l.byNumber[t.num] = t
		for i, p := range t.params {
			for _, q := range t.params[:i] {
				if q.name == p.name {
					l.failf(p.pos, "P%d has two parameters %s", t.num, p.name)
				}
			}
			l.declareLocation(p, t)
		}
	}
	set := map[string]bool{}
	for _, in := range l.file.init {
		if set[in.String()] {
			l.failf(in.pos, "%v is initialised twice", in.variable)
		}
		set[in.String()] = true
		if in.thread >= 0 {
			continue // a register: function sees to it
		}
		loc := l.shared[in.name]
		if loc == nil {
			loc = l.newLocation(param{pos: in.pos, name: in.name})
		}
		l.prog.Objects[loc.object].Init[0] = in.value
	}
}

// declareLocation adds a parameter's location, or checks it against what
// another thread says of it.
func (l *lowerer) declareLocation(p param, t *thread) {
	loc := l.shared[p.name]
	if loc == nil {
		loc = l.newLocation(p)
	}
	if loc.region != p.region {
		l.failf(p.pos, "%s is %v in P%d but was %v before", p.name, p.region, t.num, loc.region)
	}
	if p.atomic {
		l.prog.Objects[loc.object].Layout.Atomic = true
	}
}

func (l *lowerer) newLocation(p param) *location {
	if len(l.shared) == maxLocations {
		l.failf(p.pos, "more than %d locations", maxLocations)
	}
	o := ir.Object{Name: p.name, Pos: l.pos(p.pos), Init: []int64{0}, Layout: ir.Scalar(ir.I32, p.atomic)}
	switch p.region {
	case regionLocal:
		o.Region = memmodel.Local
	case regionGlobalFGA:
		o.Kind = memmodel.FineSVMAtomics
	}
	loc := &location{p, len(l.prog.Objects)}
	l.prog.Global(o)
	l.shared[p.name] = loc
	return loc
}

// outcomes lists the variables of an outcome: those under locations, then
// those in the condition that were not listed.
func (l *lowerer) outcomes() {
	seen := map[string]bool{}
	for _, list := range [][]variable{l.file.locations, l.condVars} {
		for _, v := range list {
			if v.thread < 0 && l.shared[v.name] == nil {
				l.hintf(v.pos, nearest(v.name, keys(l.shared)), "unknown location %s", v.name)
			}
			if v.thread >= 0 && l.byNumber[v.thread] == nil {
				l.failf(v.pos, "there is no thread P%d", v.thread)
			}
			if !seen[v.String()] {
				seen[v.String()] = true
				l.outcome = append(l.outcome, v)
			}
		}
	}
}

// final adds the locations of the outcome, once they have addresses.
func (l *lowerer) final() {
	for _, v := range l.outcome {
		if v.thread < 0 {
			addr := l.prog.Objects[l.shared[v.name].object].Base
			l.prog.Final = append(l.prog.Final, ir.FinalVar{Name: v.name, Addr: addr})
		}
	}
}

// pos returns the index of a position in the program.
func (l *lowerer) pos(p pos) int32 {
	line, col := l.locate(p)
	return l.prog.Position(ir.Pos{Line: int32(line), Col: int32(col)})
}
