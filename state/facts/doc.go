// Package facts finds what the text of a program tells before it is executed: what each
// instruction may lead to and touch, who may enqueue what, which registers matter
// where, what work-items ask of who they are, where things are in memory, and which
// mechanisms of the memory model all that can need. It is worked out once, and read by
// the machine and by reductions.
//
// It must not know states, units of execution, or the order in which anything
// happens: a fact holds of every execution. Where the text does not tell, a fact errs
// to the side on which nothing is lost, and its comment says which that is.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package facts
