package report

import (
	"slices"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/state/ir"
)

// Blank reports whether values are not known, of memory that nothing depends on.
func (r *Report) Blank() bool {
	return slices.ContainsFunc(r.Traces, blank) || slices.ContainsFunc(r.Witnesses, func(t *trace.Trace) bool { return t != nil && blank(t) })
}

func blank(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Memory, func(l trace.Location) bool { return l.Sliced })
}

// ShowValues replaces executions of which values are not known by the same ones of a program that computes them; nil
// stands for none. An execution that does not go there step by step as it did stays as it is.
func (r *Report) ShowValues(p *ir.Program) {
	if p == nil {
		return
	}
	until := r.tellBy()
	for i, t := range r.Traces {
		r.Traces[i] = Valued(t, func() *trace.Trace {
			valued, _ := trace.BuildUntil(p, r.Result.Spec, r.Result.Violations[i], until)
			return valued
		})
	}
	for i, t := range r.Witnesses {
		r.Witnesses[i] = Valued(t, func() *trace.Trace { return witness(p, r.Result, r.Result.Outcomes[i], until) })
	}
}

// Valued returns what again makes of an execution on a program that computes all values, or t if no value is missing
// there or the execution does not go step by step as it did. What cannot be made is nil.
func Valued(t *trace.Trace, again func() *trace.Trace) *trace.Trace {
	if t == nil || t.Untold || !blank(t) {
		return t
	}
	if valued := again(); valued != nil && !valued.Untold && sameSteps(t, valued) {
		return valued
	}
	return t
}

// sameSteps reports whether two traces tell the same execution, and differ at the most in values.
func sameSteps(a, b *trace.Trace) bool {
	return a.ID == b.ID && a.At == b.At && a.Location == b.Location && slices.Equal(a.Accesses, b.Accesses) &&
		slices.EqualFunc(a.Steps, b.Steps, func(s, t trace.Step) bool {
			return s.Lane == t.Lane && s.Kind == t.Kind && *s.Pos == *t.Pos && s.Location == t.Location
		})
}
