package ir

import "github.com/clmc/clmc/memmodel"

// Program is a complete model: the objects in memory, the code, and the units
// of execution that exist when it starts.
type Program struct {
	Name       string     // of the model
	Sources    []Source   // its files, for traces
	Positions  []Pos      // Instr.Pos indexes it; entry 0 is the unknown position
	Calls      []Call     // Pos.Call indexes it; entry 0 is no call
	Strings    []string   // Instr.Str indexes it: messages of assertions, names of observations
	Objects    []Object   // what is in memory
	Funcs      []*Func    // the code
	HostQueues []Queue    // that the host creates; the default queue is not among them
	Threads    []Thread   // running from the start: the host's main, or a litmus test's threads
	Final      []FinalVar // what of memory belongs to the outcome at the end
	Queues     []int32    // device-side queues beside the default one: how many commands each holds, 0 for any number
	// EnqueueFailure: every device-side enqueue may fail (rule 12.17).
	EnqueueFailure bool
	// SubGroupSize is the size of the device's sub-groups, in work-items of a
	// work-group's linear order; 0 means DefaultSubGroupSize.
	SubGroupSize int64
	// Called has, for reports, the function of the program that an OpCollective is a part of, by Instr.Str: where it has another name than
	// what the operation does.
	Called  map[int32]string
	Extents []Extent // for reports: what checks of objects are about
	// Constants are those of the model that the user can set.
	Constants []Constant
	// Forgiven are the places, by index in Positions, of which data races are known, and set aside; nil if none are.
	Forgiven []bool
	// Notes say what the front end took for granted, for reports.
	Notes []string
	// Data are what the program is given, in the order of their names.
	Data []Datum
	// HasData: the front end has listed Data. Otherwise nobody knows what depends on them.
	HasData bool
	// Unchecked are the assertions of its files that are not part of the program, and why: launches are not those
	// that they were written for.
	Unchecked []string
	// Assumed is what the program takes for granted because the user said so: the verdict rests on it, and says it.
	Assumed []string
	// LegacyScope is what the atomic functions of OpenCL 1.x, which have no scope
	// argument, were taken to name (rule 3.9).
	LegacyScope memmodel.Scope
	// Late says what is decided late; nil if nothing is.
	Late *Late
	// Unwritten is what reads of memory return that nothing has written; a front end sets it before it makes any code.
	Unwritten Indeterminate
}

// Late says of a program what is not known of its data and is chosen where something depends on it. The program has an execution for each one
// with any data, and perhaps others: what is not found in it goes wrong nowhere, and what is found has to be looked for with data.
type Late struct {
	// Exact: with all values of Inputs for each datum by itself, all that can happen happens.
	Exact bool
	// Waits: that executions end says nothing of those with data, which might go on for ever.
	Waits  bool
	Inputs []LateInput // in the order of the buffers, then of the scalars
}

// LateInput is a datum that is decided late.
type LateInput struct {
	Name   string  // of the argument
	Elem   string  // of a buffer: the type of its elements, as a launch names it; "" of a scalar
	Len    int     // of a buffer: how many there are
	Type   Type    // of the values
	Values []int64 // those that stand for all, as far as is known
}

// Forgives reports whether data races of what is at an instruction of a function are known, and set aside.
func (p *Program) Forgives(fn, pc int) bool {
	return p.Forgiven != nil && fn >= 0 && p.Forgiven[p.Funcs[fn].Code[pc].Pos]
}

// Constant is a constant of a model, with its value as text.
type Constant struct {
	Name  string // as the model has it
	Value string // as Go writes it
	Plain bool   // its type has no name but that of a number: it may be a size, and is no order or scope
}

// Unsigned reports whether a value of the outcome is an unsigned integer of 64 bits: wherever it is observed under
// the name Strings[str], or, if that is negative, the last value at an address.
func (p *Program) Unsigned(str, addr int32) bool {
	if str < 0 {
		o := p.ObjectAt(-1, addr)
		if o == nil {
			return false
		}
		cell, _ := o.Layout.Cell(int(addr - o.Base))
		return cell.Type == U64
	}
	found := false
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == OpObserve && in.Str == str {
				if in.Type != U64 {
					return false
				}
				found = true
			}
		}
	}
	return found
}

// DefaultSubGroupSize is the size of sub-groups where a program asks for none.
const DefaultSubGroupSize = 4

// Queue is a command queue of the host. Its handle is QueueHandle of its index in Program.HostQueues;
// that of the default queue, which is in-order and of device 0, is 0.
type Queue struct {
	Name       string // for traces
	Device     uint16 // which executes its commands
	OutOfOrder bool   // a command need not wait for those before it
}

// QueueHandle returns the handle of HostQueues[i]. Handles of device queues are
// positive.
func QueueHandle(i int) int64 { return int64(-1 - i) }

// Source is the text of one file of the model, kept for traces.
type Source struct {
	Name string // as messages name the file
	Text string // all of it
}

// Pos is a place in the text of the model; lines and columns count from 1,
// columns in bytes. The zero Pos is unknown.
type Pos struct {
	File int32 // index into Program.Sources
	Line int32 // 0 if unknown
	Col  int32 // 0 if unknown
	Call int32 // the inlined call that the code belongs to: an index into Program.Calls
}

// Thread is a unit of execution that exists from the start.
type Thread struct {
	Name  string         // for traces and outcomes: "host", "P0"
	Func  int            // index into Program.Funcs
	Place memmodel.Place // where it runs
	Item  Item           // what the work-item queries answer
}

// Item holds the coordinates that a work-item may ask for.
type Item struct {
	WorkDim      uint8    // the number of dimensions
	GlobalID     [3]int64 // without the offset
	LocalID      [3]int64 // within the work-group
	GroupID      [3]int64 // the work-group's
	GlobalSize   [3]int64 // of the index space
	LocalSize    [3]int64 // enqueued local size
	GlobalOffset [3]int64 // which get_global_id adds
	SubGroupID   int64    // within the work-group
	SubGroupSize int64    // of this sub-group
	SubLocalID   int64    // within the sub-group
	NumSubGroups int64    // of this work-group
	// The size of the largest sub-group of a full work-group, and their number.
	MaxSubGroupSize      int64
	EnqueuedNumSubGroups int64 // of a full work-group
}

// FinalVar is a cell of shared memory whose last value in modification order
// belongs to the outcome of an execution.
type FinalVar struct {
	Name string // by which the outcome has it
	Addr int32  // address in the shared segment
}
