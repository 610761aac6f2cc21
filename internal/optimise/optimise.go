package optimise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Options say what is searched.
type Options struct {
	Configs []Config        // in each of which an assignment must verify
	Specs   []memmodel.Spec // under each of which it must
	// Strongest begins with each site at its strongest, and not with the source.
	Strongest bool
	Cost      *Table
	// Fast weakens one site after the other.
	Fast bool
	// RemoveBarriers takes barriers out, too.
	RemoveBarriers bool
	Mem            int // bytes of the visited states of one search, 0 for no bound
	// Liveness, if set, is asked of each assignment, too.
	Liveness *explore.Liveness
	// Workers is how many searches may be under way at a time; 0 means one.
	Workers int
	// Store is a folder that keeps what has been checked, so that the search can go on from there; "" for none.
	Store string
	// Traces is a folder for an execution of each single weakening that goes wrong; "" for none.
	Traces string
	// Modernise rewrites atomic functions of OpenCL 1.x to those that have an order.
	Modernise bool
	// Version names the program that searches: another one may come to another result.
	Version string
	// Timed says that the search may have to end before its time: what it comes to is confirmed at once then.
	Timed bool
	// Slice bounds one search of a candidate; 0 means no bound.
	Slice time.Duration
	up    bool
	// anyScope leaves scopes to the readings alone, for tests.
	anyScope bool
	// anyFlags lets fences leave out memory that their functions use, for tests.
	anyFlags bool
}

func (o *Options) workers() int { return max(o.Workers, 1) }

func (o *Options) bounds() bounds { return bounds{down: !o.Strongest && !o.up, up: o.up} }

// Robust are the readings that must all verify by default. popl16 has no scopes, so that there is nothing of scope to verify in it.
func Robust() (all []memmodel.Spec) {
	for _, name := range []string{"3.0", "2.0", "3.1", "popl16-scoped"} {
		s, err := memmodel.ParseSpec(name)
		if err != nil {
			panic(err)
		}
		all = append(all, s)
	}
	return all
}

// finder is a search of assignments.
type finder struct {
	*problem
	*checker
	ctx   context.Context
	cores []*core
	r     *Result
	// What has been verified as it is written.
	confirmed      assignment
	confirmedTexts map[string]string
	fault          error // a defect of clmc that has shown
}

// Run finds the cheapest assignment of a model that verifies.
func Run(ctx context.Context, t model.Target, opt Options) (*Result, error) {
	p, err := newProblem(ctx, t, &opt)
	if errors.Is(err, guard.ErrLeft) {
		return &Result{Model: string(t), Verdict: Inconclusive, Why: "the search has not begun: " + err.Error(), p: p}, nil
	}
	if err != nil {
		return nil, err
	}
	if len(p.sites) == 0 || len(p.dims) == 0 {
		return nil, noSites(t, p)
	}
	f := &finder{problem: p, checker: newChecker(p), ctx: ctx}
	f.r = &Result{Model: string(t), Lattice: p.size(1e300), Was: p.written(), p: p}
	if f.store, err = openLog(p); err != nil {
		return nil, err
	}
	defer f.store.close()
	began := time.Now()
	err = f.run()
	if f.store != nil && f.store.err != nil {
		f.r.warnings = append(f.r.warnings, fmt.Sprintf("--store: not all checks are kept: %v", f.store.err))
	}
	f.r.Checks, f.r.Replays, f.r.Cores, f.r.Elapsed = f.checks, f.replays, len(f.cores), time.Since(began)
	return f.r, err
}

func noSites(t model.Target, p *problem) error {
	text := fmt.Sprintf("%s: it has no atomic operation, fence or barrier that could be weaker", t)
	for i, s := range p.kept {
		if i < 3 {
			text += fmt.Sprintf("\n%s: the %v stays as it is: %s", s.at(), s.ID.Kind, s.kept)
		}
	}
	return fmt.Errorf("%s", text)
}

// run searches, and makes the result.
func (f *finder) run() error {
	start, from := map[ir.SiteID]ir.Strength{}, f.source
	if f.opt.Strongest {
		from = f.ends(true)
		start = f.strengths(from)
	}
	began := time.Now()
	v, bad := f.check(f.ctx, start)
	f.pace(time.Since(began))
	unsure := v == undecided && f.opt.Strongest && !f.opt.Fast && f.ctx.Err() == nil // what is weaker may be decided, as it has fewer seq_cst operations
	if f.r.begin(v, bad, f.ctx); v != verified && !unsure {
		return nil
	}
	var best assignment
	if !unsure && (f.opt.Strongest || f.same) {
		best = slices.Clone(from)
	}
	if f.opt.Fast {
		best = f.greedy(f.ends(true))
	} else {
		best = f.hit(best)
		best = f.sweep(best)
	}
	if best != nil && f.ctx.Err() == nil {
		best = f.singles(best)
	}
	return f.conclude(best)
}

// pace bounds the search of a candidate by what the start has taken, unless the user has said how long one may take.
func (f *finder) pace(took time.Duration) {
	if f.opt.Slice == 0 {
		f.slice = max(leastSlice, 30*took)
	}
}

