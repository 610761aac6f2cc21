package store

import "errors"

// What can be wrong with a store. Each error of a Store is one of these, by
// errors.Is, and only of the first three is the search in it lost to
// this clmc: whoever decides what becomes of it needs to know no more.
var (
	ErrDamaged = errors.New("the store is damaged")                // it contradicts itself, or cannot be read
	ErrFormat  = errors.New("the store has another format")        // another version of clmc wrote it
	ErrOther   = errors.New("the store belongs to another search") // another model, or another question about it
	ErrNone    = errors.New("there is no store")                   // the directory is not there, or is something else
	ErrInUse   = errors.New("the store is in use")                 // by a process, perhaps this one
	ErrFull    = errors.New("the disk is full")                    // or a quota, or a limit on files; the last checkpoint is intact
	ErrSystem  = errors.New("the system refuses a resource")       // rights, descriptors, memory: nothing is wrong with the store
)

// Kinds are all of them.
var Kinds = []error{ErrDamaged, ErrFormat, ErrOther, ErrNone, ErrInUse, ErrFull, ErrSystem}

// fault is an error with its kind, which its text need not repeat.
type fault struct {
	error
	kind error // one of Kinds
}

func (f *fault) Unwrap() []error { return []error{f.kind, f.error} }

// Classed makes an error one of a kind without changing its text.
func Classed(kind, err error) error { return &fault{err, kind} }
