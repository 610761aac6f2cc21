package optimise

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// The verdicts.
const (
	Optimised    = "optimised"
	Nothing      = "nothing to weaken"
	NotVerified  = "not verified to begin with"
	Inconclusive = "inconclusive"
)

// Result is what a search comes to.
type Result struct {
	Model      string
	Verdict    string
	Why        string            // of NotVerified and Inconclusive
	Was, Cost  int64             // in thousandths
	Bound      int64             // nothing costs less, as far as weakening is monotone
	Late       bool              // there was no time to come to an end
	Exhaustive bool              // whatever costs less was tried
	Texts      map[string]string // with the result; nil if there is none
	Singles    []single          // single weakenings of the result, and why each of them fails
	Undecided  int               // candidates that could not be decided
	Lattice    float64           // how many assignments there are
	Checks     int
	Cores      int
	Replays    int
	Elapsed    time.Duration

	warnings []string
	ended    string // why there was no more time
	p        *problem
	best     assignment
}

// single is a single weakening of a result.
type single struct {
	d       int
	v       uint8
	verdict verdict
	bad     *failing
	trace   int // number of the trace that shows it; 0 if there is none
}

// begin notes what the start comes to.
func (r *Result) begin(v verdict, bad *failing, ctx context.Context) {
	switch v {
	case violated:
		r.Verdict, r.Why = NotVerified, bad.where()
	case undecided:
		r.Verdict, r.Why = Inconclusive, "the start is not decided: "+ending(ctx, "its search is not complete")
	}
}

func ending(ctx context.Context, otherwise string) string {
	if ctx.Err() == nil {
		return otherwise
	}
	if why := context.Cause(ctx); why != nil && !errors.Is(why, context.Canceled) {
		return why.Error()
	}
	return "it was interrupted"
}

// where says how something goes wrong, and under which reading and configuration.
func (f *failing) where() string {
	text := f.text + ", under " + f.q.spec.Name
	if f.q.launch.Name != "" {
		text += fmt.Sprintf(", configuration %q", f.q.launch.Name)
	}
	return text
}

func (r *Result) late(bound int64) { r.Late, r.Bound = true, bound }

func (r *Result) undecide(why string) { r.Verdict, r.Why = Inconclusive, why }

// decide makes the verdict of an assignment that is verified, or of none that is cheaper than the source.
func (r *Result) decide(best assignment) {
	switch r.best = best; {
	case best != nil:
		r.Verdict = Optimised
	case r.Late:
		r.Verdict, r.Why = Inconclusive, "there was no time to try everything, and nothing cheaper was found"
	default:
		r.Verdict, r.Cost = Nothing, r.Was
	}
}

// Change is what becomes of a site.
type Change struct {
	Site     string
	File     string
	Line     int
	Col      int
	What     string
	Call     string
	From, To string
	Weaker   []string // what fails if it is weaker
	Kept     string   // why it is not searched; "" if it is
}

