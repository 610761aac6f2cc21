package explore

import (
	"fmt"

	"github.com/clmc/clmc/state"
)

// violation records what is wrong with n, which the moves of the path and
// s.moves lead to, unless the like has been reported before. One is enough: a race in any
// execution makes the program undefined (rule 9.3).
func (s *search) violation(n *state.State) {
	s.heed()
	if s.escape.whole {
		return // only ends are looked for, and this is one
	}
	if s.paused != "" {
		return // the visit will be taken back, and meet it again
	}
	s.faults++
	s.m.Reach(n)
	v := Violation{Violation: n.Violation}
	s.describe(&v, n)
	if !s.news(&v) {
		return
	}
	was := v.key()
	v.Schedule = s.schedule(&v.Violation, n)
	s.describe(&v, n)
	if v.key() != was && !s.news(&v) {
		return
	}
	s.result.Violations = append(s.result.Violations, v)
	if !s.opt.All {
		s.stop("the search stopped at the first violation")
	}
}

// news reports whether the like of v has not been reported before.
func (s *search) news(v *Violation) bool {
	k := v.key()
	known := s.known[k]
	s.known[k] = true
	return !known
}

// key tells violations apart that are reported separately.
func (v *Violation) key() string { return v.Kind.ID() + v.Line + v.Location }

// describe adds names to a violation.
func (s *search) describe(v *Violation, n *state.State) {
	u := &n.Cast.Units[v.Unit]
	v.UnitName = u.Name
	pos := s.m.Pos(s.m.Program.Funcs[u.Func], v.PC)
	if pos.Line > 0 {
		v.Line = fmt.Sprintf("%s:%d:%d", s.m.Program.Sources[pos.File].Name, pos.Line, pos.Col)
	}
	if v.Fault.Kind != 0 {
		v.Location, _ = s.m.LocName(n.Cast, v.Fault.Loc)
	}
}
