package code

import (
	"go/token"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// Plan is what the host does: it launches kernels one after the other, waits for each, and looks
// at what they leave.
type Plan struct {
	Name        string
	Launches    []*Launch
	LegacyScope memmodel.Scope
	KeepValues  bool // also those that nothing depends on
	Unwritten   ir.Indeterminate
	Keep        []*Buffer   // of which the outcome tells what is left in the end
	KeepGlobals []*tree.Var // likewise
	Cells       []Kept      // of these, as Build has found them
	// AnyWidth bounds how many values are told apart of what is decided late.
	AnyWidth int
	Classes  lower.Classifier // which does so
	// Names: choices of the content of buffers and of scalars say what each is, as an assignment.
	Names bool
}

// Launch is one kernel that the host enqueues, and what it asserts when it has ended.
type Launch struct {
	Kernel *tree.Func
	Dim    int
	Offset [3]int64
	Global [3]int64
	Local  [3]int64
	// SubGroup is the size of the sub-groups; 0 is that of the program.
	SubGroup int64
	Args     []Arg
	Asserts  []Assertion
	Dynamic  bool // what a kernel enqueues: the sizes are not known
	// Others are the same kernel with the same buffers in other sizes: the host launches one of them all.
	Others []*Launch
}

// Arg is an argument of a kernel.
type Arg struct {
	Buffer *Buffer // of a pointer into global or constant memory, an image or a pipe; nil for a null pointer
	Local  int     // of a pointer into local memory: how many elements
	Cells  []Cell  // of anything else: its scalars
}

// Buffer is an object that the host allocates. Launches may share it.
type Buffer struct {
	Name  string
	Elem  *tree.Type
	Len   int
	Cells []Cell // its first scalars; the others are zero
	Any   bool   // nothing is known of its content: it is decided late
	// Origin is what to say of the buffer where a pointer leaves it: why it is no longer.
	Origin string
	Image  []int // of an image: its sizes; Len is their product
	Pipe   bool  // Elem is the type of the packets, Len how many there is room for
	Rights Rights
	made   *object
}

// Rights are what kernels may do with a buffer.
type Rights uint8

// The rights that the flags of clCreateBuffer give.
const (
	ReadWrite Rights = iota
	ReadOnly
	WriteOnly
)

// Object returns the index of the buffer in the objects of the program that was built.
func (b *Buffer) Object() int { return b.made.index }

// Cell is what the host writes to a scalar: one of some values, or, if there are none, any.
type Cell []int64

// Any is a scalar that is decided late.
var Any = Cell{}

// Needs tells what of a program's data can decide what happens.
type Needs struct {
	Buffers []lower.Need      // by the objects of the program
	Globals map[*tree.Var]int // their objects
	// Scalars are what is passed by value, by the scalars of each argument.
	Scalars []Scalar
	// Late is nil if nothing is decided late.
	Late *lower.Late
}

// Scalar is part of an argument of a launch that is passed by value.
type Scalar struct {
	Name      string
	Decides   bool // the possible steps depend on it (lower.Need.Decides); Why and At are the first use that does
	Addresses bool // the address of an access comes from it
	Why       string
	At        ir.Pos
	Type      ir.Type
	Values    Cell // that it is given
	fn, param int
}

// Build makes the program, or says why it cannot, and what of its data is needed.
func Build(src *tree.Unit, plan *Plan) (*ir.Program, *Needs, diag.Diagnostics) {
	first := newProgram(src, lower.NewProgram(plan.Name), plan.LegacyScope, nil)
	first.lower(plan)
	var known *survey
	if !first.failed() {
		known = first.survey()
	}
	if first.failed() {
		first.found.Sort()
		return nil, nil, first.found
	}
	scalars := scalarNeeds(src, plan, known)
	p := newProgram(src, lower.NewProgram(plan.Name), plan.LegacyScope, known)
	p.lower(plan)
	if p.failed() {
		p.found.Sort()
		return nil, nil, p.found
	}
	p.keep(plan)
	globals := func() map[*tree.Var]int {
		at := map[*tree.Var]int{}
		for v, o := range p.globals {
			at[v] = o.index
		}
		return at
	}
	if !plan.late() {
		needs := p.p.FinishSliced(plan.KeepValues)
		return p.p.Program, &Needs{needs.Objects, globals(), scalars, nil}, nil
	}
	needs, late := p.p.FinishLate(plan.KeepValues, plan.AnyWidth, plan.Classes)
	if late.Failed != "" {
		p.undecided(late)
		return nil, nil, p.found
	}
	return p.p.Program, &Needs{needs.Objects, globals(), scalars, late}, nil
}

// scalarNeeds finds out what needs the arguments that are passed by value, which the code of the program has no trace
// of: in a program whose kernels do not know them.
func scalarNeeds(src *tree.Unit, plan *Plan, known *survey) []Scalar {
	if !plan.passesValues() {
		return nil
	}
	p := newProgram(src, lower.NewProgram(plan.Name), plan.LegacyScope, known)
	p.anyScalars = true
	if p.lower(plan); p.failed() {
		return plan.neededScalars(p)
	}
	needs := p.p.Needs()
	for i := range p.scalars {
		s := &p.scalars[i]
		n := &needs.Params[s.fn][s.param]
		s.Decides, s.Why, s.At = n.Decides(), n.Why, p.p.Positions[n.At]
		s.Addresses = n.Addresses()
		s.Decides = s.Decides && len(s.Values) > 0 // else it is decided late
	}
	return p.scalars
}

// neededScalars takes all arguments that are passed by value for needed: of a program that cannot be made without them.
func (p *Plan) neededScalars(of *program) (list []Scalar) {
	for _, l := range p.Launches {
		for i, a := range l.Args {
			v := l.Kernel.Params[i]
			if len(a.Cells) == 0 || v.Type.Kind == tree.Sampler {
				continue
			}
			for j, c := range a.Cells {
				list = append(list, Scalar{Name: v.Name, Decides: true, Why: "decides how the kernel is read",
					At: of.p.Positions[of.pos(v.Pos)], Type: of.leaves(v.Type)[j].t, Values: c})
			}
		}
	}
	return list
}

// passesValues reports whether a launch has an argument that is passed by value.
func (p *Plan) passesValues() bool {
	for _, l := range p.Launches {
		for i, a := range l.Args {
			if len(a.Cells) > 0 && l.Kernel.Params[i].Type.Kind != tree.Sampler {
				return true
			}
		}
	}
	return false
}

// lower makes the code of all functions.
func (p *program) lower(plan *Plan) {
	p.p.LegacyScope, p.p.Unwritten, p.named = plan.LegacyScope, plan.Unwritten, plan.Names
	p.p.Within = true // they are the starts of objects, and addresses in them
	p.declareGlobals()
	if p.failed() {
		return
	}
	for _, l := range plan.Launches {
		for i := range l.Args {
			if b := l.Args[i].Buffer; b != nil {
				b.made = nil
			}
		}
	}
	h := &host{unit: p.newUnit("host", tree.Pos{}, nil)}
	p.p.Threads = []ir.Thread{{Name: "host", Func: h.Number(), Place: memmodel.Place{Host: true}}}
	for _, l := range plan.Launches {
		h.run(l)
	}
	h.End()
}

// newProgram returns what lowers a kernel file into a program, which may hold other sources before.
func newProgram(src *tree.Unit, to *lower.Program, legacy memmodel.Scope, known *survey) *program {
	p := &program{shapes: shapes{leavesOf: map[*tree.Type][]leaf{}}, p: to, src: src, first: int32(len(to.Sources)), known: known,
		legacy: legacy, seen: map[token.Position]bool{}, globals: map[*tree.Var]*object{}, files: map[string][]string{}, strings: map[string]*object{},
		images: map[*tree.Var]image{}, children: map[childKey]int{}, childLaunches: map[*tree.BlockLit]*Launch{}}
	for _, f := range src.Funcs {
		tree.Walk(f.Body, func(n any) {
			c, ok := n.(*tree.BuiltinCall)
			p.reserves = p.reserves || ok && c.Fn.Class == tree.PipeAccess && strings.Contains(c.Fn.Name, "reserve")
		})
	}
	if known != nil {
		p.childLaunches = known.launches
		p.images = known.images
	}
	for _, f := range src.Files {
		to.Sources = append(to.Sources, ir.Source{Name: f.Name, Text: f.Text})
	}
	return p
}

func (p *program) failed() bool { return len(p.found) > 0 }

func (p *program) newUnit(name string, at tree.Pos, l *Launch) *unit {
	return p.unitOf(p.p.NewFunc(name, p.pos(at)), l)
}

// unitOf returns what lowers into a function.
func (p *program) unitOf(f *lower.Func, l *Launch) *unit {
	u := &unit{program: p, Func: f, sites: map[string]tree.Expr{}, locals: map[*tree.Var]*object{}, launch: l,
		lin: map[int32]linear{}, rows: map[int32]*row{}, pinned: make([]int32, f.Pinned())}
	for _, v := range p.src.Globals {
		if o := p.globals[v]; o != nil {
			u.objects = append(u.objects, o)
		}
	}
	p.units = append(p.units, u)
	return u
}

// param is a parameter of a kernel's function, which is passed by value: what it may be.
type param struct {
	cell Cell
	t    ir.Type
	name string
}

// kernel makes the function of a launch, and returns what else it has as parameters.
func (p *program) kernel(l *Launch) (fn *unit, params []param) {
	u := p.newUnit(l.Kernel.Name, l.Kernel.Pos, l)
	u.SetSubGroups(l.SubGroup)
	f := &frame{unit: u, fn: l.Kernel, vars: map[*tree.Var]*variable{}, given: map[*tree.Var]bool{}, blocks: map[*tree.Var]*blockValue{}, ret: lower.NewBlock()}
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
			if a.Buffer.Image != nil || v.Type.Kind == tree.Pipe {
				val = val[:1]
			}
		case v.Type.Kind == tree.Pointer && v.Type.To.Space == tree.Local:
			val = f.pointer(u.local(v, p.src.Types.Array(v.Type.Elem, int64(a.Local))))
		case v.Type.Kind == tree.Pointer:
			val = f.null()
		case v.Type.Kind == tree.Queue:
			val = value{f.Constant(ir.DefaultQueue)}
		default:
			f.given[v] = true
			for j, c := range a.Cells {
				if len(c) == 1 && (!p.anyScalars || v.Type.Kind == tree.Sampler) {
					val = append(val, f.Constant(c[0]))
					continue
				}
				p.scalars = append(p.scalars, Scalar{Name: v.Name, Type: f.leaves(v.Type)[j].t, Values: c, fn: u.Number(), param: len(params)})
				val = append(val, f.Param(f.leafName(v, j)))
				params = append(params, param{c, f.leaves(v.Type)[j].t, f.leafName(v, j)})
			}
		}
		f.bind(v, val)
	}
	for range f.leaves(l.Kernel.Result) {
		f.result = append(f.result, f.NewReg(""))
	}
	u.reservations()
	f.body()
	u.committed()
	u.End()
	if u.Full() {
		p.fault(l.Kernel.Pos, "make the kernel smaller: all calls are inlined", "%s is too large: more than %d instructions", l.Kernel.Name, lower.MaxCode)
	}
	return u, params
}

// fitsMemory reports a parameter whose type cannot be lowered.
func (p *program) fitsMemory(v *tree.Var) bool {
	switch v.Type.Kind {
	case tree.Block, tree.NDRange, tree.ClkEvent, tree.ReserveID:
		p.notYet(v.Pos, "a parameter of type "+v.Type.String())
		return false
	}
	return true
}
