// Package proofs takes kernel files to proofs for all data and all sizes: what could not be proved becomes launches that the
// ordinary search tries, and no alarm is told but one that it repeats.
package proofs
