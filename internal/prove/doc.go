// Package prove shows that no execution of a kernel has a data race, a diverging barrier or a failed assertion, whatever
// its data and sizes are, without exploring any: two arbitrary work-items are followed between two barriers
// (docs/exploration/proofs.md, "Proofs for all data and all sizes").
//
// What it cannot show is open, and is no alarm: it may be that nothing goes wrong.
//
// It is a part of clmc and not of its Go API, which is models/check: it may change
// with any version.
package prove
