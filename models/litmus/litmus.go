package litmus

import "github.com/clmc/clmc/state/ir"

// Test is a litmus test, checked and lowered.
type Test struct {
	Name       string
	File       string
	Program    *ir.Program // its outcomes are over Vars
	Quantifier Quantifier
	Cond       Cond
	Locations  []string // variables listed under locations, in order
	Vars       []string // variables of an outcome: Locations, then the condition's others

	source *lowerer // for Tree
}

// Parse reads a test. Mistakes in it are reported as an *Error.
func Parse(filename string, src []byte) (t *Test, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		default:
			panic(e)
		}
	}()
	if len(src) > maxSource {
		return nil, &Error{File: filename, Line: 1, Col: 1, Msg: "the file is larger than 1 MiB, too large for a litmus test"}
	}
	text := newSource(filename, string(src))
	f := parseFile(text)
	l := build(text, f)
	if err := l.prog.Verify(); err != nil {
		return nil, err
	}
	t = &Test{Name: f.name, File: filename, Program: l.prog.Program, Quantifier: f.quant, Cond: f.cond, Locations: names(f.locations), source: l}
	t.Vars = names(l.outcome)
	return t, nil
}

// names returns the names of variables, each once.
func names(vars []variable) []string {
	list, seen := []string{}, map[string]bool{}
	for _, v := range vars {
		if name := v.String(); !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}
