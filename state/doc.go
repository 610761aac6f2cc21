// Package state executes programs of package ir over the memory of package
// memmodel: it says which steps a state allows, performs them, and brings
// states into a flat canonical form.
//
// A step is one visible operation of one unit of execution (a work-item or a
// host thread), with one of its allowed outcomes, and the private computation
// that follows it. What the text of a program tells it has from package facts.
//
// It must not know how states are searched, nor that some steps need not be tried: no
// reduction is named here. It keeps no history. But two questions about what comes
// later are its own, since the canonical form and the certifying of promises ask them,
// and it tells whoever else wants to know: what a unit may still do (Ahead, WaitsFor),
// and whether promises still matter (Promises).
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package state
