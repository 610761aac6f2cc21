// Package trace says what happened in an execution that goes wrong. It replays
// the schedule that the search found and records each visible operation in
// OpenCL's own words, with what it read from where, what it synchronised
// with and what its work-item has seen since; and it says in plain sentences
// what went wrong and, for a data race, why the two accesses are unordered.
//
// It decides nothing: whatever it says about an execution it has asked the
// machine, or read off the machine's answers.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package trace
