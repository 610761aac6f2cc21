// Package cli is the command line of clmc: flags, files, signals, progress and
// exit codes. It decides nothing about programs; it hands them from the front
// ends to the explorer and the results to the printers.
//
// It keeps three promises to scripts: results go to standard output and
// everything else to standard error, the last line of a result is its verdict,
// and the exit code says the same.
package cli
