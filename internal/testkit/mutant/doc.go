// Package mutant breaks rules on purpose, one at a time, and sees whether the tests
// notice. It is for the tests of this module: its names may change at any time.
//
// A mutant is a replacement in one source file, which itself is never touched. All mutants of
// a package's lists are built into one test binary, beside what they replace, and an environment variable
// says which one is active (see schema.go), so that a mutant costs its tests and no build. Tests that
// are not done in time have not told the mutant: that is not decided, and a failure.
//
// By default no mutant is tried. The flag -mutants says which ones are: all, a share, those of the day, or those
// that a commit calls for. With -ledger what is caught is written into the ledger, ledger.txt, which says of each mutant when
// that was last seen, at which commit, and which test told.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package mutant
