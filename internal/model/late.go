package model

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// A model with inputs that are decided late (ir.Late) has executions that no data have. So what is found in it is no more than a hint: data
// are looked for that show it, and what is reported is an execution with these (docs/exploration/late.md).

// Classes tells data apart that make a difference, of models whose data are any, for packages that do not link what does so; nil: it is not there.
var Classes func(t ir.Type, list []ir.Outcome, most int) []int64

// Search explores a model.
type Search func(*Model) *explore.Result

// DecideLate explores a model with inputs that are decided late: it returns what to report, and of which model. Others are explored as they are
// (docs/exploration/late.md, "Data for what is found").
func (m *Model) DecideLate(search Search) (*Model, *explore.Result, error) {
	late := m.Program.Late
	if late == nil {
		return m, search(m), nil
	}
	var found *explore.Result
	if !late.Waits {
		found = search(m)
		if found.Verdict == explore.Verified || len(found.Violations) == 0 {
			return m, found, nil
		}
	}
	chosen, err := m.withGiven(late, true)
	if err != nil {
		return nil, nil, err
	}
	if chosen == nil {
		return m, undecided(found, late, "too many data are to be tried"), nil
	}
	r := search(chosen)
	switch {
	case len(r.Violations) > 0:
		with, err := chosen.withData(late, r)
		if err != nil || with == nil {
			return chosen, r, err
		}
		if again := search(with); len(again.Violations) > 0 {
			with.Program.Notes = append(with.Program.Notes, "What is any was taken to be "+with.dataText()+": with these data it goes wrong.")
			return with, again, nil
		}
		return chosen, r, nil
	case r.Verdict == explore.Verified && late.Exact:
		chosen.coversAll(late)
		return chosen, r, nil
	case r.Verdict == explore.Verified && found != nil:
		return m, undecided(found, late, ""), nil
	case r.Verdict == explore.Verified:
		return m, undecided(r, late, ""), nil
	}
	return chosen, r, nil
}

// undecided is the result of a model of which it is not known whether any data make it go wrong.
func undecided(r *explore.Result, late *ir.Late, why string) *explore.Result {
	out := &explore.Result{}
	if r != nil {
		*out = *r
	}
	if why == "" && len(out.Violations) > 0 || late.Waits {
		why = "a loop may go on for as long as data say"
		if !late.Waits {
			why = fmt.Sprintf("it goes wrong (%s) if each thing that is computed of several unknown values may be anything", out.Violations[0].Kind.ID())
		}
		why += "; with the data that were tried nothing does, but these are not all: " + describe(late)
	}
	out.Verdict, out.Complete, out.Violations = explore.Inconclusive, false, nil
	out.Incomplete = []string{why}
	return out
}

// describe lists the values that were tried.
func describe(late *ir.Late) string {
	var all []string
	for i := range late.Inputs {
		in := &late.Inputs[i]
		all = append(all, in.Name+"="+strings.Join(numerals(in), "|"))
	}
	return strings.Join(all, ", ")
}

func numerals(in *ir.LateInput) (list []string) {
	for _, v := range in.Values {
		list = append(list, numeral(in.Type, v))
	}
	return list
}

// numeral writes a value as an argument has it, where an f may end a number.
func numeral(t ir.Type, v int64) string {
	return strings.Replace(clc.Numeral(t, v), "Inf", "Infinity", 1)
}

// tried are values that are likely to show something, besides those that tell classes apart.
var tried = []int64{0, 1, 2}

// withGiven loads the model with each datum chosen by the host among the values that stand for all.
func (m *Model) withGiven(late *ir.Late, names bool) (*Model, error) {
	var given []string
	for i := range late.Inputs {
		in := &late.Inputs[i]
		if len(in.Values) == 0 {
			in.Values = []int64{0}
		}
		if !late.Exact {
			for _, v := range tried {
				if in.Type.Float() {
					v = in.Type.FromNumber(float64(v))
				}
				in.Values = append(in.Values, v)
			}
			slices.Sort(in.Values)
			in.Values = slices.Compact(in.Values)
		}
		values := strings.Join(numerals(in), "|")
		if in.Elem != "" {
			values = fmt.Sprintf("%s[%d]{%s}", in.Elem, in.Len, values)
		}
		given = append(given, in.Name+"="+values)
	}
	return m.given(given, names)
}

// assignment is what a choice of the host says of a datum.
var assignment = regexp.MustCompile(`^chooses (\w+)(?:\[\d+\])? = (-?\d+)$`)

// withData loads the model with the data of an execution that goes wrong, nil if these are not known.
func (m *Model) withData(late *ir.Late, r *explore.Result) (*Model, error) {
	one := *r
	one.Violations = r.Violations[:1]
	rep, err := report.New(m.Name, m.Program, &one)
	if err != nil || len(rep.Traces) == 0 {
		return nil, err
	}
	cells := map[string][]int64{}
	for i := range rep.Traces[0].Steps {
		if c := assignment.FindStringSubmatch(rep.Traces[0].Steps[i].Brief); c != nil {
			v, _ := strconv.ParseInt(c[2], 10, 64)
			cells[c[1]] = append(cells[c[1]], v)
		}
	}
	var given []string
	for i := range late.Inputs {
		in := &late.Inputs[i]
		values := cells[in.Name]
		switch {
		case values == nil && len(in.Values) == 1:
			values = slices.Repeat(in.Values, max(in.Len, 1))
		case len(values) != max(in.Len, 1):
			return nil, nil
		}
		var list []string
		for _, v := range values {
			list = append(list, numeral(in.Type, v))
		}
		text := list[0]
		if in.Elem != "" {
			text = fmt.Sprintf("%s[%d]{%s}", in.Elem, in.Len, strings.Join(list, ","))
		}
		given = append(given, in.Name+"="+text)
	}
	return m.given(given, false)
}

// dataText writes the data: a = {3, 3, 0}.
func (m *Model) dataText() string {
	var all []string
	for _, g := range m.Data {
		name, what, _ := strings.Cut(g, "=")
		if _, list, ok := strings.Cut(what, "{"); ok {
			what = "{" + strings.ReplaceAll(list, ",", ", ")
		}
		all = append(all, name+" = "+what)
	}
	return strings.Join(all, ", ")
}

// given loads the model with data.
func (m *Model) given(given []string, names bool) (*Model, error) {
	if m.with == nil {
		return nil, nil
	}
	n, err := m.with(given, names)
	if err == nil {
		n.Data, n.with = given, m.with
	}
	return n, err
}

// coversAll says of a program whose data were chosen among values that stand for all that these are any.
func (m *Model) coversAll(late *ir.Late) {
	for i := range m.Program.Data {
		d := &m.Program.Data[i]
		for j := range late.Inputs {
			if in := &late.Inputs[j]; in.Name == d.Name && d.Scalar == (in.Elem == "") {
				d.Decides, d.Value = false, ""
			}
		}
	}
	m.Program.Notes = slices.DeleteFunc(m.Program.Notes, clc.OnData)
	if note := clc.ValuesNote(m.Program); note != "" {
		m.Program.Notes = append(m.Program.Notes, note)
	}
}
