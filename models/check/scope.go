package check

import "github.com/clmc/clmc/explore/report"

// Scope says what a verdict covers.
type Scope struct {
	// Data are the buffers and scalars that a launch gives to kernels, by their names; of a model in Go the variables that are cl.Any.
	Data []Datum
	// AllSizes: it covers all sizes of the index space, or all that meet SizesIf, if that is not "".
	AllSizes bool
	SizesIf  string
}

// Datum is a buffer or a scalar that a launch gives to a kernel.
type Datum struct {
	Name   string
	Scalar bool // passed by value
	// Any: the verdict holds whatever it is. Otherwise it holds for what is given, and Reason says what
	// depends on it first: "decides a branch", at Line of File.
	Any    bool
	Reason string
	File   string
	Line   int
}

func newScope(s *report.Scope) *Scope {
	if s == nil {
		return nil
	}
	out := &Scope{AllSizes: s.Sizes.Covers == report.AnyCovered, SizesIf: s.Sizes.If}
	for _, d := range s.Data {
		own := Datum{Name: d.Name, Scalar: d.Kind == "scalar", Any: d.Covers == report.AnyCovered, Reason: d.Reason}
		if d.At != nil {
			own.File, own.Line = d.At.File, d.At.Line
		}
		out.Data = append(out.Data, own)
	}
	return out
}

// AllData reports whether the verdict covers all data.
func (s *Scope) AllData() bool {
	if s == nil {
		return false
	}
	for _, d := range s.Data {
		if !d.Any {
			return false
		}
	}
	return true
}

// AllData fails a test unless a result is for all data that the kernel can be given: of the other data it says
// what depends on them.
func AllData(t TB, r *Result) {
	t.Helper()
	if r == nil || r.Scope.AllData() {
		return
	}
	if r.Scope == nil {
		t.Errorf("%s: %v; for which data is not known", r.Model, r.Verdict)
		return
	}
	for _, d := range r.Scope.Data {
		if !d.Any {
			t.Errorf("%s: the result depends on %s: it %s at %s:%d", r.Model, d.Name, d.Reason, d.File, d.Line)
		}
	}
}
