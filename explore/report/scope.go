package report

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state/ir"
)

// Scope says what a verdict covers: for which data and sizes nothing goes wrong.
type Scope struct {
	Data  []Datum  `json:"data"`
	Sizes Sizes    `json:"sizes"`
	Kinds []string `json:"kinds,omitempty"` // ids of violations, of a verdict that is about these alone
}

// Datum is a buffer or a scalar that the program is given, and whether the verdict holds whatever is in it.
type Datum struct {
	Name   string     `json:"name"`
	Kind   string     `json:"kind"`             // buffer or scalar
	Covers string     `json:"covers"`           // any or given
	Value  string     `json:"value,omitempty"`  // of a scalar that is given
	Reason string     `json:"reason,omitempty"` // of what is given: what depends on it first
	At     *trace.Pos `json:"at,omitempty"`     // where
}

// Sizes are those of the index space.
type Sizes struct {
	Covers string `json:"covers"`       // any or given
	If     string `json:"if,omitempty"` // of any: those that meet a condition
}

// What a verdict covers of data and sizes.
const (
	AnyCovered   = "any"
	GivenCovered = "given"
)

// ScopeOf is the scope of a search of a program, or nil if it is not known what depends on the data.
func ScopeOf(p *ir.Program) *Scope {
	if !p.HasData {
		return nil
	}
	s := &Scope{Data: []Datum{}, Sizes: Sizes{Covers: GivenCovered}}
	for i := range p.Data {
		d := &p.Data[i]
		out := Datum{Name: d.Name, Kind: "buffer", Covers: AnyCovered}
		if d.Scalar {
			out.Kind = "scalar"
		}
		if d.Decides {
			at := trace.Line(p, d.At)
			out.Covers, out.Value, out.Reason, out.At = GivenCovered, d.Value, d.Why, &at
		}
		s.Data = append(s.Data, out)
	}
	return s
}

// Given lists the data that the verdict does not hold for whatever they are.
func (s *Scope) Given() (list []*Datum) {
	for i := range s.Data {
		if s.Data[i].Covers != AnyCovered {
			list = append(list, &s.Data[i])
		}
	}
	return list
}

// short names a datum in a verdict: n=8, or idx.
func (d *Datum) short() string {
	if d.Value != "" {
		return d.Name + "=" + d.Value
	}
	return d.Name
}

// maxNamed bounds the data that a verdict names.
const maxNamed = 4

// forData ends a verdict with the data for which it holds.
func (s *Scope) forData() string {
	if s == nil {
		return ""
	}
	var names []string
	given := s.Given()
	for _, d := range given[:min(len(given), maxNamed)] {
		names = append(names, d.short())
	}
	switch more := len(given) - len(names); {
	case len(given) == 0:
		return ", for all data"
	case more > 0:
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return ", for all data but " + strings.Join(names, ", ")
}

// ForAll ends a verdict with the data and the sizes for which it holds.
func (s *Scope) ForAll() string {
	text := s.forData()
	switch {
	case s.Sizes.Covers != AnyCovered && s.Sizes.If != "":
		return text + ", if " + s.Sizes.If
	case s.Sizes.Covers != AnyCovered:
		return text
	case s.Sizes.If != "":
		return text + " and all sizes with " + s.Sizes.If
	}
	return text + " and all sizes"
}

// The requirements on the scope of a verdict.
const (
	AllData  = "all-data"
	AllSizes = "all-sizes"
)

// Unmet says what stands in the way of a requirement on a verdict without violations, or nothing if it is met.
func (s *Scope) Unmet(requirement string) string {
	switch {
	case s == nil && requirement == AllData:
		return "clmc does not know of this model which data decide"
	case requirement == AllData:
		return s.inTheWay()
	case s == nil || s.Sizes.Covers != AnyCovered:
		return "a search is about the sizes that it is given; clmc prove --any-size is about all"
	case s.Sizes.If != "":
		return "the sizes are those with " + s.Sizes.If
	}
	return ""
}

// inTheWay lists the data that decide, and where.
func (s *Scope) inTheWay() string {
	var list []string
	for _, d := range s.Given() {
		text := d.short()
		if d.Reason != "" && d.At != nil {
			text += fmt.Sprintf(" (%s at %s:%d)", d.Reason, d.At.File, d.At.Line)
		}
		list = append(list, text)
	}
	if list == nil {
		return ""
	}
	return "the result depends on " + strings.Join(list, ", ")
}

// scope returns what the verdict covers; of one with violations, and of one that is no verdict, nothing.
func (r *Report) scope() *Scope {
	if r.Result.Verdict != explore.Verified && r.Result.Verdict != explore.ButForKnown {
		return nil
	}
	return r.Scope
}

// required writes the requirements that the verdict does not meet.
func (r *Report) required(b *strings.Builder) {
	for _, text := range r.Unmet {
		b.WriteString("\n" + indent(text, "required: ", "  ", r.Width))
	}
}

// unmet says what stands in the way of a requirement, or nothing.
func (r *Report) unmet(s *Scope, requirement string) string {
	if requirement != Covered {
		return s.Unmet(requirement)
	}
	return Uncovered(r.Unexecuted, r.Unevaluated)
}

// Require notes which of some requirements a verdict without violations does not meet, and reports whether it meets all.
func (r *Report) Require(list []string) bool {
	s := r.scope()
	if s == nil && r.Result.Verdict != explore.Verified && r.Result.Verdict != explore.ButForKnown {
		return true // something else is wrong, and is told
	}
	for _, word := range list {
		if strings.HasPrefix(word, LivenessOf) {
			continue // the verdict depends on it
		}
		if why := r.unmet(s, word); why != "" {
			r.Unmet = append(r.Unmet, word+" is not met: "+why)
		}
	}
	return len(r.Unmet) == 0
}
