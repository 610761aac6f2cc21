package main

import (
	"os/exec"
	"time"
)

// overran reports whether a command that has ended took longer than it may: by the clock and, as on a machine that does much
// else anything may be late, by the processors; or so long that it must have hung.
func overran(cmd *exec.Cmd, took, limit time.Duration) bool {
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return took > limit && (used > limit || took > 10*limit+time.Minute)
}

// starved reports whether a command that computes had less than half the time of a processor.
func starved(cmd *exec.Cmd, took time.Duration) bool {
	return 2*(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()) < took
}
