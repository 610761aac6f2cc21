// Command testrun runs go test and says what came out, package by package:
//
//	go run ./internal/testkit/testrun [flags and packages of go test]
//
// Each package has a line as it ends, with the time that its tests took; packages without tests have
// none. A failure is shown with what its test printed and with the one command that repeats it. In the
// end come the reasons why tests were skipped, and as the last line
//
//	N passed, N failed, N skipped
//
// A test with subtests is not counted itself, unless it fails and none of them does. The exit code is 0
// if something has passed and nothing has failed, and else 1.
//
// Tests, and what they start, let the heap grow to five times of what is in use before they collect garbage, unless GOGC says
// when: most of them have little in use, and a fifth of the processors' time would go into collecting it.
//
// It is part of clmc and not of its Go API.
package main

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs go test with these arguments and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	began := time.Now()
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Env, cmd.Stderr = seldom(os.Environ()), stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(stderr, "go test cannot be started:", err)
		return 1
	}
	r := newReport(stdout, args)
	err = r.read(events)
	if err != nil {
		_, _ = io.Copy(io.Discard, events) // so that go test comes to its end
	}
	ended := cmd.Wait()
	if err != nil {
		fmt.Fprintln(stderr, "what go test says cannot be read:", err)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Fprintf(stdout, "\n%v, %v of the processors\n", time.Since(began).Round(time.Second), used.Round(time.Second))
	if r.end(ended) && err == nil {
		return 0
	}
	return 1
}

// seldom returns the environment in which garbage is collected more seldom than by default, if it does not say when itself. Words of 32 bits do not
// address that much: there the default stays.
func seldom(env []string) []string {
	if os.Getenv("GOGC") != "" || bits.UintSize == 32 {
		return env
	}
	return append(env, "GOGC=400")
}
