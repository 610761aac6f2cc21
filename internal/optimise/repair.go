package optimise

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/mend"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// The verdicts of a repair, besides Inconclusive.
const (
	Repaired = "repaired"
	NoRepair = "not repaired"
	NoFault  = "nothing to repair"
)

// Repairs is what the search upwards comes to.
type Repairs struct {
	Model     string
	Verdict   string
	Wrong     string   // what goes wrong without it
	Why       string   // of NoRepair and Inconclusive
	Ideas     []string // of NoRepair: what a report advises
	Was, Cost int64    // in thousandths
	Found     []Mended // all of that cost, at most maxRepairs
	Late      bool     // there was no time to see whether something cheaper does
	Lattice   float64
	Checks    int
	Cores     int
	Replays   int
	Undecided int
	Elapsed   time.Duration

	p *problem // the model as it is
}

// Mended is one repair.
type Mended struct {
	Changes []string // in words, each with its place in the source
	Texts   map[string]string
	cost    int64
}

// maxRepairs bounds the repairs of equal cost that are told.
const maxRepairs = 5

// repairer is a search for repairs.
type repairer struct {
	*finder
	out   *Repairs
	limit int64 // what is found costs less
}

// Repair finds the cheapest strengthening of a model that verifies.
func Repair(ctx context.Context, t model.Target, opt Options) (*Repairs, error) {
	opt.up, opt.Strongest = true, false
	source, err := newProblem(ctx, t, &opt)
	if errors.Is(err, guard.ErrLeft) {
		return &Repairs{Model: string(t), Verdict: Inconclusive, Why: "the search has not begun: " + err.Error(), p: source}, nil
	}
	if err != nil {
		return nil, err
	}
	out := &Repairs{Model: string(t), p: source, Was: source.written()}
	began := time.Now()
	defer func() { out.Elapsed = time.Since(began) }()
	r := &repairer{out: out, limit: unlimited}
	r.use(ctx, source)
	v, bad := r.check(ctx, nil)
	r.pace(time.Since(began))
	switch v {
	case verified:
		out.Verdict, out.Checks = NoFault, 1
		return out, nil
	case undecided:
		out.Verdict, out.Why = Inconclusive, "the model is not decided: "+ending(ctx, "its search is not complete")
		return out, nil
	}
	out.Wrong = bad.where()
	barriers, slice := r.barriers(bad), r.slice
	p := source.augmented(ctx)
	out.Lattice = p.size(1e300)
	searches := r.checks
	r.use(ctx, p)
	r.slice = slice
	r.checks += searches
	r.keep(barriers)
	r.climb()
	cores, replays := r.cores, r.replays
	if len(out.Found) == 0 && !r.over() {
		searches = r.checks
		r.use(ctx, source)
		r.slice = slice
		r.checks += searches
		r.keep(r.several(bad))
	}
	out.Checks, out.Replays = r.checks, replays
	for _, c := range cores {
		if !c.exact {
			out.Cores++
		}
	}
	r.conclude(bad)
	return out, nil
}

func (r *repairer) use(ctx context.Context, p *problem) {
	r.finder = &finder{problem: p, checker: newChecker(p), ctx: ctx, r: &Result{p: p, Was: p.written()}}
}

// keep adds repairs that are the cheapest so far, and drops those that are no longer.
func (r *repairer) keep(list []Mended) {
	for _, m := range list {
		if m.cost >= r.limit {
			continue
		}
		if m.cost+1 < r.limit {
			r.out.Found = nil
		}
		if r.limit = m.cost + 1; len(r.out.Found) < maxRepairs {
			r.out.Found = append(r.out.Found, m)
		}
	}
}

// climb checks the cheapest assignment above the source that no core kills, until as many verify as are told, or none is left.
func (r *repairer) climb() {
	out := r.out
	var done []assignment
	for len(done) < maxRepairs {
		limit := r.limit
		if len(out.Found) == maxRepairs { // only what costs less is told
			limit--
		}
		x, cost := r.cheapest(r.cores, limit, r.over, done...) // what is above a repair is more than is needed
		if r.over() || r.stuck() {
			out.Late = len(done) == 0
			return
		}
		if x == nil {
			return
		}
		switch v, bad := r.check(r.ctx, r.strengths(x)); {
		case v == verified:
			if m, ok := r.mended(x, cost); ok {
				r.keep([]Mended{m})
				done = append(done, x)
				continue
			}
			out.Undecided++
			r.cores = append(r.cores, &core{x: x, exact: true})
		case r.over():
			out.Late = len(done) == 0
			return
		case v == violated:
			r.cores = append(r.cores, r.core(x, bad))
		default:
			out.Undecided++
			r.cores = append(r.cores, &core{x: x, exact: true})
		}
	}
}

// above reports whether an assignment is as strong as another one everywhere.
func (p *problem) above(x, y assignment) bool {
	for d := range p.dims {
		if !p.dims[d].weaker(y[d], x[d]) {
			return false
		}
	}
	return true
}

