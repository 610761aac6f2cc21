package optimise

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
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
		return []addition{{ir.FenceSite, ir.Strength{Order: memmodel.AcqRel, Scope: memmodel.ScopeWorkItem, Flags: memmodel.ImageFence}}}
	}
	flags := []memmodel.Flags{memmodel.LocalFence, memmodel.GlobalFence, memmodel.LocalFence | memmodel.GlobalFence}
	if slices.ContainsFunc(bad.q.launch.m.Program.Objects, func(o ir.Object) bool { return o.Region == memmodel.Image }) {
		flags = append(flags, memmodel.ImageFence, memmodel.ImageFence|memmodel.LocalFence|memmodel.GlobalFence)
	}
	for _, f := range flags {
		all = append(all, addition{ir.BarrierSite, ir.Strength{Scope: memmodel.ScopeWorkGroup, Flags: f}})
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

// stacked is a barrier of a repair that has several.
type stacked struct {
	spot
	of    int // the line of the source above which it is
	flags memmodel.Flags
}

// several tries several barriers: one that is in the way of what goes wrong, then one that is in the way of what goes wrong then. Last it moves one.
func (r *repairer) several(bad *failing) (out []Mended) {
	if !r.meeting() || bad.kind != state.DataRace && bad.kind != state.AssertionFailed && bad.kind != state.UninitialisedRead {
		return nil
	}
	left := maxTried
	list := r.stack(r.texts, bad, nil, &left)
	if list == nil { // one that is there may be where not all come by
		return r.moved(bad)
	}
	for i := range list { // as few flags as it takes
		for _, f := range []memmodel.Flags{memmodel.LocalFence, memmodel.GlobalFence} {
			was := list[i].flags
			list[i].flags = f
			if r.mends(r.piled(list)) {
				break
			}
			list[i].flags = was
		}
	}
	m := Mended{Texts: r.piled(list), cost: r.out.Was}
	if !r.mends(m.Texts) {
		return nil
	}
	for _, b := range list {
		m.cost += r.added(addition{ir.BarrierSite, ir.Strength{Flags: b.flags}})
		m.Changes = append(m.Changes, fmt.Sprintf("%s:%d: a barrier above the line: %s", b.file, b.of, flagsText(b.flags)))
	}
	return []Mended{m}
}

// stack adds barriers to those that there are, until nothing goes wrong.
func (r *repairer) stack(texts map[string]string, bad *failing, list []stacked, left *int) []stacked {
	if len(list) == maxStacked {
		return nil
	}
	for _, s := range r.between(texts, bad) {
		if *left--; *left < 0 || r.over() {
			return nil
		}
		b := stacked{s, s.line, memmodel.LocalFence | memmodel.GlobalFence}
		for _, o := range list { // it moves those below
			if o.file == s.file && o.line < s.line {
				b.of--
			}
		}
		more := slices.Clone(list)
		for i := range more {
			if more[i].file == s.file && more[i].line >= s.line {
				more[i].line++
			}
		}
		more = append(more, b)
		now := r.piled(more)
		m, err := r.reload(r.ctx, bad.q.launch, now)
		if err != nil {
			continue
		}
		r.checks++
		v, next := r.explored(r.ctx, bad.q, m, explore.Options{Promises: explore.NoPromises})
		switch {
		case v == verified && r.mends(now):
			return more
		case v != violated || next.text == bad.text || next.kind == state.BarrierDivergence:
		default:
			next.program = m.Program
			if all := r.stack(now, next, more, left); all != nil {
				return all
			}
		}
	}
	return nil
}

// piled are the texts with several barriers, each above a line of the source.
func (r *repairer) piled(list []stacked) map[string]string {
	texts := maps.Clone(r.texts)
	byFile := map[string]map[int]string{}
	for _, b := range list {
		inGo := filepath.Ext(b.file) == ".go"
		if byFile[b.file] == nil {
			byFile[b.file] = map[int]string{}
		}
		byFile[b.file][b.of] = mend.Barrier(inGo, mend.Qualifier(r.texts[b.file]), r.texts[b.file], b.flags)
	}
	for file, above := range byFile {
		texts[file] = mend.Above(r.texts[file], above, filepath.Ext(file) == ".go")
	}
	return texts
}

// moved tries to take a barrier out to which not all come, or to put it where all do.
func (r *repairer) moved(bad *failing) (out []Mended) {
	for _, b := range r.sites {
		if b.ID.Kind != ir.BarrierSite || b.call.Odd() || !b.removable {
			continue
		}
		without := maps.Clone(r.texts)
		without[b.ID.File] = mend.Edits(r.texts[b.ID.File], []mend.Edit{b.call.Remove(r.texts[b.ID.File])})
		cost := r.out.Was - r.price(b, b.Strength)
		if v, _ := r.first(without, bad); v == verified && r.mends(without) {
			out = append(out, Mended{Texts: without, cost: cost, Changes: []string{b.at() + ": the barrier goes"}})
			continue
		}
		for _, s := range r.between(r.texts, bad) {
			if s.file != b.ID.File || r.over() {
				continue
			}
			if s.line > int(b.ID.Line) { // the line of the barrier has gone
				s.line -= strings.Count(r.texts[s.file], "\n") - strings.Count(without[s.file], "\n")
			}
			if v, texts := r.with1(without, s, addition{ir.BarrierSite, b.Strength}, bad); v == verified && len(out) < maxRepairs && r.mends(texts) {
				change := fmt.Sprintf("%s: the barrier moves above line %d", b.at(), s.line)
				out = append(out, Mended{Texts: texts, cost: r.out.Was, Changes: []string{change}})
			}
		}
	}
	return out
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
