// Package load turns a model, a Go program in the modelling language, into the
// intermediate representation that the checker executes.
//
// It needs no Go toolchain, module or network: it parses and type-checks the
// model against the embedded vocabulary (package cl), builds the SSA form of
// golang.org/x/tools/go/ssa, and lowers that, with every call inlined, to blocks
// of instructions, which package lower makes small and lays out. What lies
// outside the modelling language is refused here, with file, line, column and
// what to write instead, so that the machine never meets it.
//
// The package reads the file or folder that it is given and nothing else. It
// runs no model: only the initial values of package-level variables are
// evaluated here.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package load
