// Package checks is about lists of checks for clmc run: reading one from a
// YAML file, judging what a search found against what the list expects,
// sharing the time of a night fairly, and remembering finished results.
package checks
