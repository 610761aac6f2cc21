package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptWhileLoading interrupts commands while they load a kernel whose macros expand to ten million
// tokens: seconds pass before that is refused, and nothing is to be waited for.
func TestInterruptWhileLoading(t *testing.T) {
	model := write(t, "macros.cl", `#define F(x) x x
#define G(x) F(F(F(F(F(F(F(F(x))))))))
kernel void k(global int *p) { p[0] = G(G(G(+))) 1; }
`)
	list := write(t, "list.yaml", fmt.Sprintf("checks:\n  - model: %s\n    global: 2\n", model))
	for _, args := range [][]string{
		{"explore", "--global", "2", model, model},
		{"simulate", "--global", "2", model},
		{"run", list},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			cmd := clmc(args...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for begun := time.Now(); resident(cmd.Process.Pid) < 100<<20; time.Sleep(time.Millisecond) {
				if time.Since(begun) > time.Minute {
					cmd.Process.Kill()
					t.Fatalf("%v: it does not load", args)
				}
			}
			sent := time.Now()
			cmd.Process.Signal(signal)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(out.String(), "interrupted") {
				t.Errorf("%v, %v: exit code %d after %v, want 3 at once\n%s", args, signal, code, time.Since(sent), &out)
			}
		}
	}
}

// resident is how much memory a process has, 0 if it has ended.
func resident(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	kilobytes := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(status)
	if kilobytes == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(kilobytes[1]), 10, 64)
	return n << 10
}
