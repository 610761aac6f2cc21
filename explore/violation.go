package explore

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// reporter is the part of a search that keeps what is found, so that each thing is told once: what goes wrong, what executions come to, and
// why not all has been tried. It tells each violation as an execution, and looks for the data race that lies behind.
type reporter struct {
	base
	known     map[string]bool   // violations reported so far, by what distinguishes them
	outcomes  outcomeSet        // of the executions that have ended
	fresh     []string          // keys of the outcomes that no checkpoint has, if the search is kept
	witnesses map[string][]Move // schedules, by the keys of outcomes
	ended     bool              // some execution has come to its end
	faults    int               // executions that went wrong so far
	onlyEnds  bool              // only ends are looked for, and what goes wrong is one
	news      *found            // what the other workers are to be told, nil if there are none
	whole     *search           // with promises, which this one without comes before
	spent     int               // steps of searches behind violations
	again     int               // steps of those behind violations that were on the list already
	lastAgain *search           // the last of the latter
	asked     int               // moves of the executions of which Options.Depends was asked
}

// violation records what is wrong with n, which the moves of the path and
// s.moves lead to, unless the like has been reported before. One is enough: a race in any
// execution makes the program undefined (rule 9.3). It reports whether the path goes on behind it.
func (s *reporter) violation(n *state.State) (passed bool) {
	if s.onlyEnds {
		return false
	}
	if s.heed() {
		return false // the visit will be taken back, and meet it again
	}
	s.m.Notes().Reached(n)
	if passed = s.judge(n); !passed {
		s.faults++
	}
	return passed
}

// judge is violation, but for what is counted.
func (s *reporter) judge(n *state.State) (passed bool) {
	v := Violation{Violation: n.Violation, After: n.PastRace && s.pastRaces()}
	passed = s.forgives(v.Kind)
	s.describe(&v, n)
	if s.reported(&v) {
		s.goOnBehind(&v, n)
		return passed
	}
	was := v.key()
	path := s.schedule(&v, n)
	if v.Untold {
		if s.lasting() {
			s.check() // when the search goes on, there will be time to tell it
		} else {
			s.addViolation(&v) // which is all that there is to be said of it
		}
		return passed
	}
	s.describe(&v, n)
	switch {
	case s.reported(&v):
		return passed
	case s.pastRaces():
		return s.setAside(&v, was) || passed
	}
	races, alone := s.racesBehind(&v, path, true)
	if (v.Unsettled || len(races) > 0 && races[0].Untold) && s.lasting() && s.ctx.Err() != nil {
		s.check() // when the search goes on, there will be time to find out, and to tell it
		return passed
	}
	if len(races) > 0 && !alone {
		s.beside(&v, &races[0])
		s.report(&races[0])
		s.listRaces(races[1:])
		return passed
	}
	s.report(&v)
	s.known[was] = true
	s.listRaces(races)
	return passed
}

// reported reports whether a violation is on the list: as one that comes after a race, too, if it is there without.
func (s *reporter) reported(v *Violation) bool {
	if s.known[v.key()] {
		return true
	}
	w := *v
	w.After = false
	return v.After && s.known[w.key()]
}

// report adds a violation to the result and has the exchange tell it.
func (s *reporter) report(v *Violation) {
	s.tell(found{Violations: []Violation{*v}})
	s.addViolation(v)
}

// addViolation adds a violation to the result, unless the like is there. Of two races
// that are alike, the one that tells of a consequence tells more.
func (s *reporter) addViolation(v *Violation) {
	r := s.result
	switch {
	case !s.known[v.key()]:
		s.known[v.key()] = true
		r.Violations = append(r.Violations, *v)
	case v.Failed != state.NoViolation:
		for i := range r.Violations {
			if old := &r.Violations[i]; old.key() == v.key() && old.Failed == state.NoViolation {
				*old = *v
			}
		}
	}
	if !s.opt.All {
		s.stop("the search stopped at the first violation")
	}
}

// key tells violations apart that are reported separately.
func (v *Violation) key() string {
	key := v.Kind.ID() + v.Line + v.Location
	if v.Fault.Known {
		key += " known"
	}
	switch {
	case v.Depends:
		return key + " depends"
	case v.After:
		return key + " after"
	}
	return key
}

// describe adds names to a violation.
func (s *reporter) describe(v *Violation, n *state.State) {
	v.UnitName = n.Cast.Units[v.Unit].Name
	v.Line = s.place(n, v.Unit, v.PC)
	if v.Fault.Kind != 0 {
		v.Location, _ = n.Cast.LocName(s.m.Program, v.Fault.Loc)
	}
	if v.Kind == state.IndexOutOfRange {
		if in := &s.m.Program.Funcs[n.Cast.Units[v.Unit].Func].Code[v.PC]; in.Op == ir.OpCheck && in.Check == ir.CheckObject {
			v.Object = s.m.Program.Strings[in.Str]
		}
	}
	if v.Failed != state.NoViolation {
		v.FailedLine = s.place(n, v.FailedUnit, v.FailedPC)
	}
}

// place returns where in the program an instruction of unit u is.
func (s *reporter) place(n *state.State, u memmodel.Unit, pc int) string {
	f := s.m.Program.Funcs[n.Cast.Units[u].Func]
	pos := s.m.Program.Positions[f.Code[pc].Pos]
	if pos.Line == 0 {
		return fmt.Sprintf("%s+%d", f.Name, pc)
	}
	return fmt.Sprintf("%s:%d:%d", s.m.Program.Sources[pos.File].Name, pos.Line, pos.Col)
}
