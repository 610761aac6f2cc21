// Package disk keeps a search in a directory: a Store whose set of visited states
// can outgrow memory, and whose checkpoints survive a crash, in a Badger database.
//
// The invariant of a directory is that it is always at a checkpoint: states,
// their entries, and whatever the search added belong to one moment.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package disk
