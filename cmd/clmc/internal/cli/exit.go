package cli

import (
	"errors"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/store"
)

// The exit codes.
const (
	exitVerified     = 0 // everything was explored and nothing goes wrong
	exitViolation    = 1 // something goes wrong in some execution
	exitUsage        = 2 // the command line, a file or a model is at fault
	exitInconclusive = 3 // nothing was found, but not everything was explored
	exitInternal     = 4 // a bug of clmc
	exitDevice       = 5 // a device does what the memory model forbids
)

// exitHelp documents the exit codes, for --help.
const exitHelp = `Exit codes:
  0  verified: clmc explored every execution, and none goes wrong, except in ways that a
     //clmc:known line names
  1  violation: some execution goes wrong
  2  the command line or a file is at fault
  3  inconclusive: clmc found nothing, but a limit or an interrupt cut the search short
  4  internal error: a bug of clmc, please report it
Of several models the worst counts, in the order 4, 2, 1, 3, 0. If the system runs out of
memory, Go's runtime ends the process with 2 and "fatal error:"; --mem prevents it.`

// severity orders the exit codes for worse.
var severity = [...]int{exitVerified: 0, exitInconclusive: 1, exitDevice: 2, exitViolation: 3, exitUsage: 4, exitInternal: 5}

// worse returns the graver of two exit codes.
func worse(a, b int) int {
	if severity[b] > severity[a] {
		return b
	}
	return a
}

// exitOfError is the exit code of an error: of a disk that is full, and of
// an interrupt, or what has failed on a device, that the search could not be finished yet; of all others, that somebody must do something.
func exitOfError(err error) int {
	if f := (*device.Failure)(nil); errors.Is(err, store.ErrFull) || errors.Is(err, guard.ErrLeft) || errors.As(err, &f) {
		return exitInconclusive
	}
	return exitUsage
}

// exitOf is the exit code of a verdict.
func exitOf(v explore.Verdict) int {
	switch v {
	case explore.Verified, explore.ButForKnown:
		return exitVerified
	case explore.Violated:
		return exitViolation
	}
	return exitInconclusive
}
