package optimise

import _ "embed"

// RepairSchema names the format of what clmc repair finds.
const RepairSchema = "clmc.repair/1"

// RepairSchemaText is its JSON Schema.
//
//go:embed repair.json
var RepairSchemaText string

// RepairDocument is what clmc repair finds, in its stored form.
type RepairDocument struct {
	Schema         string        `json:"schema"`
	Model          string        `json:"model"`
	Verdict        string        `json:"verdict"`
	Wrong          string        `json:"wrong,omitempty"`
	Why            string        `json:"why,omitempty"`
	Specs          []string      `json:"specs"`
	Configurations []string      `json:"configurations"`
	Was            float64       `json:"was"`
	Cost           float64       `json:"cost"`
	Complete       bool          `json:"complete"`
	Repairs        []RepairFound `json:"repairs"`
	Ideas          []string      `json:"ideas"`
	Checks         int           `json:"checks"`
	Cores          int           `json:"counterexamples"`
	Replays        int           `json:"replays"`
	Undecided      int           `json:"undecided"`
	Seconds        float64       `json:"seconds"`
}

// RepairFound is a repair of a RepairDocument.
type RepairFound struct {
	Changes []string `json:"changes"`
	Patch   string   `json:"patch"`
}

// Document returns what was found in its stored form.
func (r *Repairs) Document() *RepairDocument {
	d := &RepairDocument{Schema: RepairSchema, Model: r.Model, Verdict: r.Verdict, Wrong: r.Wrong, Why: r.Why, Specs: r.p.specNames(), Configurations: r.p.launchNames(),
		Was: shown(r.Was), Cost: shown(r.Cost), Complete: !r.Late && r.Verdict != Inconclusive, Repairs: []RepairFound{}, Ideas: append([]string{}, r.Ideas...),
		Checks: r.Checks, Cores: r.Cores, Replays: r.Replays, Undecided: r.Undecided, Seconds: r.Elapsed.Seconds()}
	for _, m := range r.Found {
		patch, _ := r.Patch(m)
		d.Repairs = append(d.Repairs, RepairFound{append([]string{}, m.Changes...), patch})
	}
	return d
}
