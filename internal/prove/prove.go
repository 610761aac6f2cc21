package prove

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Kernel is a function of a program that work-items execute, of which nothing is known but what is said here.
type Kernel struct {
	Program *ir.Program
	Func    int
	Scalars []Scalar  // the function's parameters
	Local   [3]uint64 // the local size; 0: any
	Groups  [3]uint64 // the number of groups; 0: any
	Dim     int       // dimensions of the index space
}

// Scalar is a parameter of a kernel's function.
type Scalar struct {
	Name  string
	Type  ir.Type
	Given *int64 // nil: any
}

// Kind is what may go wrong.
type Kind uint8

// The kinds that are proved not to happen.
const (
	Race Kind = iota
	Divergence
	Assertion
)

// Open is what could not be shown not to happen.
type Open struct {
	Kind      Kind
	Object    int // of a race: in Program.Objects
	Pos       [2]int32
	SameGroup bool
	Copy      bool // an asynchronous copy makes one of the accesses
	Undecided bool // the solver did not find out
	Witness   *Witness
}

func (o *Open) key() string {
	return fmt.Sprint(o.Kind, o.Object, o.Pos, o.SameGroup)
}

// Witness is where two work-items may meet, if the abstraction is right.
type Witness struct {
	Local, Groups [3]uint64
	LocalID       [2][3]uint64
	GroupID       [2][3]uint64
	Scalars       []int64
	// Contents are what buffers must hold: by object, and the number of the cell in it.
	Contents map[int]map[uint64]int64
}

// Result is what became of a proof.
type Result struct {
	Open    []Open
	Why     string // what of the kernel was not followed; "" if all was
	Pos     int32  // where
	Queries int
	Elapsed time.Duration
}

// Proved reports whether nothing can go wrong.
func (r *Result) Proved() bool { return r.Why == "" && len(r.Open) == 0 }

// Options bound a proof.
type Options struct {
	Query time.Duration // for one question to the solver; 0: DefaultQuery
	// NoWitness: no sizes are looked for at which what is open may happen.
	NoWitness bool
	// Assume is what is taken for granted of sizes and scalars.
	Assume []Assumption
}

// DefaultQuery is how long one question may take.
const DefaultQuery = time.Second

// Prove tries to show that nothing goes wrong in a kernel (docs/exploration/proofs.md, "Proofs for all data and all sizes").
func Prove(ctx context.Context, k *Kernel, opt Options) (r *Result, err error) {
	began := time.Now()
	p := &proof{k: k, ctx: ctx, solver: newSAT(cmp.Or(opt.Query, DefaultQuery)), r: &Result{}, opt: opt}
	defer func() {
		p.r.Elapsed = time.Since(began)
		switch v := recover().(type) {
		case nil:
		case misunderstood:
			p.r.Why, p.r.Pos, r = v.why, v.pos, p.r
		default:
			panic(v)
		}
	}()
	if err := p.begin(opt); err != nil {
		return nil, err
	}
	p.all()
	return p.r, nil
}

// proof is a proof under way.
type proof struct {
	k       *Kernel
	ctx     context.Context
	solver  solver
	r       *Result
	g       *graph
	written []bool
	mixed   []bool
	stored  []bool
	points  *ir.PointsTo
	assume  []Assumption
	opt     Options
}

// begin looks at the code, and who writes to what.
func (p *proof) begin(opt Options) error {
	f := p.k.Program.Funcs[p.k.Func]
	p.assume = opt.Assume
	if p.g = newGraph(f); p.g.bad >= 0 {
		panic(misunderstood{"a loop with several entries", f.Code[p.g.bad].Pos})
	}
	p.points = p.k.Program.PointsTo(p.k.Func)
	n := len(p.k.Program.Objects)
	p.written, p.mixed, p.stored = make([]bool, n), make([]bool, n), make([]bool, n)
	m := p.machine(memmodel.Global, func(*ir.Instr) bool { return true })
	if a := m.ask(); a == impossible {
		return ErrNoSize
	}
	m.quiet++
	m.rough++
	m.run()
	return nil
}

// machine is one that looks at the accesses to the memory of a region.
func (p *proof) machine(r memmodel.Region, counts func(*ir.Instr) bool) *machine {
	x := newTerms()
	m := &machine{terms: x, k: p.k, sizes: &sizes{p.k, p.k.Local, p.k.Groups, p.k.Dim}, f: p.k.Program.Funcs[p.k.Func], g: p.g,
		written: p.written, mixed: p.mixed, stored: p.stored, points: p.points, counts: counts, region: r, tickets: map[*term]ticket{}}
	m.asker = &asker{m: m, ctx: p.ctx, solver: p.solver, quick: newSAT(cmp.Or(p.opt.Query, DefaultQuery) / 20), answers: map[*term]answer{}, symbols: map[*term][]*term{}, done: map[[2]*access]bool{}, found: map[string]bool{}, dry: p.opt.NoWitness}
	for _, a := range p.assume {
		m.assumed = append(m.assumed, a.term(m))
	}
	return m
}

// all asks about each region whose memory the kernel writes, and about meetings where all barriers count.
func (p *proof) all() {
	meetings := false
	for _, r := range []memmodel.Region{memmodel.Local, memmodel.Global} {
		if !p.writes(r) {
			continue
		}
		flag := memmodel.LocalFence
		if r == memmodel.Global {
			flag = memmodel.GlobalFence
		}
		counts := func(in *ir.Instr) bool { return in.Flags&flag != 0 && in.Scope >= memmodel.ScopeWorkGroup }
		m := p.machine(r, counts)
		m.all = !meetings && p.every(counts)
		meetings = meetings || m.all
		m.run()
		if r == memmodel.Global {
			m.groupsMeet(m.noted)
		}
		p.take(m)
	}
	if !meetings {
		m := p.machine(nothing, func(*ir.Instr) bool { return true })
		m.all = true
		m.run()
		p.take(m)
	}
}

func (p *proof) take(m *machine) {
	p.r.Open = append(p.r.Open, m.open...)
	p.r.Queries += m.queries
}

// writes reports whether the kernel writes to memory of a region.
func (p *proof) writes(r memmodel.Region) bool {
	for i := range p.k.Program.Objects {
		if p.written[i] && (p.k.Program.Objects[i].Region == memmodel.Local) == (r == memmodel.Local) {
			return true
		}
	}
	return false
}

// every reports whether all meetings are barriers that count.
func (p *proof) every(counts func(*ir.Instr) bool) bool {
	code := p.k.Program.Funcs[p.k.Func].Code
	for pc := range code {
		if in := &code[pc]; in.Op == ir.OpBarrier && (in.SubGroup || !counts(in)) || in.Op == ir.OpCollective || in.Op == ir.OpAsyncCopy || in.Op == ir.OpWaitCopies {
			return false
		}
	}
	return true
}
