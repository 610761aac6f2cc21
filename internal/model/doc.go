// Package model takes a model from its name to the report on it: it finds what a
// name means, has a front end load it, and has what the search found traced and,
// of a litmus test, judged. The command line, lists of checks, the Go API and the
// tests all go this one way.
//
// It decides nothing about a search: options come from the caller, and are handed
// on.
package model
