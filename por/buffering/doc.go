// Package buffering tells of which writes a promise can make a difference: those on a
// cycle of program order and reads-from that no barrier, fence or order forbids. It
// looks at the text (cycle.go) and, where that is not enough, walks each unit of
// execution by itself (threads.go) to see with which values the cycle could be closed
// (hops.go). The machine is handed where that leaves promises to be made.
//
// It must not know states of the program: what it says holds of every execution. It may
// err only towards promises. Whether they still matter from a state on is told by the
// machine, whose canonical form asks.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package buffering
