//go:build !unix

package capture

import "os"

// exitCode is the exit code of a process.
func exitCode(s *os.ProcessState) int { return s.ExitCode() }
