package report

import (
	_ "embed"
	"io"

	"github.com/clmc/clmc/explore/trace"
)

// ResultSchema names the format that JSON writes.
const ResultSchema = "clmc.result/1"

//go:embed schema/result.json
var resultSchema string

//go:embed schema/trace.json
var traceSchema string

// Schemas returns the JSON Schemas of the documents that clmc writes, by name.
func Schemas() map[string]string {
	return map[string]string{ResultSchema: resultSchema, TraceSchema: traceSchema}
}

// document is a result in its stored form.
type document struct {
	Schema     string             `json:"schema"`
	Model      string             `json:"model"`
	Spec       string             `json:"spec"`
	Reduction  string             `json:"reduction"`
	Verdict    string             `json:"verdict"`
	Complete   bool               `json:"complete"`
	Incomplete []string           `json:"incomplete"`
	Violations []*trace.Trace     `json:"violations"`
	Outcomes   []map[string]int64 `json:"outcomes"`
	Statistics statistics         `json:"statistics"`
}

type statistics struct {
	States     int     `json:"states"`
	Steps      int     `json:"steps"`
	Executions int     `json:"executions"`
	Blocked    int     `json:"blocked"`
	Cuts       int     `json:"cuts"`
	Depth      int     `json:"depth"`
	Seconds    float64 `json:"seconds"`
	PeakBytes  int     `json:"peak_bytes"`
}

// JSON writes a report for programs; docs/json.md says what is in it.
func (r *Report) JSON(w io.Writer) error {
	res := r.Result
	d := document{
		Schema: ResultSchema, Model: r.Model, Spec: res.Spec.Name, Reduction: res.POR.String(),
		Verdict: res.Verdict.String(), Complete: res.Complete,
		Incomplete: orEmpty(res.Incomplete), Violations: orEmpty(r.Traces), Outcomes: orEmpty(res.Outcomes),
	}
	s := &res.Stats
	d.Statistics = statistics{s.States, s.Steps, s.Ends, s.Blocked, s.Cuts, s.Depth, s.Elapsed.Seconds(), s.PeakBytes}
	return writeJSON(w, d)
}

// orEmpty makes an absent list an empty one, which is what readers expect.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
