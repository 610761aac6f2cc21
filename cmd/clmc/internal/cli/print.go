package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clmc/clmc/explore"
)

// print writes the result of a model. (Interim: package report will.)
func (a *app) print(x *exploreFlags, m *model, r *explore.Result, files *files) error {
	if x.format.value == "json" {
		return json.NewEncoder(a.out).Encode(map[string]any{"verdict": r.Verdict.String(), "complete": r.Complete})
	}
	for _, v := range r.Violations {
		fmt.Fprintf(a.out, "%s: %s %v %s\n", v.Line, v.Kind.ID(), v.Kind, v.Location)
	}
	for i, o := range r.Outcomes {
		if x.quiet || x.outcomes >= 0 && i == x.outcomes {
			break
		}
		fmt.Fprintln(a.out, "  "+explore.OutcomeKey(o))
	}
	fmt.Fprintf(a.out, "%s: %v, %d states %s\n", m.name, r.Verdict, r.Stats.States, strings.Join(r.Incomplete, "; "))
	return nil
}
