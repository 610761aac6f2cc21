package optimise

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/clmc/clmc/internal/mend"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// rewritten returns the texts with the strengths of some sites changed.
func (p *problem) rewritten(now map[ir.SiteID]ir.Strength) map[string]string {
	texts := maps.Clone(p.texts)
	edits := map[string][]mend.Edit{}
	for _, s := range p.sites {
		if to, ok := now[s.ID]; ok {
			text := p.texts[s.ID.File]
			list := s.call.Set(text, to)
			if s.added && to.Order == memmodel.Relaxed {
				if braces := s.call.Unbraced(text); braces != nil {
					list = braces
				}
			}
			edits[s.ID.File] = append(edits[s.ID.File], list...)
		}
	}
	for file, list := range edits {
		texts[file] = mend.Edits(p.texts[file], list)
		if filepath.Ext(file) == ".go" {
			texts[file] = mend.Formatted(p.texts[file], texts[file])
		}
	}
	return texts
}

// Patch is a unified diff of texts, for patch -p1 in the folder that the names are relative to.
func Patch(before, after map[string]string) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] == after[name] {
			continue
		}
		path := strings.TrimPrefix(filepath.ToSlash(name), "/")
		text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: lines(before[name]), B: lines(after[name]), FromFile: "a/" + path, ToFile: "b/" + path, Context: 3})
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// noNewline is what a diff says of a last line without an end.
const noNewline = "\n\\ No newline at end of file\n"

func lines(text string) []string {
	list := strings.SplitAfter(text, "\n")
	if last := len(list) - 1; list[last] == "" {
		list = list[:last]
	} else {
		list[last] += noNewline
	}
	return list
}
