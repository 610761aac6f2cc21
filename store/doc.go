// Package store keeps what a search knows of the states it has visited, in
// memory or in a directory that outlives the process. It knows states by
// fingerprint only and nothing of programs or memory.
//
// The invariant of a directory is that it is always at a checkpoint: states,
// their entries, and whatever the search added belong to one moment.
package store
