package lower

import (
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Program is a program under construction. What is not given out by a method here,
// such as queues and threads, a front end enters in the ir.Program itself.
type Program struct {
	*ir.Program
	// Within: no constant that is a pointer points past the end of the object that it was made from. Then less is needed.
	Within bool
	// Opaque: nothing is known of what nobody has written, and so nothing is computed of ir.Unwritten.
	Opaque    bool
	funcs     []*Func // by index in Program.Funcs
	strings   map[string]int32
	positions map[ir.Pos]int32
	shared    int32            // cells of the shared segment so far
	legacy    map[ir.Type]bool // types of the cells that OpenCL 1.x atomics may access
	// What is decided late: objects by index, and how many values were given out.
	anyObjects map[int]bool
	anyValues  int
	passed     map[ir.Pos]bool // lines that control can come to, see Func.Pass
}

// NewProgram returns an empty program.
func NewProgram(name string) *Program {
	return &Program{passed: map[ir.Pos]bool{}, Program: &ir.Program{Name: name, Positions: []ir.Pos{{}}},
		strings: map[string]int32{}, positions: map[ir.Pos]int32{{}: 0}, legacy: map[ir.Type]bool{}}
}

// NewFunc adds a function: the host thread, a kernel, or what else an instruction starts.
func (p *Program) NewFunc(name string, pos int32) *Func {
	p.Funcs = append(p.Funcs, &ir.Func{Name: name, Pos: pos})
	f := newFunc(p, len(p.Funcs)-1)
	p.funcs = append(p.funcs, f)
	return f
}

// NewInit returns a function that is no part of the program: what computes initial
// values, to be run by Evaluate.
func (p *Program) NewInit() *Func { return newFunc(p, -1) }

// Global adds an object to the memory that all share, and returns its address.
func (p *Program) Global(o ir.Object) (addr int64) {
	o.Func, o.Base = -1, p.shared
	p.Objects = append(p.Objects, o)
	p.shared += int32(o.Layout.Cells())
	return ir.SegShared | int64(o.Base)
}

// Shared returns the number of cells of the objects that Global added.
func (p *Program) Shared() int { return int(p.shared) }

// Str returns the index of a string.
func (p *Program) Str(s string) int32 {
	i, ok := p.strings[s]
	if !ok {
		i = int32(len(p.Strings))
		p.strings[s] = i
		p.Strings = append(p.Strings, s)
	}
	return i
}

// Named notes, for reports, of which function of the program the collectives with an Instr.Str are a part.
func (p *Program) Named(str int32, function string) {
	if p.Called == nil {
		p.Called = map[int32]string{}
	}
	p.Called[str] = function
}

// Extent returns the number of what a check of an object is about.
func (p *Program) Extent(of ir.Extent) int32 {
	if i := slices.Index(p.Extents, of); i > 0 {
		return int32(i)
	}
	if len(p.Extents) == 0 {
		p.Extents = make([]ir.Extent, 1)
	}
	p.Extents = append(p.Extents, of)
	return int32(len(p.Extents) - 1)
}

// Position returns the index of a position. That of the zero Pos is 0: none.
func (p *Program) Position(at ir.Pos) int32 {
	i, ok := p.positions[at]
	if !ok {
		i = int32(len(p.Positions))
		p.positions[at] = i
		p.Positions = append(p.Positions, at)
	}
	return i
}

// Call adds a call that is inlined, and returns what Pos.Call names it by.
func (p *Program) Call(c ir.Call) int32 {
	if len(p.Calls) == 0 {
		p.Calls = make([]ir.Call, 1)
	}
	p.Calls = append(p.Calls, c)
	return int32(len(p.Calls) - 1)
}

// Finish makes the code of all functions, each of whose blocks must have ended. The
// program can be linked then, and no function may be added to.
func (p *Program) Finish() {
	p.prepare()
	p.layOut()
}

// FinishSliced is Finish, and leaves out the values that nothing needs, unless all are to be kept. It returns what
// is needed (docs/exploration/slicing.md, "Values that nothing needs").
func (p *Program) FinishSliced(keepValues bool) *Needs {
	p.prepare()
	return p.finishSliced(keepValues, false)
}

// FinishLate is FinishSliced of a program with inputs that are decided late, of which at most so many values are told apart in one place. If
// they cannot be, the program is not finished (docs/exploration/late.md, "Inputs that are decided late").
func (p *Program) FinishLate(keepValues bool, most int, tell Classifier) (*Needs, *Late) {
	p.prepare()
	late := p.decideLate(most, tell)
	if late.Failed != "" {
		return nil, late
	}
	return p.finishSliced(keepValues, true), late
}

func (p *Program) finishSliced(keepValues, late bool) *Needs {
	n := p.findNeeds()
	if !keepValues {
		n.slice()
		if late {
			n.dropReads()
		}
		for _, f := range p.funcs {
			f.optimise()
		}
	}
	p.layOut()
	return &n.Needs
}

// Needs returns what is needed of the data of a program, each of whose blocks must have ended, but which need not be
// finished.
func (p *Program) Needs() *Needs { return &p.findNeeds().Needs }

// prepare makes the code small.
func (p *Program) prepare() {
	p.markLegacy()
	for _, f := range p.funcs {
		f.mustEnd()
		f.dropRounds()
		f.optimise()
	}
}

func (p *Program) layOut() {
	for _, f := range p.funcs {
		f.layOut()
	}
}
