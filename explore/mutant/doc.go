// Package mutant breaks rules on purpose, one at a time, and sees whether the tests
// notice. It is for the tests of this module: its names may change at any time.
//
// A mutant is a replacement in one source file, laid over it for a single run of go test, so
// that the file itself is never touched. Each takes a build and a search, so a usual
// run tries those whose turn it is on that day, and Period days try them all;
// -mutants tries all of them or one shard, and sees that the tests pass with no rule broken.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package mutant
