package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// peakFile in the environment names a file to which the test binary, when it is the command
// itself, writes the most memory that it had at a time.
//
// What the kernel tells the parent of a process that has ended (ru_maxrss) is of no use here: a
// process that Go starts shares the memory of the tests until it becomes the command, and that
// counts as its own.
const peakFile = "CLMC_TEST_PEAK"

// measured makes a command write its peak of memory, and collect garbage as often as it does for its users, whatever testrun says of
// tests. The function tells the peak in bytes, once the command has ended by itself.
func measured(t *testing.T, cmd *exec.Cmd) (peak func() int64) {
	path := filepath.Join(t.TempDir(), "peak")
	cmd.Env = append(cmd.Environ(), peakFile+"="+path, "GOGC=100")
	return func() int64 {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil || n == 0 {
			t.Fatalf("a peak of %q: %v", text, err)
		}
		return n
	}
}

// writePeak is called in the command, at its end.
func writePeak() {
	path := os.Getenv(peakFile)
	if path == "" {
		return
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	kilobytes := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	n, err := strconv.ParseInt(string(kilobytes[1]), 10, 64)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, strconv.AppendInt(nil, n<<10, 10), 0o600); err != nil {
		panic(err)
	}
}

// TestPeak sees that a process's peak is its own, however much the tests hold.
func TestPeak(t *testing.T) {
	held := make([]byte, 512<<20)
	for i := 0; i < len(held); i += 4096 {
		held[i] = 1
	}
	cmd := clmc("version")
	peak := measured(t, cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := peak(); n > 256<<20 {
		t.Errorf("clmc version took %d MiB", n>>20)
	}
	if held[4096] != 1 {
		t.Error("nothing was held")
	}
}
