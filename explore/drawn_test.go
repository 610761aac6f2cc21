package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// Many tests ask the same of random programs: what the axioms say, and what a search finds with each reduction, with promises and
// without. So each program is one drawn, from which all tests have their results, and each search is performed once.

// drawn is a program under one reading of the text, with what has been found of it. Several tests may ask at a time.
type drawn struct {
	*ir.Program
	spec memmodel.Spec
	most int // candidate executions that are gone through, as far as a test does not need more of them
	mu   sync.Mutex
	done map[string]*asked // by what was asked for
}

// asked is one kind of search of a program, or of enumerations of its executions.
type asked struct {
	mu         sync.Mutex // held while somebody finds out
	searches   []*searched
	executions []enumerated
}

// searched is what a search came to. It is not to be changed.
type searched struct {
	*Result
	bound   int    // Options.MaxStates
	covered []byte // what it notes of the code that is executed
}

// enumerated is what the axioms say, or why they say nothing.
type enumerated struct {
	axiom.Result
	bound int // axiom.Options.MaxCandidates
	err   error
}

// as prepares to ask of a program.
func as(p *ir.Program, spec memmodel.Spec) *drawn {
	return &drawn{Program: p, spec: spec, most: 100_000, done: map[string]*asked{}}
}

// mostDrawn bounds the programs that are kept for further tests. A usual run draws fewer.
const mostDrawn = 2000

var (
	drawnMutex sync.Mutex
	allDrawn   = map[string]*drawn{}
)

// draw returns the program of a style and a seed, which is not to be changed. Its reading is that whose turn it is.
func draw(style randprog.Style, seed int) *drawn {
	drawnMutex.Lock()
	defer drawnMutex.Unlock()
	key := fmt.Sprint(style, seed)
	d := allDrawn[key]
	if d == nil {
		d = as(style.Program(uint64(seed)), memmodel.Specs[seed%len(memmodel.Specs)])
		if tooMany(style) {
			d.most = thorough.Of(20_000, d.most)
		}
		if len(allDrawn) < mostDrawn {
			allDrawn[key] = d
		}
	}
	return d
}

// tooMany reports whether programs of a style that have more than 20,000 candidate executions, or paths of a thread, nearly always have more than any
// bound: units add to one cell in all orders, or go one of many ways by what they count.
func tooMany(style randprog.Style) bool { return style == randprog.Met || style == randprog.Histogram }

// of returns what was asked for under a name.
func (d *drawn) of(what string) *asked {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.done[what]
	if a == nil {
		a = &asked{}
		d.done[what] = a
	}
	return a
}

// search performs a search for all that can go wrong, and leaves schedules as they are found, unless somebody else
// has. The options are all that matters to what it finds, and hold no functions.
func (d *drawn) search(opt Options) *searched {
	opt.Spec, opt.All, opt.KeepSchedule = d.spec, true, true
	a := d.of(d.key(opt))
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.searches {
		if s.serves(opt) {
			return s
		}
	}
	search, _ := searchOf(context.Background(), d.Program, opt)
	defer search.close()
	s := &searched{Result: search.result, bound: opt.MaxStates, covered: search.m.Notes().Learnt().Covered}
	a.searches = append(a.searches, s)
	return s
}

// key names a search by all that matters to it but the bound on states. What is asked for of promises matters as far as
// allowPromises has something come of it.
func (d *drawn) key(opt Options) string {
	look := loadbuffering.Where
	switch {
	case opt.everywhere:
		look = loadbuffering.Everywhere
	case opt.needless:
		look = loadbuffering.Anywhere
	}
	where, matters := look(state.Knowing(facts.Of(d.Program, d.spec)))
	where.Enough, where.Unaided = nil, false // as all that can go wrong is searched for
	if !matters {
		opt.Promises = 0
	}
	opt.everywhere, opt.needless, opt.MaxStates = false, false, 0
	if opt.Promises < 0 {
		return fmt.Sprintf("%+v", opt)
	}
	return fmt.Sprintf("%+v %t %+v", opt, matters, where)
}

// serves reports whether a search has found what one with these options, up to the bound on states, will. A bound that
// was not met is as good as any other one that is not.
func (s *searched) serves(opt Options) bool {
	if s.bound == opt.MaxStates {
		return true
	}
	if opt.NoCache || opt.Workers > 1 || bounded(s.Result) {
		return false
	}
	return opt.MaxStates == 0 || s.Stats.First+s.Stats.States+s.Stats.Probed <= opt.MaxStates
}

// axioms returns what the axioms say of the program's executions, unless there are too many candidates.
func (d *drawn) axioms(opt axiom.Options) (*axiom.Result, error) {
	bound := opt.MaxCandidates
	opt.MaxCandidates = 0
	a := d.of(fmt.Sprintf("%+v", opt))
	opt.MaxCandidates = bound
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.executions {
		if e := &a.executions[i]; e.serves(bound) {
			return &e.Result, e.err
		}
	}
	r, err := axiom.Run(d.Program, d.spec, opt)
	a.executions = append(a.executions, enumerated{r, bound, err})
	return &a.executions[len(a.executions)-1].Result, err
}

// serves reports whether enumerations with another bound on candidates end as this one: each ends within it, or fails for another
// reason, or has too many of them for this bound, too.
func (e *enumerated) serves(bound int) bool {
	switch {
	case e.bound == bound:
		return true
	case e.err == nil:
		return e.bound < bound || bound == 0
	}
	return !errors.Is(e.err, axiom.ErrCandidates) || bound > 0 && bound < e.bound
}

// eachStyle tests a property of random programs, style by style, several at a time. When all have ended, then is called.
func eachStyle(t *testing.T, list []randprog.Style, test func(t *testing.T, style randprog.Style), then func()) {
	t.Helper()
	if then != nil {
		t.Cleanup(func() {
			if !t.Failed() {
				then()
			}
		})
	}
	tested := map[randprog.Style]bool{}
	for _, style := range list {
		if tested[style] {
			continue
		}
		tested[style] = true
		t.Run(string(style), func(t *testing.T) {
			t.Parallel()
			test(t, style)
		})
	}
}

// shrunk returns a smallest program of which something still holds, for somebody to read: where a mutant is active nobody does.
func shrunk(p *ir.Program, fails func(*ir.Program) bool) *ir.Program {
	if os.Getenv(mutant.Environment) != "" {
		return p
	}
	return randprog.Shrink(p, fails)
}

// tally counts what several goroutines see.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

// add adds to what is counted under a name.
func (c *tally) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[what] += n
}
