package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fault in the environment names a kind of goroutine that panics as it starts.
const fault = "CLMC_TEST_FAULT"

// TestGoroutinesCrash lets each kind of goroutine panic: the command must end as
// with any internal error, and not with what Go's exit code would mean.
func TestGoroutinesCrash(t *testing.T) {
	litmus := filepath.Join(t.TempDir(), "t.litmus")
	text := "OpenCL t\n{ [x]=0; }\nP0 (global atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n"
	if err := os.WriteFile(litmus, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(t.TempDir(), "store")
	if out, err := clmc("explore", "--store", store, "@spinlock").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const long = "@reduce_tree" // without reduction: the goroutine is sure to have its turn
	for name, args := range map[string][]string{
		"alarm":        {"explore", long, "--por", "none"},
		"worker":       {"explore", "--workers", "2", "@spinlock"},
		"progress":     {"explore", "--progress", "json", "--por", "none", long},
		"writer":       {"explore", "--store", filepath.Join(t.TempDir(), "new"), "@spinlock"},
		"verify":       {"resume", store},
		"scan":         {"resume", store},
		"litmus queue": {"litmus", litmus},
		"litmus test":  {"litmus", litmus},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := clmc(args...)
			cmd.Env = append(cmd.Env, fault+"="+name)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 4 {
				t.Errorf("%v, want exit code 4", err)
			}
			for _, want := range []string{"internal error: " + name + ": injected", "Please report it"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}
