package ir

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// Indeterminate says what reads of memory return that nothing has written (rule 1.4).
type Indeterminate uint8

// What they return.
const (
	IndeterminateWrong Indeterminate = iota // nothing: such a read is a violation
	IndeterminateLocal                      // one value, 0, of local memory
	IndeterminateAny                        // of all memory, also private
)

var unwrittenNames = [...]string{"violation", "local-any", "any"}

// String returns the name that ParseIndeterminate reads.
func (u Indeterminate) String() string { return unwrittenNames[u] }

// ParseIndeterminate finds one by name; "" is that of a violation.
func ParseIndeterminate(s string) (Indeterminate, error) {
	if i := slices.Index(unwrittenNames[:], s); i >= 0 || s == "" {
		return Indeterminate(max(i, 0)), nil
	}
	return 0, fmt.Errorf("%q: want any, local-any or violation", s)
}

// TakeWritten gives memory a first value of 0 that the program takes to hold one. A front end calls it before Link.
func (p *Program) TakeWritten() {
	what := ""
	switch p.Unwritten {
	case IndeterminateWrong:
		return
	case IndeterminateLocal:
		what = "local memory"
	case IndeterminateAny:
		what = "memory"
	}
	for i := range p.Objects {
		if o := &p.Objects[i]; o.Init == nil && (p.Unwritten == IndeterminateAny || o.Region == memmodel.Local) {
			o.Init = make([]int64, o.Layout.Cells())
		}
	}
	p.Assumed = append(p.Assumed, fmt.Sprintf("%s that nothing has written holds 0 (--unwritten %s)", what, p.Unwritten))
}
