// Package randprog makes the small programs that the explorer is tested with:
// a Builder to write them by hand, Generate to draw them at random, Format and
// Parse to read and replay them, and Shrink to reduce a failing one.
//
// Every program it makes observes each loaded register as "<thread>:r<n>" and
// the last value of every variable under the variable's name, so that two ways
// of running a program can be compared outcome by outcome.
package randprog
