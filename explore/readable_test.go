package explore

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
)

// bothCells reads and writes two cells, x and w.
const bothCells = `store(&x, load(&x, rlx)+1, rlx); store(&w, load(&w, rlx)+1, rlx); `

// oneAtATime are programs of three work-items that read and write x and w in turn, as each acquires what the one before has released. So what one
// reads another has written before (rule 6.1), and no write is read early: who reads x or w reads what those have written who had their turns
// before, all of whom have gone on to release. For all that the analysis of threads knows, who writes one may have read the other of who comes later.
var oneAtATime = map[string][]string{
	"by flags":               {bothCells + `store(&y, 1, rel)`, `for load(&y, acq) != 1 {}; ` + bothCells + `store(&z, 1, rel)`, `for load(&z, acq) != 1 {}; ` + bothCells},
	"by fences":              {bothCells + `fence(rel); store(&y, 1, rlx)`, `for load(&y, rlx) != 1 {}; fence(acq); ` + bothCells + `fence(rel); store(&z, 1, rlx)`, `for load(&z, rlx) != 1 {}; fence(acq); ` + bothCells},
	"by one cell":            slices.Repeat([]string{`me := int32(cl.GetGlobalID(0)); for load(&y, acq) != me {}; ` + bothCells + `store(&y, me+1, rel)`}, 3),
	"by who came before":     slices.Repeat([]string{`t := add(&z, 1, rlx); for load(&y, acq) != t {}; ` + bothCells + `store(&y, t+1, rel)`}, 3),
	"by a read-modify-write": slices.Repeat([]string{`t := add(&z, 1, rlx); for load(&y, acq) != t {}; ` + bothCells + `add(&y, 1, rel)`}, 3),
	"by one who reads only":  {bothCells + `store(&y, 1, rel)`, `for load(&y, acq) != 1 {}; load(&x, rlx); load(&w, rlx); store(&z, 1, rel)`, `for load(&z, acq) != 1 {}; ` + bothCells},
}

// Where units read and write in turn, the search without promises shows that none can be read, and no other follows.
func TestNoneReadable(t *testing.T) {
	for name, does := range oneAtATime {
		p := doing(does...)
		if r := Run(context.Background(), p, Options{}); r.Promises > 0 || r.LoadBuffering || r.Verdict != Verified {
			t.Errorf("%s: %v, %d promises", name, r.Verdict, r.Promises)
		}
		if _, matters := loadbuffering.Where(state.NewMachine(p, memmodel.Specs[0])); !matters {
			t.Logf("%s: the analysis of threads says so, too", name)
		}
		if r := Run(context.Background(), p, Options{POR: por.None, MaxStates: 1000}); len(r.Violations) > 0 {
			t.Errorf("%s: %v without reduction", name, kinds(r))
		}
	}
}

// readPromises are programs in which some promise is read: work-item 0 observes 1.
var readPromises = map[string][]string{
	"who comes later writes early":    {`d = load(&x, rlx); store(&y, 1, rlx)`, `for load(&y, rlx) != 1 {}; store(&x, 1, rlx)`},
	"what releases does not order it": {`d = load(&x, rlx); store(&w, 1, rlx); store(&y, 1, rel)`, `if load(&w, rlx) == 1 { store(&x, 1, rlx) }`},
	"a third is told":                 {`d = load(&x, rlx); store(&w, 1, rlx)`, `if load(&w, rlx) == 1 { store(&z, 1, rel) }`, `if load(&z, acq) == 1 { store(&x, 1, rlx) }`},
	// Work-item 1 promises x, as it may be the first at y, and then work-item 0 w, as it may be the first and read x. Work-item 2 reads w and writes
	// z. Work-item 1 is the first at y, and work-item 0 keeps its promise by z.
	"by another way than it came": {`if or(&y, 1, rlx) == 0 { if load(&x, rlx) == 1 { store(&w, 1, rlx) } } else if load(&z, rlx) == 1 { d = 1; store(&w, 1, rlx) }`,
		`if or(&y, 1, rlx) == 0 && load(&z, rlx) < 5 { store(&x, 1, rlx) }`, `if load(&w, rlx) == 1 { store(&z, 1, rel) }`},
}

