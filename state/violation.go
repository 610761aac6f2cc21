package state

import "github.com/clmc/clmc/memmodel"

// Kind is a kind of violation.
type Kind uint8

// The kinds of violation. Their order is that of their ids (see ID).
const (
	NoViolation Kind = iota
	DataRace
	UninitialisedRead
	BarrierDivergence
	AssertionFailed
	IndexOutOfRange
	NilDereference
	DivisionByZero
	InvalidArgument
	InvalidAccess    // an atomic operation on memory that is not atomic, or a wild pointer
	NonTermination   // private computation that never ends
	Deadlock         // units wait for what can never happen
	Unreachable      // a Reachable that no execution reaches
	InvalidEvent     // use of an event that does not exist or is not of the right kind
	FailedCommand    // a command has terminated abnormally and nobody can know
	UnwaitedCopy     // a work-item ends while an asynchronous copy of its group has not been waited for
	UnfencedImage    // a work-item reads what it has written to an image, without a fence
	MappingViolation // memory is accessed by those who may not, as it is mapped or not
	NoWayOut         // from here on no execution comes to an end, though units go on
	FreedMemory      // memory is used, or freed, that has been freed
	MayRun           // an execution goes on for ever, and the scheduler keeps its promises
	numKinds         = iota
)

var kinds = [numKinds]struct{ id, title string }{
	DataRace:          {"CL1001", "data race"},
	UninitialisedRead: {"CL1002", "read of uninitialised memory"},
	BarrierDivergence: {"CL1003", "barrier divergence"},
	AssertionFailed:   {"CL1004", "assertion failed"},
	IndexOutOfRange:   {"CL1005", "index out of range"},
	NilDereference:    {"CL1006", "nil dereference"},
	DivisionByZero:    {"CL1007", "integer division by zero"},
	InvalidArgument:   {"CL1008", "invalid argument"},
	InvalidAccess:     {"CL1009", "invalid memory access"},
	NonTermination:    {"CL1010", "endless private computation"},
	Deadlock:          {"CL1011", "deadlock"},
	Unreachable:       {"CL1012", "unreachable"},
	InvalidEvent:      {"CL1013", "invalid event"},
	FailedCommand:     {"CL1014", "abnormal termination"},
	UnwaitedCopy:      {"CL1015", "copy not waited for"},
	UnfencedImage:     {"CL1016", "missing image fence"},
	MappingViolation:  {"CL1017", "mapping violation"},
	NoWayOut:          {"CL1018", "no way out"},
	FreedMemory:       {"CL1019", "use of freed memory"},
	MayRun:            {"CL1020", "may run for ever"},
}

// ID returns the kind's stable identifier.
func (k Kind) ID() string { return kinds[k].id }

// String returns the kind's name.
func (k Kind) String() string { return kinds[k].title }

// OfOneExecution reports whether an execution shows violations of the kind by itself.
// Others depend on what executions there are.
func (k Kind) OfOneExecution() bool {
	return k != NoViolation && k != Unreachable && k != NoWayOut && k != MayRun
}

// Kinds lists the kinds of violation.
func Kinds() []Kind {
	var all []Kind
	for k := DataRace; k < numKinds; k++ {
		all = append(all, k)
	}
	return all
}

// Violation is something wrong that the last step brought about.
type Violation struct {
	Kind Kind          // what is wrong
	Unit memmodel.Unit // whose step it was
	PC   int           // of the instruction in the unit's code
	// Of a data race or an uninitialised read.
	Fault memmodel.Fault
	// Of barrier divergence: the units of the group that can never meet.
	Waiting, Missing memmodel.Unit
	// Of a data race: what had gone wrong before in the same execution, which
	// the race makes undefined (rule 9.3), and where.
	Failed     Kind
	FailedUnit memmodel.Unit // who failed before, if that is another
	FailedPC   int           // and where
}

// MayComeOfRace reports whether a violation of kind k may be the consequence of
// a data race whose second access comes only later: whether the other units can
// go on after it.
func (k Kind) MayComeOfRace() bool {
	switch k {
	case NoViolation, DataRace, Deadlock, Unreachable, NoWayOut, MayRun:
		return false
	}
	return true
}

// Rename gives the units and the location that v names other names.
func (v *Violation) Rename(unit func(memmodel.Unit) memmodel.Unit, loc func(memmodel.Loc) memmodel.Loc) {
	v.units(func(u *memmodel.Unit) { *u = unit(*u) })
	if v.Fault.Kind != memmodel.NoFault {
		v.Fault.Loc = loc(v.Fault.Loc)
	}
}

// units calls f with the units that v names.
func (v *Violation) units(f func(u *memmodel.Unit)) {
	if v.Kind == NoViolation {
		return
	}
	f(&v.Unit)
	if v.Kind == BarrierDivergence {
		f(&v.Waiting)
		f(&v.Missing)
	}
	if v.Fault.Kind != memmodel.NoFault {
		f(&v.Fault.Unit)
	}
	if v.Fault.Kind == memmodel.DataRace {
		f(&v.Fault.Other)
	}
	if v.Failed != NoViolation {
		f(&v.FailedUnit)
	}
}
