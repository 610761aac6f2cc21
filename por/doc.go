// Package por decides which steps of a state a search must try (partial-order
// reduction): which are enough by themselves, and which units of execution
// need not be tried again. It does not perform steps and does not search.
//
// docs/exploration.md argues why its answers lose no outcome and no violation.
package por
