package optimise

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
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
	Mem  int // bytes of the visited states of one search, 0 for no bound
	// Slice bounds one search of a candidate; 0 means no bound.
	Slice time.Duration
	up    bool
	// anyScope leaves scopes to the readings alone, for tests.
	anyScope bool
}

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
}

// Run finds the cheapest assignment of a model that verifies.
func Run(ctx context.Context, t model.Target, opt Options) (*Result, error) {
	p, err := newProblem(t, &opt)
	if err != nil {
		return nil, err
	}
	if len(p.sites) == 0 || len(p.dims) == 0 {
		return nil, noSites(t, p)
	}
	f := &finder{problem: p, checker: newChecker(p), ctx: ctx}
	f.r = &Result{Model: string(t), Lattice: p.size(1e300), Was: p.written(), p: p}
	began := time.Now()
	err = f.run()
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
	if f.r.begin(v, bad, f.ctx); v != verified {
		return nil
	}
	var best assignment
	if f.opt.Strongest || f.same {
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

// hit checks the cheapest assignment that no core kills, until one verifies.
func (f *finder) hit(best assignment) assignment {
	limit := int64(unlimited)
	if best != nil {
		limit = f.cost(best)
	}
	for {
		x, cost := f.cheapest(f.cores, limit, f.over)
		if f.over() {
			f.r.late(f.cost(f.ends(false)))
			return best
		}
		if x == nil {
			return best
		}
		f.r.Bound = cost
		switch v, bad := f.check(f.ctx, f.strengths(x)); {
		case v == verified:
			return x
		case f.over():
			f.r.late(cost)
			return best
		case v == violated:
			f.cores = append(f.cores, f.core(x, bad))
		default:
			f.r.Undecided++
			f.cores = append(f.cores, &core{x: x, exact: true})
		}
		if f.stuck() {
			f.r.late(cost)
			f.r.ended = "too many candidates say nothing of others"
			return best
		}
	}
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
	if bad.moves == nil && f.launches[0].m.Test == nil { // nothing can be repeated: CL1012 may hold again of what is weaker
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
	v, _ := f.search(f.ctx, bad.q, f.strengths(y), 0)
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
			if ok, _ := f.check(f.ctx, f.strengths(y)); ok == verified {
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
		switch v, _ := f.check(f.ctx, f.strengths(c.x)); v {
		case verified:
			f.r.Exhaustive = decided
			return c.x
		case undecided:
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
			if ok == verified && f.cost(y) < f.cost(x) {
				x = y
				goto again
			}
			if ok != verified {
				f.r.Singles = append(f.r.Singles, single{d, uint8(v), ok, bad})
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

// conclude makes the result of the best assignment: its text is loaded again, and must verify by itself.
func (f *finder) conclude(best assignment) error {
	r := f.r
	if best == nil || f.cost(best) >= r.Was && f.sourceVerifies() {
		r.decide(nil)
		return nil
	}
	now := f.strengths(best)
	texts := f.rewritten(now)
	v, bad, err := f.verifies(texts)
	switch {
	case err != nil:
		return fmt.Errorf("%s: what was found cannot be written: %w", f.target, err)
	case v == violated:
		return Unsound{fmt.Errorf("%s: what was found verifies, and as it is written it does not: %s", f.target, bad.text)}
	case v == undecided:
		r.undecide("what was found could not be verified as it is written")
		return nil
	}
	r.Cost, r.Texts = f.cost(best), texts
	r.decide(best)
	return nil
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

// verifies loads texts in every configuration, and explores them as clmc explore does, under every reading.
func (f *finder) verifies(texts map[string]string) (verdict, *failing, error) {
	ctx := context.WithoutCancel(f.ctx) // what is known to verify is not lost for want of a moment
	for _, l := range f.launches {
		m, err := f.reload(l, texts)
		if err != nil {
			return undecided, nil, err
		}
		for _, q := range f.questions {
			if q.launch != l {
				continue
			}
			if v, bad := f.explored(ctx, q, m, l.Promises); v != verified {
				return v, bad, nil
			}
		}
	}
	return verified, nil, nil
}

// reload loads a model again, from other texts.
func (p *problem) reload(l *launch, texts map[string]string) (*model.Model, error) {
	var sources []ir.Source
	for _, s := range l.m.Program.Sources {
		sources = append(sources, ir.Source{Name: s.Name, Text: texts[s.Name]})
	}
	return model.Again(l.m.Name, l.m.Program.Name, sources, p.target.IsLitmus(), l.Options)
}
