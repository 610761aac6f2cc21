// Package por decides which steps of a state a search must try (partial-order
// reduction): which units' steps are enough by themselves or can be performed at once,
// which outcomes allow no more than others do, which steps are rounds of waiting, and
// which units need not be tried again.
//
// It knows of a state what the machine tells: what units are about to touch (Reading,
// Modifying, Target), may still do and wait for (Ahead, WaitsFor), and may promise
// (Promises). It must not change states, and does not know the search: how states are
// stored, on which path they lie, or in which order they are visited.
//
// docs/exploration.md argues why its answers lose no outcome and no violation.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package por