// Changes lists all sites, in the order of the source.
func (r *Result) Changes() (all []Change) {
	x := r.best
	for _, s := range r.p.sites {
		to := s.Strength
		if x != nil {
			to = r.p.strength(s, x)
		}
		c := change(s)
		c.Call = s.call.Text(r.p.texts[s.ID.File])
		c.From, c.To = said(s, s.Strength, to), said(s, to, s.Strength)
		for _, w := range r.Singles {
			if w.d == s.order || w.d == s.flags || w.d == s.fail || w.d == s.scope && r.p.dims[w.d].sites[0] == r.p.number(s) {
				c.Weaker = append(c.Weaker, r.p.value(w.d, w.v)+" "+w.outcome())
			}
		}
		all = append(all, c)
	}
	for _, s := range r.p.kept {
		c := change(s)
		c.Kept = s.kept
		c.From = said(s, s.Strength, s.Strength)
		c.To = c.From
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b Change) int {
		switch {
		case a.File != b.File:
			return strings.Compare(a.File, b.File)
		case a.Line != b.Line:
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	return all
}

func change(s *site) Change {
	return Change{Site: s.at(), File: s.ID.File, Line: int(s.ID.Line), Col: int(s.ID.Col), What: s.ID.Kind.String()}
}

func (p *problem) number(s *site) int { return slices.Index(p.sites, s) }

func (w *single) outcome() string {
	if w.verdict == undecided {
		return "is not decided"
	}
	text := "fails: " + w.bad.text
	if w.trace > 0 {
		text += fmt.Sprintf(" (trace %d)", w.trace)
	}
	return text
}

// value names a value of a dimension.
func (p *problem) value(d int, v uint8) string {
	n := p.dims[d].values[v]
	switch p.dims[d].kind {
	case orderDim:
		if p.sites[p.dims[d].sites[0]].ID.Kind == ir.FenceSite && memmodel.Order(n) == memmodel.Relaxed {
			return "without it"
		}
		return short(memmodel.Order(n).String())
	case failDim:
		return "failure " + short(memmodel.Order(n).String())
	case scopeDim:
		return short(memmodel.Scope(n).String())
	}
	if n == gone {
		return "without it"
	}
	return flagsText(memmodel.Flags(n))
}

func short(s string) string {
	return strings.TrimPrefix(strings.TrimPrefix(s, "memory_order_"), "memory_scope_")
}

func flagsText(f memmodel.Flags) string {
	if f == 0 {
		return "no flags"
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(f.String(), "CLK_", ""), "_MEM_FENCE", ""), " ", "")
}

// said says how a site synchronises, as far as it differs from something else; all of it if it does not.
func said(s *site, now, other ir.Strength) string {
	if s.ID.Kind == ir.FenceSite && now.Order == memmodel.Relaxed || now.Gone {
		return "removed"
	}
	same := now == other || s.ID.Kind == ir.FenceSite && other.Order == memmodel.Relaxed
	var parts []string
	if s.ID.Kind != ir.BarrierSite {
		if same || now.Order != other.Order {
			parts = append(parts, short(now.Order.String()))
		}
		if now.Fail != other.Fail {
			parts = append(parts, "failure "+short(now.Fail.String()))
		}
		if same || now.Scope != other.Scope {
			parts = append(parts, short(now.Scope.String()))
		}
	}
	if (s.ID.Kind == ir.BarrierSite || s.ID.Kind == ir.FenceSite) && (same || now.Flags != other.Flags) {
		parts = append(parts, flagsText(now.Flags))
	}
	return strings.Join(parts, " ")
}

// Weakened counts the sites that the result changes, and all that may change.
func (r *Result) Weakened() (changed, all int) {
	if r.best != nil {
		for _, s := range r.p.sites {
			if r.p.strength(s, r.best) != s.Strength {
				changed++
			}
		}
	}
	return changed, len(r.p.sites)
}

// Line is the verdict line.
func (r *Result) Line() string {
	switch r.Verdict {
	case Optimised:
		changed, all := r.Weakened()
		text := fmt.Sprintf("verdict: optimised: %d of %d operations weakened, cost %s (was %s), verified %s", changed, all, Cost(r.Cost), Cost(r.Was), r.p.where())
		if r.Late {
			text += "; not all that is cheaper was tried"
		}
		return text
	case Nothing:
		return fmt.Sprintf("verdict: nothing to weaken: cost %s, verified %s", Cost(r.Was), r.p.where())
	}
	return fmt.Sprintf("verdict: %s (%s)", r.Verdict, r.Why)
}

// Claim says how far the result is the best.
func (r *Result) Claim() string {
	switch {
	case r.Verdict != Optimised && r.Verdict != Nothing:
		return ""
	case r.Late:
		return fmt.Sprintf("The time was over (%s). Nothing verifies that costs less than %s, as far as weakening is monotone.", r.ended, Cost(r.Bound))
	case r.Exhaustive:
		return "Whatever costs less was tried, and does not verify."
	}
	return "No single weakening verifies."
}

// Warnings say what the configurations do not show.
func (r *Result) Warnings() (out []string) {
	x := r.best
	narrow := false
	out = append(out, r.warnings...)
	for _, s := range r.p.sites {
		now := s.Strength
		if x != nil {
			now = r.p.strength(s, x)
		}
		narrow = narrow || s.ID.Kind != ir.BarrierSite && now.Scope == memmodel.ScopeSubGroup
	}
	groups, subs := r.p.sizes()
	if groups < 2 {
		out = append(out, "No configuration has two work-groups: what is needed between them was not asked for. Add one with --config.")
	}
	for _, k := range r.p.idle() {
		out = append(out, fmt.Sprintf("No configuration launches the kernel %s, and what it shares with others may have become weaker.", k))
	}
	if narrow && subs < 2 {
		out = append(out, "sub_group was chosen, and no configuration has a work-group with two sub-groups. Add one with --config.")
	}
	return out
}

var kernelHead = regexp.MustCompile(`(?m)^[^/\n]*\b(?:__)?kernel\s+(?:__attribute__\s*\(\(.*?\)\)\s*)*void\s+(\w+)\s*\(`)

// idle lists the kernels of kernel files that no configuration launches.
func (p *problem) idle() (names []string) {
	for _, file := range slices.Sorted(maps.Keys(p.texts)) {
		if filepath.Ext(file) != ".cl" || !p.own(file) {
			continue
		}
		for _, m := range kernelHead.FindAllStringSubmatch(p.texts[file], -1) {
			launched := slices.ContainsFunc(p.launches, func(l *launch) bool {
				return slices.ContainsFunc(l.m.Program.Funcs, func(f *ir.Func) bool { return f.Name == m[1] })
			})
			if !launched {
				names = append(names, m[1])
			}
		}
	}
	return names
}
