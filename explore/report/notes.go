package report

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/explore/trace"
)

// notes say what a step has to do with others.
func notes(t *trace.Trace, s *trace.Step) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if n := len(t.Accesses); n == 2 && t.Accesses[1] == s.ID {
		add("races with step %d", t.Accesses[0])
		return out
	}
	if s.Early > 0 {
		add("performed now, visible since step %d", s.Early)
	}
	for i := range t.Early {
		if e := &t.Early[i]; e.Visible == s.ID {
			add("performed in step %d", e.Performed)
		}
	}
	if s.ReadsFrom != nil {
		switch from := *s.ReadsFrom; {
		case from == 0:
			add("reads the initial value")
		case !t.Needed(from):
		case t.Step(from).Lane != s.Lane:
			add("reads from step %d", from)
		case s.Atomic:
			add("reads from its own step %d", from)
		}
	}
	for _, id := range t.Missed(s) {
		if t.Needed(id) {
			add("has not seen step %d", id)
		}
	}
	var from []string
	for _, q := range s.Sync {
		if !t.Needed(q.From) {
			continue
		}
		from = append(from, fmt.Sprintf("step %d (%s memory)", q.From, q.Regions()))
	}
	if n := len(from); n > 3 {
		from = append(from[:3], fmt.Sprintf("%d more", n-3))
	}
	if len(from) > 0 {
		add("synchronises with %s", strings.Join(from, ", "))
	}
	if out = append(out, effects(t, s)...); len(s.Sets) > 0 {
		var set []string
		for _, v := range s.Sets {
			set = append(set, v.Name+" = "+v.Value)
		}
		add("private: %s", strings.Join(set, ", "))
	}
	return out
}

// effects say what a step changes that its words do not tell.
func effects(t *trace.Trace, s *trace.Step) []string {
	var out []string
	if s.Before > 0 && t.Needed(s.Before) {
		out = append(out, fmt.Sprintf("stands before step %d in modification order", s.Before))
	}
	var sees []string
	for _, v := range s.Sees {
		if !t.Needed(v.Step) {
			continue
		}
		sees = append(sees, fmt.Sprintf("%s = %s (step %d)", v.Location, v.Text, v.Step))
	}
	if n := len(sees); n > 4 {
		sees = append(sees[:4], fmt.Sprintf("%d more", n-4))
	}
	if len(sees) > 0 {
		out = append(out, "now sees "+strings.Join(sees, ", "))
	}
	return out
}
