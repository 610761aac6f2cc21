package optimise

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/mend"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Repairs by statements that are added: barriers and fences, one or several, or a barrier that moves.

// maxBarriers bounds the places at which a barrier is tried.
const maxBarriers = 60

// addition is a statement that may come above another one.
type addition struct {
	kind ir.SiteKind // a barrier of the work-group, or a fence
	now  ir.Strength
}

// additions are those that may mend what goes wrong, each before what is stronger.
func (r *repairer) additions(bad *failing) (all []addition) {
	if bad.kind == state.UnfencedImage {
		return []addition{{kind: ir.FenceSite, now: ir.Strength{Order: memmodel.AcqRel, Scope: memmodel.ScopeWorkItem, Flags: memmodel.ImageFence}}}
	}
	flags := []memmodel.Flags{memmodel.LocalFence, memmodel.GlobalFence, memmodel.LocalFence | memmodel.GlobalFence}
	if slices.ContainsFunc(bad.q.launch.m.Program.Objects, func(o ir.Object) bool { return o.Region == memmodel.Image }) {
		flags = append(flags, memmodel.ImageFence, memmodel.ImageFence|memmodel.LocalFence|memmodel.GlobalFence)
	}
	for _, f := range flags {
		all = append(all, addition{kind: ir.BarrierSite, now: ir.Strength{Scope: memmodel.ScopeWorkGroup, Flags: f}})
	}
	return all
}

// text is the statement in a language, by the name that a text has for it.
func (a addition) text(inGo bool, text string) string {
	if a.kind == ir.FenceSite {
		return mend.Fence(inGo, mend.Qualifier(text), a.now)
	}
	return mend.Barrier(inGo, mend.Qualifier(text), text, a.now.Flags)
}

func (a addition) String() string {
	if a.kind == ir.FenceSite {
		return "a fence"
	}
	return "a barrier"
}

// cost is what an addition costs.
func (r *repairer) added(a addition) int64 {
	c := r.opt.Cost.of(a.kind, a.now)
	if a.kind == ir.BarrierSite {
		c++
	}
	return c
}

// barriers tries one barrier above each statement near what goes wrong, and returns those that verify and cost least. If none does, it tries several.
func (r *repairer) barriers(bad *failing) (out []Mended) {
	switch {
	case !r.meeting() && bad.kind != state.UnfencedImage || bad.kind == state.Unreachable:
		return nil
	case bad.kind == state.BarrierDivergence:
		return r.moved(bad)
	}
	all := r.additions(bad)
	var best int64 = unlimited
	for _, s := range r.between(r.texts, bad) {
		if r.over() {
			return out
		}
		if v, _ := r.with1(r.texts, s, all[len(all)-1], bad); v != verified {
			continue
		}
		for _, a := range all {
			cost := r.out.Was + r.added(a)
			if cost > best {
				continue
			}
			if v, texts := r.with1(r.texts, s, a, bad); v == verified && r.mends(texts) {
				best = cost
				out = append(out, Mended{Texts: texts, cost: cost, Changes: []string{fmt.Sprintf("%s:%d: %v above the line: %s", s.file, s.line, a, flagsText(a.now.Flags))}})
				break
			}
		}
	}
	return out
}

// maxStacked bounds the barriers of one repair, and maxTried the searches for it.
const (
	maxStacked = 3
	maxTried   = 200
)

// stacked is a barrier that a repair puts above a line of the source.
type stacked struct {
	spot
	flags memmodel.Flags
	as    string // how it was written where it stood; "" if it is new
}

// several tries several barriers: one that is in the way of what goes wrong, then one that is in the way of what goes wrong then. Last it moves one.
func (r *repairer) several(bad *failing) []Mended {
	if !r.meeting() || bad.kind != state.DataRace && bad.kind != state.AssertionFailed && bad.kind != state.UninitialisedRead {
		return nil
	}
	left := maxTried
	if y := r.rearranged(layout{}, bad, nil, &left); y != nil {
		return r.told(y)
	}
	return r.moved(bad) // one that is there may be where not all come by
}

// meeting reports whether two work-items of a group are there, which could meet at a barrier.
func (p *problem) meeting() bool {
	for _, l := range p.launches {
		seen := map[[2]uint32]bool{}
		for _, u := range l.cast {
			k := [2]uint32{u.place.Kernel, uint32(u.place.Group)}
			if seen[k] {
				return true
			}
			seen[k] = true
		}
	}
	return false
}

// between lists the statements of kernels, those first that are near where something goes wrong.
func (r *repairer) between(texts map[string]string, bad *failing) (out []spot) {
	near := map[string][]int{}
	p := bad.q.launch.m.Program
	if bad.program != nil {
		p = bad.program
	}
	if t, err := trace.Build(p, bad.q.spec, bad.v); err == nil {
		near[t.At.File] = append(near[t.At.File], t.At.Line)
		for _, id := range t.Accesses {
			if s := t.Step(id); s != nil {
				near[s.File] = append(near[s.File], s.Line)
			}
		}
	}
	far := map[spot]int{}
	for file, lines := range near {
		if file == "" || !r.own(file) {
			continue
		}
		for _, line := range mend.Statements(texts[file], filepath.Ext(file) == ".go") {
			s := spot{file, line}
			out, far[s] = append(out, s), 1<<30
			for _, n := range lines {
				far[s] = min(far[s], max(n-line, line-n-1))
			}
		}
	}
	slices.SortFunc(out, func(a, b spot) int { return cmp.Or(far[a]-far[b], strings.Compare(a.file, b.file), a.line-b.line) })
	return out[:min(len(out), maxBarriers)]
}

// with1 returns texts with an addition above a line, and what comes of them where the source has gone wrong.
func (r *repairer) with1(before map[string]string, s spot, a addition, bad *failing) (verdict, map[string]string) {
	inGo := filepath.Ext(s.file) == ".go"
	texts := maps.Clone(before)
	texts[s.file] = mend.Above(texts[s.file], map[int]string{s.line: a.text(inGo, r.texts[s.file])}, inGo)
	v, _ := r.first(texts, bad)
	return v, texts
}
