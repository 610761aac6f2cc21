package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/cli"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(fault); name != "" {
		guard.Fault = func(here string) {
			if here == name {
				panic("injected")
			}
		}
	}
	if os.Getenv(asCommand) != "" {
		code := cli.Main(os.Args[1:], os.Stdout, os.Stderr)
		writePeak()
		os.Exit(code)
	}
	testscript.Main(tidy{m}, map[string]func(){"clmc": main})
}

// tidy removes, after all tests, what several of them have shared.
type tidy struct{ *testing.M }

func (m tidy) Run() int {
	code := m.M.Run()
	for _, dir := range shared {
		os.RemoveAll(dir)
	}
	return code
}

// shared are directories that tests share.
var shared []string

// TestScripts runs the command lines in testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		Deadline:            time.Now().Add(patience),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"interrupt": interrupt,
			"fill":      fill,
			"jsonlines": jsonLines,
		},
	})
}

// patience is how long all scripts together may take: a model that hangs must
// not hang the tests.
const patience = 15 * time.Minute

// exits runs "exits CODE COMMAND ARGS..." and fails unless the command exits
// with that code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCode(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("the exit code is %d, want %d", got, want)
	}
}

// exitCode reads the exit code off the error of a command.
func exitCode(ts *testscript.TestScript, err error) int {
	if err == nil {
		return 0
	}
	exit, ok := err.(*exec.ExitError)
	if !ok {
		ts.Fatalf("%v", err)
	}
	return exit.ExitCode()
}

// interrupt runs "interrupt CODE COMMAND ARGS...", which must report progress on
// standard error, interrupts it as soon as it does, and checks the exit code.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt code command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir, cmd.Stdout = ts.MkAbs("."), ts.Stdout()
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	guard := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
	defer guard.Stop()

	r := bufio.NewReader(stderr)
	first, err := r.ReadString('\n')
	ts.Check(err)
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	rest, _ := io.ReadAll(r)
	fmt.Fprint(ts.Stderr(), first, string(rest))
	if got := exitCode(ts, cmd.Wait()); got != want {
		ts.Fatalf("the exit code is %d, want %d", got, want)
	}
}

// fill writes "fill FILE SIZE": a file of that many blanks.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill file size")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(" ", size)), 0o666))
}
