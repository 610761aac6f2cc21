package proofs

import (
	_ "embed"

	"github.com/clmc/clmc/explore/report"
)

// Schema names the format of a proof.
const Schema = "clmc.proof/1"

// SchemaText is its JSON Schema.
//
//go:embed proof.json
var SchemaText string

// Document is a proof in its stored form.
type Document struct {
	Schema    string           `json:"schema"`
	Model     string           `json:"model"`
	Kernel    string           `json:"kernel"`
	Verdict   string           `json:"verdict"`
	Scope     *report.Scope    `json:"scope,omitempty"`
	Open      []string         `json:"open"`
	Assumed   []string         `json:"assumed"`
	Unmet     []string         `json:"unmet,omitempty"`
	Violation *report.Document `json:"violation,omitempty"`
	Queries   int              `json:"queries"`
	Seconds   float64          `json:"seconds"`
}

// Document returns a proof in its stored form, with the requirements that it does not meet.
func (p *Proof) Document(unmet []string) *Document {
	d := &Document{Schema: Schema, Model: p.Model, Kernel: p.Kernel, Verdict: p.Verdict, Scope: p.Scope, Open: append([]string{}, p.Open...),
		Assumed: append([]string{}, p.Assumed...), Unmet: unmet, Queries: p.Queries, Seconds: p.Elapsed.Seconds()}
	if p.Found != nil {
		d.Violation = p.Found.Document()
	}
	return d
}

// Require lists the requirements that a proof does not meet. What is not proved is told anyway.
func (p *Proof) Require(list []string) (unmet []string) {
	if p.Verdict != Proved {
		return nil
	}
	for _, word := range list {
		if why := p.Scope.Unmet(word); why != "" {
			unmet = append(unmet, word+" is not met: "+why)
		}
	}
	return unmet
}
