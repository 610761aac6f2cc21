package optimise

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/clmc/clmc/internal/mend"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// modernised returns the problem with the atomic functions of OpenCL 1.x of its own files written as those that have an order. What cannot be written so
// stays, and is kept.
func (p *problem) modernised(ctx context.Context) (*problem, error) {
	if !p.opt.Modernise {
		return p, nil
	}
	texts, edits := maps.Clone(p.texts), map[string][]mend.Edit{}
	seen := map[ir.SiteID]bool{}
	for _, l := range p.launches {
		for _, s := range l.m.Program.Sites() {
			if !s.Legacy || s.Mixed || seen[s.ID] || !p.own(s.ID.File) || filepath.Ext(s.ID.File) == ".go" {
				continue
			}
			seen[s.ID] = true
			at := s.At[0]
			in := &l.m.Program.Funcs[at.Func].Code[at.PC]
			where := l.accessed(at.Func, in).flags
			list, err := mend.Modern(texts[s.ID.File], s, in.Type, where)
			if err == nil && where&memmodel.LocalFence == 0 { // an array of local memory has no atomic type, and takes none
				edits[s.ID.File] = append(edits[s.ID.File], list...)
			}
		}
	}
	if len(edits) == 0 {
		return p, nil
	}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		texts[name] = mend.Edits(texts[name], edits[name])
	}
	var all []*model.Model
	for _, l := range p.launches {
		m, err := p.reload(ctx, l, texts)
		if err != nil {
			return nil, fmt.Errorf("--modernise: with functions that have an order it does not load: %w", err)
		}
		all = append(all, m)
	}
	q, err := problemOf(ctx, p.target, p.opt, all, nil)
	if err != nil {
		return nil, err
	}
	q.original = p.original
	return q, nil
}
