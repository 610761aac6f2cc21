// Package explain has a page about each kind of violation: what it is, what the
// specification says, an example, and how to mend it.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package explain
