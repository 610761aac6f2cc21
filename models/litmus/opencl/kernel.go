package opencl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/state/ir"
)

// Kernel is a litmus test as a kernel in OpenCL C.
type Kernel struct {
	Name     string // of the function
	Test     string // the name of the test
	Mapping  Mapping
	Source   string   // the function
	play     string   // what is in it that plays an instance
	Helpers  []string // what of the mapping it calls
	Groups   int      // work-groups of the test
	Roles    int      // threads of the largest of them
	Threads  int
	sizes    []int             // threads of each group
	Barriers bool              // some threads pass barriers
	Globals  []litmus.Location // those in the buffer mem, in order
	Fine     []litmus.Location // those in fine-grained memory
	Locals   []litmus.Location // those in local memory
	Outs     int               // rows of the buffer out
	Vars     []Var             // where the variables of the outcome are, in the order of Test.Vars
	Needs    Needs
	// Loops: a thread has a loop, which may wait for a work-item that the device does not run.
	Loops bool
	// Stronger says in which ways the program orders more than the test: it can only hide outcomes.
	Stronger []string
}

// Var is where a variable of an outcome is found after a launch.
type Var struct {
	Name  string
	Place Place
	Index int // the row of out, or the number of the location
}

// Place is a buffer of outcomes. Its value is the number that clmc_check knows it by.
type Place int

// The buffers.
const (
	InOut Place = iota
	InMem
	InFine
)

// Needs is what a kernel asks of a device's built-in functions.
type Needs struct {
	Orders      []memmodel.Order // of atomic operations, without the relaxed
	Scopes      []memmodel.Scope // of atomic operations, wider than a work-group
	FenceOrders []memmodel.Order
	FenceScopes []memmodel.Scope
	Fine        bool // fine-grained memory with atomics
}

// Unmapped says why a test has no program, or none under a mapping.
type Unmapped struct{ Reason string }

func (e *Unmapped) Error() string { return e.Reason }

func unmapped(format string, args ...any) { panic(&Unmapped{fmt.Sprintf(format, args...)}) }

// emitter writes one kernel.
type emitter struct {
	*Kernel
	tree    *litmus.Tree
	mapping mapper
	group   []int             // of each thread
	role    []int             // of each thread within its group
	locs    map[string]*place // by name
	body    *strings.Builder
	temps   int
}

// place is a location with how the program calls it.
type place struct {
	litmus.Location
	space string // global or local
	ident string
	index int // among those of its buffer
	group int // of a local location: the work-group whose it is, -1 while nobody uses it
}

// Emit writes a test as a kernel of that name. An error is an *Unmapped.
func Emit(t *litmus.Tree, name string, m Mapping) (k *Kernel, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Unmapped:
			k, err = nil, e
		default:
			panic(e)
		}
	}()
	e := &emitter{Kernel: &Kernel{Name: name, Test: t.Name, Mapping: m, Threads: len(t.Threads)}, tree: t, locs: map[string]*place{}, body: &strings.Builder{}}
	e.mapping = mappers[m](e)
	e.placeThreads()
	e.placeLocations()
	e.placeOutcome()
	e.write()
	slices.Sort(e.Helpers)
	e.Helpers = slices.Compact(e.Helpers)
	slices.Sort(e.Stronger)
	e.Stronger = slices.Compact(e.Stronger)
	return e.Kernel, nil
}

// maxVars bounds the variables of an outcome: clmc_check keeps them in private memory.
const maxVars = 32

// placeThreads numbers work-groups, and threads within them.
func (e *emitter) placeThreads() {
	groups := map[uint16]int{}
	members := map[int]int{}
	first := e.tree.Threads[0].Place
	for _, t := range e.tree.Threads {
		switch {
		case t.Place.Device != first.Device:
			unmapped("it needs several devices")
		case t.Place.Kernel != first.Kernel:
			unmapped("it needs several kernels at a time")
		}
		g, ok := groups[t.Place.Group]
		if !ok {
			g = len(groups)
			groups[t.Place.Group] = g
		}
		e.group, e.role = append(e.group, g), append(e.role, members[g])
		members[g]++
		e.Roles = max(e.Roles, members[g])
	}
	e.Groups = len(groups)
	for g := range e.Groups {
		e.sizes = append(e.sizes, members[g])
	}
}

// placeLocations gives each location a buffer and a name.
func (e *emitter) placeLocations() {
	taken := map[string]bool{}
	for _, l := range e.tree.Locations {
		p := &place{Location: l, space: "global", ident: "v_" + identifier(l.Name), group: -1}
		if taken[p.ident] {
			p.ident = fmt.Sprintf("%s_%d", p.ident, len(taken))
		}
		taken[p.ident] = true
		list := &e.Globals
		switch {
		case l.Local:
			p.space, list = "local", &e.Locals
		case l.Fine:
			list = &e.Fine
			e.Needs.Fine = true
		}
		p.index = len(*list)
		*list = append(*list, l)
		e.locs[l.Name] = p
	}
	for i, t := range e.tree.Threads {
		visitNames(t.Body, func(name string) {
			p := e.locs[name]
			if !p.Local {
				return
			}
			if p.group >= 0 && p.group != e.group[i] {
				unmapped("several work-groups share the local location %s", name)
			}
			p.group = e.group[i]
		})
	}
}

