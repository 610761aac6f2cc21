// Package explore searches the executions of a program: depth first over
// canonical states, with or without partial-order reduction, until it has
// seen every behaviour or what it was asked to stop at.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package explore
