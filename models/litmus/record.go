package litmus

import (
	"cmp"
	"slices"
)

// Record is the result of a test, for output as one line of JSON.
type Record struct {
	File       string             `json:"file"`
	Name       string             `json:"name"`
	Verdict    string             `json:"verdict"`
	Race       bool               `json:"race"`
	Divergence bool               `json:"divergence"`
	Outcomes   []map[string]int64 `json:"outcomes,omitempty"` // only of a defined test
	Condition  bool               `json:"condition"`
	Complete   bool               `json:"complete"` // the search was exhaustive
	States     int64              `json:"states"`
	Seconds    float64            `json:"seconds"`
}

// The verdicts of records.
const (
	VerdictOk        = "Ok"        // the condition holds
	VerdictNo        = "No"        // it does not
	VerdictUndefined = "Undefined" // there is a data race or barrier divergence
	VerdictUnknown   = "Unknown"   // the search was not exhaustive, and what it found does not decide
)

// Record sums up the result of a test; the caller fills in States and Seconds.
func (t *Test) Record(outcomes []map[string]int64, race, divergence, complete bool) Record {
	r := Record{File: t.File, Name: t.Name, Race: race, Divergence: divergence, Complete: complete}
	if race || divergence {
		r.Verdict = VerdictUndefined
		return r
	}
	r.Outcomes = slices.SortedFunc(slices.Values(outcomes), t.compareOutcomes)
	j := t.Judge(outcomes)
	r.Condition = j.Holds
	switch {
	case !complete && !t.decided(j):
		r.Verdict = VerdictUnknown
	case j.Holds:
		r.Verdict = VerdictOk
	default:
		r.Verdict = VerdictNo
	}
	return r
}

// decided reports whether further outcomes cannot change the judgement.
func (t *Test) decided(j Judgement) bool {
	if t.Quantifier == Forall {
		return j.Negative > 0
	}
	return j.Positive > 0
}

// compareOutcomes orders outcomes by the values of Vars.
func (t *Test) compareOutcomes(a, b map[string]int64) int {
	for _, v := range t.Vars {
		if d := cmp.Compare(a[v], b[v]); d != 0 {
			return d
		}
	}
	return 0
}
