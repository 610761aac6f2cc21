package load

// role is what an argument of a built-in is for.
type role uint8

// The roles. Those of the second group are variadic, and last.
const (
	byPosition  role = iota // what the function itself knows
	theObject               // an atomic object
	theOperand              // the value that is stored, added, asserted ...
	theExpected             // a pointer to the value that a compare-exchange expects
	theOrder                // of success, if there are two
	theFailOrder
	theScope
	theFenceFlags
	theText    // a message, or a name
	theNumber  // of elements, of a dimension, of values
	thePointer // into whichever address space
	theImage
	theCoord
	theTarget // the slice that is copied to
	theSource // the slice that is copied from
	theStride
	theGroupEvent // the event that an asynchronous copy joins
	theKernel
	theNDRange
	theQueue
	theFlags     // of an allocation, or of an enqueue
	theWaitList  // a slice of events
	theNewEvent  // a pointer to the event that an enqueue makes, or nil
	theEvent     // that a function works on
	maybeScope   // at most one
	maybeQueue   // at most one
	theNumbers   // the entries of an index, the sizes of an NDRange
	theCopies    // the events of asynchronous copies
	theSizes     // of local arguments, or at most one of a queue
	theEvents    // of the host
	theOptions   // of a command of the host
	variadicFrom = maybeScope
)

// roles lists what the parameters of a built-in are for.
type roles []role

// variadic reports whether the last parameter takes any number of arguments.
func (r roles) variadic() bool { return len(r) > 0 && r[len(r)-1] >= variadicFrom }
