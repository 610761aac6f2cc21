// Package state executes programs of package ir over the memory of package
// memmodel: it says which steps a state allows, performs them, and brings
// states into a flat canonical form.
//
// A step is one visible operation of one unit of execution (a work-item or a
// host thread), with one of its allowed outcomes, and the private computation
// that follows it. The package does not search and keeps no history.
package state
