package facts

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Facts are what the text of a program tells under one reading of the specification.
// They do not change, and may be read by many at a time.
type Facts struct {
	Program *ir.Program     // whose text it is
	Spec    memmodel.Spec   // the reading
	Traits  memmodel.Traits // the mechanisms of the memory model that the program can need

	Points    []*ir.PointsTo // by function: what its addresses may mean
	Plans     [][]Plan       // by function and pc
	Onward    []*Reach       // by function: what its code may come to
	Asks      []*Asking      // by function
	Children  []Children     // by function
	Atomic    []bool         // by function: makes atomic accesses
	Goes      []bool         // by function: round, at an atomic access
	Legacy    []bool         // by function: calls atomic functions of OpenCL 1.x on global memory
	OnHost    []bool         // by function: host threads execute it
	ReachBits []int32        // by message of a cl.Reachable call: its number among them; -1 for other texts
	// The names, of hosts and of kernels, under which several functions observe.
	SharedNames [2][]bool

	Commuting   bool // some read-modify-writes commute with others like them
	Vain        bool // some compare-exchanges may come too late
	Loops       bool // some unit may go on for ever, for all that the code tells
	Parts       bool // some barrier or collective is of a sub-group
	Assumes     bool // there are assumptions, whose failing ends an execution
	DeviceQueue bool // some kernel may enqueue
	Bounded     bool // some device queue can be full
	Enqueues    bool // some unit may make commands, events or threads
	Threaded    bool // there may be several host threads
	Polls       bool // somebody asks for the status of events
	Concurrent  bool // several commands or host threads may be under way at a time
	// Beyond: the host does more than enqueue kernels on the default queue and wait
	// for them all, or frees memory.
	Beyond      bool
	FirstKernel uint32 // the number of the first kernel-instance that a command runs

	// The locations that are there from the beginning to the end, and keep their index:
	// the shared segment, its copies and what is hidden. Those of work-groups, by
	// function, come behind them.
	Shared []memmodel.Location
	Group  [][]memmodel.Location // by function: of its work-groups
	Rules  []AccessRule          // by cell of the shared segment
	Maps   bool                  // some of them matter
	// By device: where it has what is of program scope, by cell; nil if where it is.
	Copies [][]memmodel.Loc
	Origin []int32      // of each copy: the cell that it is a copy of
	Turns  memmodel.Loc // first of the locations that order what host threads do to queues

	spent func() bool // while they are found: see Unless
}

// Of finds the facts of a program.
func Of(p *ir.Program, spec memmodel.Spec) *Facts {
	return Unless(func() bool { return false }, p, spec)
}

// Unless is Of, but nil when what takes long is to be given up. spent says so, and says so from then on: what is found
// after that counts for nothing.
func Unless(spent func() bool, p *ir.Program, spec memmodel.Spec) *Facts {
	facts := &Facts{Program: p, Spec: spec, FirstKernel: 1, spent: spent}
	facts.survey()
	for fn := range p.Funcs {
		facts.ofFunc(fn)
		if spent() { // what was not found is not there
			return nil
		}
	}
	facts.SharedNames = sharedNames(p)
	facts.layOut()
	for _, t := range p.Threads {
		facts.FirstKernel = max(facts.FirstKernel, t.Place.Kernel+1)
	}
	facts.Traits = facts.traits()
	if facts.spent = nil; spent() {
		return nil
	}
	return facts
}

// survey finds what the program as a whole does.
func (facts *Facts) survey() {
	p := facts.Program
	facts.ReachBits = reachBits(p)
	facts.Children = facts.offspring()
	facts.OnHost, facts.Threaded = hostFuncs(p), has(p, ir.OpGo, ir.OpCallback)
	facts.Assumes = has(p, ir.OpAssume)
	facts.Concurrent, facts.Polls = facts.Threaded || len(p.HostQueues) > 0, has(p, ir.OpEventStatus)
	facts.Beyond = facts.Concurrent || facts.Polls || has(p, ir.OpEnqueueNative, ir.OpMarker, ir.OpQueueBarrier, ir.OpWaitEvents, ir.OpFree)
	facts.Bounded = slices.ContainsFunc(p.Queues, func(size int32) bool { return size > 0 })
	facts.Enqueues = slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return in.Op.Makes() })
	})
}

// ofFunc finds the facts of a function.
func (facts *Facts) ofFunc(fn int) {
	p, f := facts.Program, facts.Program.Funcs[fn]
	facts.DeviceQueue = facts.DeviceQueue || facts.Children[fn].Any
	facts.Points = append(facts.Points, p.PointsToUnless(facts.spent, fn))
	facts.Group = append(facts.Group, nil)
	facts.Onward = append(facts.Onward, facts.newReach(f))
	facts.Asks = append(facts.Asks, facts.newAsking(f))
	facts.Plans = append(facts.Plans, facts.plans(f))
	for pc := range f.Code {
		facts.Plans[fn][pc].Looks = facts.Plans[fn][pc].Waits && f.Code[pc].Op == ir.OpLoad && facts.looks(fn, pc)
	}
	facts.Goes = append(facts.Goes, slices.ContainsFunc(facts.Plans[fn], func(p Plan) bool { return p.Waits }))
	facts.Loops = facts.Loops || slices.Contains(f.ComesBack(), true)
	facts.Commuting = facts.Commuting || slices.ContainsFunc(facts.Plans[fn], func(p Plan) bool { return p.Class != ir.Ordered })
	facts.Vain = facts.Vain || slices.ContainsFunc(facts.Plans[fn], func(p Plan) bool { return p.Vain })
	facts.Parts = facts.Parts || slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return in.Op.Meets() && in.SubGroup })
	facts.Atomic = append(facts.Atomic, slices.ContainsFunc(f.Code, func(in ir.Instr) bool {
		return in.Op.Access() && in.Order != memmodel.NonAtomic
	}))
	facts.Legacy = append(facts.Legacy, facts.callsLegacy(fn))
}

// reachBits numbers the messages of cl.Reachable, from 0; -1 stands for other texts.
func reachBits(p *ir.Program) []int32 {
	bits, n := slices.Repeat([]int32{-1}, len(p.Strings)), int32(0)
	for _, f := range p.Funcs {
		for pc := range f.Code {
			if in := &f.Code[pc]; in.Op == ir.OpReach && bits[in.Str] < 0 {
				bits[in.Str] = n
				n++
			}
		}
	}
	return bits
}

// has reports whether the program has an operation of one of these kinds.
func has(p *ir.Program, ops ...ir.Op) bool {
	for _, f := range p.Funcs {
		if slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return slices.Contains(ops, in.Op) }) {
			return true
		}
	}
	return false
}

// hostFuncs tells of each function whether host threads execute it.
func hostFuncs(p *ir.Program) []bool {
	on := make([]bool, len(p.Funcs))
	var mark func(fn int)
	mark = func(fn int) {
		if on[fn] {
			return
		}
		on[fn] = true
		for _, in := range p.Funcs[fn].Code {
			if in.Op == ir.OpGo || in.Op == ir.OpCallback {
				mark(int(in.Target))
			}
		}
	}
	for _, t := range p.Threads {
		if t.Place.Host {
			mark(t.Func)
		}
	}
	return on
}
