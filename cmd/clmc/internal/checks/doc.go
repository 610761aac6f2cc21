// Package checks is about lists of checks for clmc run: reading one from a
// YAML file, judging what a search found against what the list expects,
// sharing the time of a night fairly, trying each search in memory before it is
// kept, and remembering finished results. It decides all of that; how a search is
// run and who is told of it is left to a Desk.
package checks
