package ir

// Datum is something that a program is given: what a buffer holds, or a scalar that is passed by value. A search with one
// content answers for all that nothing needs (docs/exploration/slicing.md, "Values that nothing needs").
type Datum struct {
	Name   string // of the argument
	Scalar bool   // passed by value
	Value  string // of a scalar that is one number, the value that it is given; otherwise ""
	// Decides: what can happen depends on it.
	Decides bool
	Why     string // what does so first, as in "decides a branch"
	// Addresses: the address of an access comes from it.
	Addresses bool
	At        Pos // where it does so
}
