package memmodel

import "math"

// Place says where a unit of execution (a work-item or a host thread) runs.
// Two units share a work-group when Kernel, Device and Group agree, and a
// sub-group when Sub agrees as well.
type Place struct {
	Host   bool   // a host thread
	Device uint16 // its device's number
	Kernel uint32 // kernel-instance
	Family uint32 // the kernel-instance that the host enqueued, of which Kernel descends; 0 is Kernel itself
	Group  uint16 // work-group within the kernel-instance
	Sub    uint16 // sub-group within the work-group, NoSub for an asynchronous copy
}

// NoSub is the sub-group of an asynchronous copy, which is of its work-group alone.
const NoSub = math.MaxUint16

// Copies reports whether it is an asynchronous copy that runs there. What that has done is told once it has ended, and then its
// place may be another one's (Memory.Await, Memory.Start).
func (p Place) Copies() bool { return p.Sub == NoSub }

// SameGroup reports whether two units of execution are work-items of one work-group.
func (p Place) SameGroup(q Place) bool {
	return !p.Host && !q.Host && p.Device == q.Device && p.Kernel == q.Kernel && p.Group == q.Group
}

// SameFamily reports whether two work-items run in one kernel-instance, or in
// descendants of one that the host enqueued (rule 3.5).
func (p Place) SameFamily(q Place) bool { return p.root() == q.root() }

func (p Place) root() uint32 {
	if p.Family != 0 {
		return p.Family
	}
	return p.Kernel
}

// SameDevice reports whether two units of execution run on one device, or both
// on the host.
func (p Place) SameDevice(q Place) bool {
	return p.Host == q.Host && (p.Host || p.Device == q.Device)
}