// Where a promise is read, the search with promises comes, and finds what comes of that.
func TestSomeReadable(t *testing.T) {
	for name, does := range readPromises {
		for _, mode := range por.Modes() {
			r := Run(context.Background(), doing(does...), Options{POR: mode, All: true})
			if !r.Complete || r.Promises == 0 || !slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool { return o["0:told"] == 1 }) {
				t.Errorf("%s, %s: %v, %d promises, outcomes %v", name, mode, kinds(r), r.Promises, fmt.Sprint(r.Outcomes))
			}
		}
	}
}

// takesTurns is a kernel of work-items that take their turns by tickets, with what comes after it in main.
const takesTurns = `package main

import "github.com/clmc/clmc/models/cl"

const dev = cl.MemoryScopeDevice

var next, serving, x, w cl.AtomicUint

func add(x *cl.AtomicUint) {
	cl.AtomicStoreExplicit(x, cl.AtomicLoadExplicit(x, cl.MemoryOrderRelaxed, dev)+1, cl.MemoryOrderRelaxed, dev)
}

func k() {
	ticket := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, dev)
	for cl.AtomicLoadExplicit(&serving, cl.MemoryOrderAcquire, dev) != ticket {
	}
	add(&x)
	add(&w)
	cl.AtomicStoreExplicit(&serving, ticket+1, cl.MemoryOrderRelease, dev)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(3, 1))
%s
}
`

// What a host reads when all work-items have ended is not read early. What the host reads beside them may be:
// this one hands them the turn, and is no work-item of their kernel.
func TestNoneReadableByHost(t *testing.T) {
	for name, c := range map[string]struct {
		then  string
		early bool
	}{
		"the host reads at the end":  {"	cl.Finish()\n	cl.Assert(cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed) == 3, \"all\")", false},
		"the host reads beside them": {"	cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed)\n	cl.AtomicStoreExplicit(&w, 0, cl.MemoryOrderRelaxed)\n	cl.Finish()", true},
	} {
		p := must(load.Source("turns.go", []byte(fmt.Sprintf(takesTurns, c.then)), load.Options{}))
		if r := Run(context.Background(), p, Options{MaxStates: 30}); r.LoadBuffering != c.early {
			t.Errorf("%s: %v, %d promises, %d states", name, r.Verdict, r.Promises, r.Stats.States)
		}
	}
}

// Where a search that makes no promise shows that none can be read, the outcomes are those of a search that makes each promise.
func TestNoneReadableOfRandom(t *testing.T) {
	t.Parallel()
	var all atomic.Int32
	tried := []randprog.Style{randprog.Sections, randprog.Guarded}
	if *styles != "" {
		tried = chosen()
	}
	eachStyle(t, tried, func(t *testing.T, style randprog.Style) {
		n, matters := 0, 0
		for seed := range seeds.All() {
			p := draw(style, seed)
			opt := Options{POR: por.DPOR, MaxStates: 20_000, Promises: manyPromises}
			r := p.search(opt)
			if r.Promises > 0 || !r.Complete {
				if r.Promises > 0 {
					matters++
				}
				continue
			}
			opt.POR = por.None
			full := p.search(opt)
			if !full.LoadBuffering || !full.Complete { // the analysis of threads says so as well
				continue
			}
			n++
			r.LoadBuffering = true
			if d := disagreement(r.Result, full.Result); d != "" {
				t.Fatalf("%s, seed %d, spec %s: %s\n%s", style, seed, p.spec.Name, d, randprog.Format(p.Program))
			}
		}
		t.Logf("%s: %d compared, %d with promises", style, n, matters)
		all.Add(int32(n))
	}, func() {
		if n := int(all.Load()); *styles == "" && n < seeds.N()/8 {
			t.Errorf("only %d programs were compared", n)
		}
	})
}
