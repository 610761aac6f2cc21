// Package report writes what a search found: for people as text and drawings,
// for programs as JSON, and as a file from which an execution that goes wrong
// can be replayed.
//
// Every writer is a function of its input alone: the same result gives the same
// bytes.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package report
