package code

import (
	"go/token"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// Plan is what the host does: it launches kernels one after the other, waits for each, and looks
// at what they leave.
type Plan struct {
	Name         string
	Launches     []*Launch
	LegacyScope  memmodel.Scope
	SubGroupSize int64
}

// Launch is one kernel that the host enqueues, and what it asserts when it has ended.
type Launch struct {
	Kernel  *tree.Func
	Dim     int
	Offset  [3]int64
	Global  [3]int64
	Local   [3]int64
	Args    []Arg
	Asserts []Assertion
}

// Arg is an argument of a kernel.
type Arg struct {
	Buffer *Buffer // of a pointer into global or constant memory; nil for a null pointer
	Local  int     // of a pointer into local memory: how many elements
	Cells  []Cell  // of anything else: its scalars
}

// Buffer is an object that the host allocates. Launches may share it.
type Buffer struct {
	Name  string
	Elem  *tree.Type
	Len   int
	Cells []Cell // its first scalars; the others are zero
	// Origin is what to say of the buffer where a pointer leaves it: why it is no longer.
	Origin string
	made   *object
}

// Object returns the index of the buffer in the objects of the program that was built.
func (b *Buffer) Object() int { return b.made.index }

// Cell is what the host writes to a scalar: one of some values.
type Cell []int64

// Build makes the program, or says why it cannot.
func Build(src *tree.Unit, plan *Plan) (*ir.Program, diag.Diagnostics) {
	p := newProgram(src, plan)
	p.findRaw()
	p.declareGlobals()
	if p.failed() {
		return nil, p.found
	}
	h := &host{unit: p.newUnit("host", tree.Pos{}, nil)}
	p.p.Threads = []ir.Thread{{Name: "host", Func: h.Number(), Place: memmodel.Place{Host: true}}}
	for _, l := range plan.Launches {
		h.run(l)
	}
	h.End()
	if p.failed() {
		p.found.Sort()
		return nil, p.found
	}
	p.p.Finish()
	return p.p.Program, nil
}

func newProgram(src *tree.Unit, plan *Plan) *program {
	p := &program{shapes: shapes{leavesOf: map[*tree.Type][]leaf{}, raw: map[int]bool{}}, p: lower.NewProgram(plan.Name), src: src,
		legacy: plan.LegacyScope, seen: map[token.Position]bool{}, globals: map[*tree.Var]*object{}, files: map[string][]string{}, strings: map[string]*object{}}
	for _, f := range src.Files {
		p.p.Sources = append(p.p.Sources, ir.Source{Name: f.Name, Text: f.Text})
	}
	p.p.LegacyScope, p.p.SubGroupSize = plan.LegacyScope, plan.SubGroupSize
	return p
}

func (p *program) failed() bool { return len(p.found) > 0 }

func (p *program) newUnit(name string, at tree.Pos, l *Launch) *unit {
	u := &unit{program: p, Func: p.p.NewFunc(name, p.pos(at)), sites: map[string]tree.Expr{}, shared: map[*tree.Var]*object{}, launch: l}
	for _, v := range p.src.Globals {
		if o := p.globals[v]; o != nil {
			u.objects = append(u.objects, o)
		}
	}
	return u
}

// findRaw finds the widths of cells that are accessed as integers and as something else: through
// pointers that are cast, and as members of unions.
func (p *program) findRaw() {
	mix := func(list ...*tree.Type) {
		seen := map[int]ir.Type{}
		for _, t := range list {
			if p.size(t) > maxCells {
				continue
			}
			for _, l := range p.leaves(t) {
				w := cellBits(l.t)
				if was, ok := seen[w]; ok && was != l.t && l.t != ir.Ptr && was != ir.Ptr {
					p.raw[w] = true
				}
				seen[w] = l.t
			}
		}
	}
	all := func(t *tree.Type) { // a pointer to anything became one to t
		for _, l := range p.leaves(t) {
			p.raw[cellBits(l.t)] = true
		}
	}
	unions := map[*tree.Type]bool{}
	var visitType func(t *tree.Type)
	visitType = func(t *tree.Type) {
		if t == nil || unions[t] {
			return
		}
		unions[t] = true
		switch t.Kind {
		case tree.Array, tree.Pointer:
			visitType(t.Elem)
		case tree.Struct, tree.Union:
			var members []*tree.Type
			for _, f := range t.Record.Fields {
				visitType(f.Type)
				members = append(members, f.Type)
			}
			if t.Kind == tree.Union {
				mix(members...)
			}
		}
	}
	for _, fn := range p.src.Funcs {
		tree.Walk(fn.Body, func(n any) {
			if x, ok := n.(tree.Expr); ok {
				visitType(x.Type())
			}
			c, ok := n.(*tree.Convert)
			if !ok || c.Type().Kind != tree.Pointer || c.X.Type().Kind != tree.Pointer || c.Type().Elem == c.X.Type().Elem {
				return
			}
			switch to, from := c.Type().Elem, c.X.Type().Elem; {
			case to.Kind == tree.Void:
			case from.Kind == tree.Void:
				all(to)
			default:
				mix(to, from)
			}
		})
	}
}

// kernel makes the function of a launch, and returns what else it has as parameters.
func (p *program) kernel(l *Launch) (fn *unit, params []Cell) {
	u := p.newUnit(l.Kernel.Name, l.Kernel.Pos, l)
	f := &frame{unit: u, fn: l.Kernel, vars: map[*tree.Var]*variable{}, ret: lower.NewBlock()}
	f.mark(l.Kernel.Pos)
	for i, v := range l.Kernel.Params {
		if !p.fitsMemory(v) {
			continue
		}
		var val value
		switch a := l.Args[i]; {
		case a.Buffer != nil:
			u.objects = append(u.objects, a.Buffer.made)
			val = f.pointer(a.Buffer.made)
		case v.Type.Kind == tree.Pointer && v.Type.To.Space == tree.Local:
			val = f.pointer(u.local(v.Name, v.Pos, v.Type.Elem, a.Local))
		case v.Type.Kind == tree.Pointer:
			val = f.null()
		default:
			for j, c := range a.Cells {
				if len(c) == 1 {
					val = append(val, f.Constant(c[0]))
					continue
				}
				val = append(val, f.Param(f.leafName(v, j)))
				params = append(params, c)
			}
		}
		f.bind(v, val)
	}
	for range f.leaves(l.Kernel.Result) {
		f.result = append(f.result, f.NewReg(""))
	}
	f.body()
	u.End()
	if u.Full() {
		p.fault(l.Kernel.Pos, "make the kernel smaller: all calls are inlined", "%s is too large: more than %d instructions", l.Kernel.Name, lower.MaxCode)
	}
	return u, params
}

// fitsMemory reports a parameter whose type cannot be lowered.
func (p *program) fitsMemory(v *tree.Var) bool {
	switch v.Type.Kind {
	case tree.Image, tree.Sampler, tree.Queue, tree.Pipe, tree.Block, tree.NDRange, tree.ClkEvent, tree.ReserveID:
		p.notYet(v.Pos, "a parameter of type "+v.Type.String())
		return false
	}
	return true
}