// mended makes a repair of an assignment: its text must verify by itself.
func (r *repairer) mended(x assignment, cost int64) (Mended, bool) {
	now := r.strengths(x)
	m := Mended{Texts: r.rewritten(now), cost: cost}
	if v, _, err := r.verifies(m.Texts); err != nil || v != verified {
		return m, false
	}
	r.narrow(now, &m)
	for _, s := range r.sites {
		to, ok := now[s.ID]
		if !ok || to == s.Strength {
			continue
		}
		at := r.place(s.ID.File, s.ID.Line)
		if s.added {
			m.Changes = append(m.Changes, fmt.Sprintf("%s: a fence above the line: %s", at, said(s, to, to)))
		} else {
			m.Changes = append(m.Changes, fmt.Sprintf("%s: %s: %s -> %s", at, s.ID.Kind, said(s, s.Strength, to), said(s, to, s.Strength)))
		}
	}
	return m, true
}

// narrow takes the flags of the source away where others were added to them, if they do without: a barrier that named the wrong memory names the right one alone.
func (r *repairer) narrow(now map[ir.SiteID]ir.Strength, m *Mended) {
	for _, s := range r.sites {
		to, ok := now[s.ID]
		less := to
		less.Flags = to.Flags&^s.Flags | to.Flags&(s.needs|memmodel.ImageFence)
		if !ok || s.added || less == to || less.Flags&^memmodel.ImageFence == 0 {
			continue
		}
		for _, id := range s.ids() {
			now[id] = less
		}
		texts := r.rewritten(now)
		if v, _, err := r.verifies(texts); err == nil && v == verified {
			m.Texts, m.cost = texts, m.cost+r.price(s, less)-r.price(s, to)
			continue
		}
		for _, id := range s.ids() {
			now[id] = to
		}
	}
}

// place is a line as the source numbers it.
func (p *problem) place(file string, line int32) string {
	n := line
	for _, a := range p.added[file] {
		if a < line {
			n--
		}
	}
	return fmt.Sprintf("%s:%d", file, n)
}

// maxFences bounds the places at which a fence may be added.
const maxFences = 24

// augmented returns the problem with fences that could be added: above each statement that comes before or after one with an atomic operation. They are not
// there unless an assignment has them. Where the text with them does not load, it is the problem itself.
func (p *problem) augmented(ctx context.Context) *problem {
	at := p.beside()
	if q, _ := p.with(ctx, at); q == nil { // one is where no fence may be: each is tried alone
		at = slices.DeleteFunc(at, func(s spot) bool { q, _ := p.with(ctx, []spot{s}); return q == nil })
	}
	for range maxFences {
		if len(at) == 0 {
			return p
		}
		q, usable := p.with(ctx, at)
		if q == nil {
			return p
		}
		if len(usable) == len(at) {
			return q
		}
		at = usable
	}
	return p
}

// spot is a line above which something may be added.
type spot struct {
	file string
	line int
}

// atomics are the lines with an atomic operation, and those that call a function which performs one, by file.
func (p *problem) atomics() map[string][]int {
	out := map[string][]int{}
	for _, l := range p.launches {
		q := l.m.Program
		for _, s := range q.Sites() {
			if s.ID.Kind == ir.BarrierSite || s.ID.Kind == ir.FenceSite {
				continue
			}
			for _, at := range s.At {
				for pos := q.Positions[q.Funcs[at.Func].Code[at.PC].Pos]; pos.Line > 0; pos = q.Positions[q.Calls[pos.Call].Pos] {
					if name := q.Sources[pos.File].Name; !l.onHost[at.Func] && !slices.Contains(out[name], int(pos.Line)) {
						out[name] = append(out[name], int(pos.Line))
					}
					if pos.Call == 0 {
						break
					}
				}
			}
		}
	}
	return out
}

// beside lists the lines with a statement near an atomic operation.
func (p *problem) beside() (out []spot) {
	atomics := p.atomics()
	for _, file := range slices.Sorted(maps.Keys(p.texts)) {
		if !p.own(file) {
			continue
		}
		inGo := filepath.Ext(file) == ".go"
		lines := append(mend.Statements(p.texts[file], inGo), mend.Bodies(p.texts[file], inGo)...)
		slices.Sort(lines)
		for i, line := range lines {
			first, last := line, 1<<30
			if i > 0 {
				first = lines[i-1]
			}
			if i+1 < len(lines) {
				last = lines[i+1] - 1
			}
			near := slices.ContainsFunc(atomics[file], func(n int) bool { return n >= first && n <= last })
			if near && len(out) < maxFences {
				out = append(out, spot{file, line})
			}
		}
	}
	return out
}