const leastSlice = 20 * time.Second

// hit checks the cheapest assignments that no core kills, as many at a time as there are workers, until one verifies.
func (f *finder) hit(best assignment) assignment {
	limit := int64(unlimited)
	if best != nil {
		limit = f.cost(best)
	}
	for {
		batch, cost := f.candidates(limit)
		if f.over() {
			f.r.late(f.cost(f.ends(false)))
			return best
		}
		if len(batch) == 0 {
			return best
		}
		f.r.Bound = cost
		answers := f.checkAll(f.ctx, f.all(batch))
		for i, x := range batch {
			switch a := &answers[i]; {
			case a.verdict == verified:
				if f.confirm(x) {
					return x
				}
				f.cores = append(f.cores, &core{x: x, exact: true})
			case f.over():
			case a.verdict == violated && !slices.ContainsFunc(f.cores, func(c *core) bool { return f.kills(c, x) }):
				f.cores = append(f.cores, f.core(x, a.bad))
			case a.verdict == undecided:
				f.r.Undecided++
				f.cores = append(f.cores, &core{x: x, exact: true})
			}
			if f.over() {
				f.r.late(cost)
				return best
			}
		}
		if f.stuck() {
			f.r.late(cost)
			f.r.ended = "too many candidates say nothing of others"
			return best
		}
	}
}

// candidates are the cheapest assignments that no core kills, the cheapest of them first, with what that costs.
func (f *finder) candidates(limit int64) (batch []assignment, least int64) {
	cores := slices.Clone(f.cores)
	for range f.opt.workers() {
		x, cost := f.cheapest(cores, limit, f.over)
		if x == nil || f.over() {
			break
		}
		if batch = append(batch, x); len(batch) == 1 {
			least = cost
		}
		cores = append(cores, &core{x: x, exact: true})
	}
	return batch, least
}

// all are the strengths of several assignments.
func (f *finder) all(list []assignment) (all []map[ir.SiteID]ir.Strength) {
	for _, x := range list {
		all = append(all, f.strengths(x))
	}
	return all
}

// confirm reports whether an assignment verifies as it is written, too. Only what is confirmed is a result.
func (f *finder) confirm(x assignment) bool {
	texts := f.rewritten(f.strengths(x))
	v, bad, err := f.verifies(texts)
	switch {
	case err != nil:
		f.fault = fmt.Errorf("%s: what was found cannot be written: %w", f.target, err)
	case v == violated:
		f.fault = Unsound{fmt.Errorf("%s: what was found verifies, and as it is written it does not: %s", f.target, bad.text)}
	case v == verified:
		f.confirmed, f.confirmedTexts = slices.Clone(x), texts
		return true
	}
	return false
}

// maxExact bounds the cores that say something of one assignment alone.
const maxExact = 200

// stuck reports whether there are so many of them that the search does not get on.
func (f *finder) stuck() bool {
	n := 0
	for _, c := range f.cores {
		if c.exact {
			n++
		}
	}
	return n > maxExact
}

// over reports whether there is no more time.
func (f *finder) over() bool {
	if f.ctx.Err() == nil {
		return false
	}
	f.r.ended = ending(f.ctx, "")
	return true
}

// core makes an assignment that goes wrong as strong as the same execution still shows.
func (f *finder) core(x assignment, bad *failing) *core {
	y := slices.Clone(x)
	if bad.moves == nil && f.launches[0].m.Test == nil && bad.kind != state.MayRun { // nothing can be repeated: CL1012 may hold again of what is weaker
		return &core{x: y, exact: true}
	}
	for d := range f.dims {
		dim := &f.dims[d]
		for _, v := range dim.stronger(y[d]) {
			was := y[d]
			y[d] = v
			if f.stillWrong(bad, y) {
				break
			}
			y[d] = was
		}
	}
	return &core{x: y}
}

// stronger lists the values that are stronger than one, the strongest first.
func (d *dim) stronger(v uint8) (all []uint8) {
	for w := range d.values {
		if uint8(w) != v && d.weaker(v, uint8(w)) {
			all = append(all, uint8(w))
		}
	}
	slices.SortStableFunc(all, func(a, b uint8) int {
		switch {
		case d.weaker(a, b):
			return 1
		case d.weaker(b, a):
			return -1
		}
		return 0
	})
	return all
}

// stillWrong reports whether what went wrong goes wrong under another assignment, too. The condition of a litmus test is searched for.
func (f *finder) stillWrong(bad *failing, y assignment) bool {
	if bad.moves != nil {
		return f.goesWrong(bad, f.strengths(y))
	}
	v, _ := f.search(f.ctx, bad.q, f.base(bad.q), f.strengths(y), explore.Options{Liveness: f.opt.Liveness})
	return v == violated
}

