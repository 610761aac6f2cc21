// Package explain has a page about each kind of violation: what it is, what the
// specification says, an example, and how to mend it.
package explain
