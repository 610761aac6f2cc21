// Package store keeps what a search knows of the states it has visited. It
// knows states by fingerprint only and nothing of programs or memory.
package store
