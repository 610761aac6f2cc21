// Package store is what a search keeps of the states that it has visited: the
// interface Set, a table in memory, and the interface Store, of what outlives the
// process. It knows states by fingerprint only and nothing of programs or memory.
//
// Package disk below has the Store that clmc uses. Nothing here depends on it, so
// that what only searches in memory links no database.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package store
