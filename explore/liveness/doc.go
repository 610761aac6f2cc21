// Package liveness decides whether every execution of a program comes to its end if work-groups,
// sub-groups and work-items make progress as a model of progress promises: unfair, obe, hsa, hsa_obe,
// lobe or fair at each level of the device.
//
// Its procedure is direct: it builds the graph of all states, with nothing left out, finds in it what
// can be repeated for ever (strongly connected components, without what memory fairness forbids), and asks
// of each whether a scheduler that keeps its promises may stay there. docs/exploration/liveness.md,
// "Executions that go on for ever", argues why that is right.
//
// The package is a part of clmc and not of its Go API, which is models/check:
// it may change with any version.
package liveness
