// Package flow answers what graphs are asked again and again: what can be come
// to, what comes back to where it was, which nodes lead to each other, and which
// are on every way to another. It knows nodes by their numbers alone, and nothing
// of what they stand for: code, blocks of it, or what a unit of execution may do.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package flow
