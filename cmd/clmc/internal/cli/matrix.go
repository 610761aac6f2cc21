package cli

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus"
)

// matrix explores a test under every reading of the memory model, and writes which outcomes each
// of them allows.
func (l *litmusFlags) matrix(ctx context.Context, a *app, m *model.Model) (r litmusResult) {
	var records []litmus.Record
	seen := map[string]bool{} // outcomes that some reading allows
	for _, spec := range memmodel.Specs {
		opt := l.searchOptions()
		opt.Spec, opt.KeepSchedule, opt.All = spec, true, true
		found := explore.Run(ctx, m.Program, opt)
		for _, v := range found.Violations {
			if !model.HerdFlag(v.Kind.ID()) {
				a.logf("%s: %v (%s), under %s", v.Line, v.Kind, v.Kind.ID(), spec.Name)
			}
		}
		record := m.Record(found)
		r.code = worse(r.code, l.exit(record))
		records = append(records, record)
		for _, o := range record.Outcomes {
			seen[explore.OutcomeKey(o)] = true
		}
	}
	if l.format.value == "json" {
		r.output = jsonLine(struct {
			File  string                   `json:"file"`
			Specs map[string]litmus.Record `json:"specs"`
		}{m.Test.File, bySpec(records)})
		return r
	}
	r.output = matrixTable(m.Test, records, slices.Sorted(maps.Keys(seen)))
	return r
}

// matrixTable writes what readings say of outcomes, one a line, and at last of the condition.
func matrixTable(test *litmus.Test, records []litmus.Record, outcomes []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", visible.Line(test.Name))
	row := func(what string, cell func(*litmus.Record) string) {
		for i := range records {
			fmt.Fprintf(&b, "%-*s", len(memmodel.Specs[i].Name)+2, cell(&records[i]))
		}
		b.WriteString(visible.Line(what) + "\n")
	}
	for _, spec := range memmodel.Specs {
		fmt.Fprintf(&b, "%s  ", spec.Name)
	}
	b.WriteString("\n")
	for _, key := range outcomes {
		row(key, func(r *litmus.Record) string {
			switch has := slices.ContainsFunc(r.Outcomes, func(o map[string]int64) bool { return explore.OutcomeKey(o) == key }); {
			case has:
				return "yes"
			case r.Verdict == litmus.VerdictUndefined:
				return "UB"
			case !r.Complete:
				return "?"
			}
			return "-"
		})
	}
	row(fmt.Sprintf("%v (%v)", test.Quantifier, test.Cond), func(r *litmus.Record) string {
		if r.Verdict == litmus.VerdictUndefined {
			return "UB"
		}
		return r.Verdict
	})
	b.WriteString("\n")
	return b.Bytes()
}

// bySpec gives each record the name of its reading.
func bySpec(records []litmus.Record) map[string]litmus.Record {
	out := map[string]litmus.Record{}
	for i, r := range records {
		out[memmodel.Specs[i].Name] = r
	}
	return out
}
