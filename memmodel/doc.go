// Package memmodel is the OpenCL 2.x memory model as an operational machine:
// what an atomic or ordinary access, a fence or a barrier may do to memory,
// what each work-item has seen of it, and when two accesses race.
//
// It knows nothing of programs, registers, schedules or search: its callers
// say which unit of execution performs which operation and which of the
// allowed outcomes it takes. It imports nothing else of this module.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package memmodel
