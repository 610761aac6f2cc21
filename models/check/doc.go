// Package check explores models of OpenCL concurrency from Go: in tests, and in
// programs. It is the Go API of clmc.
//
// A test of the package that a kernel belongs to says in one line that no execution
// which OpenCL allows goes wrong:
//
//	func TestReduce(t *testing.T) {
//		check.Verify(t, "testdata/reduce.go", check.Size("n", 4), check.Spec("2.0"))
//	}
//
// The test passes only if every execution was explored and none has a data race,
// diverges at a barrier, hangs, or does anything else that 'clmc explain' lists. The
// report is in the test's log. If some execution goes wrong, the failure ends in a
// string with which that execution alone can be repeated (Replay).
//
// Programs call Run, whose Result has one of three verdicts. Inconclusive is one of
// them: a search that was cut short verifies nothing.
//
// # Models
//
// A model is named as on the command line: a Go file, the folder of one model, a
// kernel file in OpenCL C (.cl) that says how it is launched, a
// litmus test (.litmus), or @name for one that comes with clmc ('clmc models' lists
// them). Relative names start from the working directory, which in a test is that
// of its package. With Source the text is given, and the name only says what it is
// and what it is called in reports.
//
// A model in Go is loaded from its text. It is not linked into the test, and so can
// lie anywhere that the go command ignores, such as testdata. docs/language.md in
// clmc's repository says what can be written in one.
//
// # Stability
//
// What this package exports stays: within a major version of clmc, programs that
// use it go on to compile and mean the same. Fields may be added to Result and
// Violation, and options to the package. What a model may say is as stable
// (package models/cl and docs/language.md), and so is the JSON that a Result
// writes (docs/json.md). Verdicts are as correct as clmc is: a new version may find
// what an older one has missed, and then its list of changes says so. The text of
// reports may change with any version, and a replay string is for the version that
// wrote it. All other packages of this module may change at any time.
//
// The package needs no database, no terminal and no network, and starts no process.
package check
