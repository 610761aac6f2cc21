//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFault reads mapped memory behind which the file has gone, as when a disk
// fails: that is said in a message, and no stack is printed.
func TestFault(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := os.Getpagesize()
	if err := f.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(data)
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	a := &app{err: &stderr}
	a.guard(func() error {
		if data[0] == 1 {
			t.Error("there is something")
		}
		return nil
	})
	if text := stderr.String(); a.code != exitInternal || !strings.Contains(text, "clmc resume") || strings.Contains(text, "goroutine") {
		t.Errorf("exit code %d: %s", a.code, text)
	}
}
