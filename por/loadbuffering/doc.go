// Package loadbuffering decides which writes are worth promising: those on a cycle of program order and reads-from
// that no barrier, fence or memory order forbids. It looks at the code alone first (cycle.go). Where that is not
// enough it runs each thread by itself (threadmodular.go) and asks for which values the cycle can be closed
// (poedges.go). The machine receives the writes that remain.
//
// The package must not know the states of a program: what it says holds for every execution. It may err only
// towards promises. Whether promises still matter from a state on is decided by the machine, whose canonical form
// asks.
//
// The package is a part of clmc and not of its Go API, which is models/check: it may change with any version.
package loadbuffering
