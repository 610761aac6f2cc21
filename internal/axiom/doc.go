// Package axiom decides small programs by the axioms of the OpenCL 2.x memory
// model: it enumerates candidate executions (each thread's path, reads-from,
// modification order) and keeps those that the rules allow.
//
// It is the oracle that the explorer is tested against, so it shares nothing
// with the machine but the vocabulary, and it prefers being plain to being
// fast. Programs are limited to 64 events. Of commands it knows those of host
// queues, map and unmap, with their events and callbacks, by one or several host
// threads, and device-side enqueue with its events, where each enqueue is executed
// at most once. Kernels of such commands have no barriers, except where WhyNot asks for
// executions that come to their ends.
//
// Beside what a program's executions show it tells why none has an outcome: which rules
// forbid each candidate, and the shortest chain of operations that shows it (WhyNot).
//
// Comments cite the rules of the memory model by number.
package axiom