// greedy weakens one dimension after the other, as far as what comes of it verifies.
func (f *finder) greedy(x assignment) assignment {
	if v, _ := f.check(f.ctx, f.strengths(x)); v != verified {
		return nil
	}
	for d := range f.dims {
		for v := range f.dims[d].values {
			if uint8(v) == x[d] || !f.dims[d].weaker(uint8(v), x[d]) || f.over() {
				continue
			}
			y := slices.Clone(x)
			y[d] = uint8(v)
			if ok, _ := f.check(f.ctx, f.strengths(y)); ok == verified && (!f.opt.Timed || f.confirm(y)) {
				x = y
				break
			}
		}
	}
	if f.over() {
		f.r.late(f.cost(f.ends(false)))
	}
	return x
}

// sweepable bounds the assignments that are all gone through: weakening is not monotone, so that a core can say too much.
const sweepable = 300

// sweep goes through what costs less, where that is little.
func (f *finder) sweep(best assignment) assignment {
	if best == nil || f.size(sweepable+1) > sweepable || f.over() {
		return best
	}
	type candidate struct {
		x    assignment
		cost int64
	}
	var all []candidate
	x := make(assignment, len(f.dims))
	var each func(d int)
	each = func(d int) {
		if d == len(x) {
			if c := f.cost(x); c < f.cost(best) {
				all = append(all, candidate{slices.Clone(x), c})
			}
			return
		}
		for v := range f.dims[d].values {
			x[d] = uint8(v)
			each(d + 1)
		}
	}
	each(0)
	slices.SortStableFunc(all, func(a, b candidate) int { return int(a.cost - b.cost) })
	decided := true
	for _, c := range all {
		if f.over() {
			return best
		}
		switch v, _ := f.check(f.ctx, f.strengths(c.x)); {
		case v == verified && f.confirm(c.x):
			f.r.Exhaustive = decided
			return c.x
		case v != violated:
			decided = false
		}
	}
	f.r.Exhaustive = decided && !f.over()
	return best
}

// singles tries each single weakening of a result, and says why it fails. One that verifies and costs less is the new result.
func (f *finder) singles(x assignment) assignment {
again:
	f.r.Singles = nil
	for d := range f.dims {
		dim := &f.dims[d]
		for v := range dim.values {
			if !dim.justBelow(uint8(v), x[d]) {
				continue
			}
			y := slices.Clone(x)
			y[d] = uint8(v)
			now := f.strengths(y)
			if f.over() {
				f.r.late(f.r.Bound)
				return x
			}
			if sameStrengths(now, f.strengths(x)) {
				continue
			}
			ok, bad := f.check(f.ctx, now)
			if ok == verified && f.cost(y) < f.cost(x) && f.confirm(y) {
				x = y
				goto again
			}
			if ok != verified {
				f.r.Singles = append(f.r.Singles, single{d, uint8(v), ok, bad, 0})
			}
		}
	}
	return x
}

// justBelow reports whether a value is weaker than another one, with none between them.
func (d *dim) justBelow(a, b uint8) bool {
	return a != b && d.weaker(a, b) && d.above[a]&d.below[b] == 1<<a|1<<b
}

func sameStrengths(a, b map[ir.SiteID]ir.Strength) bool {
	if len(a) != len(b) {
		return false
	}
	for id, s := range a {
		if t, ok := b[id]; !ok || s != t {
			return false
		}
	}
	return true
}

// conclude makes the result of the best assignment, which has been verified as it is written.
func (f *finder) conclude(best assignment) error {
	r := f.r
	if f.fault != nil {
		return f.fault
	}
	if best == nil && r.Verdict != "" { // the start is not decided, and nothing below it verifies
		return nil
	}
	if r.Verdict, r.Why = "", ""; best == nil || f.cost(best) >= r.Was && f.sourceVerifies() {
		r.decide(nil)
		return f.trace(best)
	}
	if !slices.Equal(best, f.confirmed) {
		if !f.confirm(best) {
			if f.fault == nil {
				r.undecide("what was found could not be verified as it is written")
			}
			return f.fault
		}
	}
	r.Cost, r.Texts = f.cost(best), f.confirmedTexts
	err := f.trace(best)
	r.decide(best)
	return err
}

// Unsound is the error of a result that does not verify as it is written, which is a defect of clmc.
type Unsound struct{ error }

// sourceVerifies reports whether the source does as it is written.
func (f *finder) sourceVerifies() bool {
	if !f.opt.Strongest {
		return true
	}
	v, _ := f.check(f.ctx, nil)
	return v == verified
}

// verifies reports what texts come to, explored as clmc explore does.
func (f *finder) verifies(texts map[string]string) (verdict, *failing, error) {
	j, err := f.asWritten(f.ctx, f.questions, texts)
	return j.verdict, j.bad, err
}

// reload loads a model again, from other texts.
func (p *problem) reload(ctx context.Context, l *launch, texts map[string]string) (*model.Model, error) {
	var sources []ir.Source
	for _, s := range l.m.Program.Sources {
		sources = append(sources, ir.Source{Name: s.Name, Text: texts[s.Name]})
	}
	return guard.Read(ctx, "load", func() (*model.Model, error) {
		return model.Again(l.m.Name, l.m.Program.Name, sources, p.target.IsLitmus(), l.Options)
	})
}
