package optimise

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

const shippedDir = "../../models/shipped/"

// shippedModels lists the models that come with clmc, in either language.
func shippedModels(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*/main.go", "*/kernel.cl"} {
		list, err := filepath.Glob(shippedDir + pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, list...)
	}
	if len(names) < 200 {
		t.Fatalf("only %d models", len(names))
	}
	return names
}

// weakened lists what a site is with one thing weaker: an order, the scope, a flag, or a barrier that is not there.
func weakened(s *site) (all []ir.Strength) {
	now := s.Strength
	if s.ID.Kind == ir.BarrierSite {
		for _, f := range []memmodel.Flags{memmodel.LocalFence, memmodel.GlobalFence} {
			if w := now; w.Flags&f != 0 {
				w.Flags &^= f
				all = append(all, w)
			}
		}
		if w := now; s.removable {
			w.Gone = true
			all = append(all, w)
		}
		return all
	}
	for o := memmodel.Relaxed; o <= memmodel.SeqCst; o++ {
		w := now
		if w.Order = o; legalOrder(s.ID.Kind, o) && o != now.Order && weakerOrder(o, now.Order) {
			w.Fail = failure(w.Fail, o)
			all = append(all, w)
		}
	}
	if w := now; w.Scope > memmodel.ScopeSubGroup {
		w.Scope--
		all = append(all, w)
	}
	for _, f := range []memmodel.Flags{memmodel.LocalFence, memmodel.GlobalFence} {
		if w := now; w.Flags&f != 0 && w.Flags != f {
			w.Flags &^= f
			all = append(all, w)
		}
	}
	return all
}

// TestRepairShipped weakens each model that comes with clmc and verifies, at one place: an order, a scope, a flag, or a barrier that goes. Where that goes
// wrong it is repaired, at a cost that is not above that of the model.
func TestRepairShipped(t *testing.T) {
	repaired, skipped := 0, 0
	for _, name := range shippedModels(t) {
		opt := options(func(o *Options) { o.up = true })
		p, err := newProblem(t.Context(), model.Target(name), &opt)
		if err != nil || len(p.sites) == 0 {
			continue
		}
		tried := weakenings(p)
		if len(tried) == 0 || !verifies(t, p) {
			continue
		}
		for i, w := range tried {
			path := filepath.Join(t.TempDir(), fmt.Sprint(i), filepath.Base(name))
			if os.MkdirAll(filepath.Dir(path), 0o777) != nil || os.WriteFile(path, []byte(w.text), 0o666) != nil {
				t.Fatal("nothing can be written")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			r, err := Repair(ctx, model.Target(path), options())
			late := ctx.Err() != nil
			cancel()
			switch {
			case err != nil:
				t.Errorf("%s: %v", w.what, err)
			case r.Verdict == NoFault:
			case r.Verdict == Repaired && shown(r.Cost) <= shown(p.written()):
				repaired++
			case late || r.Verdict == Inconclusive:
				skipped++
				t.Logf("%s: %s", w.what, r.Line())
			default:
				t.Errorf("%s: of cost %s\n%s", w.what, Cost(p.written()), r.Text(true))
			}
		}
	}
	t.Logf("%d were repaired, %d not decided", repaired, skipped)
	if repaired < thorough.Of(5, 200) || skipped > repaired/5 {
		t.Errorf("only %d were repaired, and %d not decided", repaired, skipped)
	}
}

// weakening is a model with one place that is weaker: what is done, and the text that comes of it.
type weakening struct{ what, text string }

// weakenings lists those of a model that are tried: all, or some where few are asked for.
func weakenings(p *problem) (all []weakening) {
	for _, s := range p.sites {
		for _, w := range weakened(s) {
			what := fmt.Sprintf("%s: %v %s", s.at(), s.ID.Kind, said(s, w, s.Strength))
			if !thorough.Asked() && !drawn(what, 40) {
				continue
			}
			strengths := map[ir.SiteID]ir.Strength{}
			for _, id := range s.ids() {
				strengths[id] = w
			}
			text := p.rewritten(strengths)[s.ID.File]
			if s.ID.File == p.launches[0].m.Program.Sources[0].Name && text != p.texts[s.ID.File] {
				all = append(all, weakening{what, text})
			}
		}
	}
	return all
}

// verifies reports whether a model as it stands is verified soon.
func verifies(t *testing.T, p *problem) bool {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	v, _ := newChecker(p).check(ctx, nil)
	return v == verified
}

// drawn takes one of so many names.
func drawn(name string, of uint32) bool {
	h := fnv.New32a()
	h.Write([]byte(strings.TrimPrefix(name, shippedDir)))
	return h.Sum32()%of == 0
}
