package optimise

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/mend"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Repairs of barriers to which not all come: they go, or move, or several become one that all come to.

// standing is a barrier of the source that can be taken out of it: a statement of its own.
type standing struct {
	of   *site
	at   spot
	call *mend.Call // the call, or the use of a macro that is the call
	as   string     // the statement
	cost int64
}

// barriersThere lists the barriers that can be taken out.
func (r *repairer) barriersThere() (out []standing) {
	for _, b := range r.sites {
		if b.ID.Kind != ir.BarrierSite {
			continue
		}
		ids := b.ids()
		for _, id := range ids {
			text := r.texts[id.File]
			call := b.call.Standing(text, id.Line, id.Col)
			inGo := filepath.Ext(id.File) == ".go"
			if call == nil || b.call.Macro == "" && (b.call.Odd() || !b.removable) || b.call.Macro != "" && !call.Statement(text) {
				continue
			}
			as := call.Text(text)
			if !inGo {
				as += ";"
			}
			out = append(out, standing{b, spot{id.File, int(id.Line)}, call, as, r.price(b, b.Strength) / int64(len(ids))})
		}
	}
	return out
}

// where is the place of a barrier, for messages.
func (b *standing) where() string { return fmt.Sprintf("%s:%d", b.at.file, b.at.line) }

