// Package gen writes litmus tests: systematically, by combining the classic
// shapes with ways to access memory, scopes, placements and regions, and at
// random. It produces text only; package litmus parses it.
//
// Tests are named after what they combine, in the style of diy, for example
// MP+ra.fra+dev+wgs+gl: message passing, by release and acquire in P0 and by
// fences in P1, at device scope, in two work-groups, x global and y local.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package gen