// with returns the problem of the text with fences above some lines, and those of them that can be used; nil if that does not load.
func (p *problem) with(ctx context.Context, at []spot) (*problem, []spot) {
	texts, added := maps.Clone(p.texts), map[string][]int32{}
	byFile := map[string]map[int]string{}
	for _, s := range at {
		inGo := filepath.Ext(s.file) == ".go"
		fence := mend.Fence(inGo, mend.Qualifier(p.texts[s.file]), ir.Strength{Order: memmodel.AcqRel, Scope: memmodel.ScopeDevice, Flags: memmodel.LocalFence | memmodel.GlobalFence})
		if byFile[s.file] == nil {
			byFile[s.file] = map[int]string{}
		}
		byFile[s.file][s.line] = fence
		added[s.file] = append(added[s.file], int32(s.line+len(added[s.file])))
	}
	for file, above := range byFile {
		texts[file] = mend.Above(p.texts[file], above, filepath.Ext(file) == ".go")
	}
	var all []*model.Model
	for _, l := range p.launches {
		m, err := p.reload(ctx, l, texts)
		if err != nil {
			return nil, nil
		}
		all = append(all, m)
	}
	q, err := problemOf(ctx, p.target, p.opt, all, added)
	if err != nil {
		return nil, nil
	}
	q.original = p.original
	var usable []spot
	for i, s := range at {
		n := 0
		for _, o := range at[:i] {
			if o.file == s.file {
				n++
			}
		}
		if slices.ContainsFunc(q.sites, func(t *site) bool { return t.added && t.ID.File == s.file && int(t.ID.Line) == s.line+n }) {
			usable = append(usable, s)
		}
	}
	return q, usable
}

// first explores texts where the source has gone wrong.
func (r *repairer) first(texts map[string]string, bad *failing) (verdict, *failing) {
	m, err := r.reload(r.ctx, bad.q.launch, texts)
	if err != nil {
		return undecided, nil
	}
	r.checks++
	return r.explored(r.ctx, bad.q, m, explore.Options{Promises: explore.NoPromises})
}

// mends reports whether texts verify.
func (r *repairer) mends(texts map[string]string) bool {
	v, _, err := r.verifies(texts)
	return err == nil && v == verified
}

// conclude makes the verdict.
func (r *repairer) conclude(bad *failing) {
	out := r.out
	slices.SortStableFunc(out.Found, func(a, b Mended) int { return len(a.Changes) - len(b.Changes) })
	switch {
	case len(out.Found) > 0:
		out.Verdict, out.Cost = Repaired, out.Found[0].cost
	case out.Late:
		out.Verdict, out.Why = Inconclusive, "there was no time to try everything, and nothing was found"
		if r.finder.r.ended != "" {
			out.Why += ": " + r.finder.r.ended
		}
	case out.Undecided > 0:
		out.Verdict, out.Why = Inconclusive, plural(out.Undecided, "candidate")+" could not be decided, and no other mends it"
	default:
		out.Verdict, out.Why = NoRepair, "no change of orders, scopes, flags or barriers mends it"+r.untried()
		if t, err := trace.Build(bad.q.launch.m.Program, bad.q.spec, bad.v); err == nil {
			for _, w := range t.Why {
				if w.Repair != "" && !slices.Contains(out.Ideas, w.Repair) {
					out.Ideas = append(out.Ideas, w.Repair)
				}
			}
		}
	}
}

// untried tells of operations that could not be changed.
func (r *repairer) untried() string {
	kept := r.out.p.kept
	if len(kept) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s stayed as written, such as the %v at %s: %s", plural(len(kept), "operation"), kept[0].ID.Kind, kept[0].at(), kept[0].kept)
}

// Patch is a repair as a unified diff.
func (r *Repairs) Patch(m Mended) (string, error) { return Patch(r.p.original, m.Texts) }

// Text is the report, with the patches if they are asked for.
func (r *Repairs) Text(patch bool) string {
	var b strings.Builder
	if r.Wrong != "" {
		fmt.Fprintf(&b, "%s: %s\n", r.Model, r.Wrong)
	}
	for i, m := range r.Found {
		fmt.Fprintf(&b, "Repair %d of %d, cost %s (verified)\n", i+1, len(r.Found), Cost(m.cost))
		for _, c := range m.Changes {
			fmt.Fprintf(&b, "  %s\n", c)
		}
		if diff, err := r.Patch(m); err == nil && patch {
			b.WriteString(diff)
		}
	}
	for _, idea := range r.Ideas {
		fmt.Fprintf(&b, "Idea: %s\n", idea)
	}
	fmt.Fprintf(&b, "%s\n%s\n", effort(r.Checks, r.Cores, r.Replays), r.Line())
	return b.String()
}

// Line is the verdict line.
func (r *Repairs) Line() string {
	switch r.Verdict {
	case Repaired:
		text := fmt.Sprintf("verdict: repaired: cost %s (was %s), verified %s", Cost(r.Cost), Cost(r.Was), r.p.where())
		if r.Late {
			text += "; not all that is cheaper was tried"
		}
		return text
	case NoFault:
		return "verdict: nothing to repair: verified " + r.p.where()
	}
	return fmt.Sprintf("verdict: %s (%s)", r.Verdict, r.Why)
}

// Changed lists the files that a repair changes.
func (r *Repairs) Changed(m Mended) []string { return r.p.changed(m.Texts) }
