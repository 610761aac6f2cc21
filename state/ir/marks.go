package ir

// AllMarks returns the marks of the code, and behind them those that the source has.
func (p *Program) AllMarks() (marks []Mark) {
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == OpReach {
				marks = append(marks, Mark{in.Str, in.Pos})
			}
		}
	}
	return append(marks, p.Marks...)
}
