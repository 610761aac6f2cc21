// Package whynot says in words why no execution of a program has an outcome that was asked for.
// What package explore finds out by going through states is explained by the axioms: the rules
// forbid each way to read and to order the writes, and the nearest of these is shown, with the
// operations in the user's files, by their OpenCL names, and the rules between them.
//
// It must say nothing that does not hold: where the program is too large for the axioms, or
// there is no time, that is the answer.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package whynot