// moved tries to take a barrier out to which not all come, or to put it where all do. Where that is not enough, several become others.
func (r *repairer) moved(bad *failing) (out []Mended) {
	all := r.barriersThere()
	for i := range all {
		b := &all[i]
		without := r.written(layout{gone: []*standing{b}})
		if v, _ := r.first(without, bad); v == verified && r.mends(without) {
			out = append(out, Mended{Texts: without, cost: r.out.Was - b.cost, Changes: []string{b.where() + ": the barrier goes"}})
			continue
		}
		for _, s := range r.between(r.texts, bad) {
			if s == b.at || r.over() || len(out) == maxRepairs {
				continue
			}
			y := layout{gone: []*standing{b}, here: []stacked{{s, b.of.Flags, b.as}}}
			texts := r.written(y)
			if v, _ := r.first(texts, bad); v == verified && r.mends(texts) {
				out = append(out, Mended{Texts: texts, cost: r.out.Was, Changes: []string{fmt.Sprintf("%s: the barrier moves above line %d", b.where(), s.line)}})
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	left := maxTried
	if y := r.rearranged(layout{}, bad, all, &left); y != nil {
		return r.told(y)
	}
	return r.parted(bad, all)
}

// parted parts the condition that a barrier is under: what is before the barrier gets it, and what is behind. What the barriers name that become one comes together
// where one does not do.
func (r *repairer) parted(bad *failing, all []standing) []Mended {
	for i := range all {
		for _, both := range []bool{false, true} {
			if m, ok := r.partedAt(all, i, both); ok && !r.over() {
				if v, _ := r.first(m.Texts, bad); v == verified && r.mends(m.Texts) {
					return []Mended{m}
				}
			}
		}
	}
	return nil
}

// partedAt parts the condition around a barrier, if it can.
func (r *repairer) partedAt(all []standing, i int, both bool) (Mended, bool) {
	b := &all[i]
	text, inGo := r.texts[b.at.file], filepath.Ext(b.at.file) == ".go"
	var here []standing
	var cuts []mend.Cut
	for j := range all {
		c := &all[(i+j)%len(all)]
		if c.at.file != b.at.file {
			continue
		}
		cut := c.call.Remove(text)
		cut.By = c.as
		if both {
			cut.By = mend.Barrier(inGo, mend.Qualifier(text), text, memmodel.LocalFence|memmodel.GlobalFence)
		}
		here, cuts = append(here, *c), append(cuts, cut)
	}
	out, n, gone := mend.Part(text, inGo, cuts)
	if n == 0 {
		return Mended{}, false
	}
	m := Mended{Texts: maps.Clone(r.texts), cost: r.out.Was, Changes: []string{b.where() + ": the condition is parted, with the barrier between"}}
	m.Texts[b.at.file] = out
	for k, g := range gone {
		switch {
		case k >= n: // it is one with another one
			m.cost -= here[g].cost
		case both:
			m.cost += r.added(addition{ir.BarrierSite, ir.Strength{Flags: memmodel.LocalFence | memmodel.GlobalFence}}) - here[g].cost
		}
	}
	return m, true
}

// layout is the source with some barriers taken out, and others in.
type layout struct {
	gone []*standing
	here []stacked
}

// written are the texts of a layout.
func (r *repairer) written(y layout) map[string]string {
	texts := maps.Clone(r.texts)
	for file, text := range r.texts {
		inGo := filepath.Ext(file) == ".go"
		var out []mend.Edit
		for _, b := range y.gone {
			if b.at.file == file {
				out = append(out, b.call.Remove(text))
			}
		}
		above := map[int]string{}
		for _, b := range y.here {
			if b.file != file {
				continue
			}
			s := b.as
			if s == "" {
				s = mend.Barrier(inGo, mend.Qualifier(text), text, b.flags)
			}
			above[b.line-r.linesLost(y, file, b.line)] = s
		}
		if len(out)+len(above) > 0 {
			texts[file] = mend.Above(mend.Edits(text, out), above, inGo)
		}
	}
	return texts
}

// linesLost is how many lines above one have gone with their barriers.
func (r *repairer) linesLost(y layout, file string, line int) (n int) {
	for _, b := range y.gone {
		if b.at.file == file && b.at.line < line && b.wholeLine(r.texts[file]) {
			n++
		}
	}
	return n
}

// wholeLine reports whether a line goes with its barrier.
func (b *standing) wholeLine(text string) bool {
	e := b.call.Remove(text)
	return strings.HasSuffix(text[e.From:e.To], "\n")
}

// origin is the line of the source that a line of a layout's text is; 0 if it is none.
func (r *repairer) origin(y layout, file string, line int) int {
	n := 0
	for of := 1; of <= strings.Count(r.texts[file], "\n")+1; of++ {
		if slices.ContainsFunc(y.gone, func(b *standing) bool { return b.at == spot{file, of} && b.wholeLine(r.texts[file]) }) {
			continue
		}
		if slices.ContainsFunc(y.here, func(b stacked) bool { return b.spot == spot{file, of} }) {
			if n++; n == line {
				return 0
			}
		}
		if n++; n == line {
			return of
		}
	}
	return 0
}

// rearranged looks for a layout that verifies: where not all come to a barrier, those go at which somebody stands; where something else goes wrong, a barrier
// comes between. It begins with a layout, and how that goes wrong.
func (r *repairer) rearranged(y layout, bad *failing, all []standing, left *int) *layout {
	if bad.kind == state.BarrierDivergence {
		more := layout{slices.Clone(y.gone), y.here}
		for _, at := range stoodAt(bad) {
			at.line = r.origin(y, at.file, at.line)
			for i := range all {
				if all[i].at == at && !slices.Contains(more.gone, &all[i]) {
					more.gone = append(more.gone, &all[i])
				}
			}
		}
		if len(more.gone) == len(y.gone) {
			return nil
		}
		return r.tried(more, bad, all, left)
	}
	if len(y.here) == maxStacked || bad.kind != state.DataRace && bad.kind != state.AssertionFailed && bad.kind != state.UninitialisedRead {
		return nil
	}
	for _, s := range r.between(r.written(y), bad) {
		s.line = r.origin(y, s.file, s.line)
		if s.line == 0 || slices.ContainsFunc(y.here, func(b stacked) bool { return b.spot == s }) {
			continue
		}
		more := layout{y.gone, append(slices.Clone(y.here), stacked{s, memmodel.LocalFence | memmodel.GlobalFence, ""})}
		if z := r.tried(more, bad, all, left); z != nil {
			return z
		}
	}
	return nil
}

// tried explores a layout where the source has gone wrong, and goes on from there.
func (r *repairer) tried(y layout, bad *failing, all []standing, left *int) *layout {
	if *left--; *left < 0 || r.over() {
		return nil
	}
	texts := r.written(y)
	m, err := r.reload(r.ctx, bad.q.launch, texts)
	if err != nil {
		return nil
	}
	r.checks++
	v, next := r.explored(r.ctx, bad.q, m, explore.Options{Promises: explore.NoPromises})
	switch {
	case v == verified && r.mends(texts):
		return &y
	case v != violated || next.text == bad.text:
		return nil
	}
	next.program = m.Program
	return r.rearranged(y, next, all, left)
}

// stoodAt lists the places at which work-items stand at barriers where a schedule goes wrong.
func stoodAt(bad *failing) (out []spot) {
	p := bad.q.launch.m.Program
	if bad.program != nil {
		p = bad.program
	}
	for m := range explore.Replayers(p, bad.q.spec, bad.v.Schedule) {
		s := explore.Retrace(m, bad.moves, false).State
		for u := range s.Cast.Count() {
			if s.Status(u) != state.AtBarrier {
				continue
			}
			for pos := p.Positions[m.Operation(s, u).Instr.Pos]; pos.Line > 0; pos = p.Positions[p.Calls[pos.Call].Pos] {
				if at := (spot{p.Sources[pos.File].Name, int(pos.Line)}); !slices.Contains(out, at) {
					out = append(out, at)
				}
				if pos.Call == 0 {
					break
				}
			}
		}
		break
	}
	return out
}

// told makes the repair of a layout, with as few flags as it takes.
func (r *repairer) told(y *layout) []Mended {
	for i := 0; i < len(y.here); {
		less := layout{y.gone, slices.Delete(slices.Clone(y.here), i, i+1)}
		if !r.mends(r.written(less)) {
			i++
			continue
		}
		y = &less // it was on the way, and is not needed in the end
	}
	for i := range y.here {
		for _, f := range []memmodel.Flags{memmodel.LocalFence, memmodel.GlobalFence} {
			was := y.here[i].flags
			y.here[i].flags = f
			if r.mends(r.written(*y)) {
				break
			}
			y.here[i].flags = was
		}
	}
	m := Mended{Texts: r.written(*y), cost: r.out.Was}
	if !r.mends(m.Texts) {
		return nil
	}
	for _, b := range y.gone {
		m.cost -= b.cost
		m.Changes = append(m.Changes, b.where()+": the barrier goes")
	}
	for _, b := range y.here {
		m.cost += r.added(addition{kind: ir.BarrierSite, now: ir.Strength{Flags: b.flags}})
		m.Changes = append(m.Changes, fmt.Sprintf("%s:%d: a barrier above the line: %s", b.file, b.line, flagsText(b.flags)))
	}
	return []Mended{m}
}
