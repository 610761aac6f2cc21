//go:build unix

package capture

import (
	"os"
	"syscall"
)

// exitCode is the exit code of a process as shells have it.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
