// Package ir is the intermediate representation that every front end (Go
// models, herd litmus tests) lowers to and that package state executes: a
// register machine whose visible operations are those of the memory model.
//
// It describes programs and facts about their text (liveness, what may be
// accessed). It holds no execution state and knows nothing of any front end.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package ir