// placeOutcome decides where the variables of the outcome are left.
func (e *emitter) placeOutcome() {
	if len(e.tree.Outcome) > maxVars {
		unmapped("its outcomes have more than %d variables", maxVars)
	}
	for _, v := range e.tree.Outcome {
		out := Var{Name: v.Name, Place: InOut, Index: e.Outs}
		if v.Thread >= 0 {
			out.Name = fmt.Sprintf("%d:%s", e.tree.Threads[v.Thread].Number, v.Name)
		} else if p := e.locs[v.Name]; !p.Local {
			out.Place, out.Index = InMem, p.index
			if p.Fine {
				out.Place = InFine
			}
		}
		if out.Place == InOut {
			e.Outs++
		}
		e.Vars = append(e.Vars, out)
	}
}

// identifier makes a name of C of a name of a test.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '_'
	}, name)
}

// visitNames calls visit with each location that statements access.
func visitNames(list []litmus.Stmt, visit func(string)) {
	visitCalls(list, func(x litmus.Expr) {
		switch x := x.(type) {
		case *litmus.Load:
			visit(x.Location)
		case *litmus.Call:
			if x.Location != "" {
				visit(x.Location)
			}
		}
	}, func(s *litmus.Store) { visit(s.Location) })
}

// visitCalls calls visit with each expression that is visible to others, and store with each plain store.
func visitCalls(list []litmus.Stmt, visit func(litmus.Expr), store func(*litmus.Store)) {
	for _, s := range list {
		switch s := s.(type) {
		case *litmus.Assign:
			visitExpr(s.Value, visit)
		case *litmus.Store:
			store(s)
			visitExpr(s.Value, visit)
		case *litmus.Do:
			visitExpr(s.Call, visit)
		case *litmus.If:
			visitExpr(s.Cond, visit)
			visitCalls(s.Then, visit, store)
			visitCalls(s.Else, visit, store)
		case *litmus.While:
			visitExpr(s.Cond, visit)
			visitCalls(s.Body, visit, store)
		}
	}
}

func visitExpr(x litmus.Expr, visit func(litmus.Expr)) {
	switch x := x.(type) {
	case *litmus.Load:
		visit(x)
	case *litmus.Unary:
		visitExpr(x.X, visit)
	case *litmus.Binary:
		visitExpr(x.X, visit)
		visitExpr(x.Y, visit)
	case *litmus.Call:
		visit(x)
		if x.Operand != nil {
			visitExpr(x.Operand, visit)
		}
		if x.Expected != nil {
			visitExpr(x.Expected, visit)
		}
	}
}

// isBarrier reports whether a statement is a barrier.
func isBarrier(s litmus.Stmt) bool {
	d, ok := s.(*litmus.Do)
	return ok && d.Call.Op == ir.OpBarrier
}

// phases splits a thread at its barriers.
func phases(body []litmus.Stmt) (parts [][]litmus.Stmt, barriers []*litmus.Call) {
	parts = [][]litmus.Stmt{nil}
	for _, s := range body {
		if isBarrier(s) {
			barriers = append(barriers, s.(*litmus.Do).Call)
			parts = append(parts, nil)
			continue
		}
		visitCalls([]litmus.Stmt{s}, func(x litmus.Expr) {
			if c, ok := x.(*litmus.Call); ok && c.Op == ir.OpBarrier {
				unmapped("it has a barrier in a branch or a loop")
			}
		}, func(*litmus.Store) {})
		parts[len(parts)-1] = append(parts[len(parts)-1], s)
	}
	return parts, barriers
}

// barriersOf returns the barriers that all threads of a group pass, in order.
func (e *emitter) barriersOf(g int) (common []*litmus.Call, parts map[int][][]litmus.Stmt) {
	parts = map[int][][]litmus.Stmt{}
	first := true
	for i, t := range e.tree.Threads {
		if e.group[i] != g {
			continue
		}
		p, barriers := phases(t.Body)
		parts[i] = p
		if first {
			common, first = barriers, false
			continue
		}
		if !slices.EqualFunc(common, barriers, sameBarrier) {
			unmapped("the threads of a work-group pass different barriers")
		}
	}
	for _, b := range common {
		if b.SubGroup {
			unmapped("it has a barrier of a sub-group")
		}
	}
	return common, parts
}

func sameBarrier(a, b *litmus.Call) bool {
	return a.Label == b.Label && a.Flags == b.Flags && a.Scope == b.Scope && a.SubGroup == b.SubGroup
}
